//! `cargo xtask top`: from a fresh clone to the first screen.

use crate::build;
use crate::setup::{self, Group};
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

/// Builds fw-top and becomes it.
pub fn run(args: Vec<OsString>) -> Result<ExitCode> {
    setup::ensure(&[Group::Build])?;
    let fw_top = build::release("fw-top")?;
    let mut command = if !setup::is_root() && setup::System::this().has("sudo") {
        eprintln!("loading the probes needs root: running fw-top with sudo");
        let mut sudo = Command::new("sudo");
        sudo.arg(&fw_top);
        sudo
    } else {
        Command::new(&fw_top)
    };
    let error = command.args(args).env_remove("LD_LIBRARY_PATH").exec();
    Err(error).with_context(|| format!("can't run {}", fw_top.display()))
}
