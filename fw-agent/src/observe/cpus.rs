//! CPUs: time in each context, and the waits that ended there.

use std::mem::offset_of;

use fw_ebpf::{
    context,
    records::{CpuWaits, DISTANCES, LOSSES, Loss, PerCpu, Total},
};

use crate::{
    model::{self, Counted, Losses, Wakes, series::CpuSeries},
    probe::Maps,
};

/// The last read of each possible CPU.
#[derive(Default)]
pub struct Cpus {
    last: Vec<Last>,
}

#[derive(Default)]
struct Last {
    waits: CpuSeries,
    hard_ns: u64,
    soft_ns: u64,
    idle_ns: u64,
}

/// What the window added on all CPUs.
#[derive(Default)]
pub struct Sum {
    /// Wakes.
    pub wakes: Wakes,
    /// Waits.
    pub runqueue: Counted,
    /// Losses (recursion excepted).
    pub losses: Losses,
}

impl Cpus {
    /// Fills in the rows of the online CPUs, and adds up all. `now_ns` is the probes' clock, `window_ns` the window.
    pub fn advance(&mut self, maps: &Maps, rows: &mut [model::Cpu], now_ns: u64, window_ns: u64) -> Sum {
        let mut sum = Sum::default();
        let mut lost = [0u64; LOSSES];
        self.last.resize_with(maps.cpus.len(), Last::default);
        for (number, last) in self.last.iter_mut().enumerate() {
            let cpu = read(maps, number);
            let window = last.waits.advance(&cpu);
            let latency: model::Dist = window.by_distance.iter().cloned().collect();
            for (all, here) in sum.wakes.by_distance.iter_mut().zip(&window.by_distance) {
                all.merge(here);
            }
            sum.wakes.latency.merge(&latency);
            sum.wakes.still_running += window.still_running;
            sum.runqueue.latency.merge(&window.runqueue);
            for (all, here) in lost.iter_mut().zip(window.losses) {
                *all += here;
            }
            let here: u64 = window.losses.iter().sum();
            if here > 0 {
                sum.losses.per_cpu.push((number as u32, here));
            }
            let shares = last.shares(&cpu.context, now_ns, window_ns);
            if let Some(row) = rows.iter_mut().find(|row| row.cpu as usize == number) {
                [row.hardirq_share, row.softirq_share, row.idle_share] = shares;
                row.wakes = counted(latency);
                row.runqueue = counted(window.runqueue);
            }
        }
        sum.wakes.count = sum.wakes.latency.count();
        sum.runqueue.count = sum.runqueue.latency.count();
        let lost = |loss: Loss| lost[loss as usize];
        sum.losses = Losses {
            aliased: lost(Loss::Aliased),
            threads_full: lost(Loss::ThreadsFull),
            edges_full: lost(Loss::EdgesFull),
            irq_out_of_range: lost(Loss::IrqOutOfRange),
            cpu_out_of_range: lost(Loss::CpuOutOfRange),
            clock: lost(Loss::Clock),
            napi_full: lost(Loss::NapiFull),
            ..sum.losses
        };
        sum
    }
}

impl Last {
    /// Shares of the window in hard IRQs, in softirqs, and idle.
    fn shares(&mut self, cpu: &context::Cpu, now_ns: u64, window_ns: u64) -> [f64; 3] {
        let interrupts = (cpu.hard_until(now_ns) + cpu.soft_until(now_ns)).saturating_sub(cpu.idle_interrupts0);
        let idle_now = if cpu.idle == 0 { 0 } else { now_ns.saturating_sub(cpu.idle_since).saturating_sub(interrupts) };
        let totals = [
            (&mut self.hard_ns, cpu.hard_until(now_ns)),
            (&mut self.soft_ns, cpu.soft_until(now_ns)),
            (&mut self.idle_ns, cpu.idle_ns + idle_now),
        ];
        totals.map(|(last, now)| {
            let window = now.saturating_sub(*last);
            *last = now;
            // What is read while it changes can be off by the stretch that just began or ended; the next window makes up
            // for it.
            (window as f64 / window_ns.max(1) as f64).min(1.0)
        })
    }
}

fn counted(latency: model::Dist) -> Counted {
    Counted { count: latency.count(), latency }
}

fn read(maps: &Maps, number: usize) -> PerCpu {
    let mut cpu = maps.cpus.read(number);
    let waits = offset_of!(PerCpu, waits);
    let take = |class: usize, i: usize| {
        maps.cpus.take(number, waits + class + i * size_of::<Total>() + offset_of!(Total, max_ns))
    };
    for i in 0..DISTANCES {
        cpu.waits.direct[i].max_ns = take(offset_of!(CpuWaits, direct), i);
        cpu.waits.remote[i].max_ns = take(offset_of!(CpuWaits, remote), i);
    }
    cpu.waits.runnable.max_ns = take(offset_of!(CpuWaits, runnable), 0);
    cpu
}
