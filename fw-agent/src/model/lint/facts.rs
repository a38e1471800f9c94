//! What several rules ask of a window.

use super::crossing::Crossing;
use crate::model::{CauseKind, Cpu, CpuSet, Dist, Edge, Irq, Managed, Severity, Snapshot, Thread};
use std::{cell::OnceCell, collections::HashMap};

/// A 99th percentile of fewer events is a single event's story.
pub(super) const MIN_EVENTS: u64 = 100;

/// Whatever happens more seldom cannot cost a host anything worth a change, however long the window.
const MIN_RATE: f64 = 10.0;

/// Lost time, as a share of the window, that is a warning: 10 ms of every second.
const WARNING_SHARE: f64 = 0.01;

/// Lost time, as a share of the window, that is worth a word: 1 ms of every second.
const NOTE_SHARE: f64 = 0.001;

/// From this share of wakes across CPUs on, a thread is more often away from what wakes it than not.
pub(super) const MIN_CROSS_SHARE: f64 = 0.5;

/// A window with what rules look up in it: large hosts have thousands of interrupts, threads and edges.
pub(super) struct Facts<'a> {
    pub(super) snapshot: &'a Snapshot,
    irqs: HashMap<u32, &'a Irq>,
    threads: HashMap<u32, &'a Thread>,
    cpus: HashMap<u32, &'a Cpu>,
    busy_on: HashMap<u32, Vec<(u32, &'a Irq)>>,
    served: Vec<Served<'a>>,
    same_cpu: OnceCell<Dist>,
    /// What two rules judge, found by whichever comes first; see [`super::crossing::crossings`].
    pub(super) crossings: OnceCell<Vec<Crossing<'a>>>,
}

/// An edge whose wakes come from a device's interrupt, directly or through the softirq that it raised.
#[derive(Clone, Copy)]
pub(super) struct Served<'a> {
    pub(super) irq: u32,
    pub(super) edge: &'a Edge,
}

impl<'a> Facts<'a> {
    pub(super) fn new(snapshot: &'a Snapshot) -> Facts<'a> {
        let from_interrupts = snapshot.edges.iter().filter(|edge| edge.cause.kind != CauseKind::Task);
        let mut served: Vec<Served> =
            from_interrupts.filter_map(|edge| Some(Served { irq: edge.cause.irq?, edge })).collect();
        served.sort_by_key(|served| (served.irq, served.edge.tid));
        let mut facts = Facts {
            snapshot,
            irqs: snapshot.irqs.iter().filter_map(|irq| Some((irq.irq?, irq))).collect(),
            // Backwards, so that of two threads that had one number after the other the costlier one stays.
            threads: snapshot.threads.iter().rev().map(|thread| (thread.tid, thread)).collect(),
            cpus: snapshot.cpus.iter().map(|cpu| (cpu.cpu, cpu)).collect(),
            busy_on: HashMap::new(),
            served,
            same_cpu: OnceCell::new(),
            crossings: OnceCell::new(),
        };
        for (number, irq) in facts.busy_irqs() {
            if let Some((cpu, _)) = main_cpu(irq) {
                facts.busy_on.entry(cpu).or_default().push((number, irq));
            }
        }
        facts
    }

    /// True if so many events are enough to judge by.
    pub(super) fn enough(&self, events: u64) -> bool {
        enough(events, self.snapshot.window_s)
    }

    /// How much lost time matters; none if it does not.
    pub(super) fn severity(&self, lost_ns: u64) -> Option<Severity> {
        let share = lost_ns as f64 / (self.snapshot.window_s * 1e9);
        match share {
            WARNING_SHARE.. => Some(Severity::Warning),
            NOTE_SHARE.. => Some(Severity::Note),
            _ => None,
        }
    }

    /// The interrupt of this number.
    pub(super) fn irq(&self, number: u32) -> Option<&'a Irq> {
        self.irqs.get(&number).copied()
    }

    /// The thread of this number.
    pub(super) fn thread(&self, tid: u32) -> Option<&'a Thread> {
        self.threads.get(&tid).copied()
    }

    /// The CPU of this number, if it is online.
    pub(super) fn cpu(&self, cpu: u32) -> Option<&'a Cpu> {
        self.cpus.get(&cpu).copied()
    }

    /// The numbered interrupts that fired often enough to judge by.
    pub(super) fn busy_irqs(&self) -> impl Iterator<Item = (u32, &'a Irq)> + use<'a> {
        let window_s = self.snapshot.window_s;
        self.snapshot.irqs.iter().filter_map(move |irq| Some((irq.irq.filter(|_| enough(irq.count, window_s))?, irq)))
    }

    /// Those of them that a CPU takes most of.
    pub(super) fn busy_irqs_on(&self, cpu: u32) -> &[(u32, &'a Irq)] {
        self.busy_on.get(&cpu).map_or(&[], Vec::as_slice)
    }

    /// The CPU with most idle time of those that are not isolated and for which `suits` holds.
    pub(super) fn idlest(&self, suits: impl Fn(u32) -> bool) -> Option<u32> {
        let open = self.snapshot.cpus.iter().filter(|cpu| !cpu.isolated && suits(cpu.cpu));
        open.max_by(|a, b| a.idle_share.total_cmp(&b.idle_share)).map(|cpu| cpu.cpu)
    }

    /// The edges from devices' interrupts, ordered by interrupt and thread.
    pub(super) fn served(&self) -> &[Served<'a>] {
        &self.served
    }

    /// True if the interrupt wakes the thread.
    pub(super) fn wakes(&self, irq: u32, tid: u32) -> bool {
        self.served.binary_search_by_key(&(irq, tid), |served| (served.irq, served.edge.tid)).is_ok()
    }

    /// Wakes by devices' interrupts that stayed on their CPU, of the whole host.
    pub(super) fn same_cpu(&self) -> &Dist {
        self.same_cpu.get_or_init(|| self.served.iter().map(|served| &served.edge.latency_same_cpu).collect())
    }
}

fn enough(events: u64, window_s: f64) -> bool {
    events >= MIN_EVENTS && events as f64 >= MIN_RATE * window_s
}

/// True unless the kernel is known, or likely, to refuse to move it.
pub(super) fn movable(irq: &Irq) -> bool {
    matches!(irq.managed, Managed::No | Managed::Unknown)
}

/// The CPUs of a list in a window. One that makes no sense, as a window from elsewhere may have, names none.
pub(super) fn cpu_set(list: &str) -> CpuSet {
    CpuSet::parse_list(list).unwrap_or_default()
}

/// The CPUs where it fires: the effective ones, or where the kernel does not tell, the one that counted most.
pub(super) fn fires_on(irq: &Irq) -> String {
    if !irq.effective_cpus.is_empty() {
        return irq.effective_cpus.clone();
    }
    main_cpu(irq).map(|(cpu, _)| cpu.to_string()).unwrap_or_default()
}

/// True if a thread that runs on `cpu` is mostly elsewhere than where the interrupt that wakes it fires.
pub(super) fn away(cross_cpu_share: f64, cpu: u32, fires_on: &str) -> bool {
    let there = cpu_set(fires_on);
    cross_cpu_share >= MIN_CROSS_SHARE && !there.is_empty() && !there.contains(cpu)
}

/// The CPU that took most of its interrupts, and how many.
pub(super) fn main_cpu(irq: &Irq) -> Option<(u32, u64)> {
    irq.per_cpu.iter().copied().max_by_key(|(_, n)| *n)
}
