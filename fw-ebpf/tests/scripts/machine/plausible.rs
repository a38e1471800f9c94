//! Random scripts that a kernel could have produced: interrupts nest as they may, only runnable threads run.

use proptest::prelude::*;

use super::{
    Event, Handled,
    Prev::{Preempted, Sleeps},
    What::{self, *},
};

/// Threads are numbered from 1 up to this.
pub const THREADS: u32 = 6;

/// A throw of the dice; what it means depends on what the machine can do then.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    kind: u8,
    cpu: u8,
    choice: u8,
    /// Since the step before, ns.
    after: u16,
    /// How far this CPU's clock is behind, ns.
    skew: u16,
    /// The probe missed the event.
    missed: bool,
}

/// Steps of clocks that agree, every event of which is seen.
pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    dice().prop_map(|steps| steps.into_iter().map(|step| Step { skew: 0, missed: false, ..step }).collect())
}

/// Steps on the way of which events are missed and clocks disagree.
pub fn faulty_steps() -> impl Strategy<Value = Vec<Step>> {
    dice()
}

fn dice() -> impl Strategy<Value = Vec<Step>> {
    let skew = prop_oneof![9 => Just(0), 1 => 0..500u16];
    let step = (0..10u8, any::<u8>(), any::<u8>(), 0..300u16, skew, proptest::bool::weighted(0.05));
    prop::collection::vec(step, 1..400).prop_map(|steps| {
        let step = |(kind, cpu, choice, after, skew, missed)| Step { kind, cpu, choice, after, skew, missed };
        steps.into_iter().map(step).collect()
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Thread {
    Asleep,
    /// Woken by an IPI to this CPU, which has not queued it yet.
    Told(usize),
    Queued(usize),
    Running(usize),
}

#[derive(Clone, Copy, Default)]
struct Core {
    running: u32,
    idle: bool,
    softirq: Option<u32>,
    irq: Option<u32>,
}

struct World {
    cores: Vec<Core>,
    threads: [Thread; THREADS as usize + 1],
    /// Where each thread ran or was queued last.
    places: [usize; THREADS as usize + 1],
}

/// The script that `steps` make on `cpus` idle CPUs; all threads sleep on CPU 0 at first.
pub fn script(cpus: usize, steps: &[Step]) -> Vec<Event> {
    let mut world = World {
        cores: vec![Core::default(); cpus],
        threads: [Thread::Asleep; THREADS as usize + 1],
        places: [0; THREADS as usize + 1],
    };
    let mut script = Vec::new();
    let mut now = 1_000;
    for step in steps {
        now += u64::from(step.after);
        let cpu = step.cpu as usize % cpus;
        let events = world.step(step.kind, cpu, step.choice);
        if !step.missed {
            script.extend(events.into_iter().map(|what| (now - u64::from(step.skew), cpu, what)));
        }
    }
    script
}

impl World {
    fn step(&mut self, kind: u8, cpu: usize, choice: u8) -> Vec<What> {
        let tid = u32::from(choice) % THREADS + 1;
        let other = choice as usize / 8 % self.cores.len();
        let core = &mut self.cores[cpu];
        match kind {
            0 => match core.irq.take() {
                Some(irq) if choice & 1 == 0 => vec![IrqExit(irq, Handled::Last)],
                Some(irq) => vec![IrqExit(irq, Handled::WakesThread)],
                None => {
                    let irq = 30 + u32::from(choice & 3);
                    core.irq = Some(irq);
                    vec![IrqEnter(irq)]
                }
            },
            1 if core.irq.is_none() => match core.softirq.take() {
                Some(_) => vec![SoftirqExit],
                None => {
                    let vec = u32::from(choice & 3);
                    core.softirq = Some(vec);
                    vec![SoftirqEnter(vec)]
                }
            },
            2 => vec![Raise(u32::from(choice & 3))],
            3 => self.wake(cpu, tid, other, choice & 128 != 0),
            4 if self.threads[tid as usize] == Thread::Told(cpu) => {
                self.threads[tid as usize] = Thread::Queued(cpu);
                vec![Queued(tid)]
            }
            5 | 6 if core.irq.is_none() && core.softirq.is_none() => self.switch(cpu, choice),
            7 if core.irq.is_none() && core.softirq.is_none() && core.running == 0 => {
                core.idle = !core.idle;
                vec![if core.idle { IdleEnter(u32::from(choice & 1)) } else { IdleLeave }]
            }
            8 if matches!(self.threads[tid as usize], Thread::Queued(_)) => {
                self.threads[tid as usize] = Thread::Queued(other);
                self.places[tid as usize] = other;
                vec![Migrate(tid, other as u32)]
            }
            9 if core.running != 0 && core.irq.is_none() && core.softirq.is_none() && choice & 7 == 0 => {
                let gone = core.running;
                self.threads[gone as usize] = Thread::Asleep;
                self.cores[cpu].running = 0;
                vec![Exit(gone), Switch(Sleeps, 0)]
            }
            _ => Vec::new(),
        }
    }

    fn wake(&mut self, cpu: usize, tid: u32, target: usize, by_ipi: bool) -> Vec<What> {
        // A thread that is not asleep can be woken too: it was on the way to sleep.
        let Thread::Asleep = self.threads[tid as usize] else { return vec![Waking(tid)] };
        let place = std::mem::replace(&mut self.places[tid as usize], target);
        let mut events = vec![Waking(tid)];
        if place != target {
            events.push(Migrate(tid, target as u32));
        }
        let by_ipi = target != cpu && by_ipi;
        self.threads[tid as usize] = if by_ipi { Thread::Told(target) } else { Thread::Queued(target) };
        if !by_ipi {
            events.push(Queued(tid));
        }
        events
    }

    fn switch(&mut self, cpu: usize, choice: u8) -> Vec<What> {
        let core = &mut self.cores[cpu];
        let next = (1..=THREADS).find(|&tid| self.threads[tid as usize] == Thread::Queued(cpu)).unwrap_or(0);
        if next == core.running {
            return Vec::new();
        }
        let preempted = next != 0 && core.running != 0 && choice & 1 == 0;
        self.threads[core.running as usize] = if preempted { Thread::Queued(cpu) } else { Thread::Asleep };
        self.threads[next as usize] = Thread::Running(cpu);
        self.places[next as usize] = cpu;
        core.running = next;
        let switch = Switch(if preempted { Preempted } else { Sleeps }, next);
        if std::mem::take(&mut core.idle) { vec![IdleLeave, switch] } else { vec![switch] }
    }
}
