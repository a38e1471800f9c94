//! The command `fw-top`.

use clap::Parser;
use fw_top::{cli::Args, live::Live, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run::run(Args::parse(), Live::open) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("fw-top: {error:#}");
            ExitCode::FAILURE
        }
    }
}
