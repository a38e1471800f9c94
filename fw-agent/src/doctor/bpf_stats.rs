//! The kernel's accounting of the run time of eBPF programs: what own cost is read from.

use super::Feature;
use crate::host::Root;

const NAME: &str = "bpf run-time statistics";

pub(super) fn examine(root: &Root) -> Feature {
    match root.text("proc/sys/kernel/bpf_stats_enabled").as_deref() {
        Some("0") => Feature::present(NAME, "off; switched on in short slices, to account own cost"),
        Some(_) => Feature::present(NAME, "on for all programs").remedy(
            "every probe on this host runs slower for it: `sysctl kernel.bpf_stats_enabled=0` unless someone reads them",
        ),
        None => Feature::absent(NAME, "no /proc/sys/kernel/bpf_stats_enabled: own cost is not known"),
    }
}
