//! Layout of the maps: what the probes write and user space reads. Counters only grow (user space takes differences),
//! except for the maxima, which user space sets back to 0 when it reads them.

use crate::cause::Cause;
use crate::context::{Cpu, SOFTIRQS};
use crate::hist::BUCKETS;
use crate::wait::Wait;

/// Counts by H2 bucket. They wrap after 2^32 events in one bucket; a window's difference is taken modulo that.
pub type Counts = [u32; BUCKETS];

/// Distances between the waking and the running CPU: same CPU, SMT sibling, same LLC, same node, remote.
pub const DISTANCES: usize = 5;

/// Where a record is looked for: so many places from its hash on.
pub const PROBE_WINDOW: u32 = 8;

/// A running total of durations.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Total {
    /// Sum, ns.
    pub sum_ns: u64,
    /// Largest since user space last set it back, ns.
    pub max_ns: u64,
}

impl Total {
    /// Counts a duration in.
    #[inline(always)]
    pub fn add(&mut self, ns: u64) {
        self.sum_ns += ns;
        if ns > self.max_ns {
            self.max_ns = ns;
        }
    }
}

/// Reasons for which something is not counted; index of [`PerCpu::losses`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Loss {
    /// Two waiting threads shared a wake slot.
    Aliased = 0,
    /// No room for another thread's record.
    ThreadsFull,
    /// No room for another edge's record.
    EdgesFull,
    /// An IRQ number beyond the table.
    IrqOutOfRange,
    /// An event on a CPU beyond the table (counted on CPU 0).
    CpuOutOfRange,
    /// A wait that ended before it began.
    Clock,
    /// Polls of a NAPI instance whose place another one has.
    NapiFull,
}

/// Number of [`Loss`] reasons.
pub const LOSSES: usize = 7;

/// One CPU: what it is doing, and the waits that ended on it.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct PerCpu {
    /// What it is doing.
    pub context: Cpu,
    /// Totals of the waits.
    pub waits: CpuWaits,
    /// By [`Loss`].
    pub losses: [u64; LOSSES],
    /// Wakes issued here that found the thread still running.
    pub still_running: u64,
    /// Distributions of the waits.
    pub counts: CpuCounts,
}

/// Totals of one CPU's waits, for the same classes as [`CpuCounts`].
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CpuWaits {
    /// See [`CpuCounts::runnable`].
    pub runnable: Total,
    /// See [`CpuCounts::direct`].
    pub direct: [Total; DISTANCES],
    /// See [`CpuCounts::remote`].
    pub remote: [Total; DISTANCES],
}

/// Distributions of one CPU's waits. A wait is counted once: `direct` wakes are wakes and run-queue waits of the same
/// length, `remote` ones reached their run queue by an IPI and count once more, shorter, in `runnable`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CpuCounts {
    /// Wakes queued by the waking CPU, waking to running, by distance.
    pub direct: [Counts; DISTANCES],
    /// Wakes queued by way of an IPI, waking to running, by distance.
    pub remote: [Counts; DISTANCES],
    /// Queued to running of `remote` wakes, and the waits of preempted threads.
    pub runnable: Counts,
}

/// The record is free.
pub const FREE: u32 = 0;
/// The thread has exited: user space reads the record once more, then frees it.
pub const EXITED: u32 = 1;

/// One thread: who it is. What it waited is the sum of the edges that lead to it. Found by its id.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Thread {
    /// Thread; [`FREE`] if the record is nobody's.
    pub tid: u32,
    /// Process.
    pub pid: u32,
    /// [`EXITED`] or 0.
    pub flags: u32,
    /// Keeps the size a multiple of 8.
    pub unused: u32,
    /// Name when it was first seen; once it has exited, its last one.
    pub comm: [u8; 16],
}

/// Legs of an edge: three before the waking, six of the wake itself.
pub const LEGS: usize = 9;
/// Idle states told apart; deeper ones count in the last.
pub const IDLE_STATES: usize = 8;
/// Occupants kept for an edge.
pub const OCCUPANTS: usize = 4;

/// A thread that held the CPU while another waited.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Occupant {
    /// Thread; 0 if the place is free.
    pub tid: u32,
    /// Keeps the next field aligned.
    pub unused: u32,
    /// For how long, ns.
    pub held_ns: u64,
}

/// One edge's totals: a cause and the thread it wakes (or a thread that was preempted, which has no cause but waits all
/// the same). Found by hash of both. What every wake touches comes first.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Edge {
    /// What wakes.
    pub cause: Cause,
    /// The woken thread; [`FREE`] if the record is nobody's.
    pub tid: u32,
    /// Index of its [`Thread`] record: tells a thread from a later one with the same id.
    pub thread: u32,
    /// CPU on which the last wait ended.
    pub cpu: u32,
    /// Waits during which the thread changed CPU.
    pub migrations: u32,
    /// See [`EdgeCounts::behind`].
    pub behind: Total,
    /// Who had the CPU last, for wakes. Space-saving: a newcomer takes the lightest place with its weight, so that what
    /// is heavy stays and nothing is underestimated.
    pub occupants: [Occupant; OCCUPANTS],
    /// Totals of the other classes.
    pub waits: EdgeWaits,
    /// Sums of the legs, ns: handler, softirq delay, softirq run; queue, thread, hard IRQ, softirq, idle, switch. Waits
    /// of class `behind` are not in them: they are one leg, thread.
    pub legs: [u64; LEGS],
    /// Wakes by distance, same CPU excepted.
    pub distance: [u32; DISTANCES - 1],
    /// Waits that found the CPU idle, by state.
    pub idle_states: [u32; IDLE_STATES],
}

