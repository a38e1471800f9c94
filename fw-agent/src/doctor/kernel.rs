//! The kernel's version.

use super::Feature;
use crate::{
    host::sys::{Kernel, Version},
    probe::btf,
};

const NAME: &str = "kernel 5.18+";

/// From 5.18 on `sched_switch` passes `prev_state` as an argument, which tells a preempted thread from one that sleeps.
const NEEDED: Version = Version { major: 5, minor: 18 };

/// Arguments of `sched_switch` with `prev_state` among them.
const ARGUMENTS: usize = 4;

/// Judges by the tracepoint itself where the kernel describes it (distributions port it back), else by the version.
pub(super) fn examine(kernel: &Kernel, types: Option<&btf::Kernel>) -> Feature {
    let release = kernel.release.as_str();
    if release.is_empty() {
        return Feature::absent(NAME, "/proc/sys/kernel/osrelease cannot be read").remedy("mount /proc").required();
    }
    let arguments = types.and_then(|types| types.tracepoint_args("sched_switch"));
    let enough = arguments.map_or(kernel.version >= NEEDED, |arguments| arguments >= ARGUMENTS);
    let feature = if enough {
        Feature::present(NAME, release)
    } else {
        Feature::absent(NAME, format!("{release}: sched_switch passes no prev_state"))
            .remedy("needs Linux 5.18 or newer")
    };
    feature.required()
}
