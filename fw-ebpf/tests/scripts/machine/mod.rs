//! A made-up machine: events go through the same methods in the same order as in `src/probes`, and come out as waits.

pub mod plausible;

use std::{
    collections::{HashMap, HashSet},
    fmt,
};

use fw_ebpf::{
    cause::{Cause, Origin, Vector},
    context::{Chain, Cpu, Place},
    wait::{HAS_CHAIN, PASSES_ON, PREEMPTED, Slot, UNWANTED, Wait},
};

/// What a tracepoint reports.
#[derive(Clone, Copy, Debug)]
pub enum What {
    IrqEnter(u32),
    IrqExit(u32, Handled),
    VectorEnter(Vector),
    VectorExit(Vector),
    Raise(u32),
    SoftirqEnter(u32),
    SoftirqExit,
    IdleEnter(u32),
    IdleLeave,
    /// `sched_waking` of this thread.
    Waking(u32),
    /// `sched_wakeup` of this thread.
    Queued(u32),
    /// This thread is given to this CPU.
    Migrate(u32, u32),
    Switch(Prev, u32),
    Exit(u32),
}

/// How a hard-IRQ handler returned.
#[derive(Clone, Copy, Debug)]
pub enum Handled {
    /// The last handler of its line.
    Last,
    /// Others of the line follow.
    MoreFollow,
    /// The last one, with `IRQ_WAKE_THREAD`.
    WakesThread,
}

/// What becomes of the thread that is switched out.
#[derive(Clone, Copy, Debug)]
pub enum Prev {
    Sleeps,
    Preempted,
}

/// When (ns), on which CPU, what.
pub type Event = (u64, usize, What);

/// A wait that ended.
#[derive(Clone, Copy)]
pub struct Ended {
    pub tid: u32,
    pub cause: Cause,
    pub before: Option<[u64; 3]>,
    pub wait: Wait,
    /// Its CPU was told by an IPI.
    pub remote: bool,
    pub distance: usize,
}

/// CPUs, wake slots, and what the kernel would know of the threads.
pub struct Machine {
    pub cpus: Vec<Cpu>,
    slots: HashMap<u32, Slot>,
    slot_mask: u32,
    /// Where a thread last ran or is queued.
    task_cpu: HashMap<u32, u32>,
    kthreads: HashMap<u32, &'static str>,
    unwanted: HashSet<u32>,
    pub ended: Vec<Ended>,
    pub aliased: u32,
    pub clock: u32,
    pub still_running: u32,
    /// Time in the handlers of each interrupt, as counted.
    pub handled: Vec<u64>,
    /// Raise to entry of each softirq, if seen.
    pub softirq_delays: Vec<Option<u64>>,
    /// Entry to exit of each softirq, if seen.
    pub softirq_runs: Vec<Option<u64>>,
}

impl Machine {
    /// `cpus` idle CPUs: 0 and 1 are siblings, 2 shares their cache, 3 does not; threads have slots of their own.
    pub fn new(cpus: u32) -> Machine {
        let place = |n: u32| Place { core: n & !1, llc: if n < 3 { 0 } else { n }, node: 0 };
        Machine {
            cpus: (0..cpus).map(|n| Cpu { place: place(n), ..Cpu::default() }).collect(),
            slots: HashMap::new(),
            slot_mask: 0xffff,
            task_cpu: HashMap::new(),
            kthreads: HashMap::new(),
            unwanted: HashSet::new(),
            ended: Vec::new(),
            aliased: 0,
            clock: 0,
            still_running: 0,
            handled: Vec::new(),
            softirq_delays: Vec::new(),
            softirq_runs: Vec::new(),
        }
    }

    pub fn realtime(mut self) -> Machine {
        self.cpus.iter_mut().for_each(|cpu| cpu.realtime = 1);
        self
    }

    /// Has only this many slots (a power of two).
    pub fn slots(mut self, slots: u32) -> Machine {
        self.slot_mask = slots - 1;
        self
    }

    /// `tid` is a kernel thread of this name.
    pub fn kthread(mut self, tid: u32, name: &'static str) -> Machine {
        self.kthreads.insert(tid, name);
        self
    }

    /// The filter rejects `tid`.
    pub fn unwanted(mut self, tid: u32) -> Machine {
        self.unwanted.insert(tid);
        self
    }

    /// `tid` runs on `cpu` from the start.
    pub fn running(mut self, cpu: usize, tid: u32) -> Machine {
        self.cpus[cpu].switch_to(tid, Cause::task(tid), 0);
        self.task_cpu.insert(tid, cpu as u32);
        self
    }

