//! Whether the kernel has `bpf(2)`, and for whom.

use super::Feature;
use crate::host::Root;

const NAME: &str = "bpf system call";

pub(super) fn examine(root: &Root) -> Feature {
    match root.text("proc/sys/kernel/unprivileged_bpf_disabled").as_deref() {
        Some("0") => Feature::present(NAME, "unprivileged_bpf_disabled is 0: anyone may load simple programs"),
        Some(value) => Feature::present(NAME, format!("unprivileged_bpf_disabled is {value}: for CAP_BPF only")),
        None => {
            Feature::absent(NAME, "no /proc/sys/kernel/unprivileged_bpf_disabled").remedy("needs CONFIG_BPF_SYSCALL")
        }
    }
    .required()
}
