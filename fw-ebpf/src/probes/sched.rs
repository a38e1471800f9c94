//! The scheduler: waking, queued, migrated, switched, exited. All run with interrupts off.

use aya_ebpf::{Global, helpers::bpf_ktime_get_ns, macros::btf_tracepoint, programs::BtfTracePointContext};
use fw_ebpf::{
    cause::Cause,
    context::{Chain, Cpu},
    records::{DISTANCES, EXITED, Edge, EdgeCounts, Loss, PerCpu},
    wait::{HAS_CHAIN, MIGRATED, PASSES_ON, PREEMPTED, Slot, UNNAMED, UNWANTED, Wait},
};

use crate::{
    filter, find, kernel,
    maps::{self, EDGE_COUNTS, THREADS, bucket_of, count, count_in, cpu_number, lose, this_cpu},
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
    if slot.is_waiting() && slot.flags & (PREEMPTED | UNWANTED) == 0 {
        cpu.still_running += 1;
    }
    let now = clock();
    let chain = chain(&mut cpu.context, task, now);
    let flags = if wanted && filter::wants_cause(chain.cause) { 0 } else { UNWANTED };
    let target = kernel::cpu(task);
    let context = if target == number { Some(&mut cpu.context) } else { maps::context(target) };
    match context {
        Some(context) => slot.wake(&chain, number, target, context, flags, now),
        None => lose(0, Loss::CpuOutOfRange),
    }
}

/// Whom the wake belongs to. An IRQ whose work is done by a thread wakes it right after its handler returned: that wake
/// is told from one by the interrupted thread by the name of the woken one.
#[inline(always)]
fn chain(cpu: &mut Cpu, task: *const u8, now: u64) -> Chain {
    match cpu.take_thread_wake() {
        Some(irq) if kernel::comm(task).starts_with(b"irq/") => Chain { cause: irq, before: None },
        _ => cpu.chain(now),
    }
}

/// The slot of `task`, made its own if it was another thread's.
#[inline(always)]
fn slot_of(task: *const u8, tid: u32, cpu: u32) -> Option<&'static mut Slot> {
    let slot = maps::slot(tid)?;
    if slot.tid != tid {
        claim(slot, task, tid, cpu);
    } else if slot.flags & UNNAMED != 0 {
        look_at_name(slot, task);
    }
    Some(slot)
}

#[inline(never)]
fn claim(slot: &mut Slot, task: *const u8, tid: u32, cpu: u32) {
    if slot.claim(tid) {
        lose(cpu, Loss::Aliased);
    }
    slot.thread = find::NOWHERE;
    slot.edge = find::NOWHERE;
    slot.preemptions = find::NOWHERE;
    if kernel::is_kthread(task) {
        look_at_name(slot, task);
    }
}

/// Finds out by its name whether a kernel thread passes on what woke it. A new one has the name of `kthreadd`, which
/// made it, until it has run for the first time (before Linux 6.4).
#[inline(never)]
fn look_at_name(slot: &mut Slot, task: *const u8) {
    const KTHREADD: u32 = 2;
    let comm = kernel::comm(task);
    slot.flags &= !UNNAMED;
    if comm.starts_with(b"irq/") || comm.starts_with(b"napi/") {
        slot.flags |= PASSES_ON;
    } else if comm.starts_with(b"kthreadd") && slot.tid != KTHREADD {
        slot.flags |= UNNAMED;
    }
}

/// 1 if it is inferred when a CPU queues a thread that was sent to it, because `sched_wakeup` is not attached.
#[unsafe(no_mangle)]
static INFER_QUEUED: Global<u32> = Global::new(0);

/// The thread is on its CPU's run queue. Of interest only where that CPU had to be told by an IPI: then this runs there,
/// and not on the waking CPU. Attached only where that happens to busy CPUs too.
#[btf_tracepoint(function = "sched_wakeup")]
fn sched_wakeup(ctx: BtfTracePointContext) -> i32 {
    let tid = kernel::pid(ctx.arg(0));
    let number = cpu_number();
    if let Some(slot) = maps::slot(tid)
        && slot.waker_cpu != number
        && slot.tid == tid
        && slot.is_waiting()
        && let Some(context) = maps::context(number)
    {
        slot.queue(number, context, clock());
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
        && let (Some(from), Some(state)) = (maps::context(slot.cpu), maps::context(to))
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
            slot.preempt(number, &cpu.context, flags, now);
        }
    }
    let tid = kernel::pid(next);
    let mut task = Cause::task(tid);
    if tid != 0
        && let Some(slot) = maps::slot(tid)
        && slot.tid == tid
    {
        if slot.is_waiting() {
            let plain = slot.flags & (UNWANTED | HAS_CHAIN | MIGRATED) == 0;
            match if plain { slot.run_behind(number, &cpu.context, now) } else { None } {
                Some(ns) => ended_behind(slot, ns, next, number, cpu, now),
                None => ended(slot, next, number, cpu, now),
            }
        }
        if slot.flags & PASSES_ON != 0 && slot.cause.is_interrupt() {
            task = slot.cause;
        }
    }
    cpu.context.switch_to(tid, task, now);
    0
}

