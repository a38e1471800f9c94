//! `cargo xtask vm`: Debian's kernels in QEMU. [`kernel`] fetches them, [`image`] makes what they boot into, [`qemu`] runs
//! them, and a suite judges what happened inside.

mod image;
mod kernel;
mod probes;
mod qemu;

use crate::setup::{self, Group};
use crate::{build, sh};
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use std::{fmt, fs};

/// Which of Debian's kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// The ordinary one.
    Plain,
    /// PREEMPT_RT: interrupts and softirqs run in threads.
    Rt,
}

impl Flavour {
    /// All that suites run on.
    pub const ALL: [Flavour; 2] = [Flavour::Plain, Flavour::Rt];
}

impl fmt::Display for Flavour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Flavour::Plain => "6.1",
            Flavour::Rt => "6.1-rt",
        })
    }
}

/// A statement about what happened in a machine.
pub struct Check {
    /// What is stated.
    pub name: String,
    /// The figures that bear it out, or those that don't.
    pub result: Result<String, String>,
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.result {
            Ok(figures) => write!(f, "{} ... ok ({figures})", self.name),
            Err(figures) => write!(f, "{} ... FAILED ({figures})", self.name),
        }
    }
}

/// What to run in a machine, and how to judge it.
pub struct Suite {
    /// The name on the command line.
    pub name: &'static str,
    /// Modules to load.
    modules: &'static [&'static str],
    /// Our own programs to copy in.
    programs: &'static [&'static str],
    /// A shell script; what it writes under `/out` is judged.
    script: &'static str,
    /// Judges the files that the script left.
    judge: fn(&Path) -> Vec<Check>,
}

/// All suites.
pub const SUITES: &[Suite] = &[probes::SUITE];

/// Long enough for a slow host without KVM; a kernel that hangs must not hang CI.
const LIMIT: Duration = Duration::from_secs(300);

/// `cargo xtask vm [--rt] SUITE`, or `[--rt] [--with PROGRAM]... -- COMMAND`.
pub fn run(args: Vec<OsString>) -> Result<ExitCode> {
    const USAGE: &str = "usage: cargo xtask vm [--rt] SUITE, or [--rt] [--with PROGRAM]... -- COMMAND";
    let mut flavour = Flavour::Plain;
    let mut programs = Vec::new();
    let mut args = args.into_iter().map(|arg| arg.to_string_lossy().into_owned());
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--rt" => flavour = Flavour::Rt,
            "--with" => programs.push(args.next().context(USAGE)?),
            "--" => {
                setup::ensure(&[Group::Test])?;
                let command = args.collect::<Vec<_>>().join(" ");
                return run_command(flavour, &programs, &command);
            }
            name => {
                let suite = SUITES.iter().find(|suite| suite.name == name).with_context(|| {
                    format!(
                        "no suite `{name}`; there are: {}",
                        SUITES.iter().map(|s| s.name).collect::<Vec<_>>().join(", ")
                    )
                })?;
                setup::ensure(&[Group::Build, Group::Test])?;
                let checks = run_suite(flavour, suite)?;
                checks.iter().for_each(|check| println!("{flavour}: {check}"));
                let all = checks.iter().all(|check| check.result.is_ok());
                return Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE });
            }
        }
    }
    bail!(USAGE)
}

/// Boots a machine for a suite and judges.
///
/// # Errors
/// If the machine can't be made, or its script doesn't come to an end.
pub fn run_suite(flavour: Flavour, suite: &Suite) -> Result<Vec<Check>> {
    let programs: Vec<PathBuf> = suite.programs.iter().map(|name| build::release(name)).collect::<Result<_>>()?;
    let machine = Machine::prepare(flavour, &programs, suite.modules, suite.script)?;
    machine.boot(&format!("suite {} on {flavour}", suite.name))?;
    Ok((suite.judge)(&machine.out))
}

fn run_command(flavour: Flavour, programs: &[String], command: &str) -> Result<ExitCode> {
    let programs: Vec<PathBuf> = programs.iter().map(|name| find_program(name)).collect::<Result<_>>()?;
    let script = format!("{{ {command}\n}} >/out/output 2>&1");
    let machine = Machine::prepare(flavour, &programs, image::MODULES, &script)?;
    let code = machine.boot(&format!("command on {flavour}"))?;
    print!("{}", fs::read_to_string(machine.out.join("output")).unwrap_or_default());
    Ok(ExitCode::from(code))
}

/// One of ours, a path, or a program on the PATH.
fn find_program(name: &str) -> Result<PathBuf> {
    if ["fw-agent", "fw-top"].contains(&name) {
        setup::ensure(&[Group::Build])?;
        return build::release(name);
    }
    // Joining an absolute path gives that path.
    sh::program_dirs()
        .into_iter()
        .map(|dir| dir.join(name))
        .find(|path| path.is_file())
        .with_context(|| format!("no program `{name}`"))
}

/// A machine ready to boot.
struct Machine {
    kernel: kernel::Kernel,
    base: PathBuf,
    payload: PathBuf,
    disk: PathBuf,
    /// The directory of the host that is `/out` inside.
    out: PathBuf,
}

impl Machine {
    fn prepare(flavour: Flavour, programs: &[PathBuf], modules: &[&str], script: &str) -> Result<Machine> {
        let kernel = kernel::fetch(flavour)?;
        let run = sh::target().join("vm").join(format!("run-{flavour}"));
        // What an earlier run left would be taken for this one's.
        if run.exists() {
            fs::remove_dir_all(&run)?;
        }
        let out = run.join("out");
        fs::create_dir_all(&out)?;
        let disk = run.join("disk.img");
        fs::File::create(&disk)?.set_len(64 << 20)?;
        let base = image::base(&kernel)?;
        let payload = image::payload(&run, programs, modules, script)?;
        Ok(Machine { kernel, base, payload, disk, out })
    }

    /// Boots it and runs its script; the script's exit code.
    fn boot(&self, title: &str) -> Result<u8> {
        let console = qemu::boot(title, self, LIMIT)?;
        let code = fs::read_to_string(self.out.join("rc")).ok().and_then(|code| code.trim().parse().ok());
        code.with_context(|| format!("the machine went down before its script ended:\n{}", sh::tail(&console)))
    }
}
