//! Whether this process sees the host's PIDs: events carry them, `/proc` translates them.

use super::Feature;
use crate::host::Root;
use std::{fs, path::Path};

pub(super) const NAME: &str = "host's PID namespace";

/// Inode of the first PID namespace (`PROC_PID_INIT_INO` of `linux/proc_ns.h`).
const INITIAL: &str = "pid:[4026531836]";

pub(super) fn examine(root: &Root) -> Feature {
    match fs::read_link(root.path("proc/self/ns/pid")) {
        Ok(namespace) if namespace == Path::new(INITIAL) => Feature::present(NAME, "PIDs are the host's"),
        Ok(_) => {
            Feature::denied(NAME, "in a container: threads are shown with the host's PIDs, some without their details")
                .remedy("start the container with `--pid=host`")
        }
        Err(error) => Feature::absent(NAME, format!("/proc/self/ns/pid: {error}")),
    }
}
