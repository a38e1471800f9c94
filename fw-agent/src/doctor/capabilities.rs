//! The capabilities of this process (capabilities(7)), from `CapEff`.

use super::Feature;
use crate::host::Root;

/// The feature that accounting and steering rest on.
pub(super) const ADMIN: &str = "CAP_SYS_ADMIN";

/// Bits of `linux/capability.h`.
const SYS_ADMIN: u64 = 1 << 21;
const SYS_NICE: u64 = 1 << 23;
const PERFMON: u64 = 1 << 38;
const BPF: u64 = 1 << 39;

pub(super) fn examine(root: &Root) -> Vec<Feature> {
    let effective = root.field("proc/self/status", "CapEff");
    let effective = effective.and_then(|hex| u64::from_str_radix(&hex, 16).ok()).unwrap_or(0);
    // The kernel lets CAP_SYS_ADMIN stand in for both of the newer ones.
    let has = |bit: u64| effective & bit != 0;
    let feature = |name, granted: bool, use_: &str, remedy: &str| {
        if granted { Feature::present(name, use_) } else { Feature::denied(name, use_).remedy(remedy) }
    };
    let grant = "run as root, or `setcap cap_bpf,cap_perfmon+ep` the binary";
    vec![
        feature("CAP_BPF", has(BPF) || has(SYS_ADMIN), "loads the probes", grant).required(),
        feature("CAP_PERFMON", has(PERFMON) || has(SYS_ADMIN), "attaches them to the kernel's events", grant)
            .required(),
        feature(ADMIN, has(SYS_ADMIN), "accounts the probes' own cost", "run as root to see it"),
        feature("CAP_SYS_NICE", has(SYS_NICE), "moves other users' threads", "run as root before moving any"),
    ]
}
