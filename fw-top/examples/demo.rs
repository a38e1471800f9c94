//! The dashboard on a made-up host, to look at it where probes cannot be attached: `cargo run -p fw-top --example demo`.

use clap::Parser;
use fw_agent::model::Snapshot;
use fw_top::{cli::Args, run, sample, sampler::Source};
use std::process::ExitCode;

struct Demo {
    windows: usize,
}

impl Source for Demo {
    fn snapshot(&mut self) -> anyhow::Result<Snapshot> {
        self.windows += 1;
        // To see that the terminal comes back.
        assert!(std::env::var_os("DEMO_PANIC").is_none(), "a panic was asked for");
        Ok(match self.windows % 8 {
            0 => sample::idle(),
            5 => sample::lossy(),
            _ => sample::busy(),
        })
    }
}

/// The dashboard, as `main` of `fw-top` runs it. Public for the test of the terminal, which is this program too.
pub fn main() -> ExitCode {
    run::exit(run::run(Args::parse(), |_| Ok(Demo { windows: 0 })))
}
