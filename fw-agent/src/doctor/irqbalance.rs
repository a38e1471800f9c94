//! irqbalance, which moves interrupts behind everybody's back.

use super::{Feature, read};
use std::path::Path;

const NAME: &str = "irqbalance";

pub(super) fn examine(root: &Path) -> Feature {
    let mut processes = read::names(root, "proc").into_iter().filter(|name| name.parse::<u32>().is_ok());
    let running = processes.find(|pid| read::text(root, &format!("proc/{pid}/comm")).is_some_and(|comm| comm == NAME));
    match running {
        Some(pid) => Feature::present(NAME, format!("pid {pid}: moves interrupts every few seconds"))
            .remedy("ban those that were placed on purpose (`--banirq`)"),
        None => Feature::absent(NAME, "not running: interrupts stay where they are"),
    }
}
