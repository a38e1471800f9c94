//! One thread's wait for a CPU, from being made runnable to running: the wake slot, and the legs it comes apart into.

use crate::cause::Cause;
use crate::context::{Chain, Cpu};

/// The wait was begun by being preempted (or yielding), not by a wake.
pub const PREEMPTED: u32 = 1;
/// The thread changed CPU during the wait.
pub const MIGRATED: u32 = 1 << 1;
/// [`Slot::before`] holds the legs before the waking.
pub const HAS_CHAIN: u32 = 1 << 2;
/// The filter rejects the thread: it is tracked because its wakes pass a cause on, but not counted.
pub const UNWANTED: u32 = 1 << 3;
/// The thread finishes the work of what woke it (an IRQ's kernel thread, threaded NAPI): its own wakes belong to that.
pub const PASSES_ON: u32 = 1 << 4;

/// The thread had no name of its own yet when it was first seen: whether it [`PASSES_ON`] is still to be found out.
pub const UNNAMED: u32 = 1 << 5;

/// Flags that belong to the thread, not to one wait.
const OF_THREAD: u32 = PASSES_ON | UNNAMED;

/// Where a wait for a CPU begins; one slot for each thread that may be waiting, found by `tid` modulo the table's size.
/// The kernel serialises what happens to one thread, so a slot has one writer at a time as long as its thread keeps it.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
pub struct Slot {
    /// The thread whose slot this is; 0 if nobody's.
    pub tid: u32,
    /// [`PREEMPTED`] and the others.
    pub flags: u32,
    /// When the wait began, ns; 0 if the thread is not waiting.
    pub since: u64,
    /// Cause of the last wake (kept after it, for threads that pass it on).
    pub cause: Cause,
    /// When the CPU that was told by an IPI queued the thread, ns; 0 if the waking CPU did so itself.
    pub queued: u64,
    /// Time the CPU had spent in hard IRQs when the wait for it began.
    pub hard0: u64,
    /// Time the CPU had spent in softirqs when the wait for it began.
    pub soft0: u64,
    /// The CPU on which the wait began (where the waker runs).
    pub waker_cpu: u32,
    /// The CPU the thread waits for, as far as known.
    pub cpu: u32,
    /// Where the thread's record was found last.
    pub thread: u32,
    /// Where the record of the edge from the last cause was found.
    pub edge: u32,
    /// Where the record of the thread's preemptions was found.
    pub preemptions: u32,
    /// Handler, softirq delay and softirq run before the waking, ns.
    pub before: [u64; 3],
}

/// A wait that ended, taken apart. The last six add up to `total_ns`.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Runnable to running.
    pub total_ns: u64,
    /// Queued to running: what counts as run-queue latency.
    pub runnable_ns: u64,
    /// Waking to queued, where an IPI had to tell another CPU.
    pub queue_ns: u64,
    /// Another thread had the CPU.
    pub thread_ns: u64,
    /// Hard IRQs ran.
    pub hardirq_ns: u64,
    /// Softirqs ran.
    pub softirq_ns: u64,
    /// The CPU left idle.
    pub idle_ns: u64,
    /// From leaving idle to the switch.
    pub switch_ns: u64,
    /// Idle state + 1 that the CPU had to leave; 0 if it was busy.
    pub idle_state: u32,
    /// The thread that had the CPU last; 0 if it was idle.
    pub occupant: u32,
    /// For how long it had it during the wait.
    pub occupant_ns: u64,
}

impl Slot {
    /// True if the thread is waiting for a CPU.
    #[inline(always)]
    pub fn is_waiting(&self) -> bool {
        self.since != 0
    }

    /// Makes the slot `tid`'s. True if another thread's wait was lost by that.
    #[inline(always)]
    pub fn claim(&mut self, tid: u32) -> bool {
        if self.tid == tid {
            return false;
        }
        let lost = self.tid != 0 && self.since != 0;
        self.tid = tid;
        self.flags = 0;
        self.since = 0;
        self.cause = Cause::NONE;
        lost
    }

    /// The thread is being woken by what `chain` says, on `waker_cpu`; it last ran on `cpu`, in state `target`.
    #[inline(always)]
    pub fn wake(&mut self, chain: &Chain, waker_cpu: u32, cpu: u32, target: &Cpu, flags: u32, now: u64) {
        self.flags = self.flags & OF_THREAD | flags;
        self.cause = chain.cause;
        self.queued = 0;
        self.waker_cpu = waker_cpu;
        if let Some(before) = chain.before {
            self.before = before;
            self.flags |= HAS_CHAIN;
        }
        self.begin(cpu, target, now);
    }

    /// The thread is being switched out while runnable.
    #[inline(always)]
    pub fn preempt(&mut self, cpu: u32, here: &Cpu, flags: u32, now: u64) {
        self.flags = self.flags & OF_THREAD | PREEMPTED | flags;
        self.queued = 0;
        self.waker_cpu = cpu;
        self.cpu = cpu;
        // No interrupt is being handled where the CPU switches.
        self.hard0 = here.hard_ns;
        self.soft0 = here.soft_ns;
        self.since = now;
    }

