//! The kernel's version.

use super::{Feature, read};
use std::path::Path;

const NAME: &str = "kernel 5.18+";

/// From 5.18 on `sched_switch` passes `prev_state` as an argument, which tells a preempted thread from one that sleeps.
const NEEDED: (u32, u32) = (5, 18);

pub(super) fn examine(root: &Path) -> Feature {
    let Some(release) = read::text(root, "proc/sys/kernel/osrelease") else {
        return Feature::absent(NAME, "/proc/sys/kernel/osrelease cannot be read")
            .remedy("mount /proc")
            .required();
    };
    match version(&release) {
        Some(version) if version >= NEEDED => Feature::present(NAME, release).required(),
        Some(_) => Feature::absent(NAME, format!("{release} passes no prev_state to sched_switch"))
            .remedy("needs Linux 5.18 or newer")
            .required(),
        None => Feature::absent(NAME, format!("{release:?} is no version"))
            .remedy("needs Linux 5.18 or newer")
            .required(),
    }
}

/// Major and minor number.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}
