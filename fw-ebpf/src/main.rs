//! The list of probes.
#![cfg_attr(target_arch = "bpf", no_std, no_main)]

/// The probes exist only when compiled for eBPF, by the build script of `fw-agent`.
#[cfg(not(target_arch = "bpf"))]
fn main() {}
