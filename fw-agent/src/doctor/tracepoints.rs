//! The tracepoints that the probes attach to. BTF has a type `btf_trace_NAME` for each; tracefs is not needed.

use super::Feature;
use crate::probe::{Family, TRACEPOINTS, Tracepoint, btf::Kernel};

/// The name of the group that network figures rest on.
pub(super) const NAPI: &str = "NAPI events";

/// Tracepoints that are useful together only, by family and by whether `observe` needs them.
struct Group {
    name: &'static str,
    family: Family,
    required: bool,
    /// What is seen by them.
    gives: &'static str,
}

const GROUPS: [Group; 5] = [
    Group { name: "wake-up events", family: Family::Wakes, required: true, gives: "wakes, waits and idle exits" },
    Group { name: "interrupt events", family: Family::Irqs, required: true, gives: "device interrupts" },
    Group { name: "softirq events", family: Family::Softirqs, required: true, gives: "softirqs" },
    Group { name: NAPI, family: Family::Softirqs, required: false, gives: "polls of network queues" },
    Group {
        name: "timer and IPI events",
        family: Family::Irqs,
        required: false,
        gives: "wakes by the local timer and by IPIs as such (x86 only)",
    },
];

/// Each group.
pub(super) fn examine(kernel: &Kernel) -> impl Iterator<Item = Feature> {
    GROUPS.iter().map(|group| group.examine(kernel))
}

impl Group {
    fn has(&self, tracepoint: &Tracepoint) -> bool {
        (tracepoint.family, tracepoint.required) == (self.family, self.required)
    }

    fn examine(&self, kernel: &Kernel) -> Feature {
        let names = TRACEPOINTS.iter().filter(|tracepoint| self.has(tracepoint)).map(|tracepoint| tracepoint.name);
        let missing: Vec<&str> = names.filter(|name| kernel.tracepoint_args(name).is_none()).collect();
        let feature = if missing.is_empty() {
            Feature::present(self.name, self.gives)
        } else {
            let remedy = if self.required { "needs a kernel with CONFIG_TRACEPOINTS" } else { "observe does without" };
            Feature::absent(self.name, format!("no {}: not seen are {}", missing.join(", "), self.gives)).remedy(remedy)
        };
        if self.required { feature.required() } else { feature }
    }
}
