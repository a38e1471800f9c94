//! The wake-chain state machine on event scripts: which cause a wake is put down to, and the legs its wait comes apart
//! into. A script's lines are when (ns), on which CPU, what.

mod machine;

use fw_ebpf::{
    cause::{Cause, Vector},
    context::{Chain, Cpu},
    wait::{Slot, Wait},
};
use machine::{
    Handled::*,
    Machine,
    Prev::{Preempted, Sleeps},
    What::*,
    plausible,
};
use proptest::prelude::*;

const TIMER: u32 = 1;
const NET_RX: u32 = 3;

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

#[test]
fn a_handler_whose_exit_was_missed_ends_at_the_switch() {
    let machine = Machine::new(1).running(0, 1).play(&[
        (100, 0, IrqEnter(36)),
        (200, 0, Waking(7)),
        (300, 0, Switch(Sleeps, 7)),
        (310, 0, Waking(8)),
        (320, 0, Switch(Sleeps, 8)),
    ]);
    assert_eq!(
        machine.waits(),
        ["7 <- irq 36 (100/0/0): thread 100 = 100, behind 1 for 100", "8 <- task 7: thread 10 = 10, behind 7 for 10"]
    );
    assert!(machine.handled.is_empty());
}

#[test]
fn handlers_whose_entry_was_missed_count_for_nothing() {
    let machine = Machine::new(1).running(0, 1).play(&[
        (100, 0, Waking(7)),
        (110, 0, IrqExit(36, WakesThread)),
        (120, 0, SoftirqExit),
        (130, 0, IdleLeave),
        (140, 0, Waking(8)),
        (150, 0, SoftirqEnter(TIMER)),
        (151, 0, Waking(9)),
        (155, 0, SoftirqExit),
        (160, 0, Switch(Sleeps, 7)),
        (170, 0, Switch(Sleeps, 8)),
        (180, 0, Switch(Sleeps, 9)),
    ]);
    assert_eq!(
        machine.waits(),
        [
            "7 <- task 1: thread 55 + softirq 5 = 60, behind 1 for 55",
            "8 <- task 1: thread 25 + softirq 5 = 30, behind 7 for 10",
            "9 <- softirq 1 (0/0/1): thread 25 + softirq 4 = 29, behind 8 for 10",
        ]
    );
    assert!(machine.handled.is_empty());
    assert_eq!((machine.softirq_delays, machine.softirq_runs), (vec![None], vec![None, Some(5)]));
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
fn a_thread_that_comes_back_to_the_waking_cpu_was_told_by_an_ipi_all_the_same() {
    let machine = Machine::new(2).running(0, 1).running(1, 2).sleeping(1, 7).play(&[
        (100, 0, Waking(7)),
        (110, 1, Queued(7)),
        (120, 0, Migrate(7, 0)),
        (150, 0, Switch(Sleeps, 7)),
        // The next waits have nothing of it.
        (160, 0, Switch(Preempted, 3)),
        (170, 0, Switch(Sleeps, 7)),
        (180, 0, Switch(Sleeps, 3)),
        (190, 0, Waking(7)),
        (200, 0, Switch(Sleeps, 7)),
    ]);
    assert_eq!(
        machine.waits(),
        [
            "7 <- task 1: queue 10 + thread 40 = 50, by IPI, runnable 40, behind 1 for 40",
            "7 <- preempted: thread 10 = 10, behind 3 for 10",
            "7 <- task 3: thread 10 = 10, behind 3 for 10",
        ]
    );
}

#[test]
fn a_thread_whose_migration_was_missed_is_told_nothing_of_the_other_cpu() {
    let machine = Machine::new(2).running(0, 1).running(1, 2).sleeping(0, 7).play(&[
        (100, 0, Waking(7)),
        (110, 1, IrqEnter(41)),
        (150, 1, IrqExit(41, Last)),
        (200, 1, Switch(Sleeps, 7)),
    ]);
    assert_eq!(machine.waits(), ["7 <- task 1: thread 100 = 100, behind 2 for 100, distance 1"]);
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

#[test]
fn threads_that_share_a_slot_lose_a_wait_and_never_mix() {
    let machine = Machine::new(1).slots(4).running(0, 2).kthread(5, "irq/36-nvme").play(&[
        (100, 0, Waking(5)),
        (110, 0, Waking(9)),
        (120, 0, Switch(Sleeps, 5)),
        (121, 0, Queued(5)),
        (122, 0, Migrate(5, 0)),
        (130, 0, Switch(Sleeps, 9)),
        (140, 0, Waking(13)),
        (150, 0, Switch(Sleeps, 13)),
    ]);
    assert_eq!(
        machine.waits(),
        ["9 <- task 2: thread 20 = 20, behind 5 for 10", "13 <- task 9: thread 10 = 10, behind 9 for 10"]
    );
    // The wait of 9 was over when 13 took the slot.
    assert_eq!(machine.aliased, 1);
}

#[test]
fn a_thread_id_used_again_starts_afresh() {
    let machine = Machine::new(1).running(0, 1).kthread(50, "irq/36-nvme").play(&[
        (100, 0, IrqEnter(36)),
        (110, 0, IrqExit(36, WakesThread)),
        (110, 0, Waking(50)),
        (120, 0, Switch(Sleeps, 50)),
        (130, 0, Exit(50)),
        (140, 0, Switch(Sleeps, 1)),
    ]);
    // The new one is no interrupt's thread, and has no wait to end.
    let mut machine = machine.kthread(50, "kworker/0:1").play(&[
        (150, 0, Switch(Sleeps, 50)),
        (160, 0, Switch(Sleeps, 1)),
        (170, 0, Waking(50)),
        (180, 0, Switch(Sleeps, 50)),
        (190, 0, Waking(7)),
        (200, 0, Switch(Sleeps, 7)),
    ]);
    machine.ended.remove(0);
    assert_eq!(
        machine.waits(),
        ["50 <- task 1: thread 10 = 10, behind 1 for 10", "7 <- task 50: thread 10 = 10, behind 50 for 10"]
    );
    assert_eq!(machine.aliased, 0);
}

#[test]
fn a_cause_is_not_passed_on_to_the_next_thread_of_a_slot() {
    let machine = Machine::new(1).slots(4).running(0, 1).kthread(5, "irq/36-a").kthread(9, "napi/eth0-1").play(&[
        (100, 0, IrqEnter(36)),
        (110, 0, IrqExit(36, WakesThread)),
        (110, 0, Waking(5)),
        (120, 0, Switch(Sleeps, 5)),
        (130, 0, Switch(Sleeps, 9)),
        (140, 0, Switch(Preempted, 2)),
        (150, 0, Switch(Sleeps, 9)),
        (160, 0, Waking(7)),
        (170, 0, Switch(Sleeps, 7)),
    ]);
    assert_eq!(machine.waits()[2..], ["7 <- task 9: thread 10 = 10, behind 9 for 10"]);
    assert_eq!(machine.aliased, 0);
}

#[test]
fn a_clock_that_goes_backwards_is_counted() {
    let machine = Machine::new(2).running(0, 1).running(1, 2).play(&[
        (100, 0, Waking(7)),
        (100, 0, Migrate(7, 1)),
        (90, 1, Switch(Sleeps, 7)),
        (110, 1, Switch(Sleeps, 7)),
    ]);
    assert!(machine.waits().is_empty());
    assert_eq!(machine.clock, 1);
}

#[test]
fn queued_after_it_ran_leaves_nothing_runnable() {
    let machine = Machine::new(2).running(0, 1).running(1, 2).sleeping(1, 7).play(&[
        (100, 0, Waking(7)),
        (140, 1, Queued(7)),
        (130, 1, Switch(Sleeps, 7)),
    ]);
    assert_eq!(machine.waits(), ["7 <- task 1: queue 30 = 30, by IPI, runnable 0, behind 2 for 0, distance 1"]);
}

#[test]
fn totals_read_while_they_move_give_no_leg_beyond_the_whole() {
    // The reader sees that the handler and the softirq are over, but not yet their times.
    let torn = Cpu { hard_ns: 1_000, soft_ns: 1_000, ..Cpu::default() };
    let chain = Chain { cause: Cause::task(1), before: None };
    let mut slot = Slot::default();
    slot.claim(7);
    slot.wake(&chain, 0, 1, &torn, 0, 100);
    let busy = Cpu { hard_ns: 1_060, soft_ns: 9_000, tid: 2, since: 50, ..torn };
    let mut queued = slot;
    let wait = slot.run(1, &busy, 200);
    let expected =
        Wait { total_ns: 100, runnable_ns: 100, hardirq_ns: 60, softirq_ns: 40, occupant: 2, ..Wait::default() };
    assert_eq!(wait, Some(expected));

    // The same with an idle CPU, and with totals that seem to have gone back.
    queued.queue(1, &busy, 150);
    let idle = Cpu { idle_exit: 190, idle_left: 1, idle_hard_ns: 9_000, idle_soft_ns: 9_000, tid: 0, ..torn };
    let wait = queued.run(1, &idle, 200);
    let legs = Wait { queue_ns: 50, switch_ns: 50, ..Wait::default() };
    assert_eq!(wait, Some(Wait { total_ns: 100, runnable_ns: 50, idle_state: 1, ..legs }));
}

/// Plays a random script; the machine itself checks every wait.
fn play(cpus: u32, realtime: bool, slots: u32, steps: &[plausible::Step]) -> Machine {
    let mut machine = Machine::new(cpus).slots(slots).kthread(5, "irq/30-a").kthread(6, "napi/eth0-1");
    if realtime {
        machine = machine.realtime();
    }
    for tid in 1..=plausible::THREADS {
        machine = machine.sleeping(0, tid);
    }
    machine.play(&plausible::script(cpus as usize, steps))
}

proptest! {
    #[test]
    fn legs_add_up_whatever_happens(
        cpus in 2..5u32,
        realtime: bool,
        steps in plausible::steps(),
    ) {
        let machine = play(cpus, realtime, 16, &steps);
        prop_assert_eq!((machine.aliased, machine.clock), (0, 0));
    }

    #[test]
    fn legs_add_up_whatever_is_missed(
        cpus in 2..5u32,
        realtime: bool,
        slots in prop_oneof![Just(4u32), Just(16)],
        steps in plausible::faulty_steps(),
    ) {
        play(cpus, realtime, slots, &steps);
    }
}
