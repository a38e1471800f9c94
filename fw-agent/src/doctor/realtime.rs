//! PREEMPT_RT, where softirqs and most interrupts run in threads.

use super::{Feature, read};
use std::path::Path;

const NAME: &str = "PREEMPT_RT";

pub(super) fn examine(root: &Path) -> Feature {
    let flag = read::text(root, "sys/kernel/realtime").is_some_and(|value| value == "1");
    let named = read::text(root, "proc/version").is_some_and(|version| version.contains("PREEMPT_RT"));
    if flag || named {
        Feature::present(NAME, "softirqs and interrupt handlers run in threads")
    } else {
        Feature::absent(NAME, "not needed")
    }
}
