//! Whom a wake is put down to, and what came before it.

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
fn nested_contexts_wake_each_for_themselves() {
    let machine = Machine::new(1).running(0, 1).play(&[
        (100, 0, IrqEnter(39)),
        (104, 0, Raise(NET_RX)),
        (110, 0, IrqExit(39, Last)),
        (120, 0, SoftirqEnter(NET_RX)),
        (150, 0, Waking(5)),
        (160, 0, IrqEnter(36)),
        (165, 0, Waking(6)),
        (200, 0, IrqExit(36, Last)),
        (210, 0, Waking(7)),
        (220, 0, SoftirqExit),
        (230, 0, Waking(8)),
        (300, 0, Switch(Sleeps, 5)),
        (310, 0, Switch(Sleeps, 6)),
        (320, 0, Switch(Sleeps, 7)),
        (330, 0, Switch(Sleeps, 8)),
    ]);
    assert_eq!(
        machine.waits(),
        [
            "5 <- softirq 3 of irq 39 (4/16/30): thread 80 + hardirq 40 + softirq 30 = 150, behind 1 for 80",
            "6 <- irq 36 (5/0/0): thread 90 + hardirq 35 + softirq 20 = 145, behind 5 for 10",
            // 50 = 90 in the softirq less 40 in the interrupt above it.
            "7 <- softirq 3 of irq 39 (4/16/50): thread 100 + softirq 10 = 110, behind 6 for 10",
            "8 <- task 1: thread 100 = 100, behind 7 for 10",
        ]
    );
    assert_eq!((machine.softirq_delays, machine.softirq_runs), (vec![Some(16)], vec![Some(100)]));
}

#[test]
fn a_vector_is_an_interrupt_too() {
    let machine = Machine::new(1).running(0, 1).play(&[
        (100, 0, VectorEnter(Vector::Loc)),
        (103, 0, Waking(7)),
        (104, 0, Raise(TIMER)),
        (110, 0, VectorExit(Vector::Loc)),
        (110, 0, SoftirqEnter(TIMER)),
        (115, 0, Waking(8)),
        (120, 0, SoftirqExit),
        (130, 0, Switch(Preempted, 7)),
        (140, 0, Switch(Sleeps, 8)),
        (150, 0, Switch(Sleeps, 1)),
    ]);
    assert_eq!(
        machine.waits(),
        [
            "7 <- Loc (3/0/0): thread 10 + hardirq 7 + softirq 10 = 27, behind 1 for 10",
            "8 <- softirq 1 of Loc (4/6/5): thread 20 + softirq 5 = 25, behind 7 for 10",
            "1 <- preempted: thread 20 = 20, behind 8 for 10",
        ]
    );
}

#[test]
fn a_shared_line_is_one_interrupt() {
    let machine = Machine::new(1).running(0, 1).play(&[
        (100, 0, IrqEnter(9)),
        (110, 0, IrqExit(9, MoreFollow)),
        (111, 0, IrqEnter(9)),
        (115, 0, Waking(7)),
        (120, 0, IrqExit(9, MoreFollow)),
        (121, 0, IrqEnter(9)),
        (130, 0, IrqExit(9, Last)),
        (150, 0, Switch(Sleeps, 7)),
    ]);
    assert_eq!(machine.handled, [30]);
    assert_eq!(machine.waits(), ["7 <- irq 9 (15/0/0): thread 20 + hardirq 15 = 35, behind 1 for 20"]);
}

#[test]
fn an_irq_thread_is_woken_by_its_irq_and_passes_it_on() {
    let machine = Machine::new(1).running(0, 1).kthread(50, "irq/36-nvme").play(&[
        (100, 0, IrqEnter(36)),
        (110, 0, IrqExit(36, WakesThread)),
        (112, 0, Waking(50)),
        (113, 0, Waking(6)),
        (120, 0, Switch(Preempted, 50)),
        (130, 0, Waking(7)),
        (131, 0, Raise(NET_RX)),
        (132, 0, SoftirqEnter(NET_RX)),
        (135, 0, Waking(8)),
        (140, 0, SoftirqExit),
        (150, 0, Switch(Sleeps, 6)),
        (160, 0, Switch(Sleeps, 7)),
        (170, 0, Switch(Sleeps, 8)),
        (180, 0, Switch(Sleeps, 1)),
        (190, 0, Waking(9)),
        (200, 0, Switch(Sleeps, 9)),
    ]);
    assert_eq!(
        machine.waits(),
        [
            "50 <- irq 36: thread 8 = 8, behind 1 for 8",
            "6 <- task 1: thread 29 + softirq 8 = 37, behind 50 for 29",
            "7 <- irq 36: thread 22 + softirq 8 = 30, behind 6 for 10",
            "8 <- softirq 3 of irq 36 (0/1/3): thread 30 + softirq 5 = 35, behind 7 for 10",
            "1 <- preempted: thread 52 + softirq 8 = 60, behind 8 for 10",
            "9 <- task 1: thread 10 = 10, behind 1 for 10",
        ]
    );
}

