//! Several busy interrupts share one CPU while others have none.

use super::{Rule, facts::*, words::*};
use crate::model::{Irq, Lint, Severity, units};
use std::{cmp::Reverse, collections::BTreeSet};

pub(super) const RULE: Rule =
    Rule { name: "many-irqs-one-cpu", finds: "busy interrupts share one CPU while other CPUs are idle", check };

/// Two vectors on one CPU are a queue and its neighbour; from three on, nobody has spread them.
const MIN_VECTORS: usize = 3;

/// Share of all device interrupts that one CPU must take to stand out.
const MIN_SHARE: f64 = 0.75;

/// Time in hard IRQs and softirqs, as a share of the CPU, below which sharing it costs nothing.
const MIN_BUSY: f64 = 0.1;

/// A CPU with so much idle time, and none of the busy vectors, can take some.
const ROOM: f64 = 0.5;

/// A busy interrupt, its number and the CPU that takes most of it.
type Placed<'a> = (u32, u32, &'a Irq);

fn check(facts: &Facts) -> Vec<Lint> {
    let place = |(number, irq)| Some((main_cpu(irq)?.0, number, irq));
    let mut placed: Vec<Placed> = facts.busy_irqs().filter_map(place).collect();
    placed.sort_by_key(|(cpu, _, irq)| (*cpu, Reverse(irq.count)));
    let all = interrupts(&placed);
    let crowds = placed.chunk_by(|a, b| a.0 == b.0).filter(|here| here.len() >= MIN_VECTORS);
    crowds.filter_map(|here| crowd(facts, here, &placed, all)).collect()
}

/// Judges the interrupts of one CPU, the busiest first, against all placed ones.
fn crowd(facts: &Facts, here: &[Placed], placed: &[Placed], all: u64) -> Option<Lint> {
    let (cpu, first, _) = *here.first()?;
    let busy = facts.snapshot.cpus.iter().find(|c| c.cpu == cpu).map(|c| c.hardirq_share + c.softirq_share)?;
    let share = interrupts(here) as f64 / all as f64;
    if busy < MIN_BUSY || share < MIN_SHARE {
        return None;
    }
    let taken: BTreeSet<u32> = placed.iter().map(|(cpu, ..)| *cpu).collect();
    let roomy = facts.snapshot.cpus.iter().filter(|c| c.idle_share >= ROOM).map(|c| c.cpu);
    let roomy: BTreeSet<u32> = roomy.filter(|cpu| !taken.contains(cpu)).collect();
    let other = facts.idlest(|cpu| roomy.contains(&cpu))?;
    let names: Vec<String> = here.iter().take(MIN_VECTORS).map(|(_, number, irq)| irq_words(*number, irq)).collect();
    // The busiest stays: moving the others off it takes most of the sharing away and disturbs least.
    let advice = match here.iter().skip(1).find(|(_, _, irq)| movable(irq)) {
        Some((_, number, _)) => format!("Spread them, first one: {}.", move_irq(*number, &other.to_string())),
        None => "The kernel refuses to move them: give the driver more queues, so that each CPU has its own.".into(),
    };
    Some(Lint {
        severity: Severity::Warning,
        evidence: format!(
            "{} busy interrupts ({}{}) fire on CPU {cpu}, {} of all; it spends {} in hard IRQs and softirqs while CPU \
             {other} has none",
            here.len(),
            names.join(", "),
            if here.len() > names.len() { " and others" } else { "" },
            units::share(share),
            units::share(busy),
        ),
        advice,
        irq: Some(first),
        ..Lint::default()
    })
}

fn interrupts(placed: &[Placed]) -> u64 {
    placed.iter().map(|(_, _, irq)| irq.count).fold(0, u64::saturating_add)
}
