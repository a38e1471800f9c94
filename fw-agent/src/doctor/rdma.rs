//! RDMA devices.

use super::{Feature, read};
use std::path::Path;

const NAME: &str = "RDMA devices";

pub(super) fn examine(root: &Path) -> Feature {
    let devices = read::names(root, "sys/class/infiniband");
    if devices.is_empty() { Feature::absent(NAME, "none") } else { Feature::present(NAME, read::some(&devices)) }
}