    /// `tid` sleeps, having run on `cpu`.
    pub fn sleeping(mut self, cpu: usize, tid: u32) -> Machine {
        self.task_cpu.insert(tid, cpu as u32);
        self
    }

    pub fn play(mut self, script: &[Event]) -> Machine {
        script.iter().for_each(|&event| self.event(event));
        self
    }

    /// The waits that ended, one a line.
    pub fn waits(&self) -> Vec<String> {
        self.ended.iter().map(Ended::to_string).collect()
    }

    pub fn event(&mut self, (now, number, what): Event) {
        let cpu = &mut self.cpus[number];
        match what {
            What::IrqEnter(irq) => cpu.hard_enter(Cause::irq(irq), now),
            What::IrqExit(irq, how) => {
                let last = !matches!(how, Handled::MoreFollow);
                let wakes_thread = matches!(how, Handled::WakesThread);
                self.handled.extend(cpu.hard_exit(Cause::irq(irq), now, last, wakes_thread));
            }
            What::VectorEnter(vector) => cpu.hard_enter(Cause::vector(vector), now),
            What::VectorExit(vector) => {
                cpu.hard_exit(Cause::vector(vector), now, true, false);
            }
            What::Raise(vec) => cpu.softirq_raise(vec, now),
            What::SoftirqEnter(vec) => self.softirq_delays.push(cpu.softirq_enter(vec, now)),
            What::SoftirqExit => self.softirq_runs.push(cpu.softirq_exit(now)),
            What::IdleEnter(state) => cpu.idle_enter(state, now),
            What::IdleLeave => cpu.idle_leave(now),
            What::Waking(tid) => self.woken(tid, number, now),
            What::Queued(tid) => self.queued(tid, number, now),
            What::Migrate(tid, to) => self.migrated(tid, to, now),
            What::Switch(prev, next) => self.switched(prev, next, number, now),
            What::Exit(tid) => self.exited(tid),
        }
    }

    fn woken(&mut self, tid: u32, number: usize, now: u64) {
        let wanted = !self.unwanted.contains(&tid);
        if !wanted && !self.kthreads.contains_key(&tid) {
            return;
        }
        let slot = self.slot_of(tid);
        if slot.is_waiting() && slot.flags & (PREEMPTED | UNWANTED) == 0 {
            self.still_running += 1;
        }
        let chain = self.chain(tid, number, now);
        let target = *self.task_cpu.entry(tid).or_insert(number as u32);
        let flags = if wanted { 0 } else { UNWANTED };
        let context = self.cpus[target as usize];
        self.slot_of(tid).wake(&chain, number as u32, target, &context, flags, now);
    }

    fn chain(&mut self, woken: u32, number: usize, now: u64) -> Chain {
        match self.cpus[number].take_thread_wake() {
            Some(irq) if self.kthreads.get(&woken).is_some_and(|name| name.starts_with("irq/")) => {
                Chain { cause: irq, before: None }
            }
            _ => self.cpus[number].chain(now),
        }
    }

    fn slot_of(&mut self, tid: u32) -> &mut Slot {
        let slot = self.slots.entry(tid & self.slot_mask).or_default();
        if slot.tid != tid {
            if slot.claim(tid) {
                self.aliased += 1;
            }
            if self.kthreads.get(&tid).is_some_and(|name| name.starts_with("irq/") || name.starts_with("napi/")) {
                slot.flags |= PASSES_ON;
            }
        }
        slot
    }

    fn queued(&mut self, tid: u32, number: usize, now: u64) {
        if let Some(slot) = self.slots.get_mut(&(tid & self.slot_mask))
            && slot.waker_cpu != number as u32
            && slot.tid == tid
            && slot.is_waiting()
        {
            slot.queue(number as u32, &self.cpus[number], now);
        }
    }

    fn migrated(&mut self, tid: u32, to: u32, now: u64) {
        self.task_cpu.insert(tid, to);
        if let Some(slot) = self.slots.get_mut(&(tid & self.slot_mask))
            && slot.tid == tid
            && slot.is_waiting()
        {
            let from = &self.cpus[slot.cpu as usize];
            slot.migrate(from, to, &self.cpus[to as usize], now);
        }
    }

