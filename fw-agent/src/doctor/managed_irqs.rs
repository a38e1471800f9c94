//! Interrupts that the kernel refuses to move.

use super::{Feature, text};
use crate::{
    host::{Host, Root},
    model::{Irq, Managed},
};

const NAME: &str = "affinity of IRQs";

/// Judges by the rows that `observe` prints, so that both say the same of each interrupt.
pub(super) fn examine(root: &Root) -> Feature {
    let rows = match Host::open(root.clone()).and_then(|mut host| host.refresh()) {
        Ok(reading) => reading.irqs,
        Err(_) => return Feature::absent(NAME, "/proc/interrupts cannot be read").remedy("mount /proc"),
    };
    // Without a handler it cannot fire.
    let known = |irq: &&Irq| irq.irq.is_some() && !irq.name.is_empty() && irq.managed != Managed::Unknown;
    let (fixed, free): (Vec<&Irq>, Vec<&Irq>) = rows.iter().filter(known).partition(|irq| irq.managed != Managed::No);
    let all = fixed.len() + free.len();
    let likely = fixed.iter().filter(|irq| irq.managed == Managed::Likely).count();
    let detail = match (fixed.len() - likely, likely) {
        _ if all == 0 => return Feature::absent(NAME, "no interrupt with a handler in /proc/irq"),
        (0, 0) => return Feature::present(NAME, format!("all {all} interrupts can be moved")),
        (0, n) => format!("{n} of {all} likely managed by the kernel"),
        (n, 0) => format!("{n} of {all} managed by the kernel"),
        (n, likely) => format!("{n} of {all} managed by the kernel and {likely} likely so"),
    };
    let names: Vec<String> = fixed.iter().map(|irq| format!("{} {}", irq.label, irq.name)).collect();
    Feature::denied(NAME, format!("{detail}: {}", text::some(&names))).remedy("their threads can be moved instead")
}
