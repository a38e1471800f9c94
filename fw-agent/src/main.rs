//! `fw-agent`: sees and judges where completion interrupts and the threads they wake meet.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
