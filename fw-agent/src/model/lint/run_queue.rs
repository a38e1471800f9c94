//! A woken thread waits because another one holds the CPU.

use super::{Rule, facts::*};
use crate::model::{Edge, Lint, Occupant, Snapshot, units};

pub(super) const RULE: Rule = Rule {
    name: "run-queue-contention",
    finds: "most of a thread's wake-up time goes to another thread that holds its CPU",
    check,
};

/// Where another thread takes the larger part of the wake-up time, nothing else is worth looking at first.
const MIN_SHARE: f64 = 0.5;

/// A CPU with so much idle time can take another thread.
const ROOM: f64 = 0.3;

fn check(snapshot: &Snapshot) -> Vec<Lint> {
    snapshot.edges.iter().filter(|edge| enough(edge.wakes, snapshot)).filter_map(|edge| held(snapshot, edge)).collect()
}

fn held(snapshot: &Snapshot, edge: &Edge) -> Option<Lint> {
    let wait = &edge.legs.thread;
    let share = wait.sum_ns as f64 / edge.latency.sum_ns as f64;
    let occupant = edge.occupants.first()?;
    // A waker that goes on running until it blocks hands its CPU over: that is how pipes and locks work.
    let hand_over = edge.cause.tid == Some(occupant.tid);
    if hand_over || share.is_nan() || share < MIN_SHARE {
        return None;
    }
    Some(Lint {
        severity: severity(wait.sum_ns, snapshot)?,
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
        advice: advice(snapshot, edge, occupant),
        irq: edge.cause.irq,
        tid: Some(edge.tid),
        lost_ns: wait.sum_ns,
        ..Lint::default()
    })
}

fn advice(snapshot: &Snapshot, edge: &Edge, occupant: &Occupant) -> String {
    let here = thread(snapshot, edge.tid).map(|t| t.cpu);
    let has_room = |cpu| Some(cpu) != here && snapshot.cpus.iter().any(|c| c.cpu == cpu && c.idle_share >= ROOM);
    let mover = if bound_to_its_cpu(&occupant.comm) { (edge.tid, &edge.comm) } else { (occupant.tid, &occupant.comm) };
    match idlest(snapshot, has_room) {
        Some(cpu) => format!(
            "Give {} a CPU of its own, CPU {cpu} has room: {}.",
            mover.1,
            move_thread(&cpu.to_string(), mover.0)
        ),
        None => format!(
            "No CPU has room: let {} go first with a larger `cpu.weight` of its cgroup, or `chrt -f -p 1 {}`.",
            edge.comm, edge.tid
        ),
    }
}
