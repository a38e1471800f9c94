//! The idle driver, which names the C-states that wake-ups leave.

use super::Feature;
use crate::host::{Root, cpuidle};

const NAME: &str = "cpuidle";

pub(super) fn examine(root: &Root) -> Feature {
    let driver = root.text("sys/devices/system/cpu/cpuidle/current_driver").unwrap_or_default();
    if driver.is_empty() || driver == "none" {
        return Feature::absent(NAME, "no driver: idle exits are timed, C-states have no names");
    }
    let states = cpuidle::state_names(root);
    let states = if states.is_empty() { "no states".into() } else { states.join(", ") };
    Feature::present(NAME, format!("{driver}: {states}"))
}
