//! A busy interrupt fires on another NUMA node than its device sits on.

use super::{Rule, facts::*, words::*};
use crate::model::{Irq, Lint, Severity, units};

pub(super) const RULE: Rule = Rule {
    name: "irq-on-remote-node",
    finds: "a busy interrupt that can be moved fires on another NUMA node than its device's",
    check,
};

/// A handler that reaches across nodes pays some hundred ns for each line it touches: less often than this, nobody can
/// measure that.
const MIN_RATE: f64 = 1_000.0;

fn check(facts: &Facts) -> Vec<Lint> {
    let often = |irq: &Irq| irq.count as f64 >= MIN_RATE * facts.snapshot.window_s;
    let busy = facts.busy_irqs().filter(|(_, irq)| often(irq) && movable(irq));
    busy.filter_map(|(number, irq)| remote(facts, number, irq)).collect()
}

fn remote(facts: &Facts, number: u32, irq: &Irq) -> Option<Lint> {
    let node_of = |cpu| facts.cpu(cpu).and_then(|c| c.node);
    let home = irq.node?;
    let cpus = cpu_set(&fires_on(irq));
    let node = node_of(cpus.first()?)?;
    if cpus.iter().any(|cpu| node_of(cpu).is_none_or(|node| node == home)) {
        return None;
    }
    let at_home = |cpu| node_of(cpu) == Some(home);
    let target = facts.idlest(at_home)?.to_string();
    let consumer = irq.consumers.first().and_then(|consumer| facts.thread(consumer.tid));
    let advice = match consumer {
        // It was brought to a thread that may not run at home: wakes across nodes would cost more than the handler.
        Some(thread) if !cpu_set(&thread.allowed_cpus).iter().any(at_home) => return None,
        Some(thread) if !at_home(thread.cpu) => format!(
            "Move it to its device's node, and its consumer {} along: {}, {}.",
            thread.comm,
            move_irq(number, &target),
            move_thread(&target, thread.tid)
        ),
        _ => format!("Move it to its device's node: {}.", move_irq(number, &target)),
    };
    Some(Lint {
        severity: Severity::Note,
        evidence: format!(
            "{} fires {} on {} of node {node}, its device {} on node {home}",
            irq_words(number, irq),
            units::rate(irq.count, facts.snapshot.window_s),
            cpu_words(&fires_on(irq)),
            if irq.device.is_empty() { "sits".into() } else { format!("{} sits", irq.device) },
        ),
        advice,
        irq: Some(number),
        ..Lint::default()
    })
}