#[test]
fn the_interrupted_thread_is_itself_after_an_irq_that_woke_no_thread() {
    let machine = Machine::new(1).running(0, 1).kthread(50, "irq/36-nvme").play(&[
        (100, 0, IrqEnter(36)),
        // The thread runs already, so nobody wakes it.
        (110, 0, IrqExit(36, WakesThread)),
        (120, 0, Waking(7)),
        (121, 0, Waking(50)),
        (130, 0, Switch(Sleeps, 7)),
        (140, 0, Switch(Sleeps, 50)),
    ]);
    assert_eq!(
        machine.waits(),
        ["7 <- task 1: thread 10 = 10, behind 1 for 10", "50 <- task 1: thread 19 = 19, behind 7 for 10"]
    );
}

#[test]
fn a_softirq_wakes_for_itself_after_an_irq_that_woke_no_thread() {
    let machine = Machine::new(1).running(0, 1).kthread(50, "irq/36-nvme").play(&[
        (100, 0, IrqEnter(36)),
        (110, 0, IrqExit(36, WakesThread)),
        (120, 0, SoftirqEnter(TIMER)),
        (125, 0, Waking(50)),
        (130, 0, SoftirqExit),
        (140, 0, Switch(Sleeps, 50)),
    ]);
    assert_eq!(machine.waits(), ["50 <- softirq 1 (0/0/5): thread 10 + softirq 5 = 15, behind 1 for 10"]);
}

#[test]
fn an_irq_thread_that_was_preempted_still_works_for_its_irq() {
    let machine = Machine::new(1).running(0, 1).kthread(50, "irq/36-nvme").play(&[
        (100, 0, IrqEnter(36)),
        (110, 0, IrqExit(36, WakesThread)),
        (110, 0, Waking(50)),
        (120, 0, Switch(Preempted, 50)),
        (130, 0, Switch(Preempted, 2)),
        (140, 0, Switch(Sleeps, 50)),
        (150, 0, Waking(7)),
        (160, 0, Switch(Sleeps, 7)),
    ]);
    assert_eq!(
        machine.waits()[1..],
        ["50 <- preempted: thread 10 = 10, behind 2 for 10", "7 <- irq 36: thread 10 = 10, behind 50 for 10"]
    );
}

#[test]
fn an_irq_thread_passes_its_cause_on_though_its_own_wait_is_not_wanted() {
    let machine = Machine::new(1).running(0, 1).kthread(50, "irq/36-nvme").unwanted(50).unwanted(8).play(&[
        (100, 0, IrqEnter(36)),
        (110, 0, IrqExit(36, WakesThread)),
        (110, 0, Waking(50)),
        (120, 0, Switch(Preempted, 50)),
        (130, 0, Waking(7)),
        (131, 0, Waking(8)),
        (140, 0, Switch(Sleeps, 7)),
    ]);
    assert_eq!(machine.waits(), ["7 <- irq 36: thread 10 = 10, behind 50 for 10"]);
}

#[test]
fn a_softirq_run_by_ksoftirqd_keeps_the_irq_that_raised_it() {
    let machine = Machine::new(1).running(0, 1).kthread(15, "ksoftirqd/0").sleeping(0, 15).play(&[
        (100, 0, IrqEnter(39)),
        (104, 0, Raise(NET_RX)),
        (110, 0, IrqExit(39, Last)),
        (112, 0, Waking(15)),
        (150, 0, Switch(Preempted, 15)),
        (160, 0, SoftirqEnter(NET_RX)),
        (170, 0, Waking(7)),
        // Not run yet: the first raise counts.
        (171, 0, Raise(TIMER)),
        (175, 0, Raise(TIMER)),
        (180, 0, SoftirqExit),
        (181, 0, SoftirqEnter(TIMER)),
        (182, 0, SoftirqExit),
        (200, 0, Switch(Sleeps, 7)),
    ]);
    assert_eq!(
        machine.waits()[1..],
        ["7 <- softirq 3 of irq 39 (4/56/10): thread 19 + softirq 11 = 30, behind 15 for 19"]
    );
    assert_eq!(machine.softirq_delays, [Some(56), Some(10)]);
}

#[test]
fn a_preempted_softirq_of_a_realtime_kernel_is_not_blamed() {
    let machine = Machine::new(1).realtime().running(0, 50).play(&[
        (100, 0, Raise(NET_RX)),
        (110, 0, SoftirqEnter(NET_RX)),
        (120, 0, Waking(7)),
        (125, 0, Waking(2)),
        (130, 0, Switch(Preempted, 2)),
        // In the middle of the softirq, but not part of it.
        (140, 0, Waking(8)),
        (150, 0, Switch(Sleeps, 50)),
        (160, 0, Waking(9)),
        (170, 0, SoftirqExit),
        (180, 0, Switch(Sleeps, 7)),
        (190, 0, Switch(Sleeps, 8)),
        (200, 0, Switch(Sleeps, 9)),
    ]);
    assert_eq!(
        machine.waits(),
        [
            "2 <- softirq 3 (0/10/15): thread 5 = 5, behind 50 for 5",
            "50 <- preempted: thread 20 = 20, behind 2 for 20",
            "7 <- softirq 3 (0/10/10): thread 60 = 60, behind 50 for 30",
            "8 <- task 2: thread 50 = 50, behind 7 for 10",
            "9 <- softirq 3 (0/10/50): thread 40 = 40, behind 8 for 10",
        ]
    );
}
