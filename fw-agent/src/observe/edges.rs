//! Edges: their windows, and the records of those that lead nowhere any more.

use std::{
    collections::{HashMap, HashSet},
    mem::offset_of,
};

use fw_ebpf::{
    cause::{Cause, Origin, Vector},
    records::{self, EdgeWaits, FREE, Record, Total},
};

use super::{
    doomed::{DOOMED, Doomed},
    names::Names,
    softirqs::NAMES,
    threads,
};
use crate::{
    Error,
    model::{
        self, CauseKind,
        series::{EdgeSeries, EdgeWindow},
    },
    probe::Maps,
};

/// An edge without a wake for so many windows is freed: edges are what is active.
const IDLE_WINDOWS: u32 = 60;
/// The same when three quarters of the table are taken.
const IDLE_WINDOWS_PRESSED: u32 = 3;

/// The last read of each record.
#[derive(Default)]
pub struct Edges {
    last: HashMap<usize, Last>,
    doomed: Doomed,
}

#[derive(Default)]
struct Last {
    key: (u64, u32, u32),
    waits: u64,
    idle_windows: u32,
    series: EdgeSeries,
}

/// An edge with waits in the window.
pub struct Active {
    /// What wakes; [`Cause::PREEMPTED`] if nothing did.
    pub cause: Cause,
    /// The thread that waited.
    pub tid: u32,
    /// Index of its record.
    pub thread: u32,
    /// CPU on which the last wait ended.
    pub cpu: u32,
    /// What the window added.
    pub window: EdgeWindow,
}

impl Edges {
    /// Threads that have an edge.
    pub fn threads(&self) -> HashSet<u32> {
        self.last.values().map(|last| last.key.1).collect()
    }

    /// Reads the window of every edge. Those that lead to threads that are `gone` are freed, and those that are idle.
    pub fn advance(&mut self, maps: &mut Maps, gone: &HashSet<(u32, u32)>) -> Result<Vec<Active>, Error> {
        let records = &maps.edges;
        for i in self.doomed.take() {
            maps.edge_counts.write(i, Record::zeroed())?;
            // The word that says that the record is free goes last: nobody takes one that is half cleared.
            records.write(i, records::Edge { cause: records.read(i).cause, ..Record::zeroed() });
            records.take(i, offset_of!(records::Edge, cause));
        }
        let pressed = self.last.len() * 4 > records.len() * 3;
        let patience = if pressed { IDLE_WINDOWS_PRESSED } else { IDLE_WINDOWS };
        let mut active = Vec::new();
        for i in 0..records.len() {
            let mut edge = records.read(i);
            if !edge.cause.is_some() || edge.tid == FREE || edge.tid == DOOMED {
                self.last.remove(&i);
                continue;
            }
            let key = (edge.cause.0, edge.tid, edge.thread);
            let last = self.last.entry(i).or_default();
            if last.key != key {
                *last = Last { key, ..Last::default() };
            }
            // Every wait of a whole nanosecond shows in one of the sums.
            let EdgeWaits { same_cpu, direct, remote, runnable } = edge.waits;
            let waits =
                [edge.behind, same_cpu, direct, remote, runnable].iter().fold(0, |sum, t| t.sum_ns.wrapping_add(sum));
            if waits == std::mem::replace(&mut last.waits, waits) {
                last.idle_windows += 1;
            } else {
                last.idle_windows = 0;
                take_maxima(maps, i, &mut edge);
                let window = last.series.advance(&edge, &maps.edge_counts.read(i)?);
                active.push(Active { cause: edge.cause, tid: edge.tid, thread: edge.thread, cpu: edge.cpu, window });
            }
            if last.idle_windows >= patience || gone.contains(&(edge.thread, edge.tid)) {
                records.put(i, offset_of!(records::Edge, tid), DOOMED);
                self.doomed.add(i);
            }
        }
        Ok(active)
    }
}

fn take_maxima(maps: &Maps, index: usize, edge: &mut records::Edge) {
    let waits = offset_of!(records::Edge, waits);
    for (offset, total) in [
        (offset_of!(records::Edge, behind), &mut edge.behind),
        (waits + offset_of!(EdgeWaits, same_cpu), &mut edge.waits.same_cpu),
        (waits + offset_of!(EdgeWaits, direct), &mut edge.waits.direct),
        (waits + offset_of!(EdgeWaits, remote), &mut edge.waits.remote),
        (waits + offset_of!(EdgeWaits, runnable), &mut edge.waits.runnable),
    ] {
        total.max_ns = maps.edges.take(index, offset + offset_of!(Total, max_ns));
    }
}

