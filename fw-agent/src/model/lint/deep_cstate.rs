//! Wakes find their CPU in a deep C-state, and leaving it is most of the wake-up time.

use super::{Rule, facts::*, words::*};
use crate::model::{Edge, Lint, units};

pub(super) const RULE: Rule = Rule {
    name: "deep-cstate-before-wake",
    finds: "most of a thread's wake-up time goes to leaving a deep C-state",
    check,
};

/// The share of the wake-up time, and of the wakes, that must be the C-state's to blame it.
const MIN_SHARE: f64 = 0.5;

/// States 0 (polling) and 1 (halt) are the shallow ones of every cpuidle driver: below them is nothing to change.
const FIRST_DEEP: usize = 2;

fn check(facts: &Facts) -> Vec<Lint> {
    facts.snapshot.edges.iter().filter(|edge| facts.enough(edge.wakes)).filter_map(|edge| slept(facts, edge)).collect()
}

fn slept(facts: &Facts, edge: &Edge) -> Option<Lint> {
    let exit = &edge.legs.idle;
    let share = exit.sum_ns as f64 / edge.latency.sum_ns as f64;
    let (state, wakes) = edge.idle_states.iter().copied().enumerate().max_by_key(|(_, n)| *n)?;
    let blamed = share >= MIN_SHARE && wakes as f64 >= MIN_SHARE * edge.wakes as f64;
    if !blamed || state < FIRST_DEEP {
        return None;
    }
    let severity = facts.severity(exit.sum_ns)?;
    let name = facts.snapshot.host.idle_states.get(state).map_or(String::new(), |name| format!(" {name}"));
    let cpu = facts.thread(edge.tid).map_or(String::new(), |t| format!("-c {} ", t.cpu));
    Some(Lint {
        severity,
        evidence: format!(
            "{}, woken by {}, finds its CPU asleep in state {state}{name} at {} of {}: leaving it took {}, {} of the \
             wake-up time",
            thread_words(&edge.comm, edge.pid, edge.tid),
            cause_words(edge),
            units::share(wakes as f64 / edge.wakes as f64),
            units::plural(edge.wakes, "wake"),
            p50_p99(exit),
            units::share(share),
        ),
        advice: format!("Forbid the state, at the price of power: `cpupower {cpu}idle-set -d {state}`."),
        irq: edge.cause.irq,
        tid: Some(edge.tid),
        lost_ns: exit.sum_ns,
        ..Lint::default()
    })
}