    fn switched(&mut self, prev: Prev, next: u32, number: usize, now: u64) {
        let here = self.cpus[number];
        if matches!(prev, Prev::Preempted) && here.tid != 0 && !self.unwanted.contains(&here.tid) {
            self.slot_of(here.tid).preempt(number as u32, &here, 0, now);
        }
        let mut task = Cause::task(next);
        if next != 0 {
            self.task_cpu.insert(next, number as u32);
            if let Some(slot) = self.slots.get(&(next & self.slot_mask)).filter(|slot| slot.tid == next).copied() {
                if slot.is_waiting() {
                    self.ended(slot, number, &here, now);
                }
                if slot.flags & PASSES_ON != 0 && slot.cause.is_interrupt() {
                    task = slot.cause;
                }
            }
        }
        self.cpus[number].switch_to(next, task, now);
    }

    /// Ends the wait by both ways, which must agree whenever the short one answers.
    fn ended(&mut self, slot: Slot, number: usize, here: &Cpu, now: u64) {
        let (mut short, mut long) = (slot, slot);
        let behind = short.run_behind(number as u32, here, now);
        let wait = long.run(number as u32, here, now);
        assert!(!long.is_waiting() && (behind.is_none() || !short.is_waiting()), "the wait goes on");
        if let Some(ns) = behind {
            let held = now.saturating_sub(here.since).min(ns);
            let whole = Wait { total_ns: ns, runnable_ns: ns, thread_ns: ns, ..Wait::default() };
            assert_eq!(wait, Some(Wait { occupant: here.tid, occupant_ns: held, ..whole }), "the short way disagrees");
        }
        self.slots.insert(slot.tid & self.slot_mask, long);
        let Some(wait) = wait else {
            self.clock += 1;
            return;
        };
        assert_eq!(wait.legs().iter().sum::<u64>(), wait.total_ns, "legs do not add up: {wait:?}");
        assert!(wait.runnable_ns <= wait.total_ns && wait.occupant_ns <= wait.thread_ns, "part beyond whole: {wait:?}");
        if slot.flags & UNWANTED != 0 {
            return;
        }
        let by_wake = slot.flags & PREEMPTED == 0;
        let waker = slot.waker_cpu;
        let distance = if waker as usize == number { 0 } else { self.cpus[waker as usize].place.distance(&here.place) };
        let remote = by_wake && slot.queued != 0 && distance != 0;
        self.ended.push(Ended {
            tid: slot.tid,
            cause: if by_wake { slot.cause } else { Cause::PREEMPTED },
            before: (slot.flags & HAS_CHAIN != 0).then_some(slot.before),
            wait,
            remote,
            distance,
        });
        assert!(behind.is_none() || distance == 0, "the short way counts no distance");
    }

    fn exited(&mut self, tid: u32) {
        if let Some(slot) = self.slots.get_mut(&(tid & self.slot_mask))
            && slot.tid == tid
        {
            slot.tid = 0;
            slot.since = 0;
        }
    }
}

impl fmt::Display for Ended {
    /// `7 <- irq 36 (10/0/0): hardirq 10 + idle 5 = 15`, then what else there is to say.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} <- ", self.tid)?;
        match self.cause.origin() {
            Origin::None => write!(f, "nothing")?,
            Origin::Irq(irq) => write!(f, "irq {irq}")?,
            Origin::Vector(vector) => write!(f, "{vector:?}")?,
            Origin::Softirq(vec, None) => write!(f, "softirq {vec}")?,
            Origin::Softirq(vec, Some(Ok(irq))) => write!(f, "softirq {vec} of irq {irq}")?,
            Origin::Softirq(vec, Some(Err(vector))) => write!(f, "softirq {vec} of {vector:?}")?,
            Origin::Task(tid) => write!(f, "task {tid}")?,
            Origin::Preempted => write!(f, "preempted")?,
        }
        if let Some([handler, delay, run]) = self.before {
            write!(f, " ({handler}/{delay}/{run})")?;
        }
        let names = ["queue", "thread", "hardirq", "softirq", "idle", "switch"];
        let legs = names.into_iter().zip(self.wait.legs()).filter(|(_, ns)| *ns != 0);
        let legs = legs.map(|(name, ns)| format!("{name} {ns}")).collect::<Vec<_>>();
        write!(f, ": {} = {}", legs.join(" + "), self.wait.total_ns)?;
        if self.remote {
            write!(f, ", by IPI, runnable {}", self.wait.runnable_ns)?;
        }
        if self.wait.occupant != 0 {
            write!(f, ", behind {} for {}", self.wait.occupant, self.wait.occupant_ns)?;
        }
        if self.wait.idle_state != 0 {
            write!(f, ", from C{}", self.wait.idle_state - 1)?;
        }
        if self.distance != 0 {
            write!(f, ", distance {}", self.distance)?;
        }
        Ok(())
    }
}