/// Rows of the edges along which something was woken, most time lost first.
pub fn rows(active: &[Active], threads: &threads::Known, names: &Names, irqs: &[model::Irq]) -> Vec<model::Edge> {
    let labels = Labels::new(irqs, threads, names);
    let wakes = active.iter().filter(|edge| edge.cause != Cause::PREEMPTED);
    let mut rows: Vec<model::Edge> = wakes.map(|edge| row(edge, &labels)).collect();
    rows.sort_by_key(|e| (std::cmp::Reverse(e.latency.sum_ns), e.tid));
    rows
}

fn row(edge: &Active, labels: &Labels<'_>) -> model::Edge {
    let window = &edge.window;
    let (pid, comm) = labels.thread(edge.tid);
    let occupant = |&(tid, held_ns): &(u32, u64)| model::Occupant { tid, comm: labels.thread(tid).1, held_ns };
    model::Edge {
        cause: labels.cause(edge.cause),
        pid,
        tid: edge.tid,
        comm,
        wakes: window.by_distance.iter().sum(),
        cross_cpu_share: share(&window.by_distance),
        by_distance: window.by_distance,
        migrations: window.migrations,
        latency: [window.same_cpu.clone(), window.cross_cpu.clone()].into_iter().collect(),
        latency_same_cpu: window.same_cpu.clone(),
        latency_cross_cpu: window.cross_cpu.clone(),
        legs: window.legs.clone(),
        idle_states: window.idle_states.clone(),
        occupants: window.occupants.iter().map(occupant).collect(),
    }
}

/// Share of wakes that left the waking CPU.
pub fn share(by_distance: &[u64; 5]) -> f64 {
    let all: u64 = by_distance.iter().sum();
    if all == 0 { 0.0 } else { (all - by_distance[0]) as f64 / all as f64 }
}

/// The label of the row of `/proc/interrupts` that counts an architecture vector.
pub const fn vector_label(vector: Vector) -> &'static str {
    match vector {
        Vector::Loc => "LOC",
        Vector::Cal => "CAL",
        Vector::Iwi => "IWI",
    }
}

/// Names for what the kernel knows by number.
struct Labels<'a> {
    irqs: HashMap<u32, &'a str>,
    threads: &'a threads::Known,
    names: &'a Names,
}

impl<'a> Labels<'a> {
    fn new(irqs: &'a [model::Irq], threads: &'a threads::Known, names: &'a Names) -> Labels<'a> {
        let irqs = irqs.iter().filter_map(|i| Some((i.irq?, i.name.as_str()))).collect();
        Labels { irqs, threads, names }
    }

    /// Process and name.
    fn thread(&self, tid: u32) -> (u32, String) {
        self.threads.name(tid, self.names)
    }

    fn cause(&self, cause: Cause) -> model::Cause {
        let named = |kind, irq, tid, name: String| model::Cause { kind, irq, tid, name };
        match cause.origin() {
            Origin::None | Origin::Preempted => named(CauseKind::Task, None, None, "unknown".into()),
            Origin::Irq(irq) => {
                named(CauseKind::Irq, Some(irq), None, self.irqs.get(&irq).copied().unwrap_or_default().into())
            }
            Origin::Vector(vector) => named(CauseKind::Irq, None, None, vector_label(vector).into()),
            Origin::Softirq(vec, raiser) => {
                let name = NAMES.get(usize::from(vec)).copied().unwrap_or("softirq");
                // An interrupt without a number has its label in the name: `TIMER (LOC)`.
                let name = match raiser {
                    Some(Err(vector)) => format!("{name} ({})", vector_label(vector)),
                    _ => name.into(),
                };
                named(CauseKind::Softirq, raiser.and_then(Result::ok), None, name)
            }
            Origin::Task(0) => named(CauseKind::Task, None, Some(0), "idle".into()),
            Origin::Task(tid) => named(CauseKind::Task, None, Some(tid), self.thread(tid).1),
        }
    }
}
