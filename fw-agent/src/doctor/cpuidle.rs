//! The idle driver, which names the C-states that wake-ups leave.

use super::{Feature, read};
use std::path::Path;

const NAME: &str = "cpuidle";

pub(super) fn examine(root: &Path) -> Feature {
    let driver = read::text(root, "sys/devices/system/cpu/cpuidle/current_driver").unwrap_or_default();
    if driver.is_empty() || driver == "none" {
        return Feature::absent(NAME, "no driver: idle exits are timed, C-states have no names");
    }
    let cpus = "sys/devices/system/cpu";
    // Any CPU will do: CPU 0 may be offline.
    let states = read::names(root, cpus).into_iter().find_map(|cpu| {
        let states = format!("{cpus}/{cpu}/cpuidle");
        let names = read::names(root, &states);
        let names: Vec<String> =
            names.iter().filter_map(|state| read::text(root, &format!("{states}/{state}/name"))).collect();
        (!names.is_empty()).then_some(names)
    });
    match states {
        Some(states) => Feature::present(NAME, format!("{driver}: {}", states.join(", "))),
        None => Feature::present(NAME, format!("{driver}, without states")),
    }
}
