//! The list of probes.
#![cfg_attr(target_arch = "bpf", no_std, no_main)]
#![cfg_attr(target_arch = "bpf", feature(core_intrinsics, asm_experimental_arch))]
#![cfg_attr(target_arch = "bpf", expect(internal_features, reason = "the target has atomics only as intrinsics"))]

#[cfg(target_arch = "bpf")]
mod filter;
#[cfg(target_arch = "bpf")]
mod find;
#[cfg(target_arch = "bpf")]
mod kernel;
#[cfg(target_arch = "bpf")]
mod maps;
#[cfg(target_arch = "bpf")]
mod probes;

/// The kernel lets only programs under the GPL call the helpers that read its memory.
#[cfg(target_arch = "bpf")]
#[unsafe(link_section = "license")]
#[unsafe(no_mangle)]
static LICENSE: [u8; 13] = *b"Dual MIT/GPL\0";

#[cfg(target_arch = "bpf")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

/// The probes exist only when compiled for eBPF, by the build script of `fw-agent`.
#[cfg(not(target_arch = "bpf"))]
fn main() {}
