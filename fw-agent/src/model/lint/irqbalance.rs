//! irqbalance runs and may move interrupts that somebody placed.

use super::{Rule, facts::*, words::*};
use crate::model::{Irq, Lint, Severity};
use std::cmp::Reverse;

pub(super) const RULE: Rule =
    Rule { name: "irqbalance-running", finds: "irqbalance may move busy interrupts that are set to one CPU", check };

/// Interrupts that the sentence names.
const NAMED: usize = 3;

fn check(facts: &Facts) -> Vec<Lint> {
    let Some(pid) = facts.snapshot.host.irqbalance_pid else {
        return Vec::new();
    };
    let placed = |irq: &Irq| movable(irq) && cpu_set(&irq.affinity).single().is_some();
    let mut irqs: Vec<(u32, &Irq)> = facts.busy_irqs().filter(|(_, irq)| placed(irq)).collect();
    irqs.sort_by_key(|(_, irq)| Reverse(irq.count));
    // With one CPU there is nowhere to move anything.
    let Some((busiest, _)) = irqs.first().copied().filter(|_| facts.snapshot.cpus.len() > 1) else {
        return Vec::new();
    };
    let names: Vec<String> = irqs.iter().take(NAMED).map(|(number, irq)| irq_words(*number, irq)).collect();
    let more = irqs.len() - names.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    vec![Lint {
        severity: Severity::Note,
        evidence: format!(
            "irqbalance (pid {pid}) runs and may move busy interrupts that are set to one CPU: {}{more}",
            names.join(", "),
        ),
        advice: format!("Where a placement matters, ban the interrupt in irqbalance: `irqbalance --banirq={busiest}`."),
        irq: Some(busiest),
        ..Lint::default()
    }]
}
