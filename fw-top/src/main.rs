//! The command `fw-top`.

use clap::Parser;
use fw_top::{cli::Args, live::Live, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    run::exit(run::run(Args::parse(), Live::open))
}
