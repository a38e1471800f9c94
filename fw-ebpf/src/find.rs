//! Finding the record of a thread or an edge, or making one. The slot remembers where it was last, so the search is
//! rare; it looks at [`PROBE_WINDOW`] places, because a record may be freed in between.

use core::intrinsics::{AtomicOrdering, atomic_cxchg};

use fw_ebpf::{
    records::{EXITED, Edge, FREE, Loss, PROBE_WINDOW, Thread, edge_home, thread_home},
    wait::Slot,
};

use crate::{
    kernel,
    maps::{self, EDGES, THREADS, edge_mask, lose, thread_mask},
};

/// No such record.
pub const NOWHERE: u32 = u32::MAX;

/// The record of the slot's thread, `task`.
#[inline(always)]
pub fn thread(slot: &mut Slot, task: *const u8, cpu: u32) -> Option<&'static mut Thread> {
    let tid = slot.tid;
    if let Some(thread) = maps::at(&THREADS, slot.thread)
        && is(thread, tid)
    {
        return Some(thread);
    }
    search_thread(slot, task, cpu)
}

#[inline(never)]
fn search_thread(slot: &mut Slot, task: *const u8, cpu: u32) -> Option<&'static mut Thread> {
    let tid = slot.tid;
    let home = thread_home(tid, thread_mask());
    for i in 0..PROBE_WINDOW {
        let index = (home + i) & thread_mask();
        if let Some(thread) = maps::at(&THREADS, index)
            && is(thread, tid)
        {
            slot.thread = index;
            return Some(thread);
        }
    }
    for i in 0..PROBE_WINDOW {
        let index = (home + i) & thread_mask();
        if let Some(thread) = maps::at(&THREADS, index)
            && thread.tid == FREE
            // SAFETY: the record is in a map; other CPUs that want it do the same.
            && unsafe { atomic_cxchg::<u32, { AtomicOrdering::SeqCst }, { AtomicOrdering::SeqCst }>(&mut thread.tid, FREE, tid) }.1
        {
            thread.pid = kernel::tgid(task);
            thread.comm = kernel::comm(task);
            slot.thread = index;
            return Some(thread);
        }
    }
    slot.thread = NOWHERE;
    lose(cpu, Loss::ThreadsFull);
    None
}

#[inline(always)]
fn is(thread: &Thread, tid: u32) -> bool {
    thread.tid == tid && thread.flags & EXITED == 0
}

/// The record of the edge from the slot's cause to its thread.
#[inline(always)]
pub fn edge(slot: &mut Slot, cpu: u32) -> Option<&'static mut Edge> {
    if let Some(edge) = maps::at(&EDGES, slot.edge)
        && joins(edge, slot)
    {
        return Some(edge);
    }
    search_edge(slot, cpu)
}

#[inline(never)]
fn search_edge(slot: &mut Slot, cpu: u32) -> Option<&'static mut Edge> {
    let home = edge_home(slot.cause, slot.tid, edge_mask());
    for i in 0..PROBE_WINDOW {
        let index = (home + i) & edge_mask();
        if let Some(edge) = maps::at(&EDGES, index)
            && joins(edge, slot)
        {
            slot.edge = index;
            return Some(edge);
        }
    }
    for i in 0..PROBE_WINDOW {
        let index = (home + i) & edge_mask();
        if let Some(edge) = maps::at(&EDGES, index)
            && !edge.cause.is_some()
            // SAFETY: as above.
            && unsafe { atomic_cxchg::<u64, { AtomicOrdering::SeqCst }, { AtomicOrdering::SeqCst }>(&mut edge.cause.0, 0, slot.cause.0) }.1
        {
            edge.thread = slot.thread;
            edge.tid = slot.tid;
            slot.edge = index;
            return Some(edge);
        }
    }
    slot.edge = NOWHERE;
    lose(cpu, Loss::EdgesFull);
    None
}

#[inline(always)]
fn joins(edge: &Edge, slot: &Slot) -> bool {
    edge.cause == slot.cause && edge.tid == slot.tid && edge.thread == slot.thread
}
