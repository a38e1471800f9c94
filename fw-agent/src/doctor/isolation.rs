//! CPUs kept free of other work.

use super::{Feature, read};
use crate::model::CpuList;
use std::path::Path;

const NAME: &str = "isolated CPUs";

pub(super) fn examine(root: &Path) -> Feature {
    // Kernels without any write "(null)" or an empty line.
    let list = |file: &str| {
        let text = read::text(root, &format!("sys/devices/system/cpu/{file}"))?;
        (!CpuList::parse(&text).is_empty()).then_some(text)
    };
    match (list("isolated"), list("nohz_full")) {
        (None, None) => Feature::absent(NAME, "none, and no nohz_full"),
        (Some(isolated), None) => Feature::present(NAME, isolated),
        (None, Some(full)) => Feature::present(NAME, format!("none, nohz_full {full}")),
        (Some(isolated), Some(full)) => Feature::present(NAME, format!("{isolated}, nohz_full {full}")),
    }
}
