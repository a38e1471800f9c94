//! A busy interrupt fires outside the CPUs that its driver suggests.

use super::{Rule, facts::*, words::*};
use crate::model::{Irq, Lint, Severity, units};

pub(super) const RULE: Rule =
    Rule { name: "hint-ignored", finds: "a busy interrupt fires outside its driver's affinity hint", check };

fn check(facts: &Facts) -> Vec<Lint> {
    facts.busy_irqs().filter_map(|(number, irq)| ignored(facts, number, irq)).collect()
}

fn ignored(facts: &Facts, number: u32, irq: &Irq) -> Option<Lint> {
    let (hint, effective) = (cpu_set(&irq.hint), cpu_set(&irq.effective_cpus));
    if hint.is_empty() || effective.is_empty() || hint.overlaps(&effective) || !movable(irq) {
        return None;
    }
    // CPUs that are offline cannot be followed to.
    hint.iter().find(|cpu| facts.cpu(*cpu).is_some())?;
    Some(Lint {
        severity: Severity::Note,
        evidence: format!(
            "{} fires {} on {}, its driver suggests {}",
            irq_words(number, irq),
            units::rate(irq.count, facts.snapshot.window_s),
            cpu_words(&irq.effective_cpus),
            cpu_words(&irq.hint),
        ),
        advice: format!("Follow the hint unless its consumer was placed on purpose: {}.", move_irq(number, &irq.hint)),
        irq: Some(number),
        ..Lint::default()
    })
}
