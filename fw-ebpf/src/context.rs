//! What one CPU is doing: the contexts that nest on it (idle or a thread, a softirq above it, a hard IRQ above that),
//! and how long it has spent in each. Written only by that CPU; read by others that are about to queue a thread there.

use crate::cause::{Cause, Vector};

/// Softirq vectors that the kernel has (HI to RCU).
pub const SOFTIRQS: usize = 10;

/// A softirq that was raised and has not run yet.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Raised {
    /// When it was raised first, ns; 0 if it is not pending.
    pub at: u64,
    /// The context that raised it.
    pub by: Cause,
    /// Hard-IRQ entry to raise, ns; 0 if no hard IRQ raised it.
    pub handler_ns: u64,
}

/// What a CPU shares with others: numbers that are equal for two CPUs if and only if they are known to share the thing.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Place {
    /// Lowest CPU of the same core.
    pub core: u32,
    /// Lowest CPU with the same last-level cache; that of the core if the caches are unknown (many virtual machines).
    pub llc: u32,
    /// NUMA node; if unknown, a number beyond all CPUs that no other CPU has.
    pub node: u32,
}

impl Place {
    /// Index of the distance to another CPU: 1 SMT sibling, 2 same LLC, 3 same node, 4 remote. (0 is the same CPU.)
    #[inline(always)]
    pub const fn distance(&self, other: &Place) -> usize {
        if self.core == other.core {
            1
        } else if self.llc == other.llc {
            2
        } else if self.node == other.node {
            3
        } else {
            4
        }
    }
}

/// What came before a waking.
#[derive(Clone, Copy)]
pub struct Chain {
    /// Whom the wake belongs to.
    pub cause: Cause,
    /// For an interrupt, the legs up to the waking, ns: hard-IRQ entry to waking or to raising the softirq, softirq raise
    /// to entry, softirq entry to waking.
    pub before: Option<[u64; 3]>,
}

/// One CPU's state. All times are of one monotonic clock, ns. What every wake and switch touches comes first, in one
/// cache line.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
pub struct Cpu {
    /// Whom wakes issued by the running thread belong to: the thread, or the interrupt whose work it finishes.
    pub task: Cause,
    /// The running thread; 0 for idle.
    pub tid: u32,
    /// The thread in whose context the softirq runs: on a realtime kernel that thread can be preempted in between.
    pub softirq_tid: u32,
    /// When the running thread was switched to.
    pub since: u64,
    /// The hard IRQ being handled; none outside. See [`Cause::wakes_thread`] for what it is in between.
    pub hard: Cause,
    /// The softirq being run; none outside.
    pub soft: Cause,
    /// Time in hard IRQs, all finished ones.
    pub hard_ns: u64,
    /// Time in softirqs, all finished ones, hard IRQs that interrupted them excluded.
    pub soft_ns: u64,
    /// When idle was left last.
    pub idle_exit: u64,
    /// When the hard IRQ was entered.
    pub hard_since: u64,
    /// When the softirq was entered.
    pub soft_since: u64,
    /// `hard_ns` at its entry.
    pub soft_hard0: u64,
    /// Hard-IRQ entry to its raise.
    pub soft_handler_ns: u64,
    /// Its raise to its entry.
    pub soft_delay_ns: u64,
    /// Idle state + 1 while idle, else 0.
    pub idle: u32,
    /// Idle state + 1 that was left last.
    pub idle_left: u32,
    /// When idle was entered.
    pub idle_since: u64,
    /// `hard_ns` and `soft_ns` together at that time: interrupts are handled on top of idle.
    pub idle_interrupts0: u64,
    /// Time idle, finished stretches, interrupts excluded.
    pub idle_ns: u64,
    /// `hard_ns` when idle was left last.
    pub idle_hard_ns: u64,
    /// `soft_ns` when idle was left last.
    pub idle_soft_ns: u64,
    /// When another CPU's function call was taken in last.
    pub called: u64,
    /// Where this CPU lies; set by user space before the probes are attached.
    pub place: Place,
    /// 1 on a realtime kernel, where softirqs run in threads and are no interruption of their own.
    pub realtime: u32,
    /// Softirqs pending, by vector (the rest is padding that lets an index be masked).
    pub raised: [Raised; 16],
}

impl Cpu {
    /// A hard-IRQ handler is entered. Several handlers of one shared line count as one interrupt.
    #[inline(always)]
    pub fn hard_enter(&mut self, cause: Cause, now: u64) {
        if self.hard != cause {
            self.hard_since = now;
            self.hard = cause;
        }
    }

    /// A function call from another CPU is taken in.
    #[inline(always)]
    pub fn call_enter(&mut self, now: u64) {
        self.called = now;
        self.hard_enter(Cause::vector(Vector::Cal), now);
    }

    /// A hard-IRQ handler returned, the last one of its line if `last`. Gives the time in the line's handlers once it
    /// is over; nothing if its entry was not seen.
    #[inline(always)]
    pub fn hard_exit(&mut self, cause: Cause, now: u64, last: bool, wakes_thread: bool) -> Option<u64> {
        if self.hard != cause {
            return None;
        }
        if !last {
            return None;
        }
        self.hard = if wakes_thread { cause.wakes_thread() } else { Cause::NONE };
        let ns = now.saturating_sub(self.hard_since);
        self.hard_ns += ns;
        Some(ns)
    }

