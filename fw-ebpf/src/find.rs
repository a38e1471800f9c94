//! Finding the record of a thread or an edge, or making one. The slot remembers where it was last, so the search is
//! rare; it looks at [`PROBE_WINDOW`] places, because a record may be freed in between.
//!
//! The searches are global functions (numbers in, a number out): the verifier checks them once and by themselves,
//! instead of once for every state in which a caller gets there.

use core::intrinsics::{AtomicOrdering, atomic_cxchg};

use fw_ebpf::{
    cause::Cause,
    records::{EXITED, Edge, FREE, Loss, PROBE_WINDOW, Thread, edge_home, thread_home},
    wait::Slot,
};

use crate::{
    kernel,
    maps::{self, EDGES, THREADS, edge_mask, lose, thread_mask},
};

/// No such record.
pub const NOWHERE: u32 = u32::MAX;
/// Set in what a search gives if the record was just made.
const NEW: u64 = 1 << 32;

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn find_thread(tid: u32) -> u64 {
    let home = thread_home(tid, thread_mask());
    for i in 0..PROBE_WINDOW {
        let index = (home + i) & thread_mask();
        if let Some(thread) = maps::at(&THREADS, index)
            && is(thread, tid)
        {
            return u64::from(index);
        }
    }
    for i in 0..PROBE_WINDOW {
        let index = (home + i) & thread_mask();
        if let Some(thread) = maps::at(&THREADS, index)
            && thread.tid == FREE
            // SAFETY: the record is in a map; other CPUs that want it do the same.
            && unsafe {
                atomic_cxchg::<u32, { AtomicOrdering::SeqCst }, { AtomicOrdering::SeqCst }>(&mut thread.tid, FREE, tid)
            }
            .1
        {
            return u64::from(index) | NEW;
        }
    }
    u64::from(NOWHERE)
}

#[inline(always)]
fn is(thread: &Thread, tid: u32) -> bool {
    thread.tid == tid && thread.flags & EXITED == 0
}

/// The record (and its index) of the edge from the slot's cause to its thread, `task`; of the thread's preemptions if no
/// wake began the wait.
#[inline(always)]
pub fn edge(slot: &mut Slot, by_wake: bool, task: *const u8, cpu: u32) -> Option<(u32, &'static mut Edge)> {
    let (cause, hint) = if by_wake { (slot.cause, slot.edge) } else { (Cause::PREEMPTED, slot.preemptions) };
    if let Some(edge) = maps::at(&EDGES, hint)
        && joins(edge, cause.0, slot.tid, slot.thread)
    {
        return Some((hint, edge));
    }
    let index = search(slot, by_wake, task, cpu);
    Some((index, maps::at(&EDGES, index)?))
}

#[inline(never)]
fn search(slot: &mut Slot, by_wake: bool, task: *const u8, cpu: u32) -> u32 {
    if !maps::at(&THREADS, slot.thread).is_some_and(|thread| is(thread, slot.tid)) {
        let found = find_thread(slot.tid);
        slot.thread = found as u32;
        match maps::at(&THREADS, found as u32) {
            None => lose(cpu, Loss::ThreadsFull),
            Some(thread) if found & NEW != 0 => {
                thread.pid = kernel::tgid(task);
                thread.comm = kernel::comm(task);
            }
            Some(_) => {}
        }
    }
    let cause = if by_wake { slot.cause } else { Cause::PREEMPTED };
    let index = find_edge(cause.0, slot.tid, slot.thread);
    if by_wake {
        slot.edge = index;
    } else {
        slot.preemptions = index;
    }
    if index == NOWHERE {
        lose(cpu, Loss::EdgesFull);
    }
    index
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn find_edge(cause: u64, tid: u32, thread: u32) -> u32 {
    let home = edge_home(Cause(cause), tid, edge_mask());
    for i in 0..PROBE_WINDOW {
        let index = (home + i) & edge_mask();
        if let Some(edge) = maps::at(&EDGES, index)
            && joins(edge, cause, tid, thread)
        {
            return index;
        }
    }
    for i in 0..PROBE_WINDOW {
        let index = (home + i) & edge_mask();
        if let Some(edge) = maps::at(&EDGES, index)
            && !edge.cause.is_some()
            // SAFETY: as above.
            && unsafe {
                atomic_cxchg::<u64, { AtomicOrdering::SeqCst }, { AtomicOrdering::SeqCst }>(&mut edge.cause.0, 0, cause)
            }
            .1
        {
            edge.thread = thread;
            edge.tid = tid;
            return index;
        }
    }
    NOWHERE
}

#[inline(always)]
fn joins(edge: &Edge, cause: u64, tid: u32, thread: u32) -> bool {
    edge.cause.0 == cause && edge.tid == tid && edge.thread == thread
}
