//! tracefs, which other tools need.

use super::{Feature, read};
use std::path::Path;

const NAME: &str = "tracefs";

pub(super) fn examine(root: &Path) -> Feature {
    let mounted = ["sys/kernel/tracing", "sys/kernel/debug/tracing"].iter().any(|at| !read::names(root, at).is_empty());
    if mounted { Feature::present(NAME, "not needed") } else { Feature::absent(NAME, "not needed") }
}
