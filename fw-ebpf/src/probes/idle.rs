//! Entering and leaving idle states.

use aya_ebpf::{helpers::bpf_ktime_get_ns, macros::btf_tracepoint, programs::BtfTracePointContext};

use crate::maps::here;

/// The state that `cpu_idle` reports when idle is left (`PWR_EVENT_EXIT`).
const EXIT: u32 = u32::MAX;

#[btf_tracepoint(function = "cpu_idle")]
fn cpu_idle(ctx: BtfTracePointContext) -> i32 {
    if let Some((_, cpu)) = here() {
        // SAFETY: the helper has no preconditions.
        let now = unsafe { bpf_ktime_get_ns() };
        match ctx.arg::<u64>(0) as u32 {
            EXIT => cpu.idle_leave(now),
            state => cpu.idle_enter(state, now),
        }
    }
    0
}
