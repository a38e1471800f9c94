//! The legs that a wait comes apart into.

use fw_ebpf::cause::Vector;

use crate::{
    NET_RX, TIMER,
    machine::{
        Handled::*,
        Machine,
        Prev::{Preempted, Sleeps},
        What::*,
    },
};

#[test]
fn an_irq_wakes_the_thread_of_an_idle_cpu() {
    let machine = Machine::new(1).sleeping(0, 7).play(&[
        (100, 0, IdleEnter(1)),
        (1000, 0, IrqEnter(36)),
        (1010, 0, Waking(7)),
        (1010, 0, Queued(7)),
        (1030, 0, IrqExit(36, Last)),
        (1045, 0, IdleLeave),
        (1052, 0, Switch(Sleeps, 7)),
    ]);
    assert_eq!(machine.waits(), ["7 <- irq 36 (10/0/0): hardirq 20 + idle 15 + switch 7 = 42, from C1"]);
    assert_eq!(machine.handled, [30]);
}

#[test]
fn idle_is_no_leg_if_it_was_left_before_the_waking() {
    let machine = Machine::new(1).sleeping(0, 7).play(&[
        (100, 0, IdleEnter(1)),
        (1000, 0, IdleLeave),
        (1001, 0, IrqEnter(36)),
        (1010, 0, Waking(7)),
        (1030, 0, IrqExit(36, Last)),
        (1037, 0, Switch(Sleeps, 7)),
    ]);
    assert_eq!(machine.waits(), ["7 <- irq 36 (9/0/0): hardirq 20 + switch 7 = 27"]);
}

#[test]
fn a_cpu_told_by_an_ipi_leaves_idle_after_it_queued() {
    let machine = Machine::new(2).running(0, 1).sleeping(1, 7).play(&[
        (100, 1, IdleEnter(2)),
        (1000, 0, IrqEnter(36)),
        (1010, 0, Waking(7)),
        (1020, 0, IrqExit(36, Last)),
        (1040, 1, VectorEnter(Vector::Cal)),
        (1050, 1, Queued(7)),
        (1055, 1, VectorExit(Vector::Cal)),
        (1065, 1, IdleLeave),
        (1070, 1, Switch(Sleeps, 7)),
    ]);
    assert_eq!(
        machine.waits(),
        [concat!(
            "7 <- irq 36 (10/0/0): queue 40 + hardirq 5 + idle 10 + switch 5 = 60",
            ", by IPI, runnable 20, from C2, distance 1"
        )]
    );
}

#[test]
fn a_cpu_told_by_an_ipi_leaves_idle_before_it_queued() {
    let machine = Machine::new(3).running(0, 1).sleeping(2, 7).play(&[
        (100, 2, IdleEnter(2)),
        (1010, 0, Waking(7)),
        (1040, 2, IdleLeave),
        (1041, 2, VectorEnter(Vector::Cal)),
        (1050, 2, Queued(7)),
        (1055, 2, VectorExit(Vector::Cal)),
        (1070, 2, Switch(Sleeps, 7)),
    ]);
    assert_eq!(
        machine.waits(),
        [concat!(
            "7 <- task 1: queue 10 + hardirq 5 + idle 30 + switch 15 = 60",
            ", by IPI, runnable 20, from C2, distance 2"
        )]
    );
}

#[test]
fn a_thread_queued_directly_on_another_cpu_waits_for_that_cpu() {
    let machine = Machine::new(4).running(0, 1).running(3, 2).sleeping(3, 7).play(&[
        (90, 3, IrqEnter(40)),
        (100, 0, Waking(7)),
        (101, 0, Queued(7)),
        (105, 3, IrqExit(40, Last)),
        (130, 3, Switch(Sleeps, 7)),
    ]);
    // The interrupt had taken 10 of its 15 before the wait began.
    assert_eq!(machine.waits(), ["7 <- task 1: thread 25 + hardirq 5 = 30, behind 2 for 25, distance 3"]);
}

#[test]
fn a_preempted_thread_waits_behind_another() {
    let machine = Machine::new(1).running(0, 1).play(&[
        (100, 0, Switch(Preempted, 2)),
        (110, 0, IrqEnter(36)),
        (114, 0, IrqExit(36, Last)),
        (130, 0, Switch(Sleeps, 1)),
        (140, 0, Switch(Preempted, 2)),
        (150, 0, Switch(Sleeps, 1)),
    ]);
    assert_eq!(
        machine.waits(),
        [
            "1 <- preempted: thread 26 + hardirq 4 = 30, behind 2 for 26",
            "1 <- preempted: thread 10 = 10, behind 2 for 10"
        ]
    );
}

#[test]
fn a_thread_that_migrates_keeps_what_it_waited_for() {
    let machine = Machine::new(2).running(0, 1).running(1, 2).sleeping(0, 7).play(&[
        (50, 1, IrqEnter(41)),
        (90, 1, IrqExit(41, Last)),
        (100, 0, Waking(7)),
        (110, 0, IrqEnter(36)),
        (117, 0, IrqExit(36, Last)),
        (120, 0, SoftirqEnter(TIMER)),
        (123, 0, SoftirqExit),
        (140, 1, IrqEnter(41)),
        // In the middle of an interrupt on the CPU it leaves and of one on that it goes to.
        (145, 0, IrqEnter(36)),
        (150, 1, Migrate(7, 1)),
        (155, 1, IrqExit(41, Last)),
        (175, 0, IrqExit(36, Last)),
        (200, 1, Switch(Sleeps, 7)),
    ]);
    // Hard IRQs: 7 and 5 on CPU 0, 5 on CPU 1.
    assert_eq!(machine.waits(), ["7 <- task 1: thread 80 + hardirq 17 + softirq 3 = 100, behind 2 for 80, distance 1"]);
}

