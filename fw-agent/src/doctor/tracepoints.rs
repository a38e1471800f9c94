//! The tracepoints that the probes attach to. BTF has a type `btf_trace_NAME` for each; tracefs is not needed.

use super::{Feature, btf};
use btf_rs::Btf;
use std::path::Path;

/// The name of the group that network figures rest on.
pub(super) const NAPI: &str = "NAPI events";

/// Tracepoints that are useful together only.
struct Group {
    name: &'static str,
    members: &'static [&'static str],
    required: bool,
    /// What is not seen where they are missing.
    gives: &'static str,
}

const GROUPS: [Group; 6] = [
    Group {
        name: "scheduler events",
        members: &[
            "sched_waking",
            "sched_wakeup",
            "sched_wakeup_new",
            "sched_switch",
            "sched_migrate_task",
            "sched_process_exit",
        ],
        required: true,
        gives: "wakes and waits",
    },
    Group {
        name: "interrupt events",
        members: &["irq_handler_entry", "irq_handler_exit"],
        required: true,
        gives: "device interrupts",
    },
    Group {
        name: "softirq events",
        members: &["softirq_raise", "softirq_entry", "softirq_exit"],
        required: true,
        gives: "softirqs",
    },
    Group {
        name: "idle events",
        members: &["cpu_idle"],
        required: true,
        gives: "idle exits",
    },
    Group {
        name: NAPI,
        members: &["napi_poll"],
        required: false,
        gives: "polls of network queues",
    },
    Group {
        name: "timer and IPI events",
        members: &[
            "local_timer_entry",
            "local_timer_exit",
            "call_function_single_entry",
            "call_function_single_exit",
            "call_function_entry",
            "call_function_exit",
            "irq_work_entry",
            "irq_work_exit",
        ],
        required: false,
        gives: "wakes by the local timer and by IPIs as such (x86 only)",
    },
];

/// BTF itself and each group.
pub(super) fn examine(root: &Path) -> Vec<Feature> {
    let (btf, feature) = btf::examine(root);
    let mut features = vec![feature];
    // Without BTF nothing is known of them, and its own line says so.
    features.extend(btf.iter().flat_map(|btf| GROUPS.iter().map(|group| group.examine(btf))));
    features
}

impl Group {
    fn examine(&self, btf: &Btf) -> Feature {
        let known = |name: &&&str| {
            btf.resolve_ids_by_name(&format!("btf_trace_{name}"))
                .is_ok_and(|ids| !ids.is_empty())
        };
        let missing: Vec<&str> = self.members.iter().filter(|name| !known(name)).copied().collect();
        let feature = if missing.is_empty() {
            Feature::present(self.name, self.gives)
        } else {
            let remedy = if self.required {
                "needs a kernel with CONFIG_TRACEPOINTS"
            } else {
                "observe does without"
            };
            Feature::absent(
                self.name,
                format!("no {}: not seen are {}", missing.join(", "), self.gives),
            )
            .remedy(remedy)
        };
        if self.required { feature.required() } else { feature }
    }
}
