//! Builds the eBPF object from `fw-ebpf`; `probe` embeds it from `$OUT_DIR/fw-ebpf`.

use aya_build::{Package, Toolchain};
use std::process::ExitCode;

#[path = "../xtask/src/toolchain.rs"]
mod toolchain;

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
    for (name, value) in [
        // `-Z build-std` is an unstable option, which a stable compiler takes only with this variable. Set here, it
        // reaches the build of the eBPF object and nothing else.
        ("RUSTC_BOOTSTRAP", "1"),
        // aya-build turns every line of progress into a warning, which cargo would repeat at each later build.
        ("CARGO_TERM_QUIET", "true"),
    ] {
        // SAFETY: this process has only the one thread so far.
        unsafe { std::env::set_var(name, value) };
    }
    let package = Package { name: "fw-ebpf", root_dir: "../fw-ebpf", ..Package::default() };
    aya_build::build_ebpf([package], Toolchain::Custom(&toolchain)).map_err(|error| format!("{error:#}"))
}
