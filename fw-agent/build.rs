//! Builds the eBPF object from `fw-ebpf`; `probe` embeds it from `$OUT_DIR/fw-ebpf`.

use aya_build::{Package, Toolchain};
use std::process::ExitCode;

#[path = "../xtask/src/toolchain.rs"]
mod toolchain;

/// For the build of the eBPF object; set in this process alone, it reaches nothing else.
const ENVIRONMENT: [(&str, &str); 5] = [
    // Lets a stable compiler take the unstable options: `-Z build-std`, and the flags below.
    ("RUSTC_BOOTSTRAP", "1"),
    // aya-build turns every line of progress into a warning, which cargo would repeat at each later build.
    ("CARGO_TERM_QUIET", "true"),
    // 32-bit registers, jumps and atomics: fewer instructions, and 32-bit compare-and-swap exists only there. v3 came
    // with Linux 5.1. rustc hands its own target-cpu to bpf-linker, which refuses a second one, and aya-build takes the
    // place of RUSTFLAGS: a profile's flags are the way that is left.
    ("CARGO_UNSTABLE_PROFILE_RUSTFLAGS", "true"),
    ("CARGO_PROFILE_RELEASE_RUSTFLAGS", "-Ctarget-cpu=v3"),
    // Build scripts and macros run on the host, which has no such processor: any other flag instead.
    ("CARGO_PROFILE_RELEASE_BUILD_OVERRIDE_RUSTFLAGS", "-Cdebuginfo=0"),
];

fn main() -> ExitCode {
    println!("cargo::rerun-if-env-changed={}", toolchain::OVERRIDE);
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            println!("cargo::error=the eBPF object cannot be built: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<(), String> {
    let toolchain = std::env::var(toolchain::OVERRIDE)
        .ok()
        .or_else(|| toolchain::find(&toolchain::rustup_home(), toolchain::version))
        .ok_or(format!(
            "no Rust toolchain with the sources of `core` and LLVM {}; run `cargo xtask setup`",
            toolchain::LLVM
        ))?;
    if !toolchain::has_program(&toolchain::program_dirs(), "bpf-linker") {
        return Err("bpf-linker is not installed; run `cargo xtask setup`".into());
    }
    for (name, value) in ENVIRONMENT {
        // SAFETY: this process has only the one thread so far.
        unsafe { std::env::set_var(name, value) };
    }
    let package = Package { name: "fw-ebpf", root_dir: "../fw-ebpf", ..Package::default() };
    aya_build::build_ebpf([package], Toolchain::Custom(&toolchain)).map_err(|error| format!("{error:#}"))
}
