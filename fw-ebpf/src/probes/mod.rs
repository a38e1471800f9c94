//! One file for each family of tracepoints. A program reads its arguments and the clock, calls the state machine in
//! this crate's library, and counts what comes out of it.

pub mod idle;
pub mod irq;
pub mod napi;
pub mod sched;
pub mod softirq;
pub mod vector;
