//! The command line: one file a command.

mod doctor;
mod interrupts;
mod observe;
mod schedule;
#[cfg(test)]
mod tests;
mod values;

use clap::{CommandFactory, Parser, Subcommand, error::ErrorKind};
use std::{
    io::{self, Write},
    process::ExitCode,
};

/// Sees where wake-up time goes on this host: which interrupt wakes which thread, on which CPU, how long each leg takes.
#[derive(Debug, Parser)]
#[command(name = "fw-agent", version, max_term_width = 100, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  fw-agent doctor                   what works on this host, and what is missing
  fw-agent observe                  one report about the next ten seconds
  fw-agent observe --irq 'nvme*'    only threads that this disk wakes

Exit status: 0 if all went well, 1 if the host did not allow it, 2 if the command line made no sense.";

#[derive(Debug, Subcommand)]
enum Command {
    Doctor(doctor::Args),
    Observe(observe::Args),
}

/// Runs the command that the command line asks for.
pub(crate) fn main() -> ExitCode {
    let out = &mut io::stdout().lock();
    let done = match Cli::parse().command {
        Command::Doctor(args) => doctor::run(&args, out),
        Command::Observe(args) => observe::run(&args, out),
    };
    done.unwrap_or_else(|error| {
        // Whoever reads the output has seen enough (`| head`): no error of ours.
        if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            return ExitCode::SUCCESS;
        }
        say(&format!("fw-agent: {error:#}"));
        ExitCode::FAILURE
    })
}

/// A line on stderr; if nobody reads it, so be it.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Ends the process as for a command line that makes no sense: the sentence, the command's usage, exit status 2.
fn refuse(command: &str, sentence: &str) -> ! {
    let mut cli = Cli::command();
    cli.build();
    let error = match cli.find_subcommand_mut(command) {
        Some(command) => command.error(ErrorKind::ValueValidation, sentence),
        None => cli.error(ErrorKind::ValueValidation, sentence),
    };
    error.exit()
}
