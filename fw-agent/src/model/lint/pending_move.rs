//! An interrupt was told to move and has not.

use super::{Rule, facts::*, words::*};
use crate::model::{Irq, Lint, Severity, units};

pub(super) const RULE: Rule =
    Rule { name: "pending-move", finds: "an interrupt fires on a CPU outside the affinity that was set", check };

/// Interrupts after which a move must have happened: interrupt controllers that cannot move one at once do it at the next.
const MIN_INTERRUPTS: u64 = 10;

fn check(facts: &Facts) -> Vec<Lint> {
    facts.snapshot.irqs.iter().filter_map(pending).collect()
}

fn pending(irq: &Irq) -> Option<Lint> {
    let number = irq.irq?;
    let (asked, effective) = (cpu_set(&irq.affinity), cpu_set(&irq.effective_cpus));
    // A managed interrupt whose CPUs are all offline is shut down, and one that the kernel fixed is nobody's to move.
    if asked.is_empty() || effective.is_empty() || asked.overlaps(&effective) || !movable(irq) {
        return None;
    }
    if irq.count < MIN_INTERRUPTS {
        return None;
    }
    Some(Lint {
        severity: Severity::Warning,
        evidence: format!(
            "{} is set to {} but still fires on {} after {}",
            irq_words(number, irq),
            cpu_words(&irq.affinity),
            cpu_words(&irq.effective_cpus),
            units::plural(irq.count, "interrupt"),
        ),
        advice: format!(
            "Write it again, {}, and look at `/proc/irq/{number}/effective_affinity_list`: the target may have no free \
             vector.",
            move_irq(number, &irq.affinity)
        ),
        irq: Some(number),
        ..Lint::default()
    })
}
