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

const HELP: &str = include_str!("help.txt");

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
    let command = if args.is_empty() { "--help".into() } else { args.remove(0) };
    match command.to_str().unwrap_or_default() {
        "top" => top::run(args),
        "test" => test::run(args),
        "setup" => setup::run(args),
        "build" => build::run(args),
        "vm" => vm::run(args),
        "bench" => bench::run(args),
        "--help" | "-h" | "help" => {
            print!("{HELP}");
            Ok(ExitCode::SUCCESS)
        }
        other => bail!("no command `{other}`; see cargo xtask --help"),
    }
}
