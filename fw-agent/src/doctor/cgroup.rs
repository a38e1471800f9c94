//! Which cgroup hierarchies are mounted: the `--cgroup` filter takes a directory of any.

use super::Feature;
use crate::host::Root;

pub(super) const NAME: &str = "cgroups";

pub(super) fn examine(root: &Root) -> Feature {
    let has = |path: &str| root.path(path).exists();
    let v1 = root.names("sys/fs/cgroup").iter().any(|name| has(&format!("sys/fs/cgroup/{name}/release_agent")));
    if has("sys/fs/cgroup/cgroup.controllers") {
        Feature::present(NAME, "version 2, at /sys/fs/cgroup")
    } else if has("sys/fs/cgroup/unified/cgroup.controllers") {
        Feature::present(NAME, "hybrid: version 1 at /sys/fs/cgroup/CONTROLLER, version 2 at /sys/fs/cgroup/unified")
    } else if v1 {
        Feature::present(NAME, "version 1, at /sys/fs/cgroup/CONTROLLER")
    } else {
        Feature::absent(NAME, "no hierarchy at /sys/fs/cgroup: --cgroup cannot be used")
            .remedy("`mount -t cgroup2 none /sys/fs/cgroup`")
    }
}