    #[inline(always)]
    fn begin(&mut self, cpu: u32, target: &Cpu, now: u64) {
        self.cpu = cpu;
        self.hard0 = target.hard_until(now);
        self.soft0 = target.soft_until(now);
        self.since = now;
    }

    /// Ends the wait if it was for nothing but another thread, which had this CPU all the time: by far the most on a busy
    /// host. Gives how long it lasted.
    #[inline(always)]
    pub fn run_behind(&mut self, cpu: u32, here: &Cpu, now: u64) -> Option<u64> {
        let since = self.since;
        let undisturbed = here.hard_ns == self.hard0 && here.soft_ns == self.soft0 && here.idle_exit <= since;
        if self.waker_cpu == cpu && self.cpu == cpu && self.queued == 0 && here.tid != 0 && undisturbed && since <= now
        {
            self.since = 0;
            Some(now - since)
        } else {
            None
        }
    }

    /// The CPU that was told by an IPI has queued the thread.
    #[inline(always)]
    pub fn queue(&mut self, cpu: u32, here: &Cpu, now: u64) {
        self.queued = now;
        self.cpu = cpu;
        self.hard0 = here.hard_until(now);
        self.soft0 = here.soft_until(now);
    }

    /// The same where no event tells of it: an idle CPU takes in the threads sent to it in the function call that wakes
    /// it, or as soon as it has left idle.
    #[inline(always)]
    pub fn queue_by_idle_exit(&mut self, cpu: u32, here: &Cpu) {
        if self.flags & PREEMPTED == 0 && self.waker_cpu != cpu && here.idle_exit > self.since {
            let called = here.called > self.since && here.called < here.idle_exit;
            self.queued = if called { here.called } else { here.idle_exit };
        }
    }

    /// The thread is given to another CPU, by placement right after the waking or by balancing while it waits. What it
    /// has waited for so far is kept.
    #[inline(always)]
    pub fn migrate(&mut self, from: &Cpu, cpu: u32, to: &Cpu, now: u64) {
        self.flags |= MIGRATED;
        self.cpu = cpu;
        self.hard0 = to.hard_until(now).wrapping_sub(from.hard_until(now).wrapping_sub(self.hard0));
        self.soft0 = to.soft_until(now).wrapping_sub(from.soft_until(now).wrapping_sub(self.soft0));
    }

    /// The thread runs on `cpu`, whose state is `here` before it switches. Ends the wait; nothing if the clock says
    /// that it ended before it began.
    #[inline(always)]
    pub fn run(&mut self, cpu: u32, here: &Cpu, now: u64) -> Option<Wait> {
        let since = self.since;
        self.since = 0;
        if now < since {
            return None;
        }
        let mut left = now - since;
        let mut wait = Wait { total_ns: left, runnable_ns: left, ..Wait::default() };
        // A leg can't take more than what is left: another CPU's totals are read while it moves them.
        let mut take = |ns: u64| {
            let ns = if ns < left { ns } else { left };
            left -= ns;
            ns
        };
        let (mut hard_in_idle, mut soft_in_idle) = (0, 0);
        let mut from = since;
        let was_idle = here.idle_exit > since;
        if self.queued > since {
            let idle_until = if was_idle && here.idle_exit < self.queued { here.idle_exit } else { since };
            wait.idle_ns = take(idle_until - since);
            wait.queue_ns = take(self.queued - idle_until);
            wait.runnable_ns = now.saturating_sub(self.queued);
            from = self.queued;
        }
        if self.cpu == cpu {
            wait.hardirq_ns = take(here.hard_ns.wrapping_sub(self.hard0).or_zero());
            wait.softirq_ns = take(here.soft_ns.wrapping_sub(self.soft0).or_zero());
            hard_in_idle = here.idle_hard_ns.wrapping_sub(self.hard0).or_zero();
            soft_in_idle = here.idle_soft_ns.wrapping_sub(self.soft0).or_zero();
        }
        if was_idle {
            wait.idle_state = here.idle_left;
            if here.idle_exit > from {
                wait.idle_ns += take((here.idle_exit - from).saturating_sub(hard_in_idle + soft_in_idle));
            }
        }
        if here.tid == 0 {
            wait.switch_ns = left;
        } else {
            wait.thread_ns = left;
            wait.occupant = here.tid;
            let held = now.saturating_sub(here.since);
            wait.occupant_ns = if held < left { held } else { left };
        }
        Some(wait)
    }
}

/// Reads a difference of two unsigned totals: 0 if it is negative.
trait OrZero {
    fn or_zero(self) -> u64;
}

impl OrZero for u64 {
    #[inline(always)]
    fn or_zero(self) -> u64 {
        if (self as i64) < 0 { 0 } else { self }
    }
}
