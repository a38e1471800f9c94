//! Softirqs and NAPI instances.

use std::{collections::HashMap, mem::offset_of};

use fw_ebpf::{
    context::SOFTIRQS,
    records::{self, FREE, Total, softirq_index},
};

use super::names::comm;
use crate::{
    Error,
    model::{Napi, Softirq, series::SoftirqSeries},
    probe::Maps,
};

/// The kernel's softirqs by vector, as `/proc/softirqs` names them.
pub const NAMES: [&str; SOFTIRQS] =
    ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"];

/// The last read of each record.
#[derive(Default)]
pub struct Softirqs {
    last: HashMap<u32, (u64, SoftirqSeries)>,
    napi: HashMap<u32, [u64; 3]>,
}

impl Softirqs {
    /// The softirqs that ran in the window.
    pub fn advance(&mut self, maps: &Maps) -> Result<Vec<Softirq>, Error> {
        let mut rows = NAMES.map(|name| Softirq { name: name.into(), ..Softirq::default() });
        for cpu in 0..maps.cpus.len() as u32 {
            for (vec, row) in rows.iter_mut().enumerate() {
                let index = softirq_index(cpu, vec as u32);
                let mut softirq = maps.softirqs.read(index as usize);
                let (count, series) = self.last.entry(index).or_default();
                let runs = softirq.count.wrapping_sub(std::mem::replace(count, softirq.count));
                if runs == 0 {
                    continue;
                }
                let take = |offset| maps.softirqs.take(index as usize, offset + offset_of!(Total, max_ns));
                softirq.delay.max_ns = take(offset_of!(records::Softirq, delay));
                softirq.run.max_ns = take(offset_of!(records::Softirq, run));
                let (delay, run) = series.advance(&softirq, &maps.softirq_counts.read(index as usize)?);
                row.delay.merge(&delay);
                row.run.merge(&run);
                row.count += runs;
                row.per_cpu.push((cpu, runs));
            }
        }
        Ok(rows.into_iter().filter(|row| row.count > 0).collect())
    }

    /// The NAPI instances that were polled in the window.
    pub fn advance_napi(&mut self, maps: &Maps) -> Vec<Napi> {
        let mut rows = Vec::new();
        for i in 0..maps.napi.len() {
            let napi = maps.napi.read(i);
            let now = [napi.polls, napi.work, napi.exhausted];
            let last = std::mem::replace(self.napi.entry(napi.id).or_default(), now);
            let [polls, work, exhausted] = std::array::from_fn(|k| now[k].wrapping_sub(last[k]));
            if napi.id != FREE && polls > 0 {
                rows.push(Napi { id: napi.id, device: comm(&napi.device), polls, work, exhausted, cpu: napi.cpu });
            }
        }
        rows
    }
}
