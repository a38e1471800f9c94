//! Several busy interrupts share one CPU while others have none.

use super::{Rule, facts::*};
use crate::model::{Irq, Lint, Severity, Snapshot, units};
use std::cmp::Reverse;

pub(super) const RULE: Rule = Rule {
    name: "many-irqs-one-cpu",
    finds: "busy interrupts share one CPU while other CPUs are idle",
    check,
};

/// Two vectors on one CPU are a queue and its neighbour; from three on, nobody has spread them.
const MIN_VECTORS: usize = 3;

/// Share of all device interrupts that one CPU must take to stand out.
const MIN_SHARE: f64 = 0.75;

/// Time in hard IRQs and softirqs, as a share of the CPU, below which sharing it costs nothing.
const MIN_BUSY: f64 = 0.1;

/// A CPU with so much idle time, and none of the busy vectors, can take some.
const ROOM: f64 = 0.5;

fn check(snapshot: &Snapshot) -> Vec<Lint> {
    let all: u64 = busy_irqs(snapshot)
        .map(|(_, irq)| irq.count)
        .fold(0, u64::saturating_add);
    let crowded = snapshot
        .cpus
        .iter()
        .filter(|cpu| cpu.hardirq_share + cpu.softirq_share >= MIN_BUSY);
    crowded.filter_map(|cpu| crowd(snapshot, cpu.cpu, all)).collect()
}

fn crowd(snapshot: &Snapshot, cpu: u32, all: u64) -> Option<Lint> {
    let lives_on = |irq: &Irq, c: u32| main_cpu(irq).is_some_and(|(main, _)| main == c);
    let mut here: Vec<(u32, &Irq)> = busy_irqs(snapshot).filter(|(_, irq)| lives_on(irq, cpu)).collect();
    here.sort_by_key(|(_, irq)| Reverse(irq.count));
    let taken = here.iter().map(|(_, irq)| irq.count).fold(0, u64::saturating_add);
    let has_room = |c: u32| {
        let free = busy_irqs(snapshot).all(|(_, irq)| !lives_on(irq, c));
        free && snapshot
            .cpus
            .iter()
            .any(|other| other.cpu == c && other.idle_share >= ROOM)
    };
    let other = idlest(snapshot, has_room)?;
    if here.len() < MIN_VECTORS || (taken as f64) < MIN_SHARE * all as f64 {
        return None;
    }
    let load = snapshot
        .cpus
        .iter()
        .find(|c| c.cpu == cpu)
        .map_or(0.0, |c| c.hardirq_share + c.softirq_share);
    let names: Vec<String> = here
        .iter()
        .take(MIN_VECTORS)
        .map(|(number, irq)| irq_words(*number, irq))
        .collect();
    // The busiest stays: moving the others off it takes most of the sharing away and disturbs least.
    let advice = match here.iter().skip(1).find(|(_, irq)| movable(irq)) {
        Some((number, _)) => format!("Spread them, first one: {}.", move_irq(*number, &other.to_string())),
        None => "The kernel refuses to move them: give the driver more queues, so that each CPU has its own.".into(),
    };
    Some(Lint {
        severity: Severity::Warning,
        evidence: format!(
            "{} busy interrupts ({}{}) fire on CPU {cpu}, {} of all; it spends {} in hard IRQs and softirqs while CPU \
             {other} has none",
            here.len(),
            names.join(", "),
            if here.len() > names.len() { ", ..." } else { "" },
            units::share(taken as f64 / all as f64),
            units::share(load),
        ),
        advice,
        irq: here.first().map(|(number, _)| *number),
        ..Lint::default()
    })
}
