//! Judgements: each rule looks at one window and says what is wrong, with the figures, and what to do about it.
//!
//! Rules are pure and know only the [`Snapshot`], so a recording is judged like a live host. A host in good order gives
//! no lint, and figures that rest on too few events give none either.

mod cross_cpu_wake;
mod crossing;
mod deep_cstate;
mod facts;
mod hint_ignored;
mod irq_on_isolated;
mod irq_on_pinned_thread;
mod irq_on_remote_node;
mod irqbalance;
mod kthread;
mod lost_events;
mod managed_irq;
mod many_irqs;
mod napi_thread;
mod pending_move;
mod run_queue;
mod softirq_deferred;
mod softirq_delay;
#[cfg(test)]
mod tests;
mod threadirq;
mod words;

use super::{Lint, Severity, Snapshot};
use facts::Facts;
use std::cmp::Reverse;

/// One thing that is looked for.
pub struct Rule {
    /// Stable name, in kebab case.
    pub name: &'static str,
    /// What it finds, one line.
    pub finds: &'static str,
    /// The findings; [`check`] fills in their names, and ends the evidence, which may get a remark first.
    check: fn(&Facts) -> Vec<Lint>,
}

/// Every rule there is.
pub const RULES: [Rule; 16] = [
    managed_irq::RULE,
    cross_cpu_wake::RULE,
    threadirq::RULE,
    napi_thread::RULE,
    run_queue::RULE,
    deep_cstate::RULE,
    softirq_deferred::RULE,
    softirq_delay::RULE,
    irq_on_pinned_thread::RULE,
    irq_on_isolated::RULE,
    irq_on_remote_node::RULE,
    many_irqs::RULE,
    pending_move::RULE,
    hint_ignored::RULE,
    irqbalance::RULE,
    lost_events::RULE,
];

/// Findings of one rule that are listed. A host with hundreds of equal queues has one problem, not hundreds.
pub const MAX_PER_RULE: usize = 3;

/// Everything that the rules say about a window, what matters most first: by severity, then by the time lost.
pub fn check(snapshot: &Snapshot) -> Vec<Lint> {
    let facts = Facts::new(snapshot);
    let mut lints: Vec<Lint> = RULES.iter().flat_map(|rule| rule.worst(&facts)).collect();
    lints.sort_by_key(importance);
    lints
}

impl Rule {
    /// The worst findings of this rule; the last one says how many more there are.
    fn worst(&self, facts: &Facts) -> Vec<Lint> {
        let mut lints = (self.check)(facts);
        lints.sort_by_key(importance);
        let more = lints.len().saturating_sub(MAX_PER_RULE);
        lints.truncate(MAX_PER_RULE);
        if let (1.., Some(last)) = (more, lints.last_mut()) {
            last.evidence.push_str(&format!(" ({more} more like this)"));
        }
        for lint in &mut lints {
            lint.name = self.name.into();
            lint.evidence.push('.');
        }
        lints
    }
}

fn importance(lint: &Lint) -> Reverse<(Severity, u64)> {
    Reverse((lint.severity, lint.lost_ns))
}
