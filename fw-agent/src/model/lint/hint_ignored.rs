//! A busy interrupt fires outside the CPUs that its driver suggests.

use super::{Rule, facts::*};
use crate::model::{Irq, Lint, Severity, Snapshot, units};

pub(super) const RULE: Rule =
    Rule { name: "hint-ignored", finds: "a busy interrupt fires outside its driver's affinity hint", check };

fn check(snapshot: &Snapshot) -> Vec<Lint> {
    busy_irqs(snapshot).filter_map(|(number, irq)| ignored(snapshot, number, irq)).collect()
}

fn ignored(snapshot: &Snapshot, number: u32, irq: &Irq) -> Option<Lint> {
    let (hint, effective) = (cpu_set(&irq.hint), cpu_set(&irq.effective_cpus));
    let reachable = snapshot.cpus.iter().any(|cpu| hint.contains(cpu.cpu));
    if !reachable || effective.is_empty() || hint.overlaps(&effective) || !movable(irq) {
        return None;
    }
    Some(Lint {
        severity: Severity::Note,
        evidence: format!(
            "{} fires {} on {}, its driver suggests {}",
            irq_words(number, irq),
            units::rate(irq.count, snapshot.window_s),
            cpu_words(&irq.effective_cpus),
            cpu_words(&irq.hint),
        ),
        advice: format!("Follow the hint unless its consumer was placed on purpose: {}.", move_irq(number, &irq.hint)),
        irq: Some(number),
        ..Lint::default()
    })
}
