//! A softirq runs long after it was raised.

use super::{Rule, facts::*, words::*};
use crate::model::{Lint, Softirq, units};

pub(super) const RULE: Rule = Rule {
    name: "softirq-delay",
    finds: "a softirq that serves devices or timers starts long after it was raised",
    check,
};

/// A softirq starts when the hard IRQ that raised it returns, within microseconds. One tick of a 1,000 Hz kernel later,
/// it has been held up.
const MAX_P99_NS: u64 = 1_000_000;

/// Housekeeping that nobody waits for.
const PATIENT: [&str; 2] = ["RCU", "SCHED"];

fn check(facts: &Facts) -> Vec<Lint> {
    let urgent = facts.snapshot.softirqs.iter().filter(|softirq| !PATIENT.contains(&softirq.name.as_str()));
    urgent.filter_map(|softirq| late(facts, softirq)).collect()
}

fn late(facts: &Facts, softirq: &Softirq) -> Option<Lint> {
    let delay = &softirq.delay;
    if !facts.enough(delay.count()) || delay.quantile(0.99) < MAX_P99_NS {
        return None;
    }
    let busiest = softirq.per_cpu.iter().max_by_key(|(_, n)| *n);
    let at = busiest.map_or(String::new(), |(cpu, n)| {
        format!(", most on CPU {cpu} ({})", units::rate(*n, facts.snapshot.window_s))
    });
    Some(Lint {
        severity: facts.severity(delay.sum_ns)?,
        evidence: format!(
            "softirq {} ran {}{at}, and started {} after it was raised",
            softirq.name,
            units::plural(softirq.count, "time"),
            p50_p99(delay),
        ),
        advice:
            "Look at that CPU, where code with interrupts or softirqs off, a long softirq or ksoftirqd's queue holds it up, \
                 and spread the interrupts that raise it."
                .into(),
        lost_ns: delay.sum_ns,
        ..Lint::default()
    })
}
