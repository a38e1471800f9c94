//! What holds for every wait of every script.

use proptest::prelude::*;

use crate::machine::{Machine, plausible};

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
