//! Softirqs of a CPU are put off to ksoftirqd, where they queue behind every other thread.

use super::{Rule, facts::*};
use crate::model::{Lint, Snapshot, Softirq, Thread, units};

pub(super) const RULE: Rule = Rule {
    name: "softirq-deferred-to-ksoftirqd",
    finds: "softirqs are put off to ksoftirqd and run at a normal thread's priority",
    check,
};

/// Some wakes of ksoftirqd a second are ordinary (softirqs raised by threads); a CPU that cannot keep up has many.
const MIN_WAKES_PER_S: f64 = 50.0;

fn check(snapshot: &Snapshot) -> Vec<Lint> {
    // PREEMPT_RT runs softirqs in threads by design.
    if snapshot.host.realtime {
        return Vec::new();
    }
    snapshot.threads.iter().filter_map(|thread| deferred(snapshot, thread)).collect()
}

fn deferred(snapshot: &Snapshot, thread: &Thread) -> Option<Lint> {
    let cpu: u32 = thread.comm.strip_prefix("ksoftirqd/")?.parse().ok()?;
    let often = thread.wakes as f64 >= MIN_WAKES_PER_S * snapshot.window_s;
    if !often || !enough(thread.wakes, snapshot) {
        return None;
    }
    let ran_here = |softirq: &&Softirq| softirq.per_cpu.iter().any(|(c, n)| *c == cpu && *n > 0);
    let latest = snapshot.softirqs.iter().filter(ran_here).max_by_key(|softirq| softirq.delay.sum_ns);
    let late = latest.map_or(String::new(), |s| format!("; {} ran {} after it was raised", s.name, p50_p99(&s.delay)));
    let here = busy_irqs(snapshot).filter(|(_, irq)| main_cpu(irq).is_some_and(|(c, _)| c == cpu));
    let feeder = here.filter(|(_, irq)| movable(irq)).max_by_key(|(_, irq)| irq.count);
    let advice = match (feeder, idlest(snapshot, |c| c != cpu)) {
        (Some((number, _)), Some(other)) => {
            format!("Take the busiest interrupt off CPU {cpu}: {}.", move_irq(number, &other.to_string()))
        }
        _ => format!("Take load off CPU {cpu}, interrupts or threads: it cannot run its softirqs as they come."),
    };
    Some(Lint {
        severity: severity(thread.latency.sum_ns, snapshot)?,
        evidence: format!(
            "{} was woken {} ({}) to run softirqs that did not fit in at once, and waited {}{late}",
            thread.comm,
            units::plural(thread.wakes, "time"),
            units::rate(thread.wakes, snapshot.window_s),
            p50_p99(&thread.latency),
        ),
        advice,
        tid: Some(thread.tid),
        lost_ns: thread.latency.sum_ns,
        ..Lint::default()
    })
}
