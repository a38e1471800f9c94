//! `cargo xtask test`: everything that can be tested on this machine, and one line that sums it up.

use crate::setup::{self, Group};
use crate::sh::{self, Step};
use crate::vm::{self, Check, Flavour};
use anyhow::{Result, bail};
use std::ffi::OsString;
use std::fmt;
use std::ops::AddAssign;
use std::process::ExitCode;

/// How a set of tests went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    passed: u32,
    failed: u32,
    skipped: u32,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// `cargo xtask test [--no-vm] [FILTER]`.
pub fn run(args: Vec<OsString>) -> Result<ExitCode> {
    let (mut machines, mut filter) = (true, None);
    for arg in args {
        match arg.to_str() {
            Some("--no-vm") => machines = false,
            Some(name) if !name.starts_with('-') && filter.is_none() => filter = Some(name.to_owned()),
            _ => bail!("usage: cargo xtask test [--no-vm] [FILTER]"),
        }
    }
    setup::ensure(if machines { &[Group::Build, Group::Test] } else { &[Group::Build] })?;

    let mut tally = workspace(filter.as_deref())?;
    if machines {
        for flavour in Flavour::ALL {
            tally += machine(flavour, filter.as_deref());
        }
    }
    println!("{tally}");
    Ok(if tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Unit, live-kernel and documentation tests of all crates.
fn workspace(filter: Option<&str>) -> Result<Tally> {
    let mut build = sh::command("cargo");
    build.args(["test", "--workspace", "--no-run"]);
    let ended = Step::new("building the tests", &mut build).end()?;
    if !ended.status.success() {
        println!("{}", sh::tail(&ended.output));
        return Ok(Tally { failed: 1, ..Tally::default() });
    }
    let mut cargo = sh::command("cargo");
    cargo.args(["test", "--workspace", "--no-fail-fast"]).args(filter).args(["--", "--show-output"]);
    let ended = Step::new("testing on this machine", &mut cargo).end()?;
    let mut tally = count(&ended.output);
    for reason in skips(&ended.output) {
        println!("{reason}");
    }
    if !ended.status.success() {
        // A test program that crashed gives no result line.
        tally.failed = tally.failed.max(1);
        println!("{}\nall of it: {}", failures(&ended.output), ended.log.display());
    }
    Ok(tally)
}

/// The suites on another kernel.
fn machine(flavour: Flavour, filter: Option<&str>) -> Tally {
    let mut tally = Tally::default();
    for suite in vm::SUITES.iter().filter(|suite| filter.is_none_or(|filter| suite.name.contains(filter))) {
        let checks = vm::run_suite(flavour, suite).unwrap_or_else(|error| {
            vec![Check { name: format!("suite {} runs", suite.name), result: Err(format!("{error:#}")) }]
        });
        for check in checks {
            println!("{flavour}: {check}");
            match check.result {
                Ok(_) => tally.passed += 1,
                Err(_) => tally.failed += 1,
            }
        }
    }
    tally
}

/// Adds up the `test result:` lines. A test that can't run here says `skipped: why` and ends well: it is not counted as
/// passed.
fn count(output: &str) -> Tally {
    let mut tally = Tally::default();
    for line in output.lines().filter_map(|line| line.strip_prefix("test result: ")) {
        let number = |what: &str| -> u32 {
            let words: Vec<&str> = line.split([' ', ';']).filter(|word| !word.is_empty()).collect();
            words.windows(2).find(|pair| pair[1] == what).and_then(|pair| pair[0].parse().ok()).unwrap_or(0)
        };
        tally += Tally { passed: number("passed"), failed: number("failed"), skipped: number("ignored") };
    }
    let skipped = skips(output).len() as u32;
    tally.passed = tally.passed.saturating_sub(skipped);
    tally.skipped += skipped;
    tally
}

/// The first reason that each test gives for being skipped.
fn skips(output: &str) -> Vec<&str> {
    let mut reasons = Vec::new();
    let mut first = true;
    for line in output.lines() {
        if line.starts_with("---- ") {
            first = true;
        } else if line.starts_with("skipped: ") && first {
            first = false;
            reasons.push(line);
        }
    }
    reasons
}

/// The part of libtest's output that shows the failed tests, else its end.
fn failures(output: &str) -> String {
    match output.find("\nfailures:\n") {
        Some(start) => output[start..].lines().take(200).collect::<Vec<_>>().join("\n"),
        None => sh::tail(output),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
running 3 tests
test live::counts_wakes ... ok
test live::counts_interrupts ... FAILED
test live::slow ... ignored

successes:

---- live::counts_wakes stdout ----
skipped: needs root
skipped: and BTF

failures:

---- live::counts_interrupts stdout ----
assertion failed: n > 0

failures:
    live::counts_interrupts

test result: FAILED. 4 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.04s

     Running unittests src/lib.rs
test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out; finished in 1.54s
";

    #[test]
    fn result_lines_add_up_and_skips_are_no_passes() {
        assert_eq!(count(OUTPUT), Tally { passed: 15, failed: 1, skipped: 2 });
        assert_eq!(count(OUTPUT).to_string(), "15 passed, 1 failed, 2 skipped");
        assert_eq!(count("error: could not compile"), Tally::default());
    }

    #[test]
    fn failed_tests_are_shown() {
        assert!(failures(OUTPUT).contains("assertion failed: n > 0"));
        assert!(!failures(OUTPUT).contains("running 3 tests"));
    }
}
