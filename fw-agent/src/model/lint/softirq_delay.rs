//! A softirq runs long after it was raised.

use super::{Rule, facts::*};
use crate::model::{Lint, Snapshot, Softirq, units};

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

fn check(snapshot: &Snapshot) -> Vec<Lint> {
    let urgent = snapshot.softirqs.iter().filter(|softirq| !PATIENT.contains(&softirq.name.as_str()));
    urgent.filter_map(|softirq| late(snapshot, softirq)).collect()
}

fn late(snapshot: &Snapshot, softirq: &Softirq) -> Option<Lint> {
    let delay = &softirq.delay;
    if !enough(delay.count(), snapshot) || delay.quantile(0.99) < MAX_P99_NS {
        return None;
    }
    let busiest = softirq.per_cpu.iter().max_by_key(|(_, n)| *n);
    let at = busiest
        .map_or(String::new(), |(cpu, n)| format!(", most on CPU {cpu} ({})", units::rate(*n, snapshot.window_s)));
    Some(Lint {
        severity: severity(delay.sum_ns, snapshot)?,
        evidence: format!(
            "softirq {} ran {}{at} and started {} after it was raised",
            softirq.name,
            units::plural(softirq.count, "time"),
            p50_p99(delay),
        ),
        advice:
            "Look at that CPU: code with interrupts or softirqs off, a long softirq or ksoftirqd's queue holds it up; \
                 spread the interrupts that raise it."
                .into(),
        lost_ns: delay.sum_ns,
        ..Lint::default()
    })
}
