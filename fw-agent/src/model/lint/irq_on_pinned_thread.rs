//! An interrupt takes time from a pinned thread that it has nothing to do with.

use super::{Rule, facts::*, kthread::is_kernel, words::*};
use crate::model::{CpuSet, Lint, Thread, units};

pub(super) const RULE: Rule = Rule {
    name: "irq-on-pinned-thread-cpu",
    finds: "an interrupt fires on the CPU of a pinned thread that it does not wake, and makes it wait",
    check,
};

/// Share of a thread's waits that hard IRQs and softirqs must take before moving an interrupt promises anything.
const MIN_SHARE: f64 = 0.2;

fn check(facts: &Facts) -> Vec<Lint> {
    let pinned =
        facts.snapshot.threads.iter().filter_map(|thread| Some((cpu_set(&thread.allowed_cpus).single()?, thread)));
    let pinned: Vec<(u32, &Thread)> = pinned.collect();
    let taken: CpuSet = pinned.iter().map(|(cpu, _)| *cpu).collect();
    pinned.iter().filter_map(|(cpu, thread)| disturbed(facts, thread, *cpu, &taken)).collect()
}

/// `taken` are the CPUs that threads are pinned to.
fn disturbed(facts: &Facts, thread: &Thread, cpu: u32, taken: &CpuSet) -> Option<Lint> {
    let waited = &thread.waited_for;
    let lost_ns = waited.hardirq_ns.saturating_add(waited.softirq_ns);
    let others = [waited.queue_ns, waited.thread_ns, waited.idle_ns, waited.switch_ns];
    let share = lost_ns as f64 / others.iter().fold(lost_ns as f64, |sum, ns| sum + *ns as f64);
    if is_kernel(&thread.comm, Some(thread)) || share.is_nan() || share < MIN_SHARE || !facts.enough(thread.wakes) {
        return None;
    }
    let severity = facts.severity(lost_ns)?;
    let strangers = facts.busy_irqs_on(cpu).iter().copied().filter(|(number, _)| !facts.wakes(*number, thread.tid));
    let (number, irq) = strangers.max_by_key(|(_, irq)| irq.count)?;
    let elsewhere = facts.idlest(|c| c != cpu && !taken.contains(c)).or_else(|| facts.idlest(|c| c != cpu));
    let advice = match elsewhere {
        Some(other) if movable(irq) => format!("Move the interrupt away: {}.", move_irq(number, &other.to_string())),
        Some(other) => format!(
            "The kernel refuses to move the interrupt: pin the thread elsewhere, {}.",
            move_thread(&other.to_string(), thread.tid)
        ),
        None => "There is no other CPU to move either to.".into(),
    };
    Some(Lint {
        severity,
        evidence: format!(
            "{} is pinned to CPU {cpu}, where {} fires {} without waking it: hard IRQs and softirqs took {} of its waits",
            thread_words(&thread.comm, thread.pid, thread.tid),
            irq_words(number, irq),
            units::rate(irq.count, facts.snapshot.window_s),
            units::share(share),
        ),
        advice,
        irq: Some(number),
        tid: Some(thread.tid),
        lost_ns,
        ..Lint::default()
    })
}