/// Counts a wait that ended and was for nothing but another thread. It is what nearly every switch of a busy host runs,
/// so it is short and by itself.
#[inline(always)]
fn ended_behind(slot: &mut Slot, ns: u64, task: *const u8, number: u32, cpu: &mut PerCpu, now: u64) {
    let by_wake = slot.flags & PREEMPTED == 0;
    let index = bucket_of(ns);
    if by_wake {
        cpu.waits.direct[0].add(ns);
        count_in(&mut cpu.counts.direct[0], index);
    } else {
        cpu.waits.runnable.add(ns);
        count_in(&mut cpu.counts.runnable, index);
    }
    let Some((record, edge)) = find::edge(slot, by_wake, task, number) else { return };
    let Some(counts) = maps::at(&EDGE_COUNTS, record) else { return };
    edge.behind.add(ns);
    count_in(&mut counts.behind, index);
    edge.cpu = number;
    if by_wake {
        let held = now.saturating_sub(cpu.context.since);
        edge.occupied(cpu.context.tid, if held < ns { held } else { ns });
    }
}

/// Counts any other wait that ended.
#[inline(never)]
fn ended(slot: &mut Slot, task: *const u8, number: u32, cpu: &mut PerCpu, now: u64) {
    if INFER_QUEUED.load() != 0 {
        slot.queue_by_idle_exit(number, &cpu.context);
    }
    let Some(wait) = &slot.run(number, &cpu.context, now) else {
        lose(number, Loss::Clock);
        return;
    };
    if slot.flags & UNWANTED != 0 {
        return;
    }
    let by_wake = slot.flags & PREEMPTED == 0;
    let distance = if slot.waker_cpu == number { 0 } else { distance(slot.waker_cpu, &cpu.context) };
    if distance >= DISTANCES {
        return;
    }
    // One that was queued on another CPU and came back is like any other on the waking CPU.
    let remote = by_wake && slot.queued != 0 && distance != 0;
    let total = bucket_of(wait.total_ns);
    let runnable = if remote { bucket_of(wait.runnable_ns) } else { total };
    if !by_wake {
        cpu.waits.runnable.add(wait.runnable_ns);
        count_in(&mut cpu.counts.runnable, runnable);
    } else if remote {
        cpu.waits.remote[distance].add(wait.total_ns);
        count_in(&mut cpu.counts.remote[distance], total);
        cpu.waits.runnable.add(wait.runnable_ns);
        count_in(&mut cpu.counts.runnable, runnable);
    } else {
        cpu.waits.direct[distance].add(wait.total_ns);
        count_in(&mut cpu.counts.direct[distance], total);
    }
    let Some((index, edge)) = find::edge(slot, by_wake, task, number) else { return };
    let Some(counts) = maps::at(&EDGE_COUNTS, index) else { return };
    edge.add(wait, number, distance, slot.flags & MIGRATED != 0);
    let behind = distance == 0 && wait.is_behind();
    if behind {
        edge.behind.add(wait.total_ns);
        count_in(&mut counts.behind, total);
        if slot.flags & HAS_CHAIN == 0 {
            return;
        }
    } else {
        let (waits, counts) = if !by_wake {
            (&mut edge.waits.runnable, &mut counts.runnable)
        } else if distance == 0 {
            (&mut edge.waits.same_cpu, &mut counts.same_cpu)
        } else if remote {
            (&mut edge.waits.remote, &mut counts.remote)
        } else {
            (&mut edge.waits.direct, &mut counts.direct)
        };
        waits.add(wait.total_ns);
        count_in(counts, total);
    }
    if remote {
        edge.waits.runnable.add(wait.runnable_ns);
        count_in(&mut counts.runnable, runnable);
    }
    legs(slot, wait, edge, counts, behind);
}

#[inline(never)]
fn distance(waker: u32, here: &Cpu) -> usize {
    maps::context(waker).map_or(4, |waker| waker.place.distance(&here.place))
}

/// Counts the legs of a wait; of one that is of class `behind` only those before the waking.
#[inline(never)]
fn legs(slot: &Slot, wait: &Wait, edge: &mut Edge, counts: &mut EdgeCounts, behind: bool) {
    if slot.flags & HAS_CHAIN != 0 {
        for i in 0..3 {
            let ns = slot.before[i];
            if ns != 0 {
                edge.legs[i] += ns;
                count(&mut counts.legs[i], ns);
            }
        }
    }
    if behind {
        return;
    }
    let legs = wait.legs();
    for i in 0..6 {
        if legs[i] != 0 {
            edge.legs[3 + i] += legs[i];
            count(&mut counts.legs[3 + i], legs[i]);
        }
    }
}

/// The thread is gone: its record is marked, so that a later thread with its id gets one of its own. It may have started
/// another program since it was first seen: its last name is the one to show.
#[btf_tracepoint(function = "sched_process_exit")]
fn sched_process_exit(ctx: BtfTracePointContext) -> i32 {
    let task = ctx.arg::<*const u8>(0);
    let tid = kernel::pid(task);
    if let Some(slot) = maps::slot(tid)
        && slot.tid == tid
    {
        if let Some(thread) = maps::at(&THREADS, slot.thread)
            && thread.tid == tid
        {
            thread.comm = kernel::comm(task);
            thread.flags |= EXITED;
        }
        // Not its last switch, but it begins afresh.
        slot.tid = 0;
        slot.since = 0;
    }
    0
}
