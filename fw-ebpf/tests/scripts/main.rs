//! The wake-chain state machine on event scripts: which cause a wake is put down to, and the legs its wait comes apart
//! into. A script's lines are when (ns), on which CPU, what.

mod causes;
mod faults;
mod machine;
mod random;
mod waits;

/// Softirq vectors, as the kernel numbers them.
const TIMER: u32 = 1;
const NET_RX: u32 = 3;
