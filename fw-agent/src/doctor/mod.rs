//! What this host allows and what is missing: one file for each feature, every answer with its reason and remedy.
//!
//! Everything is read under a root directory. What cannot be read counts as missing, so [`examine`] never fails.

mod bpf_stats;
mod btf;
mod capabilities;
mod cgroup;
mod cpuidle;
mod irqbalance;
mod isolation;
mod kernel;
mod lockdown;
mod managed_irqs;
mod memlock;
mod namespace;
mod rdma;
mod realtime;
#[cfg(test)]
mod tests;
mod text;
mod tracefs;
mod tracepoints;
mod unprivileged_bpf;

use crate::host::{Root, sys};
use serde::Serialize;

/// Whether a feature is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It is there and can be used.
    Present,
    /// The host does not have it.
    Absent,
    /// The host has it and refuses it to this process.
    Denied,
}

/// One feature of the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Feature {
    /// What it is.
    pub name: &'static str,
    /// Whether it is there.
    pub status: Status,
    /// What was seen.
    pub detail: String,
    /// What to do where it is missing; empty if there is nothing to do.
    pub remedy: String,
    /// True if `observe` cannot run without it.
    pub required: bool,
}

impl Feature {
    fn new(name: &'static str, status: Status, detail: impl Into<String>) -> Feature {
        Feature { name, status, detail: detail.into(), remedy: String::new(), required: false }
    }

    fn present(name: &'static str, detail: impl Into<String>) -> Feature {
        Feature::new(name, Status::Present, detail)
    }

    fn absent(name: &'static str, detail: impl Into<String>) -> Feature {
        Feature::new(name, Status::Absent, detail)
    }

    fn denied(name: &'static str, detail: impl Into<String>) -> Feature {
        Feature::new(name, Status::Denied, detail)
    }

    fn remedy(self, remedy: impl Into<String>) -> Feature {
        Feature { remedy: remedy.into(), ..self }
    }

    fn required(self) -> Feature {
        Feature { required: true, ..self }
    }
}

/// The features of a host, in the order in which `observe` meets them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Examination {
    /// Each feature.
    pub features: Vec<Feature>,
}

/// Examines a host.
pub fn examine(root: &Root) -> Examination {
    let kernel = sys::Kernel::read(root);
    let (types, btf) = btf::examine(root);
    let mut features = vec![kernel::examine(&kernel, types.as_ref()), btf];
    // Without BTF nothing is known of tracepoints, and its own line says so.
    features.extend(types.iter().flat_map(tracepoints::examine));
    features.extend(capabilities::examine(root));
    features.extend([
        lockdown::examine(root),
        unprivileged_bpf::examine(root),
        bpf_stats::examine(root),
        memlock::examine(root),
        tracefs::examine(root),
        namespace::examine(root),
        cgroup::examine(root),
        realtime::examine(&kernel),
        isolation::examine(root),
        cpuidle::examine(root),
        managed_irqs::examine(root),
        irqbalance::examine(root),
        rdma::examine(root),
    ]);
    Examination { features }
}

impl Examination {
    /// What is missing without which `observe` cannot run.
    pub fn obstacles(&self) -> impl Iterator<Item = &Feature> {
        self.features.iter().filter(|feature| feature.required && feature.status != Status::Present)
    }

    /// True if `observe` can run.
    pub fn can_observe(&self) -> bool {
        self.obstacles().next().is_none()
    }
}
