//! Softirqs of a CPU are put off to ksoftirqd, where they queue behind every other thread.

use super::{Rule, facts::*, words::*};
use crate::model::{Lint, Softirq, Thread, units};

pub(super) const RULE: Rule = Rule {
    name: "softirq-deferred-to-ksoftirqd",
    finds: "softirqs are put off to ksoftirqd and run at a normal thread's priority",
    check,
};

/// Some wakes of ksoftirqd a second are ordinary (softirqs raised by threads); a CPU that cannot keep up has many.
const MIN_WAKES_PER_S: f64 = 50.0;

fn check(facts: &Facts) -> Vec<Lint> {
    // PREEMPT_RT runs softirqs in threads by design.
    if facts.snapshot.host.realtime {
        return Vec::new();
    }
    facts.snapshot.threads.iter().filter_map(|thread| deferred(facts, thread)).collect()
}

fn deferred(facts: &Facts, thread: &Thread) -> Option<Lint> {
    let cpu: u32 = thread.comm.strip_prefix("ksoftirqd/")?.parse().ok()?;
    let often = thread.wakes as f64 >= MIN_WAKES_PER_S * facts.snapshot.window_s;
    if !often || !facts.enough(thread.wakes) {
        return None;
    }
    let severity = facts.severity(thread.latency.sum_ns)?;
    let ran_here = |softirq: &&Softirq| softirq.per_cpu.iter().any(|(c, n)| *c == cpu && *n > 0);
    let latest = facts.snapshot.softirqs.iter().filter(ran_here).max_by_key(|softirq| softirq.delay.sum_ns);
    let late = latest.map_or(String::new(), |s| format!("; {} ran {} after it was raised", s.name, p50_p99(&s.delay)));
    let here = facts.busy_irqs_on(cpu).iter().filter(|(_, irq)| movable(irq));
    let feeder = here.max_by_key(|(_, irq)| irq.count);
    let advice = match (feeder, facts.idlest(|c| c != cpu)) {
        (Some((number, _)), Some(other)) => {
            format!("Take the busiest interrupt off CPU {cpu}: {}.", move_irq(*number, &other.to_string()))
        }
        _ => format!("Take load off CPU {cpu}, interrupts or threads: it cannot run its softirqs as they come."),
    };
    Some(Lint {
        severity,
        evidence: format!(
            "{} was woken {} ({}) to run softirqs that did not fit in at once, and waited {}{late}",
            thread.comm,
            units::plural(thread.wakes, "time"),
            units::rate(thread.wakes, facts.snapshot.window_s),
            p50_p99(&thread.latency),
        ),
        advice,
        tid: Some(thread.tid),
        lost_ns: thread.latency.sum_ns,
        ..Lint::default()
    })
}
