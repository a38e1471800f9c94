//! Hard interrupts without an IRQ number. On x86 the local timer, function calls from other CPUs and IRQ work do not
//! pass through `irq_handler_entry`; without these programs their wakes would be blamed on the interrupted thread.

use aya_ebpf::{helpers::bpf_ktime_get_ns, macros::btf_tracepoint, programs::BtfTracePointContext};
use fw_ebpf::cause::{Cause, Vector};

use crate::maps::here;

#[inline(always)]
fn enter(vector: Vector) -> i32 {
    if let Some((_, cpu)) = here() {
        // SAFETY: the helper has no preconditions.
        cpu.hard_enter(Cause::vector(vector), unsafe { bpf_ktime_get_ns() });
    }
    0
}

/// Calls to one CPU and to several come by different vectors; what they run is the same queue.
#[inline(always)]
fn called() -> i32 {
    if let Some((_, cpu)) = here() {
        // SAFETY: the helper has no preconditions.
        cpu.call_enter(unsafe { bpf_ktime_get_ns() });
    }
    0
}

#[inline(always)]
fn exit(vector: Vector) -> i32 {
    if let Some((_, cpu)) = here() {
        // SAFETY: the helper has no preconditions.
        cpu.hard_exit(Cause::vector(vector), unsafe { bpf_ktime_get_ns() }, true, false);
    }
    0
}

#[btf_tracepoint(function = "local_timer_entry")]
fn local_timer_entry(_: BtfTracePointContext) -> i32 {
    enter(Vector::Loc)
}

#[btf_tracepoint(function = "local_timer_exit")]
fn local_timer_exit(_: BtfTracePointContext) -> i32 {
    exit(Vector::Loc)
}

#[btf_tracepoint(function = "call_function_single_entry")]
fn call_function_single_entry(_: BtfTracePointContext) -> i32 {
    called()
}

#[btf_tracepoint(function = "call_function_entry")]
fn call_function_entry(_: BtfTracePointContext) -> i32 {
    called()
}

#[btf_tracepoint(function = "call_function_exit")]
fn call_function_exit(_: BtfTracePointContext) -> i32 {
    exit(Vector::Cal)
}

#[btf_tracepoint(function = "call_function_single_exit")]
fn call_function_single_exit(_: BtfTracePointContext) -> i32 {
    exit(Vector::Cal)
}

#[btf_tracepoint(function = "irq_work_entry")]
fn irq_work_entry(_: BtfTracePointContext) -> i32 {
    enter(Vector::Iwi)
}

#[btf_tracepoint(function = "irq_work_exit")]
fn irq_work_exit(_: BtfTracePointContext) -> i32 {
    exit(Vector::Iwi)
}
