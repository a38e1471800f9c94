//! Where a control group stands, in the terms in which the kernel side can test for it.

use super::root::Root;
use super::{Error, Result};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A mounted hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hierarchy {
    /// Version 2.
    Unified,
    /// Version 1 with these controllers (`cpu`, `cpuacct`).
    Controllers(Vec<String>),
    /// Version 1 with a name (`systemd`) and no controller.
    Named(String),
}

/// A control group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cgroup {
    /// The hierarchy that it belongs to.
    pub hierarchy: Hierarchy,
    /// Its id in that hierarchy (inode of its directory, which the kernel uses as the id).
    pub id: u64,
    /// Number of groups above it. In a cgroup namespace, above it as far as the namespace lets see.
    pub depth: u32,
}

struct Mount {
    hierarchy: Hierarchy,
    /// The group that is mounted; `/` is the hierarchy's root.
    root: PathBuf,
    point: PathBuf,
}

impl Cgroup {
    /// Finds a group by its directory (`/sys/fs/cgroup/system.slice`) or by its path as `/proc/PID/cgroup` gives it
    /// (`/system.slice`), which is looked for in version 2 first.
    ///
    /// # Errors
    /// [`Error::NoCgroup`] if no mounted hierarchy has it.
    pub fn find(root: &Root, path: &str) -> Result<Cgroup> {
        let mounts = mounts(&root.text("proc/self/mountinfo").unwrap_or_default());
        let wanted = Path::new(path);
        // The innermost mount first: on hybrid hosts the hierarchies are mounted within another file system.
        let by_directory = mounts.iter().filter_map(|mount| Some((mount, wanted.strip_prefix(&mount.point).ok()?)));
        let by_directory = by_directory.max_by_key(|(mount, _)| mount.point.components().count());
        let relative = wanted.strip_prefix("/").unwrap_or(wanted);
        // A path of a group is one from the hierarchy's root, of which only a part may be mounted.
        let by_path = mounts.iter().filter_map(|mount| {
            let below = relative.strip_prefix(mount.root.strip_prefix("/").unwrap_or(&mount.root)).ok()?;
            Some((mount, below))
        });
        by_directory
            .into_iter()
            .chain(by_path)
            .find_map(|(mount, below)| mount.group(root, below))
            .ok_or_else(|| Error::NoCgroup { path: path.to_owned() })
    }
}

impl Mount {
    fn group(&self, root: &Root, below: &Path) -> Option<Cgroup> {
        let directory = std::fs::metadata(root.path(self.point.join(below))).ok().filter(|file| file.is_dir())?;
        let names = self.root.components().chain(below.components());
        let depth = names.filter(|part| matches!(part, std::path::Component::Normal(_))).count() as u32;
        Some(Cgroup { hierarchy: self.hierarchy.clone(), id: directory.ino(), depth })
    }
}

/// The mounted hierarchies, version 2 first.
fn mounts(mountinfo: &str) -> Vec<Mount> {
    let mut mounts: Vec<Mount> = mountinfo.lines().filter_map(mount).collect();
    mounts.sort_by_key(|mount| mount.hierarchy != Hierarchy::Unified);
    mounts
}

/// `41 31 0:38 /root /point options [tags] - cgroup2 source options`.
fn mount(line: &str) -> Option<Mount> {
    let (left, right) = line.split_once(" - ")?;
    let mut left = left.split(' ').skip(3);
    let (root, point) = (unescape(left.next()?), unescape(left.next()?));
    let mut right = right.split(' ');
    let hierarchy = match right.next()? {
        "cgroup2" => Hierarchy::Unified,
        "cgroup" => {
            let options: Vec<&str> = right.nth(1)?.split(',').collect();
            match options.iter().find_map(|option| option.strip_prefix("name=")) {
                Some(name) => Hierarchy::Named(name.to_owned()),
                None => {
                    let other = ["rw", "ro", "xattr", "noprefix", "clone_children", "cpuset_v2_mode"];
                    let is_controller = |option: &&&str| !other.contains(*option) && !option.contains('=');
                    Hierarchy::Controllers(options.iter().filter(is_controller).map(|c| (*c).to_owned()).collect())
                }
            }
        }
        _ => return None,
    };
    Some(Mount { hierarchy, root, point })
}

/// The kernel writes blanks and the like in octal.
fn unescape(path: &str) -> PathBuf {
    PathBuf::from(path.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_of_all_kinds_are_read() {
        let info = "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n\
                    32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,xattr,cpu,cpuacct\n\
                    40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n\
                    41 31 0:38 /a\\040b /mnt/uni\\040fied rw - cgroup2 cgroup2 rw\n\
                    garbage\n";
        let mounts = mounts(info);
        let kinds: Vec<&Hierarchy> = mounts.iter().map(|m| &m.hierarchy).collect();
        let controllers = Hierarchy::Controllers(vec!["cpu".into(), "cpuacct".into()]);
        assert_eq!(kinds, [&Hierarchy::Unified, &controllers, &Hierarchy::Named("systemd".into())]);
        assert_eq!((mounts[0].root.to_str(), mounts[0].point.to_str()), (Some("/a b"), Some("/mnt/uni fied")));
    }
}
