//! irqbalance runs and may move interrupts that somebody placed.

use super::{Rule, facts::*};
use crate::model::{Irq, Lint, Severity, Snapshot, units};
use std::cmp::Reverse;

pub(super) const RULE: Rule =
    Rule { name: "irqbalance-running", finds: "irqbalance may move busy interrupts that are set to one CPU", check };

/// Interrupts that the sentence names.
const NAMED: usize = 3;

fn check(snapshot: &Snapshot) -> Vec<Lint> {
    let Some(pid) = snapshot.host.irqbalance_pid else {
        return Vec::new();
    };
    let placed = |irq: &Irq| movable(irq) && cpu_set(&irq.affinity).single().is_some();
    let mut irqs: Vec<(u32, &Irq)> = busy_irqs(snapshot).filter(|(_, irq)| placed(irq)).collect();
    irqs.sort_by_key(|(_, irq)| Reverse(irq.count));
    // With one CPU there is nowhere to move anything.
    let Some((busiest, _)) = irqs.first().copied().filter(|_| snapshot.cpus.len() > 1) else {
        return Vec::new();
    };
    let names: Vec<String> = irqs.iter().take(NAMED).map(|(number, irq)| irq_words(*number, irq)).collect();
    let more = if irqs.len() > NAMED { ", ..." } else { "" };
    vec![Lint {
        severity: Severity::Note,
        evidence: format!(
            "irqbalance (pid {pid}) runs and may move {} set to one CPU each: {}{more}",
            units::plural(irqs.len() as u64, "busy interrupt"),
            names.join(", "),
        ),
        advice: format!("Where a placement matters, ban the interrupt in irqbalance: `irqbalance --banirq={busiest}`."),
        irq: Some(busiest),
        ..Lint::default()
    }]
}
