//! tracefs, which other tools need.

use super::Feature;
use crate::host::Root;

const NAME: &str = "tracefs";

pub(super) fn examine(root: &Root) -> Feature {
    let mounted = ["sys/kernel/tracing", "sys/kernel/debug/tracing"].iter().any(|at| !root.names(at).is_empty());
    if mounted { Feature::present(NAME, "not needed") } else { Feature::absent(NAME, "not needed") }
}
