//! PREEMPT_RT, where softirqs and most interrupts run in threads.

use super::Feature;
use crate::host::sys::Kernel;

const NAME: &str = "PREEMPT_RT";

pub(super) fn examine(kernel: &Kernel) -> Feature {
    if kernel.realtime {
        Feature::present(NAME, "softirqs and interrupt handlers run in threads")
    } else {
        Feature::absent(NAME, "not needed")
    }
}
