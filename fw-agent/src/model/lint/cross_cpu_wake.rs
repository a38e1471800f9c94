//! An interrupt wakes a thread on another CPU, and the way there costs more than staying would.

use super::{Rule, facts::*};
use crate::model::{CauseKind, Dist, Edge, Irq, Lint, Severity, Snapshot, units};

pub(super) const RULE: Rule =
    Rule { name: "cross-cpu-wake", finds: "an interrupt that can be moved wakes a thread on another CPU", check };

/// From here on most wakes cross: a thread that the scheduler moves about stays below.
const MIN_CROSS_SHARE: f64 = 0.5;

/// A dearer median than this many times the same-CPU one is beyond what two windows of one load differ by (30 %).
const MIN_PENALTY: f64 = 1.5;

fn check(snapshot: &Snapshot) -> Vec<Lint> {
    crossings(snapshot)
        .filter(|crossing| movable(crossing.irq))
        .map(|crossing| crossing.movable_lint(snapshot))
        .collect()
}

/// An interrupt's edge whose wakes mostly cross CPUs at a price.
pub(super) struct Crossing<'a> {
    pub(super) number: u32,
    pub(super) irq: &'a Irq,
    pub(super) edge: &'a Edge,
    pub(super) severity: Severity,
    pub(super) lost_ns: u64,
    /// Median of wakes on the same CPU, ns, and whose they are.
    same_cpu: (u64, &'static str),
}

/// Every such edge of the window.
pub(super) fn crossings(snapshot: &Snapshot) -> impl Iterator<Item = Crossing<'_>> {
    let from_interrupts = snapshot.edges.iter().filter(|edge| edge.cause.kind != CauseKind::Task);
    from_interrupts.filter(|edge| enough(edge.wakes, snapshot)).filter_map(|edge| crossing(snapshot, edge))
}

fn crossing<'a>(snapshot: &'a Snapshot, edge: &'a Edge) -> Option<Crossing<'a>> {
    let number = edge.cause.irq?;
    let irq = irq(snapshot, number)?;
    let unknown = fires_on(irq).is_empty();
    if unknown
        || serves_interrupts(&edge.comm)
        || bound_to_its_cpu(&edge.comm)
        || edge.cross_cpu_share < MIN_CROSS_SHARE
    {
        return None;
    }
    let (same_ns, whose) = same_cpu(snapshot, edge)?;
    let cross = &edge.latency_cross_cpu;
    if (cross.quantile(0.5) as f64) < MIN_PENALTY * same_ns as f64 {
        return None;
    }
    let lost_ns = cross.sum_ns.saturating_sub(cross.count().saturating_mul(same_ns));
    let severity = severity(lost_ns, snapshot)?;
    Some(Crossing { number, irq, edge, severity, lost_ns, same_cpu: (same_ns, whose) })
}

/// What a wake on the same CPU costs: this edge's own ones, else those of the whole host.
fn same_cpu(snapshot: &Snapshot, edge: &Edge) -> Option<(u64, &'static str)> {
    let median = |dist: &Dist, whose| (dist.count() >= MIN_EVENTS).then(|| (dist.quantile(0.5), whose));
    let host = &snapshot.wakes.by_distance[0];
    median(&edge.latency_same_cpu, "on the same CPU").or_else(|| median(host, "for all same-CPU wakes of this host"))
}

impl Crossing<'_> {
    /// The sentence, up to the point where it depends on whether the interrupt can be moved.
    pub(super) fn evidence(&self, snapshot: &Snapshot) -> String {
        let edge = self.edge;
        let ran_on = match (self.ran_on(snapshot), thread(snapshot, edge.tid)) {
            (Some(cpu), _) => format!("on CPU {cpu}"),
            (None, Some(thread)) => format!("on {} in turn", cpu_words(&thread.allowed_cpus)),
            (None, None) => "elsewhere".into(),
        };
        format!(
            "{} fires on {}, its consumer {} runs {ran_on}: {} of {} crossed CPUs, p50 {} against {} {}",
            irq_words(self.number, self.irq),
            cpu_words(&fires_on(self.irq)),
            thread_words(&edge.comm, edge.pid, edge.tid),
            units::share(edge.cross_cpu_share),
            units::plural(edge.wakes, "wake"),
            units::ns(edge.latency_cross_cpu.quantile(0.5)),
            units::ns(self.same_cpu.0),
            self.same_cpu.1,
        )
    }

    /// The finding, but for its evidence and advice.
    pub(super) fn lint(&self) -> Lint {
        Lint {
            severity: self.severity,
            irq: Some(self.number),
            tid: Some(self.edge.tid),
            lost_ns: self.lost_ns,
            ..Lint::default()
        }
    }

    /// The CPU where the thread runs; none if it wanders, so that it ran last where the interrupt fires after all.
    fn ran_on(&self, snapshot: &Snapshot) -> Option<u32> {
        let cpu = thread(snapshot, self.edge.tid)?.cpu;
        (!cpu_set(&fires_on(self.irq)).contains(cpu)).then_some(cpu)
    }

    fn movable_lint(&self, snapshot: &Snapshot) -> Lint {
        let others = self.irq.consumers.iter().filter(|consumer| consumer.tid != self.edge.tid);
        let others = others.map(|consumer| consumer.wakes).fold(0, u64::saturating_add);
        let isolated = |cpu| snapshot.cpus.iter().any(|c| c.cpu == cpu && c.isolated);
        // An interrupt follows its main consumer; a thread that is one of many, or wanders, goes to the interrupt.
        let advice = match self.ran_on(snapshot) {
            Some(cpu) if self.edge.wakes >= others && !isolated(cpu) => {
                format!("Move the interrupt to the thread: {}.", move_irq(self.number, &cpu.to_string()))
            }
            _ => format!("Move the thread to the interrupt: {}.", move_thread(&fires_on(self.irq), self.edge.tid)),
        };
        Lint { evidence: self.evidence(snapshot), advice, ..self.lint() }
    }
}
