//! As `cross-cpu-wake`, but the kernel refuses to move the interrupt: only the thread can.

use super::{Rule, cross_cpu_wake::crossings, facts::*};
use crate::model::{Lint, Managed, Snapshot};

pub(super) const RULE: Rule = Rule {
    name: "managed-irq-target-mismatch",
    finds: "an interrupt that the kernel refuses to move wakes a thread on another CPU",
    check,
};

fn check(snapshot: &Snapshot) -> Vec<Lint> {
    let fixed = crossings(snapshot).filter(|crossing| !movable(crossing.irq));
    fixed
        .map(|crossing| {
            let likely = if crossing.irq.managed == Managed::Likely { "likely " } else { "" };
            Lint {
                evidence: format!("{}; the IRQ is {likely}managed: move the thread", crossing.evidence(snapshot)),
                advice: format!(
                    "Let the thread run where its interrupt fires: {}.",
                    move_thread(&fires_on(crossing.irq), crossing.edge.tid)
                ),
                ..crossing.lint()
            }
        })
        .collect()
}
