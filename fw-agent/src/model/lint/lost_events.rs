//! The probes lost so many events that figures may be off.

use super::{Rule, facts::*};
use crate::model::{Lint, Severity, units};

pub(super) const RULE: Rule =
    Rule { name: "lost-events", finds: "the probes could not count a noticeable share of the events", check };

/// Below one in a thousand a p99 does not move, and p99.9 hardly.
const NOTE: f64 = 0.001;

/// From one in a hundred on, the p99 itself may be wrong.
const WARNING: f64 = 0.01;

fn check(facts: &Facts) -> Vec<Lint> {
    let losses = &facts.snapshot.losses;
    let lost = losses.reasons().iter().map(|(_, n)| *n).fold(0, u64::saturating_add);
    let share = lost as f64 / (lost as f64 + facts.snapshot.runqueue.count as f64);
    let Some((reason, most)) = losses.reasons().into_iter().max_by_key(|(_, n)| *n) else {
        return Vec::new();
    };
    if !facts.enough(lost) || share < NOTE {
        return Vec::new();
    }
    let worst = losses.per_cpu.iter().max_by_key(|(_, n)| *n);
    vec![Lint {
        severity: if share >= WARNING { Severity::Warning } else { Severity::Note },
        evidence: format!(
            "{} ({}) could not be counted, most ({}) because of: {reason}{}",
            units::plural(lost, "event"),
            units::share(share),
            units::count(most),
            worst.map_or(String::new(), |(cpu, n)| format!("; CPU {cpu} lost {}", units::count(*n))),
        ),
        advice: advice(reason).into(),
        ..Lint::default()
    }]
}

fn advice(reason: &str) -> &'static str {
    match reason {
        "aliased" | "threads full" | "edges full" => "Watch fewer threads: `--pid`, `--comm`, `--cgroup` or `--irq`.",
        "IRQ out of range" | "CPU out of range" => "This host is larger than the probes' tables: read the totals only.",
        "clock" => "The CPUs' clocks are apart: look at `dmesg` for an unstable clock source.",
        _ => "Stop other tracing programs on this host: they run inside the same events.",
    }
}
