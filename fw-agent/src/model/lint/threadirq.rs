//! The kernel thread of a threaded interrupt runs elsewhere than the interrupt fires.

use super::{Rule, facts::*, words::*};
use crate::model::{Lint, Thread, units};

pub(super) const RULE: Rule = Rule {
    name: "threadirq-not-following",
    finds: "the handler thread of an interrupt runs on another CPU than the interrupt fires on",
    check,
};

fn check(facts: &Facts) -> Vec<Lint> {
    facts.snapshot.threads.iter().filter_map(|thread| follows(facts, thread)).collect()
}

fn follows(facts: &Facts, thread: &Thread) -> Option<Lint> {
    let number = handled_irq(&thread.comm)?;
    let irq = facts.irq(number)?;
    let cpus = fires_on(irq);
    if !away(thread.cross_cpu_share, thread.cpu, &cpus) || !facts.enough(thread.wakes) {
        return None;
    }
    Some(Lint {
        severity: facts.severity(thread.latency.sum_ns)?,
        evidence: format!(
            "{} fires on {}, its handler thread {} (tid {}) runs on CPU {} (allowed on {}): {} of {} crossed CPUs, {}",
            irq_words(number, irq),
            cpu_words(&cpus),
            thread.comm,
            thread.tid,
            thread.cpu,
            cpu_words(&thread.allowed_cpus),
            units::share(thread.cross_cpu_share),
            units::plural(thread.wakes, "wake"),
            p50_p99(&thread.latency),
        ),
        advice: format!("Let the handler thread follow: {}.", move_thread(&cpus, thread.tid)),
        irq: Some(number),
        tid: Some(thread.tid),
        lost_ns: thread.latency.sum_ns,
        ..Lint::default()
    })
}

/// The interrupt of a thread named `irq/36-virtio1-r`.
fn handled_irq(comm: &str) -> Option<u32> {
    comm.strip_prefix("irq/")?.split('-').next()?.parse().ok()
}
