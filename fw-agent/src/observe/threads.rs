//! Threads: who they are, and what they waited in all (the sum of the edges that lead to them).

use std::{
    collections::{HashMap, HashSet},
    mem::offset_of,
};

use fw_ebpf::{
    cause::Cause,
    records::{self, EXITED, FREE, Record},
};

use super::{
    doomed::{DOOMED, Doomed},
    edges::{Active, share},
    names::{Names, comm},
};
use crate::{
    model::{self, Dist, WaitedFor},
    probe::Maps,
};

/// A thread without an edge is looked up every so many windows: if it is gone, its record is freed.
const LOOK_WINDOWS: u64 = 8;

/// The records of threads.
#[derive(Default)]
pub struct Threads {
    doomed: Doomed,
    window: u64,
}

/// Who the threads are.
#[derive(Default)]
pub struct Known {
    /// Process and first name of threads that have a record, by thread.
    by_tid: HashMap<u32, Identity>,
    /// Records (index, thread) that are being freed: the edges that lead there go too.
    pub gone: HashSet<(u32, u32)>,
}

#[derive(Clone, Copy)]
struct Identity {
    pid: u32,
    comm: [u8; 16],
    exited: bool,
}

impl Threads {
    /// Reads who there is. `busy` tells of threads that have an edge, and so were there lately.
    pub fn advance(&mut self, maps: &Maps, names: &mut Names, busy: &HashSet<u32>) -> Known {
        let records = &maps.threads;
        self.window += 1;
        for i in self.doomed.take() {
            // The word that says that the record is free goes last: nobody takes one that is half cleared.
            records.write(i, records::Thread { tid: DOOMED, ..Record::zeroed() });
            records.put(i, offset_of!(records::Thread, tid), FREE);
        }
        let mut known = Known::default();
        for i in 0..records.len() {
            let records::Thread { tid, pid, flags, comm, .. } = records.read(i);
            if tid == FREE || tid == DOOMED {
                continue;
            }
            let exited = flags & EXITED != 0;
            known.by_tid.insert(tid, Identity { pid, comm, exited });
            let look = (self.window + u64::from(tid)).is_multiple_of(LOOK_WINDOWS) && !busy.contains(&tid);
            if exited || (look && !names.is_alive(tid)) {
                records.put(i, offset_of!(records::Thread, tid), DOOMED);
                self.doomed.add(i);
                known.gone.insert((i as u32, tid));
            }
        }
        known
    }
}

impl Known {
    /// Process and name of a thread: as it is called now, or was last.
    pub fn name(&self, tid: u32, names: &Names) -> (u32, String) {
        match (names.task(tid), self.by_tid.get(&tid)) {
            (_, Some(identity)) if identity.exited => (identity.pid, comm(&identity.comm)),
            (Some(task), _) => (task.tgid, task.comm),
            (None, Some(identity)) => (identity.pid, comm(&identity.comm)),
            (None, None) => (0, String::new()),
        }
    }

    /// Threads that waited in the window, from the edges that lead to them; most time lost first.
    pub fn rows(&self, edges: &[Active], names: &Names) -> Vec<model::Thread> {
        let mut rows: HashMap<(u32, u32), (u64, model::Thread)> = HashMap::new();
        for edge in edges {
            let (busiest, row) = rows.entry((edge.tid, edge.thread)).or_insert_with(|| (0, self.row(edge.tid, names)));
            let waits = edge.window.runqueue.count();
            if waits >= *busiest {
                *busiest = waits;
                row.cpu = edge.cpu;
            }
            add(row, edge);
        }
        let mut rows: Vec<model::Thread> = rows.into_values().map(|(_, row)| row).collect();
        for row in &mut rows {
            row.wakes = row.by_distance.iter().sum();
            row.cross_cpu_share = share(&row.by_distance);
        }
        rows.sort_by_key(|t| (std::cmp::Reverse(t.latency.sum_ns.max(t.runqueue.sum_ns)), t.tid));
        rows
    }

    fn row(&self, tid: u32, names: &Names) -> model::Thread {
        let (pid, comm) = self.name(tid, names);
        let task = names.task(tid).unwrap_or_default();
        let exited = self.by_tid.get(&tid).is_some_and(|i| i.exited);
        model::Thread {
            pid,
            tid,
            comm,
            cgroup: task.cgroup,
            exited,
            allowed_cpus: task.allowed_cpus,
            ..model::Thread::default()
        }
    }
}

fn add(row: &mut model::Thread, edge: &Active) {
    let window = &edge.window;
    if edge.cause == Cause::PREEMPTED {
        row.preempted += window.runqueue.count();
    } else {
        row.latency.merge(&[window.same_cpu.clone(), window.cross_cpu.clone()].into_iter().collect::<Dist>());
        for (sum, n) in row.by_distance.iter_mut().zip(window.by_distance) {
            *sum += n;
        }
    }
    row.runqueue.merge(&window.runqueue);
    row.migrations += window.migrations;
    let WaitedFor { queue_ns, thread_ns, hardirq_ns, softirq_ns, idle_ns, switch_ns } = &mut row.waited_for;
    let legs = &window.legs;
    for (sum, leg) in [
        (queue_ns, &legs.queue),
        (thread_ns, &legs.thread),
        (hardirq_ns, &legs.hardirq),
        (softirq_ns, &legs.softirq),
        (idle_ns, &legs.idle),
        (switch_ns, &legs.switch),
    ] {
        *sum += leg.sum_ns;
    }
}
