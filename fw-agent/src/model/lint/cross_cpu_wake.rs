//! An interrupt wakes a thread on another CPU.

use super::{Rule, crossing::crossings, facts::*, words::*};
use crate::model::Lint;

pub(super) const RULE: Rule =
    Rule { name: "cross-cpu-wake", finds: "an interrupt that can be moved wakes a thread on another CPU", check };

fn check(facts: &Facts) -> Vec<Lint> {
    let movable = crossings(facts).iter().filter(|crossing| movable(crossing.irq));
    movable
        .map(|crossing| {
            let others = crossing.irq.consumers.iter().filter(|consumer| consumer.tid != crossing.thread.tid);
            let others = others.map(|consumer| consumer.wakes).fold(0, u64::saturating_add);
            let isolated = |cpu| facts.cpu(cpu).is_some_and(|c| c.isolated);
            // An interrupt follows its main consumer; a thread that is one of many, or wanders, goes to the interrupt.
            let advice = match crossing.ran_on(facts) {
                Some(cpu) if crossing.wakes >= others && !isolated(cpu) => {
                    format!("Move the interrupt to the thread: {}.", move_irq(crossing.number, &cpu.to_string()))
                }
                _ => format!("Move the thread to the interrupt: {}.", crossing.move_thread()),
            };
            Lint { evidence: crossing.evidence(facts), advice, ..crossing.lint() }
        })
        .collect()
}
