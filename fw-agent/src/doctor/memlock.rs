//! The limit on locked memory, which once counted eBPF maps.

use super::Feature;
use crate::host::Root;

const NAME: &str = "memlock limit";

pub(super) fn examine(root: &Root) -> Feature {
    let limits = root.text("proc/self/limits").unwrap_or_default();
    let soft = limits.lines().find_map(|line| line.strip_prefix("Max locked memory")?.split_whitespace().next());
    let said = match soft {
        Some("unlimited") => "unlimited".into(),
        Some(bytes) => format!("{bytes} bytes"),
        None => return Feature::absent(NAME, "not needed: since Linux 5.11 maps count against the cgroup"),
    };
    Feature::present(NAME, format!("{said}, not needed: since Linux 5.11 maps count against the cgroup"))
}
