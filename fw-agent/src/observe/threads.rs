//! Threads: their windows, and the records of those that are gone.

use std::{collections::HashMap, mem::offset_of};

use fw_ebpf::records::{self, EXITED, FREE, Record, Total};

use super::{
    doomed::{DOOMED, Doomed},
    edges::share,
    names::{Names, comm},
};
use crate::{
    Error,
    model::{self, series::ThreadSeries},
    probe::Maps,
};

/// A thread that has not waited for so many windows is looked up: if it is gone, its record is freed.
const IDLE_WINDOWS: u32 = 10;

/// The last read of each record.
#[derive(Default)]
pub struct Threads {
    last: HashMap<usize, Last>,
    doomed: Doomed,
}

#[derive(Default)]
struct Last {
    tid: u32,
    waits: u64,
    idle_windows: u32,
    series: ThreadSeries,
}

/// What the records said.
#[derive(Default)]
pub struct Read {
    /// Threads that waited in the window.
    pub rows: Vec<model::Thread>,
    /// Names of threads that have a record, by thread.
    pub comms: HashMap<u32, (u32, String)>,
    /// Records (index, thread) that are being freed: the edges that lead there go too.
    pub gone: Vec<(u32, u32)>,
}

impl Threads {
    /// Reads the window of every thread.
    pub fn advance(&mut self, maps: &mut Maps, names: &mut Names) -> Result<Read, Error> {
        let counts = &mut maps.thread_counts;
        let records = &maps.threads;
        self.doomed.free(|i| {
            counts.write(i, Record::zeroed())?;
            records.write(i, Record::zeroed());
            Ok(())
        })?;
        let mut read = Read::default();
        for i in 0..records.len() {
            let mut thread = records.read(i);
            if thread.tid == FREE || thread.tid == DOOMED {
                self.last.remove(&i);
                continue;
            }
            let last = self.last.entry(i).or_default();
            if last.tid != thread.tid {
                *last = Last { tid: thread.tid, ..Last::default() };
            }
            let waits = thread.distance.iter().map(|n| u64::from(*n)).sum::<u64>() + u64::from(thread.preempted);
            let waited = waits != std::mem::replace(&mut last.waits, waits);
            last.idle_windows = if waited { 0 } else { last.idle_windows + 1 };
            let task = if waited { names.task(thread.tid) } else { None };
            let (pid, name) = match &task {
                Some(task) => (task.tgid, task.comm.clone()),
                None => (thread.pid, comm(&thread.comm)),
            };
            if waited {
                let take = |offset| records.take(i, offset + offset_of!(Total, max_ns));
                thread.wake.max_ns = take(offset_of!(records::Thread, wake));
                thread.runnable.max_ns = take(offset_of!(records::Thread, runnable));
                let window = last.series.advance(&thread, &counts.read(i)?);
                read.rows.push(row(&thread, window, pid, name.clone(), task.unwrap_or_default()));
            }
            read.comms.insert(thread.tid, (pid, name));
            let idle = last.idle_windows.is_multiple_of(IDLE_WINDOWS) && last.idle_windows > 0;
            if thread.flags & EXITED != 0 || (idle && !names.is_alive(thread.tid)) {
                records.put(i, offset_of!(records::Thread, tid), DOOMED);
                self.doomed.add(i);
                names.forget(thread.tid);
                read.gone.push((i as u32, thread.tid));
            }
        }
        read.rows.sort_by_key(|t| std::cmp::Reverse(t.latency.sum_ns.max(t.runqueue.sum_ns)));
        Ok(read)
    }
}

fn row(
    thread: &records::Thread,
    window: model::series::ThreadWindow,
    pid: u32,
    comm: String,
    task: crate::host::Task,
) -> model::Thread {
    model::Thread {
        pid,
        tid: thread.tid,
        comm,
        cgroup: task.cgroup,
        exited: thread.flags & EXITED != 0,
        allowed_cpus: task.allowed_cpus,
        cpu: thread.cpu,
        wakes: window.by_distance.iter().sum(),
        preempted: window.preempted,
        migrations: window.migrations,
        latency: window.latency,
        runqueue: window.runqueue,
        by_distance: window.by_distance,
        cross_cpu_share: share(&window.by_distance),
        waited_for: window.waited_for,
    }
}
