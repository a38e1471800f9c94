//! The filter in the form that the probes test: see `fw-ebpf/src/filter.rs`.

use aya::EbpfLoader;

use super::btf::Kernel;
use crate::Error;

/// The cgroup that a woken thread must be in, or below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cgroup {
    /// Its id: the inode number of its directory.
    pub id: u64,
    /// How many directories it lies below the root of its hierarchy.
    pub depth: u32,
    /// The v1 controller whose hierarchy it is in; none for v2.
    pub controller: Option<String>,
}

/// Which waits are wanted; all if nothing is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Process or thread id.
    pub pid: Option<u32>,
    /// Name; a trailing `*` makes it a prefix.
    pub comm: Option<String>,
    /// Cgroup.
    pub cgroup: Option<Cgroup>,
    /// Only wakes by interrupts; which ones is set in the map as interrupts come and go.
    pub irqs: bool,
}

/// The globals of a filter, kept for as long as the loader refers to them.
#[derive(Default)]
pub struct Globals {
    tests: u32,
    pid: u32,
    comm: [u64; 2],
    comm_mask: [u64; 2],
    cgroup: u64,
    steps: [(&'static str, u32); 6],
}

impl Globals {
    /// Resolves what the filter needs in this kernel.
    pub fn resolve(filter: &Filter, kernel: &Kernel) -> Result<Globals, Error> {
        let mut globals = Globals::default();
        if let Some(pid) = filter.pid {
            globals.tests |= 1;
            globals.pid = pid;
        }
        if let Some(comm) = &filter.comm {
            globals.tests |= 2;
            (globals.comm, globals.comm_mask) = name(comm);
        }
        if let Some(cgroup) = &filter.cgroup {
            globals.tests |= 4;
            globals.cgroup = cgroup.id;
            globals.steps = steps(cgroup, kernel)?;
        }
        if filter.irqs {
            globals.tests |= 8;
        }
        Ok(globals)
    }

    /// Sets them in the object to be loaded.
    pub fn set<'a>(&'a self, loader: &mut EbpfLoader<'a>) {
        loader
            .override_global("FILTER", &self.tests, true)
            .override_global("FILTER_PID", &self.pid, true)
            .override_global("FILTER_COMM", &self.comm, true)
            .override_global("FILTER_COMM_MASK", &self.comm_mask, true)
            .override_global("FILTER_CGROUP", &self.cgroup, true);
        for (global, offset) in self.steps.iter().filter(|(global, _)| !global.is_empty()) {
            loader.override_global(global, offset, true);
        }
    }
}

/// A name and its mask as the two words the kernel compares: `fio` matches only `fio`, `fio*` whatever begins so.
fn name(pattern: &str) -> ([u64; 2], [u64; 2]) {
    let (wanted, prefix) = match pattern.strip_suffix('*') {
        Some(wanted) => (wanted, true),
        None => (pattern, false),
    };
    // The kernel keeps 15 bytes of a name and a zero.
    let wanted = &wanted.as_bytes()[..wanted.len().min(15)];
    let mut bytes = [0u8; 16];
    bytes[..wanted.len()].copy_from_slice(wanted);
    let mut mask = [0u8; 16];
    mask[..wanted.len() + usize::from(!prefix)].fill(0xff);
    (words(bytes), words(mask))
}

fn words(bytes: [u8; 16]) -> [u64; 2] {
    let [a, b] = [0, 8].map(|i| std::array::from_fn(|j| bytes[i + j]));
    [u64::from_ne_bytes(a), u64::from_ne_bytes(b)]
}

fn steps(cgroup: &Cgroup, kernel: &Kernel) -> Result<[(&'static str, u32); 6], Error> {
    const POINTER: u32 = size_of::<u64>() as u32;
    let (set_to_state, state_to_cgroup) = match &cgroup.controller {
        None => (kernel.offset("css_set", &["dfl_cgrp"])?, u32::MAX),
        Some(controller) => {
            let index = kernel
                .enumerator("cgroup_subsys_id", &format!("{controller}_cgrp_id"))
                .ok_or_else(|| Error::Filter(format!("this kernel has no cgroup controller {controller}")))?;
            (
                kernel.offset("css_set", &["subsys"])? + index * POINTER,
                kernel.offset("cgroup_subsys_state", &["cgroup"])?,
            )
        }
    };
    Ok([
        ("TASK_CGROUPS", kernel.offset("task_struct", &["cgroups"])?),
        ("SET_TO_STATE", set_to_state),
        ("STATE_TO_CGROUP", state_to_cgroup),
        ("CGROUP_ANCESTOR", kernel.offset("cgroup", &["ancestors"])? + cgroup.depth * POINTER),
        ("CGROUP_KN", kernel.offset("cgroup", &["kn"])?),
        ("KN_ID", kernel.offset("kernfs_node", &["id"])?),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, comm: &str) -> bool {
        let mut bytes = [0u8; 16];
        bytes[..comm.len()].copy_from_slice(comm.as_bytes());
        let (want, mask) = name(pattern);
        (0..2).all(|i| words(bytes)[i] & mask[i] == want[i])
    }

    #[test]
    fn a_name_matches_whole_and_a_star_a_prefix() {
        assert!(matches("fio", "fio"));
        assert!(!matches("fio", "fio2"));
        assert!(!matches("fio2", "fio"));
        assert!(matches("fio*", "fio2") && matches("fio*", "fio"));
        assert!(matches("*", "anything"));
        assert!(matches("redis-server", "redis-server") && !matches("redis-server", "redis-serves"));
        // Longer than the kernel keeps: what it keeps must match.
        assert!(matches("a-name-of-over-15-bytes", "a-name-of-over-"));
    }
}
