//! The scheduler: waking, queued, migrated, switched, exited. All run with interrupts off.

use aya_ebpf::{helpers::bpf_ktime_get_ns, macros::btf_tracepoint, programs::BtfTracePointContext};
use fw_ebpf::{
    cause::Cause,
    context::{Chain, Cpu},
    records::{EXITED, Loss, thread_home},
    wait::{HAS_CHAIN, MIGRATED, PASSES_ON, PREEMPTED, Slot, UNWANTED, Wait},
};

use crate::{
    filter, find, kernel,
    maps::{
        self, CPU_COUNTS, CPU_TOTALS, CPUS, EDGE_COUNTS, THREAD_COUNTS, THREADS, bucket_of, count, count_in, lose,
        this_cpu,
    },
};

#[inline(always)]
fn clock() -> u64 {
    // SAFETY: the helper has no preconditions.
    unsafe { bpf_ktime_get_ns() }
}

#[btf_tracepoint(function = "sched_waking")]
fn sched_waking(ctx: BtfTracePointContext) -> i32 {
    woken(ctx.arg(0));
    0
}

#[btf_tracepoint(function = "sched_wakeup_new")]
fn sched_wakeup_new(ctx: BtfTracePointContext) -> i32 {
    woken(ctx.arg(0));
    0
}

#[inline(always)]
fn woken(task: *const u8) {
    let tid = kernel::pid(task);
    if tid == 0 {
        return;
    }
    let wanted = filter::wants_task(task);
    if !wanted && !kernel::is_kthread(task) {
        return;
    }
    let Some((number, cpu)) = this_cpu() else { return };
    let Some(slot) = slot_of(task, tid, number) else { return };
    if slot.is_waiting()
        && slot.flags & (PREEMPTED | UNWANTED) == 0
        && let Some(totals) = maps::at(&CPU_TOTALS, number)
    {
        totals.still_running += 1;
    }
    let now = clock();
    let chain = chain(cpu, task, now);
    let flags = if wanted && filter::wants_cause(chain.cause) { 0 } else { UNWANTED };
    let target = kernel::cpu(task);
    let state = if target == number { Some(cpu) } else { maps::at(&CPUS, target) };
    if let Some(state) = state {
        slot.wake(&chain, number, target, state, flags, now);
    } else {
        lose(0, Loss::CpuOutOfRange);
    }
}

/// Whom the wake belongs to. An IRQ whose work is done by a thread wakes it right after its handler returned: that wake
/// is told from one by the interrupted thread by the name of the woken one.
#[inline(always)]
fn chain(cpu: &mut Cpu, task: *const u8, now: u64) -> Chain {
    if cpu.waking_thread_of.is_some() {
        let irq = cpu.waking_thread_of;
        cpu.waking_thread_of = Cause::NONE;
        if kernel::comm(task).starts_with(b"irq/") {
            return Chain { cause: irq, ..Chain::default() };
        }
    }
    cpu.chain(now)
}

/// The slot of `task`, made its own if it was another thread's.
#[inline(always)]
fn slot_of(task: *const u8, tid: u32, cpu: u32) -> Option<&'static mut Slot> {
    let slot = maps::slot(tid)?;
    if slot.tid != tid {
        if slot.claim(tid) {
            lose(cpu, Loss::Aliased);
        }
        slot.thread = thread_home(tid, maps::thread_mask());
        slot.edge = find::NOWHERE;
        if kernel::is_kthread(task) {
            let comm = kernel::comm(task);
            if comm.starts_with(b"irq/") || comm.starts_with(b"napi/") {
                slot.flags |= PASSES_ON;
            }
        }
    }
    Some(slot)
}

/// The thread is on its CPU's run queue. Of interest only where that CPU had to be told by an IPI: then this runs there,
/// and not on the waking CPU.
#[btf_tracepoint(function = "sched_wakeup")]
fn sched_wakeup(ctx: BtfTracePointContext) -> i32 {
    let tid = kernel::pid(ctx.arg(0));
    let Some((number, cpu)) = this_cpu() else { return 0 };
    if let Some(slot) = maps::slot(tid)
        && slot.waker_cpu != number
        && slot.tid == tid
        && slot.is_waiting()
    {
        slot.queue(number, cpu, clock());
    }
    0
}

#[btf_tracepoint(function = "sched_migrate_task")]
fn sched_migrate_task(ctx: BtfTracePointContext) -> i32 {
    let tid = kernel::pid(ctx.arg(0));
    let to = ctx.arg::<u64>(1) as u32;
    if let Some(slot) = maps::slot(tid)
        && slot.tid == tid
        && slot.is_waiting()
        && let (Some(from), Some(state)) = (maps::at(&CPUS, slot.cpu), maps::at(&CPUS, to))
    {
        slot.migrate(from, to, state, clock());
    }
    0
}

