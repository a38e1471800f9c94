//! What the probes and user space have in common: histograms, the layout of the maps, and the wake-chain state machine
//! itself, which runs in the kernel when compiled for eBPF and on event scripts when compiled for the host.
//!
//! - [`context`]: what a CPU is doing, and so whom a wake belongs to;
//! - [`wait`]: one thread's wait for a CPU, and the legs it comes apart into;
//! - [`records`]: where the results are added up;
//! - [`cause`], [`hist`]: the two value types in them.
#![no_std]

pub mod cause;
pub mod context;
pub mod hist;
pub mod records;
pub mod wait;