#[test]
fn a_thread_placed_on_an_idle_cpu_waits_for_it_to_leave_idle() {
    let machine = Machine::new(2).running(0, 1).sleeping(0, 7).play(&[
        (50, 1, IdleEnter(0)),
        (100, 0, Waking(7)),
        (101, 0, Migrate(7, 1)),
        (102, 0, Queued(7)),
        (130, 1, IdleLeave),
        (140, 1, Switch(Sleeps, 7)),
    ]);
    assert_eq!(machine.waits(), ["7 <- task 1: idle 30 + switch 10 = 40, from C0, distance 1"]);
}

#[test]
fn a_thread_that_comes_back_to_the_waking_cpu_counts_as_one_that_stayed() {
    let machine = Machine::new(2).running(0, 1).running(1, 2).sleeping(1, 7).play(&[
        (100, 0, Waking(7)),
        (110, 1, Queued(7)),
        (120, 0, Migrate(7, 0)),
        (150, 0, Switch(Sleeps, 7)),
        // The next waits have nothing of it.
        (160, 0, Switch(Sleeps, 3)),
        (170, 0, Waking(7)),
        (180, 0, Switch(Sleeps, 7)),
        (190, 0, Switch(Preempted, 3)),
        (200, 0, Switch(Sleeps, 7)),
    ]);
    assert_eq!(
        machine.waits(),
        [
            "7 <- task 1: queue 10 + thread 40 = 50, behind 1 for 40",
            "7 <- task 3: thread 10 = 10, behind 3 for 10",
            "7 <- preempted: thread 10 = 10, behind 3 for 10",
        ]
    );
}

#[test]
fn interrupts_on_top_of_idle_are_not_idle_time() {
    use fw_ebpf::{cause::Cause, context::Cpu};
    let mut cpu = Cpu::default();
    cpu.idle_enter(1, 100);
    cpu.hard_enter(Cause::irq(36), 150);
    cpu.hard_exit(Cause::irq(36), 170, true, false);
    cpu.softirq_enter(4, 175);
    cpu.softirq_exit(205);
    cpu.idle_leave(300);
    assert_eq!((cpu.idle_ns, cpu.hard_ns, cpu.soft_ns), (150, 20, 30));
}

#[test]
fn without_an_event_an_idle_cpu_queues_what_was_sent_to_it_when_it_leaves_idle_or_in_the_call_that_wakes_it() {
    use fw_ebpf::{
        cause::Cause,
        context::{Chain, Cpu},
        wait::Slot,
    };
    let by_task = Chain { cause: Cause::task(1), before: None };
    let queued = |cpu: &mut Cpu, woken_on: u32| {
        let mut slot = Slot { tid: 7, ..Slot::default() };
        slot.wake(&by_task, woken_on, 1, cpu, 0, 100);
        cpu.call_enter(130);
        cpu.hard_exit(Cause::vector(fw_ebpf::cause::Vector::Cal), 135, true, false);
        cpu.idle_leave(140);
        slot.queue_by_idle_exit(1, cpu);
        (slot.queued, slot.run(1, cpu, 150).unwrap())
    };
    let idle = |mut cpu: Cpu| {
        cpu.idle_enter(1, 50);
        cpu
    };
    let (at, wait) = queued(&mut idle(Cpu::default()), 0);
    assert_eq!((at, wait.queue_ns, wait.runnable_ns), (130, 30, 20));
    assert_eq!((wait.hardirq_ns, wait.idle_ns, wait.switch_ns), (5, 5, 10));
    // The waking CPU itself needs no telling, and a busy one is not told.
    assert_eq!(queued(&mut idle(Cpu::default()), 1).0, 0);
    assert_eq!(queued(&mut Cpu::default(), 0).0, 0);
}

#[test]
fn a_thread_that_leaves_a_realtime_cpu_in_a_softirq_waited_for_no_softirq() {
    let machine = Machine::new(2).realtime().running(0, 50).running(1, 2).sleeping(0, 7).play(&[
        (90, 0, SoftirqEnter(NET_RX)),
        (100, 0, Waking(7)),
        (150, 1, Migrate(7, 1)),
        (200, 1, Switch(Sleeps, 7)),
    ]);
    assert_eq!(machine.waits(), ["7 <- softirq 3 (0/0/10): thread 100 = 100, behind 2 for 100, distance 1"]);
}

#[test]
fn a_wake_that_meets_a_preempted_thread_begins_a_new_wait() {
    // It was preempted on the way to sleep: what follows the wake is wake-up latency.
    let machine = Machine::new(1).running(0, 1).play(&[
        (100, 0, Switch(Preempted, 2)),
        (130, 0, Waking(1)),
        (150, 0, Switch(Sleeps, 1)),
    ]);
    assert_eq!(machine.waits(), ["1 <- task 2: thread 20 = 20, behind 2 for 20"]);
    assert_eq!(machine.still_running, 0);
}

#[test]
fn of_two_wakes_without_a_run_the_later_counts() {
    let machine = Machine::new(1).running(0, 1).play(&[
        (90, 0, IrqEnter(36)),
        (100, 0, Waking(7)),
        (110, 0, IrqExit(36, Last)),
        (130, 0, Waking(7)),
        (150, 0, Switch(Sleeps, 7)),
    ]);
    assert_eq!(machine.waits(), ["7 <- task 1: thread 20 = 20, behind 1 for 20"]);
    assert_eq!(machine.still_running, 1);
}
