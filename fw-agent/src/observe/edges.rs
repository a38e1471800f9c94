//! Edges: their windows, and the records of those that lead nowhere any more.

use std::{
    collections::{HashMap, HashSet},
    mem::offset_of,
};

use fw_ebpf::{
    cause::{Cause, Origin, Vector},
    records::{self, FREE, Record, Total},
};

use super::{
    doomed::{DOOMED, Doomed},
    names::Names,
    softirqs::NAMES,
    threads,
};
use crate::{
    Error,
    model::{self, CauseKind, series::EdgeSeries},
    probe::{EDGES, Maps},
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
    wakes: u64,
    idle_windows: u32,
    series: EdgeSeries,
}

impl Edges {
    /// Reads the window of every edge.
    pub fn advance(
        &mut self,
        maps: &mut Maps,
        threads: &threads::Read,
        names: &Names,
        irqs: &[model::Irq],
    ) -> Result<Vec<model::Edge>, Error> {
        let counts = &mut maps.edge_counts;
        let records = &maps.edges;
        self.doomed.free(|i| {
            counts.write(i, Record::zeroed())?;
            records.write(i, Record::zeroed());
            Ok(())
        })?;
        let gone: HashSet<(u32, u32)> = threads.gone.iter().copied().collect();
        let labels = Labels::new(irqs, threads, names);
        let patience = if self.last.len() * 4 > EDGES as usize * 3 { IDLE_WINDOWS_PRESSED } else { IDLE_WINDOWS };
        let mut rows = Vec::new();
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
            let wakes = edge.distance.iter().map(|n| u64::from(*n)).sum();
            if wakes == std::mem::replace(&mut last.wakes, wakes) {
                last.idle_windows += 1;
            } else {
                last.idle_windows = 0;
                let take = |offset| records.take(i, offset + offset_of!(Total, max_ns));
                edge.same_cpu.max_ns = take(offset_of!(records::Edge, same_cpu));
                edge.cross_cpu.max_ns = take(offset_of!(records::Edge, cross_cpu));
                let window = last.series.advance(&edge, &counts.read(i)?);
                rows.push(row(&edge, window, &labels));
            }
            if last.idle_windows >= patience || gone.contains(&(edge.thread, edge.tid)) {
                records.put(i, offset_of!(records::Edge, tid), DOOMED);
                self.doomed.add(i);
            }
        }
        rows.sort_by_key(|e| std::cmp::Reverse(e.latency.sum_ns));
        Ok(rows)
    }
}

fn row(edge: &records::Edge, window: model::series::EdgeWindow, labels: &Labels<'_>) -> model::Edge {
    let (pid, comm) = labels.thread(edge.tid);
    let occupant = |(tid, held_ns)| model::Occupant { tid, comm: labels.thread(tid).1, held_ns };
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
        latency_same_cpu: window.same_cpu,
        latency_cross_cpu: window.cross_cpu,
        legs: window.legs,
        idle_states: window.idle_states,
        occupants: window.occupants.into_iter().map(occupant).collect(),
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
    threads: &'a threads::Read,
    names: &'a Names,
}

impl<'a> Labels<'a> {
    fn new(irqs: &'a [model::Irq], threads: &'a threads::Read, names: &'a Names) -> Labels<'a> {
        let irqs = irqs.iter().filter_map(|i| Some((i.irq?, i.name.as_str()))).collect();
        Labels { irqs, threads, names }
    }

    /// Process and name.
    fn thread(&self, tid: u32) -> (u32, String) {
        if let Some(known) = self.threads.comms.get(&tid) {
            return known.clone();
        }
        self.names.task(tid).map_or_else(|| (0, String::new()), |task| (task.tgid, task.comm))
    }

    fn cause(&self, cause: Cause) -> model::Cause {
        let named = |kind, irq, tid, name: String| model::Cause { kind, irq, tid, name };
        match cause.origin() {
            Origin::None => named(CauseKind::Task, None, None, "unknown".into()),
            Origin::Irq(irq) => {
                named(CauseKind::Irq, Some(irq), None, self.irqs.get(&irq).copied().unwrap_or_default().into())
            }
            Origin::Vector(vector) => named(CauseKind::Irq, None, None, vector_label(vector).into()),
            Origin::Softirq(vec, raiser) => {
                let name = NAMES.get(usize::from(vec)).copied().unwrap_or("softirq").into();
                named(CauseKind::Softirq, raiser.and_then(Result::ok), None, name)
            }
            Origin::Task(0) => named(CauseKind::Task, None, Some(0), "idle".into()),
            Origin::Task(tid) => named(CauseKind::Task, None, Some(tid), self.thread(tid).1),
        }
    }
}
