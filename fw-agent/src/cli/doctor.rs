//! `fw-agent doctor`

use fw_agent::{doctor::examine, host::Root};
use std::{io::Write, path::PathBuf, process::ExitCode};

/// Says what this host allows and what is missing, with the remedy
///
/// One line for each capability: present, absent or denied. The last line says what works.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Prints JSON
    #[arg(long)]
    json: bool,
    /// Where `proc` and `sys` are
    #[arg(long, hide = true, default_value = "/", value_name = "DIR")]
    root: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  fw-agent doctor
  fw-agent doctor --json | jq '.features[] | select(.status != \"present\")'

Exit status: 0 if `fw-agent observe` can run on this host, otherwise 1.";

/// Prints the examination; fails if `observe` cannot run.
pub(super) fn run(args: &Args, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let examination = examine(&Root::new(&args.root));
    if args.json {
        let mut json = serde_json::to_value(&examination)?;
        json["can_observe"] = examination.can_observe().into();
        json["summary"] = examination.summary().into();
        writeln!(out, "{json}")?;
    } else {
        write!(out, "{examination}")?;
    }
    out.flush()?;
    Ok(if examination.can_observe() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
