//! irqbalance, which moves interrupts behind everybody's back.

use super::root::Root;

/// The process that runs irqbalance, if one does. Looks at `last` first: reading the name of every process of a large
/// host takes milliseconds.
pub fn find(root: &Root, last: Option<u32>) -> Option<u32> {
    let is_it = |pid: &u32| root.text(format!("proc/{pid}/comm")).is_some_and(|comm| comm == "irqbalance");
    last.filter(is_it).or_else(|| root.numbered("proc", "").into_iter().find(is_it))
}
