//! A device's interrupt fires on a CPU that was isolated to be left alone.

use super::{Rule, facts::*, words::*};
use crate::model::{Cpu, CpuSet, Irq, Lint, Severity, units};

pub(super) const RULE: Rule =
    Rule { name: "irq-on-isolated", finds: "a device's interrupt fires on an isolated or nohz_full CPU", check };

/// Interrupts in the window from which on a CPU is being disturbed. Fewer than elsewhere, because an isolated CPU is
/// promised none; not one, because moving an interrupt away takes one more.
const MIN_INTERRUPTS: u64 = 10;

fn check(facts: &Facts) -> Vec<Lint> {
    let named = [&facts.snapshot.host.isolated, &facts.snapshot.host.nohz_full].map(|list| cpu_set(list));
    let left_alone = |cpu: &&Cpu| cpu.isolated || named.iter().any(|list| list.contains(cpu.cpu));
    let isolated: CpuSet = facts.snapshot.cpus.iter().filter(left_alone).map(|cpu| cpu.cpu).collect();
    let housekeeping = facts.idlest(|cpu| !isolated.contains(cpu));
    facts.snapshot.irqs.iter().filter_map(|irq| strayed(facts, irq, &isolated, housekeeping)).collect()
}

fn strayed(facts: &Facts, irq: &Irq, isolated: &CpuSet, housekeeping: Option<u32>) -> Option<Lint> {
    let number = irq.irq?;
    let on_isolated = irq.per_cpu.iter().copied().filter(|(cpu, n)| *n >= MIN_INTERRUPTS && isolated.contains(*cpu));
    let (cpu, n) = on_isolated.max_by_key(|(_, n)| *n)?;
    // Whoever put an interrupt and its consumer on an isolated CPU together did it on purpose.
    let own = |tid: u32| facts.thread(tid).is_some_and(|t| cpu_set(&t.allowed_cpus).single() == Some(cpu));
    if irq.consumers.iter().any(|consumer| own(consumer.tid)) {
        return None;
    }
    let advice = match housekeeping {
        Some(other) if movable(irq) => {
            format!("Move it to a housekeeping CPU: {}.", move_irq(number, &other.to_string()))
        }
        Some(_) => "The kernel chose this CPU and refuses a move: boot with `isolcpus=managed_irq,CPUS`, or give the \
                    driver fewer queues."
            .into(),
        None => "Every CPU is isolated: leave one for interrupts.".into(),
    };
    Some(Lint {
        severity: Severity::Warning,
        evidence: format!(
            "{} fired {} ({}) on CPU {cpu}, which is isolated",
            irq_words(number, irq),
            units::plural(n, "time"),
            units::rate(n, facts.snapshot.window_s),
        ),
        advice,
        irq: Some(number),
        // The thread it disturbs is not known to have been waiting: what it costs is the handler's own time.
        lost_ns: irq.handler.sum_ns,
        ..Lint::default()
    })
}
