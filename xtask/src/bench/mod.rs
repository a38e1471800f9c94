//! `cargo xtask bench`: what observing costs on this machine, and whether what it counts is right.
//!
//! Every figure is a ratio of two things measured in turns, or an agreement of two things measured at once: absolute
//! times drift by a third from run to run on a virtual machine.

mod background;
mod probes;
mod start;
mod truth;

use crate::setup::{self, Group};
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::fmt;
use std::process::ExitCode;

/// Alternating runs, if the user names no number.
const RUNS: usize = 7;

/// A figure and what it must keep to.
struct Bar {
    name: String,
    value: f64,
    limit: Limit,
}

enum Limit {
    AtMost(f64),
    AtLeast(f64),
}

impl Bar {
    fn at_most(name: impl Into<String>, value: f64, limit: f64) -> Bar {
        Bar { name: name.into(), value, limit: Limit::AtMost(limit) }
    }

    fn at_least(name: impl Into<String>, value: f64, limit: f64) -> Bar {
        Bar { name: name.into(), value, limit: Limit::AtLeast(limit) }
    }

    fn holds(&self) -> bool {
        match self.limit {
            Limit::AtMost(limit) => self.value <= limit,
            Limit::AtLeast(limit) => self.value >= limit,
        }
    }
}

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, limit) = match self.limit {
            Limit::AtMost(limit) => ("<=", limit),
            Limit::AtLeast(limit) => (">=", limit),
        };
        let verdict = if self.holds() { "ok" } else { "short" };
        write!(f, "BAR {} {:.3} {sign} {limit:.3} {verdict}", self.name, self.value)
    }
}

/// `cargo xtask bench NAME [--runs N]`. Fails if a bar is not reached.
pub fn run(args: Vec<OsString>) -> Result<ExitCode> {
    let args: Vec<&str> = args.iter().filter_map(|arg| arg.to_str()).collect();
    let (name, runs) = match args[..] {
        [name] => (name, RUNS),
        [name, "--runs", runs] => {
            (name, runs.parse().ok().filter(|runs| *runs > 0).context("--runs takes a number from 1")?)
        }
        _ => bail!("usage: cargo xtask bench probes|truth|setup [--runs N]"),
    };
    let bench = match name {
        "probes" => probes::run,
        "truth" => truth::run,
        "setup" => start::run,
        _ => bail!("no benchmark `{name}`; there are: probes, truth, setup"),
    };
    setup::ensure(&[Group::Build, Group::Bench])?;
    let bars = bench(runs)?;
    bars.iter().for_each(|bar| println!("{bar}"));
    Ok(if bars.iter().all(Bar::holds) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The middle value; of two middle ones the upper. NaN of nothing, which no bar holds for.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_says_whether_it_holds() {
        assert_eq!(Bar::at_most("added", 0.31, 0.4).to_string(), "BAR added 0.310 <= 0.400 ok");
        assert_eq!(Bar::at_least("share", 0.5, 0.95).to_string(), "BAR share 0.500 >= 0.950 short");
        assert!(!Bar::at_most("nothing measured", f64::NAN, 1.0).holds());
    }

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert!(median(&[]).is_nan());
    }
}
