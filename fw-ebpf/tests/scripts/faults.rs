//! Missed events, clocks that disagree, slots that change hands.

use fw_ebpf::{
    cause::Cause,
    context::{Chain, Cpu},
    wait::{Slot, Wait},
};

use crate::{
    TIMER,
    machine::{
        Handled::*,
        Machine,
        Prev::{Preempted, Sleeps},
        What::*,
    },
};

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