#[btf_tracepoint(function = "sched_switch")]
fn sched_switch(ctx: BtfTracePointContext) -> i32 {
    let preempted = ctx.arg::<u64>(0) as u8 != 0;
    let prev = ctx.arg::<*const u8>(1);
    let next = ctx.arg::<*const u8>(2);
    let still_runnable = preempted || ctx.arg::<u64>(3) as u32 == 0;
    let Some((number, cpu)) = this_cpu() else { return 0 };
    let now = clock();
    if still_runnable {
        let tid = kernel::pid(prev);
        if tid != 0
            && filter::wants_task(prev)
            && let Some(slot) = slot_of(prev, tid, number)
        {
            let flags = if filter::wants_cause(Cause::NONE) { 0 } else { UNWANTED };
            slot.preempt(number, cpu, flags, now);
        }
    }
    let tid = kernel::pid(next);
    let mut task = Cause::task(tid);
    if tid != 0
        && let Some(slot) = maps::slot(tid)
        && slot.tid == tid
    {
        if slot.is_waiting() {
            match slot.run(number, cpu, now) {
                None => lose(number, Loss::Clock),
                Some(wait) if slot.flags & UNWANTED == 0 => ended(slot, &wait, next, number, cpu),
                Some(_) => {}
            }
        }
        if slot.flags & PASSES_ON != 0 && slot.cause.is_interrupt() {
            task = slot.cause;
        }
    }
    cpu.switch_to(tid, task, now);
    0
}

/// Counts a wait that ended.
#[inline(always)]
fn ended(slot: &mut Slot, wait: &Wait, task: *const u8, number: u32, cpu: &Cpu) {
    let by_wake = slot.flags & PREEMPTED == 0;
    let migrated = slot.flags & MIGRATED != 0;
    let remote = slot.queued != 0;
    let total = bucket_of(wait.total_ns);
    let runnable = if remote { bucket_of(wait.runnable_ns) } else { total };
    let distance = if slot.waker_cpu == number {
        0
    } else {
        maps::at(&CPUS, slot.waker_cpu).map_or(4, |waker: &mut Cpu| waker.place.distance(&cpu.place))
    };
    if distance > 4 {
        return;
    }
    if let (Some(totals), Some(counts)) = (maps::at(&CPU_TOTALS, number), maps::at(&CPU_COUNTS, number)) {
        totals.runnable.add(wait.runnable_ns);
        if by_wake {
            totals.wake[distance].add(wait.total_ns);
            count_in(if remote { &mut counts.remote[distance] } else { &mut counts.direct[distance] }, total);
        }
        if remote || !by_wake {
            count_in(&mut counts.runnable, runnable);
        }
    }
    if let Some(thread) = find::thread(slot, task, number)
        && let Some(counts) = maps::at(&THREAD_COUNTS, slot.thread)
    {
        thread.add(wait, number, distance, !by_wake, migrated);
        if by_wake {
            count_in(if remote { &mut counts.remote } else { &mut counts.direct }, total);
        }
        if remote || !by_wake {
            count_in(&mut counts.runnable, runnable);
        }
    }
    if by_wake
        && let Some(edge) = find::edge(slot, number)
        && let Some(counts) = maps::at(&EDGE_COUNTS, slot.edge)
    {
        edge.add(wait, distance, migrated);
        count_in(if distance == 0 { &mut counts.same_cpu } else { &mut counts.cross_cpu }, total);
        if slot.flags & HAS_CHAIN != 0 {
            for i in 0..3 {
                let ns = slot.before[i];
                if ns != 0 {
                    edge.legs[i] += ns;
                    count(&mut counts.legs[i], ns);
                }
            }
        }
        // Most waits are one leg long.
        if wait.thread_ns == wait.total_ns {
            edge.legs[4] += wait.total_ns;
            count_in(&mut counts.legs[4], total);
        } else {
            let legs = wait.legs();
            for i in 0..6 {
                if legs[i] != 0 {
                    edge.legs[3 + i] += legs[i];
                    count(&mut counts.legs[3 + i], legs[i]);
                }
            }
        }
    }
}

/// The thread is gone: its record is marked, so that a later thread with its id gets one of its own.
#[btf_tracepoint(function = "sched_process_exit")]
fn sched_process_exit(ctx: BtfTracePointContext) -> i32 {
    let tid = kernel::pid(ctx.arg(0));
    if let Some(slot) = maps::slot(tid)
        && slot.tid == tid
    {
        if let Some(thread) = maps::at(&THREADS, slot.thread)
            && thread.tid == tid
        {
            thread.flags |= EXITED;
        }
        // Not free before its last switch: the slot's thread can't be waiting, and claims start afresh.
        slot.tid = 0;
        slot.since = 0;
    }
    0
}
