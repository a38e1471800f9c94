//! `cargo xtask setup`: tells what is missing and why, then installs it. [`needs`] is the table, [`system`] looks,
//! [`install`] installs.

mod install;
mod needs;
mod system;

pub use needs::Group;
pub use system::{System, is_root};

use anyhow::{Result, bail};
use needs::{NEEDS, Need};
use std::ffi::OsString;
use std::process::ExitCode;

/// `cargo xtask setup [--check]`.
pub fn run(args: Vec<OsString>) -> Result<ExitCode> {
    let system = System::this();
    match args.iter().map(|arg| arg.to_str()).collect::<Vec<_>>()[..] {
        [] => {
            ensure(&Group::ALL)?;
            println!("Nothing is missing.");
            Ok(ExitCode::SUCCESS)
        }
        [Some("--check")] => {
            let mut all = true;
            for need in NEEDS {
                let present = need.is_met(&system);
                all &= present;
                let state = if present { "present" } else { "MISSING" };
                println!("{:5}  {state}  {:17}  {}", need.group.name(), need.what, need.why);
            }
            Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        _ => bail!("usage: cargo xtask setup [--check]"),
    }
}

/// Installs what these groups lack.
///
/// # Errors
/// On a system that it can't install on: with what is needed. If an installation fails.
pub fn ensure(groups: &[Group]) -> Result<()> {
    let system = System::this();
    let missing = missing(&system, groups);
    if missing.is_empty() {
        return Ok(());
    }
    eprintln!("Missing:");
    for need in &missing {
        eprintln!("  {}: {}", need.what, need.why);
    }
    if !system.can_install() {
        bail!("{}", by_hand(&missing));
    }
    for need in &missing {
        install::install(&system, need)?;
        if !need.is_met(&System::this()) {
            bail!("{} is still missing after its installation. {}", need.what, by_hand(&[need]));
        }
    }
    Ok(())
}

fn missing(system: &System, groups: &[Group]) -> Vec<&'static Need> {
    NEEDS.iter().filter(|need| groups.contains(&need.group) && !need.is_met(system)).collect()
}

fn by_hand(needs: &[&Need]) -> String {
    let list: Vec<String> = needs.iter().map(|need| format!("\n  {}: {}", need.what, need.by_hand)).collect();
    format!("Only Debian's apt-get as root (or with sudo) is known here. Please install by hand:{}", list.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::tests::MadeUp;

    #[test]
    fn a_bare_system_lacks_everything_of_the_groups_asked_for() {
        let bare = MadeUp::new("bare");
        let names = |groups| missing(&bare.system(), groups).iter().map(|need| need.what).collect::<Vec<_>>();
        assert_eq!(names(&[Group::Build]), ["eBPF toolchain", "bpf-linker"]);
        assert_eq!(names(&Group::ALL).len(), NEEDS.len());
    }

    #[test]
    fn what_is_there_is_not_missing() {
        let machine = MadeUp::new("equipped");
        machine.file("rustup/toolchains/stable/lib/rustlib/src/rust/library/core/Cargo.toml");
        for program in ["bpf-linker", "qemu-system-x86_64", "perf"] {
            machine.file(&format!("bin/{program}"));
        }
        let names: Vec<_> = missing(&machine.system(), &Group::ALL).iter().map(|need| need.what).collect();
        assert!(!names.contains(&"eBPF toolchain") && !names.contains(&"bpf-linker"), "{names:?}");
        assert!(!names.contains(&"QEMU") && names.contains(&"busybox"), "{names:?}");
    }

    #[test]
    fn what_must_be_done_by_hand_is_named() {
        let bare = MadeUp::new("by-hand");
        assert!(!bare.system().can_install());
        let text = by_hand(&missing(&bare.system(), &[Group::Build]));
        assert!(text.contains("rust-src") && text.contains("cargo install bpf-linker"), "{text}");
    }
}
