//! irqbalance, which moves interrupts behind everybody's back.

use super::Feature;
use crate::host::{Root, irqbalance};

const NAME: &str = "irqbalance";

pub(super) fn examine(root: &Root) -> Feature {
    match irqbalance::find(root, None) {
        Some(pid) => Feature::present(NAME, format!("pid {pid}: moves interrupts every few seconds"))
            .remedy("ban those that were placed on purpose (`--banirq`)"),
        None => Feature::absent(NAME, "not running: interrupts stay where they are"),
    }
}
