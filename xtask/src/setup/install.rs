//! Installs what is missing.

use super::needs::{Kind, Need};
use super::{System, is_root};
use crate::sh::{self, Step};
use crate::toolchain::LLVM;
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

/// The name under which rustup knows Debian's toolchain.
const DEBIAN_TOOLCHAIN: &str = "fastwake-bpf";

/// Installs one need.
///
/// # Errors
/// If a command fails: with its output.
pub fn install(system: &System, need: &Need) -> Result<()> {
    match need.kind {
        Kind::Program(_, packages) => apt(need.what, packages),
        Kind::Toolchain => toolchain(),
        Kind::Linker => linker(system),
    }
}

/// Debian's Rust, made known to rustup. rustup's own toolchains come without the sources of `core`.
fn toolchain() -> Result<()> {
    if !Path::new("/usr/lib/rustlib/src/rust/library/core/Cargo.toml").exists() {
        apt("eBPF toolchain", &["rustc-web", "cargo-web", "rust-web-src"])?;
    }
    let mut link = sh::command("rustup");
    link.args(["toolchain", "link", DEBIAN_TOOLCHAIN, "/usr"]);
    Step::new("linking Debian's Rust as a toolchain", &mut link).run()?;
    Ok(())
}

fn linker(system: &System) -> Result<()> {
    let prefix = format!("/usr/lib/llvm-{LLVM}");
    if !Path::new(&prefix).join("bin/llvm-config").exists() {
        apt("LLVM", &[&format!("llvm-{LLVM}-dev")])?;
    }
    let toolchain =
        system.toolchain().or_else(|| System::this().toolchain()).context("the eBPF toolchain is missing")?;
    let mut cargo = sh::command("rustup");
    cargo.args(["run", &toolchain, "cargo", "install", "bpf-linker", "--locked", "--force", "--version", "0.13.0"]);
    cargo.args(["--no-default-features", "--features", &format!("llvm-{LLVM}")]).env("LLVM_PREFIX", prefix);
    Step::new("compiling bpf-linker", &mut cargo).run()?;
    Ok(())
}

/// Installs packages. The lists of packages are brought up to date only if the installation fails without: it may take
/// longer than the installation.
fn apt(what: &str, packages: &[&str]) -> Result<()> {
    let install = || {
        let mut apt = as_root("apt-get");
        apt.args(["install", "-y", "--no-install-recommends"]).args(packages);
        Step::new(&format!("installing {what} ({})", packages.join(" ")), &mut apt).run()
    };
    if install().is_err() {
        let mut apt = as_root("apt-get");
        Step::new("updating the package lists", apt.arg("update")).run()?;
        install()?;
    }
    Ok(())
}

fn as_root(program: &str) -> Command {
    let mut command = if is_root() { sh::command("env") } else { sh::command("sudo") };
    command.args(["DEBIAN_FRONTEND=noninteractive", program]);
    command
}
