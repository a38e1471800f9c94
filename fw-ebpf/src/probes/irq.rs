//! Hard IRQs of devices.

use core::intrinsics::{AtomicOrdering, atomic_xadd};

use aya_ebpf::{helpers::bpf_ktime_get_ns, macros::btf_tracepoint, programs::BtfTracePointContext};
use fw_ebpf::{cause::Cause, records::Loss};

use crate::{
    kernel,
    maps::{self, IRQ_COUNTS, IRQS, bucket_of, here, lose, place},
};

const IRQ_WAKE_THREAD: u32 = 2;

#[btf_tracepoint(function = "irq_handler_entry")]
fn irq_handler_entry(ctx: BtfTracePointContext) -> i32 {
    if let Some((_, cpu)) = here() {
        // SAFETY: the helper has no preconditions.
        cpu.hard_enter(Cause::irq(ctx.arg::<u64>(0) as u32), unsafe { bpf_ktime_get_ns() });
    }
    0
}

#[btf_tracepoint(function = "irq_handler_exit")]
fn irq_handler_exit(ctx: BtfTracePointContext) -> i32 {
    let irq = ctx.arg::<u64>(0) as u32;
    let action = ctx.arg::<*const u8>(1);
    let wakes_thread = ctx.arg::<u64>(2) as u32 & IRQ_WAKE_THREAD != 0;
    let Some((number, cpu)) = here() else { return 0 };
    // SAFETY: the helper has no preconditions.
    let now = unsafe { bpf_ktime_get_ns() };
    let last = kernel::next(action).is_null();
    if let Some(ns) = cpu.hard_exit(Cause::irq(irq), now, last, wakes_thread) {
        handled(number, irq, ns);
    }
    0
}

/// Counts one interrupt. Per-CPU interrupts run on several CPUs at once under one number, hence the atomic additions.
#[inline(always)]
fn handled(cpu: u32, irq: u32, ns: u64) {
    let (Some(total), Some(counts)) = (maps::at(&IRQS, irq), maps::at(&IRQ_COUNTS, irq)) else {
        lose(cpu, Loss::IrqOutOfRange);
        return;
    };
    let Some(n) = place(counts, bucket_of(ns)) else { return };
    // SAFETY: the records are in maps.
    unsafe {
        atomic_xadd::<u64, u64, { AtomicOrdering::Relaxed }>(&mut total.count, 1);
        atomic_xadd::<u64, u64, { AtomicOrdering::Relaxed }>(&mut total.sum_ns, ns);
        atomic_xadd::<u32, u32, { AtomicOrdering::Relaxed }>(n, 1);
    }
    if ns > total.max_ns {
        total.max_ns = ns;
    }
}