    /// Softirq `vec` is raised. Only the first raise before it runs counts.
    #[inline(always)]
    pub fn softirq_raise(&mut self, vec: u32, now: u64) {
        if self.raised[vec as usize & 15].at != 0 {
            return;
        }
        let raised = if self.hard.is_interrupt() {
            Raised { at: now, by: self.hard, handler_ns: now.saturating_sub(self.hard_since) }
        } else {
            Raised { at: now, by: if self.in_softirq() { self.soft } else { self.task }, handler_ns: 0 }
        };
        self.raised[vec as usize & 15] = raised;
    }

    /// Softirq `vec` starts to run. Gives raise to entry, ns, if its raise was seen.
    #[inline(always)]
    pub fn softirq_enter(&mut self, vec: u32, now: u64) -> Option<u64> {
        let raised = self.raised[vec as usize & 15];
        self.raised[vec as usize & 15].at = 0;
        let delay = now.saturating_sub(raised.at);
        let seen = raised.at != 0;
        self.soft_handler_ns = if seen { raised.handler_ns } else { 0 };
        self.soft_delay_ns = if seen { delay } else { 0 };
        self.soft_since = now;
        self.soft_hard0 = self.hard_ns;
        self.softirq_tid = self.tid;
        if !self.hard.is_interrupt() {
            self.hard = Cause::NONE;
        }
        // Hard IRQs can interrupt from here on: `soft` is set last, when all that belongs to it is in place.
        core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
        self.soft = Cause::softirq(vec, if seen { raised.by } else { Cause::NONE });
        if seen { Some(delay) } else { None }
    }

    /// The softirq has run. Gives entry to exit, ns, hard IRQs that interrupted it included; nothing if its entry was
    /// not seen.
    #[inline(always)]
    pub fn softirq_exit(&mut self, now: u64) -> Option<u64> {
        if !self.soft.is_some() {
            return None;
        }
        self.soft = Cause::NONE;
        core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
        let ns = now.saturating_sub(self.soft_since);
        if self.realtime == 0 {
            self.soft_ns += ns.saturating_sub(self.hard_ns - self.soft_hard0);
        }
        Some(ns)
    }

    /// The CPU goes idle.
    #[inline(always)]
    pub fn idle_enter(&mut self, state: u32, now: u64) {
        self.idle_since = now;
        self.idle_interrupts0 = self.hard_ns + self.soft_ns;
        self.idle = state.wrapping_add(1);
    }

    /// The CPU leaves idle.
    #[inline(always)]
    pub fn idle_leave(&mut self, now: u64) {
        if self.idle != 0 {
            self.idle_left = self.idle;
            self.idle = 0;
            let interrupts = (self.hard_ns + self.soft_ns).saturating_sub(self.idle_interrupts0);
            self.idle_ns += now.saturating_sub(self.idle_since).saturating_sub(interrupts);
            self.idle_exit = now;
            self.idle_hard_ns = self.hard_ns;
            self.idle_soft_ns = self.soft_ns;
        }
    }

    /// The CPU switches to a thread, whose wakes belong to `task` from now on. No hard IRQ spans a switch, so a handler
    /// whose exit was missed ends here at the latest.
    #[inline(always)]
    pub fn switch_to(&mut self, tid: u32, task: Cause, now: u64) {
        self.tid = tid;
        self.task = task;
        self.since = now;
        self.hard = Cause::NONE;
    }

    /// Whom a wake issued on this CPU right now belongs to. The interrupted thread is never blamed for what an
    /// interrupt does on top of it.
    #[inline(always)]
    pub fn chain(&self, now: u64) -> Chain {
        if self.hard.is_interrupt() {
            Chain { cause: self.hard, before: Some([now.saturating_sub(self.hard_since), 0, 0]) }
        } else if self.in_softirq() {
            let run = now.saturating_sub(self.soft_since).saturating_sub(self.hard_ns - self.soft_hard0);
            Chain { cause: self.soft, before: Some([self.soft_handler_ns, self.soft_delay_ns, run]) }
        } else {
            Chain { cause: self.task, before: None }
        }
    }

    /// The IRQ whose handler has just returned and is about to wake its kernel thread, if there is one. Given once.
    #[inline(always)]
    pub fn take_thread_wake(&mut self) -> Option<Cause> {
        let irq = self.hard.thread_woken_by()?;
        self.hard = Cause::NONE;
        Some(irq)
    }

    /// Time in hard IRQs up to `now`, the running one included.
    #[inline(always)]
    pub fn hard_until(&self, now: u64) -> u64 {
        if self.hard.is_interrupt() { self.hard_ns + now.saturating_sub(self.hard_since) } else { self.hard_ns }
    }

    /// Time in softirqs up to `now`, the running one included.
    #[inline(always)]
    pub fn soft_until(&self, now: u64) -> u64 {
        if self.soft.is_some() && self.realtime == 0 {
            let hard = self.hard_until(now).saturating_sub(self.soft_hard0);
            self.soft_ns + now.saturating_sub(self.soft_since).saturating_sub(hard)
        } else {
            self.soft_ns
        }
    }

    /// True if a softirq runs in the context of the running thread (not of one that it preempted).
    #[inline(always)]
    fn in_softirq(&self) -> bool {
        self.soft.is_some() && self.softirq_tid == self.tid
    }
}
