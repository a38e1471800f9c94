//! The kernel's version.

use super::{Feature, read};
use crate::probe::btf::Kernel;
use std::path::Path;

const NAME: &str = "kernel 5.18+";

/// From 5.18 on `sched_switch` passes `prev_state` as an argument, which tells a preempted thread from one that sleeps.
const NEEDED: (u32, u32) = (5, 18);

/// Arguments of `sched_switch` with `prev_state` among them.
const ARGUMENTS: usize = 4;

/// Judges by the tracepoint itself where the kernel describes it (distributions port it back), else by the version.
pub(super) fn examine(root: &Path, kernel: Option<&Kernel>) -> Feature {
    let Some(release) = read::text(root, "proc/sys/kernel/osrelease") else {
        return Feature::absent(NAME, "/proc/sys/kernel/osrelease cannot be read").remedy("mount /proc").required();
    };
    let arguments = kernel.and_then(|kernel| kernel.tracepoint_args("sched_switch"));
    let enough = match arguments {
        Some(arguments) => arguments >= ARGUMENTS,
        None => version(&release).is_some_and(|version| version >= NEEDED),
    };
    let feature = if enough {
        Feature::present(NAME, release)
    } else {
        Feature::absent(NAME, format!("{release}: sched_switch passes no prev_state"))
            .remedy("needs Linux 5.18 or newer")
    };
    feature.required()
}

/// Major and minor number.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}
