//! Builds what users run.

use crate::setup::{self, Group};
use crate::sh::{self, Step};
use anyhow::{Result, bail};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// `cargo xtask build`.
pub fn run(args: Vec<OsString>) -> Result<ExitCode> {
    if !args.is_empty() {
        bail!("build takes no arguments");
    }
    setup::ensure(&[Group::Build])?;
    for name in ["fw-agent", "fw-top"] {
        println!("{}", release(name)?.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds one of our programs in release mode; its path.
pub fn release(name: &str) -> Result<PathBuf> {
    let mut cargo = sh::command("cargo");
    cargo.args(["build", "--release", "--package", name]);
    Step::new(&format!("building {name}"), &mut cargo).run()?;
    Ok(sh::target().join("release").join(name))
}
