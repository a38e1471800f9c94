//! RDMA devices.

use super::{Feature, text};
use crate::host::Root;

const NAME: &str = "RDMA devices";

pub(super) fn examine(root: &Root) -> Feature {
    let devices = root.names("sys/class/infiniband");
    if devices.is_empty() { Feature::absent(NAME, "none") } else { Feature::present(NAME, text::some(&devices)) }
}
