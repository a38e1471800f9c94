//! The C-states that CPUs sleep in.

use super::root::Root;

/// Names of the C-states by index, as the `cpu_idle` event numbers them; empty without a cpuidle driver. Of the lowest
/// CPU that has any: hybrid processors name the states of all their cores alike.
pub fn state_names(root: &Root) -> Vec<String> {
    const CPUS: &str = "sys/devices/system/cpu";
    let states = |cpu: u32| {
        let directory = format!("{CPUS}/cpu{cpu}/cpuidle");
        let name = |n: u32| root.text(format!("{directory}/state{n}/name")).unwrap_or_else(|| format!("state{n}"));
        root.numbered(&directory, "state").into_iter().map(name).collect::<Vec<_>>()
    };
    root.numbered(CPUS, "cpu").into_iter().map(states).find(|states| !states.is_empty()).unwrap_or_default()
}
