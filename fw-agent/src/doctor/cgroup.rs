//! Which cgroup hierarchies are mounted: the `--cgroup` filter takes one of version 2.

use super::{Feature, read};
use std::path::Path;

pub(super) const NAME: &str = "cgroup v2";

pub(super) fn examine(root: &Path) -> Feature {
    let has = |path: &str| read::text(root, path).is_some();
    let v1 = read::names(root, "sys/fs/cgroup")
        .iter()
        .any(|name| has(&format!("sys/fs/cgroup/{name}/release_agent")));
    if has("sys/fs/cgroup/cgroup.controllers") {
        Feature::present(NAME, "at /sys/fs/cgroup")
    } else if has("sys/fs/cgroup/unified/cgroup.controllers") {
        Feature::present(
            NAME,
            "hybrid, at /sys/fs/cgroup/unified: --cgroup takes paths of that one",
        )
    } else {
        let seen = if v1 {
            "version 1 only"
        } else {
            "no hierarchy at /sys/fs/cgroup"
        };
        Feature::absent(NAME, format!("{seen}: --cgroup cannot be used"))
            .remedy("`mount -t cgroup2 none /sys/fs/cgroup/unified`")
    }
}
