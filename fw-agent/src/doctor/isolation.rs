//! CPUs kept free of other work.

use super::Feature;
use crate::host::{Root, Topology};

const NAME: &str = "isolated CPUs";

pub(super) fn examine(root: &Root) -> Feature {
    let mut topology = Topology::default();
    topology.refresh_isolation(root);
    let (isolated, full) = (&topology.isolated, &topology.nohz_full);
    match (isolated.is_empty(), full.is_empty()) {
        (true, true) => Feature::absent(NAME, "none, and no nohz_full"),
        (false, true) => Feature::present(NAME, isolated.to_string()),
        (true, false) => Feature::present(NAME, format!("none, nohz_full {full}")),
        (false, false) => Feature::present(NAME, format!("{isolated}, nohz_full {full}")),
    }
}
