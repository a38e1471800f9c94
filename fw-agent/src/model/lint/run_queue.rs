//! A woken thread waits because another one holds the CPU.

use super::{Rule, facts::*, kthread::is_kernel, words::*};
use crate::model::{Edge, Lint, Occupant, units};

pub(super) const RULE: Rule = Rule {
    name: "run-queue-contention",
    finds: "most of a thread's wake-up time goes to another thread that holds its CPU",
    check,
};

/// Where another thread takes the larger part of the wake-up time, nothing else is worth looking at first.
const MIN_SHARE: f64 = 0.5;

/// A CPU with so much idle time can take another thread.
const ROOM: f64 = 0.3;

fn check(facts: &Facts) -> Vec<Lint> {
    facts.snapshot.edges.iter().filter(|edge| facts.enough(edge.wakes)).filter_map(|edge| held(facts, edge)).collect()
}

fn held(facts: &Facts, edge: &Edge) -> Option<Lint> {
    let wait = &edge.legs.thread;
    let share = wait.sum_ns as f64 / edge.latency.sum_ns as f64;
    let occupant = edge.occupants.first()?;
    // A waker that goes on running until it blocks hands its CPU over: that is how pipes and locks work.
    let hand_over = edge.cause.tid == Some(occupant.tid);
    if hand_over || share.is_nan() || share < MIN_SHARE {
        return None;
    }
    let severity = facts.severity(wait.sum_ns)?;
    Some(Lint {
        severity,
        evidence: format!(
            "{}, woken by {}, waits for a CPU that other threads hold: {} of its wake-up time over {} ({}), most of it \
             behind {} (thread {})",
            thread_words(&edge.comm, edge.pid, edge.tid),
            cause_words(edge),
            units::share(share),
            units::plural(edge.wakes, "wake"),
            p50_p99(wait),
            occupant.comm,
            occupant.tid,
        ),
        advice: advice(facts, edge, occupant)?,
        irq: edge.cause.irq,
        tid: Some(edge.tid),
        lost_ns: wait.sum_ns,
        ..Lint::default()
    })
}

/// None if there is nothing to be done: the kernel's threads keep the priority that the kernel gave them, and its
/// scheduler finds those that may move a CPU with room by itself.
fn advice(facts: &Facts, edge: &Edge, occupant: &Occupant) -> Option<String> {
    let movable = |tid, comm| (!is_kernel(comm, facts.thread(tid))).then_some((tid, comm));
    let (waiting, holding) = (movable(edge.tid, &edge.comm), movable(occupant.tid, &occupant.comm));
    let (tid, comm) = holding.or(waiting)?;
    let here = facts.thread(edge.tid).map(|thread| thread.cpu);
    let has_room = |cpu| Some(cpu) != here && facts.cpu(cpu).is_some_and(|c| c.idle_share >= ROOM);
    if let Some(cpu) = facts.idlest(has_room) {
        let to = move_thread(&cpu.to_string(), tid);
        return Some(format!("Give {comm} a CPU of its own, CPU {cpu} has room: {to}."));
    }
    let (tid, comm) = waiting?;
    Some(format!(
        "No CPU has room: let {comm} go first with a larger `cpu.weight` of its cgroup, or `chrt -f -p 1 {tid}`."
    ))
}
