//! What the probes and user space have in common: histograms, the layout of the maps, and the wake-chain state machine
//! itself, which runs in the kernel when compiled for eBPF and on event scripts when compiled for the host.
#![no_std]

pub mod hist;
