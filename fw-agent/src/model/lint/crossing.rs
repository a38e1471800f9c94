//! Interrupts whose wakes of a thread cross CPUs, which two rules judge: one where the interrupt can be moved, and one
//! where only the thread can.

use super::{
    facts::*,
    kthread::{fixed, serves_interrupts},
    words::*,
};
use crate::model::{Dist, Edge, Irq, Lint, Severity, units};

/// A dearer median than this many times the same-CPU one is beyond what two windows of one load differ by (30 %).
const MIN_PENALTY: f64 = 1.5;

/// Where the way to the other CPU takes the larger part of the wake-up time, crossing is the cause of it.
const MIN_WAY_SHARE: f64 = 0.5;

/// An interrupt that mostly wakes a thread on another CPU. Whether its handler wakes the thread itself or a softirq
/// does it on the handler's behalf is the same to whoever places them, so these edges are judged together.
pub(super) struct Crossing<'a> {
    pub(super) number: u32,
    pub(super) irq: &'a Irq,
    /// The first of the edges: what it says of the woken thread holds for all.
    pub(super) thread: &'a Edge,
    pub(super) wakes: u64,
    cross_share: f64,
    cross_p50_ns: u64,
    /// Share of the wake-up time that went to reaching the other CPU: the IPI and leaving idle.
    way_share: f64,
    compared: Option<SameCpu>,
    severity: Severity,
    lost_ns: u64,
}

/// What a wake on the same CPU costs.
#[derive(Clone, Copy)]
struct SameCpu {
    p50_ns: u64,
    whose: &'static str,
}

/// Every such interrupt and thread of the window.
pub(super) fn crossings<'f, 'a>(facts: &'f Facts<'a>) -> &'f [Crossing<'a>] {
    facts.crossings.get_or_init(|| {
        let by_irq = facts.served().chunk_by(|a, b| a.irq == b.irq);
        let of_one = |of_irq: &'f [Served<'a>]| {
            let by_thread = of_irq.chunk_by(|a, b| a.edge.tid == b.edge.tid);
            by_thread.filter_map(move |edges| crossing(facts, of_irq, edges))
        };
        by_irq.flat_map(of_one).collect()
    })
}

/// Judges the `edges` of one interrupt to one thread, among all those of the interrupt.
fn crossing<'a>(facts: &Facts<'a>, of_irq: &[Served<'a>], edges: &[Served<'a>]) -> Option<Crossing<'a>> {
    let Served { irq: number, edge: thread } = *edges.first()?;
    let sum = |of: fn(&Edge) -> u64| edges.iter().map(|served| of(served.edge)).fold(0, u64::saturating_add);
    let wakes = sum(|edge| edge.wakes);
    let crossed: f64 = edges.iter().map(|served| served.edge.cross_cpu_share * served.edge.wakes as f64).sum();
    let cross_share = crossed / wakes as f64;
    if !facts.enough(wakes) || cross_share.is_nan() || cross_share < MIN_CROSS_SHARE {
        return None;
    }
    facts.severity(sum(|edge| edge.latency_cross_cpu.sum_ns))?;
    let irq = facts.irq(number)?;
    if fires_on(irq).is_empty() || serves_interrupts(&thread.comm) || fixed(&thread.comm) {
        return None;
    }
    let cross: Dist = edges.iter().map(|served| &served.edge.latency_cross_cpu).collect();
    let cross_p50_ns = cross.quantile(0.5);
    let dear = |p50_ns: u64| cross_p50_ns as f64 >= MIN_PENALTY * p50_ns as f64;
    let own = same_cpu(edges, "on the same CPU");
    if own.is_some_and(|own| !dear(own.p50_ns)) {
        return None;
    }
    // Only the thread's own wakes can acquit the crossing. Those of others may be dear for reasons of their own: then
    // they are no comparison.
    let compared = own
        .or_else(|| same_cpu(of_irq, "for its wakes of other threads on the same CPU").filter(|it| dear(it.p50_ns)))
        .or_else(|| whole_host(facts).filter(|it| dear(it.p50_ns)));
    let way_ns = sum(|edge| edge.legs.queue.sum_ns.saturating_add(edge.legs.idle.sum_ns));
    let way_share = way_ns as f64 / sum(|edge| edge.latency.sum_ns) as f64;
    let lost_ns = match compared {
        Some(same) => cross.sum_ns.saturating_sub(cross.count().saturating_mul(same.p50_ns)),
        // A thread woken where its interrupt fires finds the CPU told and awake.
        None => way_ns.min(cross.sum_ns),
    };
    let severity = match facts.severity(lost_ns) {
        Some(Severity::Warning) => Severity::Warning,
        _ if way_share >= MIN_WAY_SHARE => Severity::Warning,
        _ => Severity::Note,
    };
    Some(Crossing { number, irq, thread, wakes, cross_share, cross_p50_ns, way_share, compared, severity, lost_ns })
}

