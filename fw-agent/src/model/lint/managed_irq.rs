//! As `cross-cpu-wake`, but the kernel refuses to move the interrupt: only the thread can.

use super::{Rule, crossing::crossings, facts::*};
use crate::model::{Lint, Managed};

pub(super) const RULE: Rule = Rule {
    name: "managed-irq-target-mismatch",
    finds: "an interrupt that the kernel refuses to move wakes a thread on another CPU",
    check,
};

fn check(facts: &Facts) -> Vec<Lint> {
    let managed = crossings(facts).iter().filter(|crossing| !movable(crossing.irq));
    managed
        .map(|crossing| {
            let likely = if crossing.irq.managed == Managed::Likely { "likely " } else { "" };
            Lint {
                evidence: format!("{}; the IRQ is {likely}managed: move the thread", crossing.evidence(facts)),
                advice: format!("Let the thread run where its interrupt fires: {}.", crossing.move_thread()),
                ..crossing.lint()
            }
        })
        .collect()
}
