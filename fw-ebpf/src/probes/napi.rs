//! NAPI polls of network interfaces.

use aya_ebpf::{macros::btf_tracepoint, programs::BtfTracePointContext};
use fw_ebpf::records::{FREE, Loss, NAPIS};

use crate::{
    kernel,
    maps::{self, NAPI, cpu_number, lose},
};

#[btf_tracepoint(function = "napi_poll")]
fn napi_poll(ctx: BtfTracePointContext) -> i32 {
    let napi = ctx.arg::<*const u8>(0);
    let work = ctx.arg::<u64>(1) as u32;
    let budget = ctx.arg::<u64>(2) as u32;
    let id = kernel::napi_id(napi);
    // Each CPU's backlog and instances that only transmit have no id of their own.
    if id == FREE {
        return 0;
    }
    // One instance is polled by one CPU at a time: its record has one writer.
    let Some(record) = maps::at(&NAPI, id & (NAPIS - 1)) else { return 0 };
    if record.id != id {
        if record.id != FREE {
            lose(cpu_number(), Loss::NapiFull);
            return 0;
        }
        record.device = kernel::device_name(kernel::napi_dev(napi));
        record.id = id;
    }
    record.cpu = cpu_number();
    record.polls += 1;
    record.work += u64::from(work);
    if work >= budget {
        record.exhausted += 1;
    }
    0
}
