//! The thread of a threaded NAPI instance runs elsewhere than the interrupt that wakes it fires.

use super::{Rule, facts::*, words::*};
use crate::model::{Edge, Lint, units};

pub(super) const RULE: Rule = Rule {
    name: "napi-thread-elsewhere",
    finds: "a NAPI thread runs on another CPU than the interrupt that wakes it fires on",
    check,
};

fn check(facts: &Facts) -> Vec<Lint> {
    let threads = facts.snapshot.edges.iter().filter(|edge| edge.comm.starts_with("napi/"));
    threads.filter_map(|edge| elsewhere(facts, edge)).collect()
}

fn elsewhere(facts: &Facts, edge: &Edge) -> Option<Lint> {
    let number = edge.cause.irq?;
    let (irq, thread) = (facts.irq(number)?, facts.thread(edge.tid)?);
    let cpus = fires_on(irq);
    if !away(edge.cross_cpu_share, thread.cpu, &cpus) || !facts.enough(edge.wakes) {
        return None;
    }
    Some(Lint {
        severity: facts.severity(edge.latency_cross_cpu.sum_ns)?,
        evidence: format!(
            "{} fires on {}, the NAPI thread {} (tid {}) that it wakes runs on CPU {}: {} of {} crossed CPUs, {}",
            irq_words(number, irq),
            cpu_words(&cpus),
            edge.comm,
            edge.tid,
            thread.cpu,
            units::share(edge.cross_cpu_share),
            units::plural(edge.wakes, "wake"),
            p50_p99(&edge.latency),
        ),
        advice: format!("Let the NAPI thread run where the queue's interrupt fires: {}.", move_thread(&cpus, edge.tid)),
        irq: Some(number),
        tid: Some(edge.tid),
        lost_ns: edge.latency_cross_cpu.sum_ns,
        ..Lint::default()
    })
}