/// Totals of one edge's waits, but for those of class `behind`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct EdgeWaits {
    /// See [`EdgeCounts::same_cpu`].
    pub same_cpu: Total,
    /// See [`EdgeCounts::direct`].
    pub direct: Total,
    /// See [`EdgeCounts::remote`].
    pub remote: Total,
    /// See [`EdgeCounts::runnable`].
    pub runnable: Total,
}

/// One edge's distributions. A wait is of one class, and a `remote` one counts once more, shorter, in `runnable`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct EdgeCounts {
    /// On the waking CPU, waiting for nothing but another thread: by far the most on a busy host. On the edge of a
    /// preempted thread, the same of its waits.
    pub behind: Counts,
    /// All others on the waking CPU.
    pub same_cpu: Counts,
    /// On another CPU, queued by the waking one.
    pub direct: Counts,
    /// On another CPU, queued by way of an IPI.
    pub remote: Counts,
    /// Queued to running of `remote` wakes; the other waits of a preempted thread.
    pub runnable: Counts,
    /// The legs, in the order of [`Edge::legs`], `behind` excepted.
    pub legs: [Counts; LEGS],
}

/// One IRQ's totals (all CPUs).
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Irq {
    /// Interrupts whose handlers were seen from entry to exit.
    pub count: u64,
    /// Time in the handlers, one value an interrupt, ns.
    pub sum_ns: u64,
    /// Largest since user space last set it back, ns.
    pub max_ns: u64,
    /// 1 if the filter wants wakes by this IRQ; written by user space.
    pub wanted: u64,
}

/// One softirq's totals on one CPU.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Softirq {
    /// Runs.
    pub count: u64,
    /// Raise to entry.
    pub delay: Total,
    /// Entry to exit.
    pub run: Total,
}

/// One softirq's distributions on one CPU.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct SoftirqCounts {
    /// Raise to entry.
    pub delay: Counts,
    /// Entry to exit.
    pub run: Counts,
}

/// One NAPI instance's totals. Found by its id modulo the table's size.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Napi {
    /// NAPI id; [`FREE`] if the record is nobody's.
    pub id: u32,
    /// CPU of the last poll.
    pub cpu: u32,
    /// Interface name.
    pub device: [u8; 16],
    /// Polls.
    pub polls: u64,
    /// Packets handled.
    pub work: u64,
    /// Polls that used up their budget.
    pub exhausted: u64,
}

/// NAPI instances that can be told apart.
pub const NAPIS: u32 = 256;

/// Index of a softirq's record on a CPU.
#[inline(always)]
pub const fn softirq_index(cpu: u32, vec: u32) -> u32 {
    cpu * SOFTIRQS as u32 + vec
}

/// Where the search for a thread's record begins in a table of `mask + 1` places. Mixed, because ids that are handed out
/// one after the other would fill one stretch of the table.
#[inline(always)]
pub const fn thread_home(tid: u32, mask: u32) -> u32 {
    (tid.wrapping_mul(0x9e37_79b9) >> 12) & mask
}

/// Where the search for an edge's record begins in a table of `mask + 1` places.
#[inline(always)]
pub const fn edge_home(cause: Cause, tid: u32, mask: u32) -> u32 {
    let mixed = (cause.0 ^ ((tid as u64) << 20)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as u32 & mask
}

impl Edge {
    /// Counts who and what a wait was for (distributions and legs excepted). `distance` is that between the waking and
    /// the running CPU.
    #[inline(always)]
    pub fn add(&mut self, wait: &Wait, cpu: u32, distance: usize, migrated: bool) {
        self.cpu = cpu;
        if distance != 0 && distance < DISTANCES {
            self.distance[distance - 1] += 1;
        }
        if migrated {
            self.migrations += 1;
        }
        if wait.idle_state != 0 {
            let state = wait.idle_state as usize - 1;
            self.idle_states[if state < IDLE_STATES { state } else { IDLE_STATES - 1 }] += 1;
        }
        if wait.occupant != 0 {
            self.occupied(wait.occupant, wait.occupant_ns);
        }
    }

    /// A thread held the CPU while another waited.
    #[inline(always)]
    pub fn occupied(&mut self, tid: u32, ns: u64) {
        let mut lightest = 0;
        let mut weight = u64::MAX;
        let mut i = 0;
        while i < OCCUPANTS {
            let o = &mut self.occupants[i];
            if o.tid == tid {
                o.held_ns += ns;
                return;
            }
            if o.held_ns < weight {
                weight = o.held_ns;
                lightest = i;
            }
            i += 1;
        }
        let o = &mut self.occupants[lightest & (OCCUPANTS - 1)];
        o.tid = tid;
        o.held_ns += ns;
    }
}

impl Wait {
    /// True if the thread waited for nothing but another one.
    #[inline(always)]
    pub const fn is_behind(&self) -> bool {
        self.thread_ns == self.total_ns
    }

    /// The six legs, in the order of the last six of [`Edge::legs`].
    #[inline(always)]
    pub const fn legs(&self) -> [u64; 6] {
        [self.queue_ns, self.thread_ns, self.hardirq_ns, self.softirq_ns, self.idle_ns, self.switch_ns]
    }
}

/// Plain data: any bytes of its size are a value of it.
///
/// # Safety
/// The type is `repr(C)` or an array or integer, holds no pointer, reference, `bool` or enum, and its padding is never
/// relied on.
pub unsafe trait Record: Copy + 'static {
    /// All zero: what a map holds before anything is counted.
    fn zeroed() -> Self {
        // SAFETY: any bytes are a value.
        unsafe { core::mem::zeroed() }
    }
}

