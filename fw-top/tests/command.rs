//! The command as a script meets it.

use std::{
    os::unix::process::CommandExt,
    path::Path,
    process::{Command, Output, Stdio},
};

/// The user without rights.
const NOBODY: u32 = 65534;

fn fw_top(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fw-top"));
    command.args(args).stdin(Stdio::null());
    command
}

fn complaint(args: &[&str]) -> String {
    told(&fw_top(args).output().expect("fw-top can be started"), args)
}

/// What a run that failed said on standard error.
fn told(out: &Output, args: &[&str]) -> String {
    assert!(!out.status.success(), "{args:?} succeeded");
    assert!(out.stdout.is_empty(), "{args:?} printed to standard output");
    String::from_utf8(out.stderr.clone()).expect("UTF-8")
}

#[test]
fn without_a_terminal_one_sentence_says_so() {
    let said = "fw-top: standard output is not a terminal; use `fw-top --once` for one plain-text frame\n";
    assert_eq!(complaint(&[]), said);
}

#[test]
fn without_permission_one_sentence_says_what_is_needed() {
    if !Path::new("/sys/kernel/btf/vmlinux").exists() {
        eprintln!("skipped: this kernel has no BTF, which is missed before the permission");
        return;
    }
    let args = ["--once", "--duration", "1s"];
    let mut command = fw_top(&args);
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    let said = match command.output() {
        Ok(out) => told(&out, &args),
        Err(error) => return eprintln!("skipped: nobody but this user can run fw-top here: {error}"),
    };
    assert!(said.starts_with("fw-top: not allowed to load eBPF programs: run as root"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn wrong_arguments_are_told_and_nothing_starts() {
    for (args, word) in [
        (["--tick", "0"], "from 1ms"),
        (["--tick", "0.1"], "0.25s to 10s"),
        (["--theme", "pink"], "colour-blind"),
        (["--pid", "fio"], "--pid"),
        (["--size", "120x40"], "--once"),
        (["--nosuch", "1"], "--nosuch"),
    ] {
        let said = complaint(&args);
        assert!(said.contains(word), "{args:?}: {said}");
    }
}
