//! The binary as a shell sees it: exit status and streams.

use std::{
    fs::{File, OpenOptions},
    os::unix::process::CommandExt,
    path::Path,
    process::{Command, Output, Stdio},
};

/// The user without rights.
const NOBODY: u32 = 65534;

fn fw_agent(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fw-agent"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn nonsense_ends_with_status_2_and_a_sentence() {
    for arguments in [
        ["observe", "--duration", "0"].as_slice(),
        &["observe", "--duration", "1s", "--interval", "2s"],
        &["observe", "--frobnicate"],
        &["frobnicate"],
        &[],
    ] {
        let output = fw_agent(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn doctor_fails_where_observe_cannot_run() {
    let empty = tempfile::tempdir().unwrap();
    let root = empty.path().to_str().unwrap();
    for arguments in [["doctor", "--root", root].as_slice(), &["doctor", "--json", "--root", root]] {
        let output = fw_agent(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stdout).contains("cannot run on this host"));
    }
}

#[test]
fn without_permission_one_sentence_says_what_is_needed() {
    if !Path::new("/sys/kernel/btf/vmlinux").exists() {
        eprintln!("skipped: this kernel has no BTF, which is missed before the permission");
        return;
    }
    let mut command = fw_agent(&["observe", "--duration", "1s"]);
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => return eprintln!("skipped: nobody but this user can run fw-agent here: {error}"),
    };
    let said = stderr(&output);
    assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{said}");
    assert!(said.starts_with("fw-agent: not allowed to load eBPF programs: run as root"), "{said}");
    assert!(output.stdout.is_empty());
}

#[test]
fn a_reader_that_left_is_no_panic() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = fw_agent(&["doctor"]).stdout(writer).output().unwrap();
    assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn a_full_disk_is_an_error_not_a_panic() {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = fw_agent(&["doctor"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("fw-agent: "), "{}", stderr(&output));
}

#[test]
fn a_closed_stderr_is_no_panic() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = fw_agent(&["observe", "--duration", "0"]).stderr(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
