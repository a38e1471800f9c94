//! How long a user waits when nothing is missing any more.

use super::{Bar, median};
use crate::{build, sh};
use anyhow::{Context, Result, bail};
use std::process::Stdio;
use std::time::Instant;

/// Seconds for `setup` when nothing is missing.
const SETUP_S: f64 = 1.0;
/// Seconds for the second start of fw-top, to its first frame.
const START_S: f64 = 3.0;

/// Times both.
pub fn run(runs: usize) -> Result<Vec<Bar>> {
    build::release("fw-top")?;
    let setup = seconds(runs, &["setup"])?;
    let start = seconds(runs, &["top", "--once"])?;
    println!("setup with nothing missing {setup:.2} s, second start of fw-top {start:.2} s (medians of {runs})");
    Ok(vec![Bar::at_most("setup_s", setup, SETUP_S), Bar::at_most("second_start_s", start, START_S)])
}

/// Median time of a `cargo xtask` command, cargo's own part of it included.
fn seconds(runs: usize, args: &[&str]) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..runs {
        let started = Instant::now();
        let mut cargo = sh::command("cargo");
        cargo.arg("xtask").args(args).stdout(Stdio::null()).stderr(Stdio::null());
        let status = cargo.status().context("can't run cargo")?;
        if !status.success() {
            bail!("cargo xtask {} failed ({status})", args.join(" "));
        }
        times.push(started.elapsed().as_secs_f64());
    }
    Ok(median(&times))
}
