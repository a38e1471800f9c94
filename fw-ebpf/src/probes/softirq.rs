//! Softirqs: raise, entry, exit. Entry and exit run with interrupts on: a hard IRQ may come in between any two steps,
//! which is why [`fw_ebpf::context::Cpu`] orders its stores.

use aya_ebpf::{helpers::bpf_ktime_get_ns, macros::btf_tracepoint, programs::BtfTracePointContext};
use fw_ebpf::{context, records::softirq_index};

use crate::maps::{self, SOFTIRQ_COUNTS, SOFTIRQS, count, here};

#[btf_tracepoint(function = "softirq_raise")]
fn softirq_raise(ctx: BtfTracePointContext) -> i32 {
    if let Some((_, cpu)) = here() {
        // SAFETY: the helper has no preconditions.
        cpu.softirq_raise(ctx.arg::<u64>(0) as u32, unsafe { bpf_ktime_get_ns() });
    }
    0
}

#[btf_tracepoint(function = "softirq_entry")]
fn softirq_entry(ctx: BtfTracePointContext) -> i32 {
    let vec = ctx.arg::<u64>(0) as u32;
    let Some((number, cpu)) = here() else { return 0 };
    // SAFETY: the helper has no preconditions.
    let delay = cpu.softirq_enter(vec, unsafe { bpf_ktime_get_ns() });
    let index = softirq_index(number, vec);
    if vec < context::SOFTIRQS as u32
        && let (Some(total), Some(counts)) = (maps::at(&SOFTIRQS, index), maps::at(&SOFTIRQ_COUNTS, index))
        && let Some(ns) = delay
    {
        total.delay.add(ns);
        count(&mut counts.delay, ns);
    }
    0
}

#[btf_tracepoint(function = "softirq_exit")]
fn softirq_exit(ctx: BtfTracePointContext) -> i32 {
    let vec = ctx.arg::<u64>(0) as u32;
    let Some((number, cpu)) = here() else { return 0 };
    // SAFETY: the helper has no preconditions.
    let run = cpu.softirq_exit(unsafe { bpf_ktime_get_ns() });
    let index = softirq_index(number, vec);
    if vec < context::SOFTIRQS as u32
        && let (Some(total), Some(counts)) = (maps::at(&SOFTIRQS, index), maps::at(&SOFTIRQ_COUNTS, index))
        && let Some(ns) = run
    {
        total.count += 1;
        total.run.add(ns);
        count(&mut counts.run, ns);
    }
    0
}