// SAFETY: all are `repr(C)` structures of integers and arrays of them.
unsafe impl Record for PerCpu {}
// SAFETY: as above.
unsafe impl Record for Thread {}
// SAFETY: as above.
unsafe impl Record for Edge {}
// SAFETY: as above.
unsafe impl Record for EdgeCounts {}
// SAFETY: as above.
unsafe impl Record for Irq {}
// SAFETY: as above.
unsafe impl Record for Counts {}
// SAFETY: as above.
unsafe impl Record for Softirq {}
// SAFETY: as above.
unsafe impl Record for SoftirqCounts {}
// SAFETY: as above.
unsafe impl Record for Napi {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn held(edge: &Edge, tid: u32) -> Option<u64> {
        edge.occupants.iter().find(|o| o.tid == tid).map(|o| o.held_ns)
    }

    #[test]
    fn a_newcomer_takes_the_lightest_place_with_its_weight() {
        let mut edge = Edge::zeroed();
        for (tid, ns) in [(1, 10), (2, 20), (3, 5), (4, 40), (1, 7), (5, 1)] {
            edge.occupied(tid, ns);
        }
        assert_eq!([1, 2, 3, 4, 5].map(|tid| held(&edge, tid)), [Some(17), Some(20), None, Some(40), Some(6)]);
    }

    #[test]
    fn a_wait_is_counted_by_where_and_behind_whom() {
        let mut edge = Edge::zeroed();
        let wait = Wait { occupant: 7, occupant_ns: 30, ..Wait::default() };
        edge.add(&wait, 2, 0, false);
        edge.add(&Wait { idle_state: 2, ..Wait::default() }, 3, 4, true);
        edge.add(&Wait { idle_state: u32::MAX, ..Wait::default() }, 1, 1, false);
        assert_eq!((edge.cpu, edge.migrations, edge.distance), (1, 1, [1, 0, 0, 1]));
        assert_eq!(edge.idle_states, [0, 1, 0, 0, 0, 0, 0, 1]);
        assert_eq!(held(&edge, 7), Some(30));
    }

    proptest! {
        #[test]
        fn who_holds_more_than_a_share_stays_and_is_not_underestimated(
            holds in prop::collection::vec((1..20u32, 1..1000u64), 1..200),
        ) {
            let mut edge = Edge::zeroed();
            let mut truth = [0; 20];
            for &(tid, ns) in &holds {
                edge.occupied(tid, ns);
                truth[tid as usize] += ns;
            }
            let whole: u64 = truth.iter().sum();
            prop_assert_eq!(edge.occupants.iter().map(|o| o.held_ns).sum::<u64>(), whole);
            for tid in 1..20 {
                match held(&edge, tid) {
                    Some(ns) => prop_assert!(ns >= truth[tid as usize]),
                    None => prop_assert!(truth[tid as usize] <= whole / OCCUPANTS as u64),
                }
            }
        }

        #[test]
        fn a_search_begins_within_the_table(cause: u64, tid: u32, bits in 0..20u32) {
            let mask = (1 << bits) - 1;
            prop_assert!(thread_home(tid, mask) <= mask && edge_home(Cause(cause), tid, mask) <= mask);
        }
    }

    #[test]
    fn edges_of_one_host_spread_over_the_table() {
        let mask = 4095;
        let mut homes = [0u32; 4096];
        for tid in 1000..1064 {
            for irq in 24..40 {
                homes[edge_home(Cause::irq(irq), tid, mask) as usize] += 1;
                homes[edge_home(Cause::task(tid + irq), tid, mask) as usize] += 1;
            }
        }
        let mut windows = homes.windows(PROBE_WINDOW as usize).map(|window| window.iter().sum::<u32>());
        assert!(windows.all(|edges| edges <= 2 * PROBE_WINDOW), "too many edges begin their search in one place");
    }
}
