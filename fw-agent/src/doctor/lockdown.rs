//! Kernel lockdown (kernel_lockdown(7)).

use super::Feature;
use crate::host::Root;

const NAME: &str = "kernel memory reads";

pub(super) fn examine(root: &Root) -> Feature {
    let modes = root.text("sys/kernel/security/lockdown").unwrap_or_default();
    match modes.split(['[', ']']).nth(1) {
        // Nothing to read where securityfs is not mounted or lockdown not built in.
        None => Feature::present(NAME, "no lockdown"),
        Some("confidentiality") => {
            Feature::denied(NAME, "lockdown is confidentiality: no program may read kernel memory")
                .remedy("boot with `lockdown=integrity` or less")
        }
        Some(mode) => Feature::present(NAME, format!("lockdown is {mode}")),
    }
    .required()
}