/// The median of the wakes along these edges that stayed on their CPU, if they are enough for one.
fn same_cpu(edges: &[Served], whose: &'static str) -> Option<SameCpu> {
    let stayed = edges.iter().map(|served| &served.edge.latency_same_cpu).filter(|latency| !latency.is_empty());
    let count = stayed.clone().map(Dist::count).fold(0, u64::saturating_add);
    (count >= MIN_EVENTS).then(|| SameCpu { p50_ns: stayed.collect::<Dist>().quantile(0.5), whose })
}

fn whole_host(facts: &Facts) -> Option<SameCpu> {
    let stayed = facts.same_cpu();
    let whose = "for all same-CPU wakes by interrupts";
    (stayed.count() >= MIN_EVENTS).then(|| SameCpu { p50_ns: stayed.quantile(0.5), whose })
}

impl Crossing<'_> {
    /// What was measured, up to the point where it depends on whether the interrupt can be moved.
    pub(super) fn evidence(&self, facts: &Facts) -> String {
        let thread = self.thread;
        let allowed = facts.thread(thread.tid).map_or("", |t| t.allowed_cpus.as_str());
        let ran_on = match (self.ran_on(facts), allowed) {
            (Some(cpu), _) => format!("on CPU {cpu}"),
            (None, "") => "elsewhere".into(),
            (None, several) => format!("on {} in turn", cpu_words(several)),
        };
        let compared = match self.compared {
            Some(same) => format!(" against {} {}", units::ns(same.p50_ns), same.whose),
            None => format!(
                " ({} for the IPI and idle exit), no same-CPU wakes to compare with yet",
                units::share(self.way_share)
            ),
        };
        format!(
            "{} fires on {}, its consumer {} runs {ran_on}: {} of {} crossed CPUs, p50 {}{compared}",
            irq_words(self.number, self.irq),
            cpu_words(&fires_on(self.irq)),
            thread_words(&thread.comm, thread.pid, thread.tid),
            units::share(self.cross_share),
            units::plural(self.wakes, "wake"),
            units::ns(self.cross_p50_ns),
        )
    }

    /// The finding, but for its evidence and advice.
    pub(super) fn lint(&self) -> Lint {
        Lint {
            severity: self.severity,
            irq: Some(self.number),
            tid: Some(self.thread.tid),
            lost_ns: self.lost_ns,
            ..Lint::default()
        }
    }

    /// The command that brings the thread to the interrupt.
    pub(super) fn move_thread(&self) -> String {
        move_thread(&fires_on(self.irq), self.thread.tid)
    }

    /// The CPU where the thread runs; none if it wanders, so that it ran last where the interrupt fires after all.
    pub(super) fn ran_on(&self, facts: &Facts) -> Option<u32> {
        let cpu = facts.thread(self.thread.tid)?.cpu;
        (!cpu_set(&fires_on(self.irq)).contains(cpu)).then_some(cpu)
    }
}
