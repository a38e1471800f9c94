//! Set-up, build, tests and benchmarks of FastWake.

mod bench;
mod build;
mod setup;
mod sh;
mod test;
mod toolchain;
mod top;
mod vm;

use anyhow::{Result, bail};
use std::ffi::OsString;
use std::process::ExitCode;

const HELP: &str = "\
Set-up, build, tests and benchmarks of FastWake

Usage: cargo xtask COMMAND

  top [ARGS]              install what the build lacks, build, open fw-top on this host with ARGS
  test [--no-vm] [FILTER] install what is missing, run every test (only those whose name contains FILTER)
  setup [--check]         install all that building, testing and benchmarking need; --check only tells
  build                   build fw-agent and fw-top (release)
  vm [--rt] SUITE         boot Debian's kernel (or its PREEMPT_RT one) in QEMU and run a suite of checks there
  vm [--rt] [--with PROGRAM]... -- COMMAND
                          the same with a shell command; the programs are copied in with their libraries
  bench NAME [--runs N]   run a benchmark

Suites: probes
Benchmarks: probes (what observing costs), truth (is what it counts right), setup (how long a start takes)

Logs of all steps are under target/xtask/, kernels and images of the virtual machines under target/vm/.";

fn main() -> ExitCode {
    match run(std::env::args_os().skip(1).collect()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut args: Vec<OsString>) -> Result<ExitCode> {
    let command = if args.is_empty() {
        "--help".into()
    } else {
        args.remove(0)
    };
    match command.to_str().unwrap_or_default() {
        "top" => top::run(args),
        "test" => test::run(args),
        "setup" => setup::run(args),
        "build" => build::run(args),
        "vm" => vm::run(args),
        "bench" => bench::run(args),
        "--help" | "-h" | "help" => {
            println!("{HELP}");
            Ok(ExitCode::SUCCESS)
        }
        other => bail!("no command `{other}`; see cargo xtask --help"),
    }
}
