//! The command as a script meets it.

use std::process::{Command, Output, Stdio};

fn fw_top(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fw-top"));
    command.args(args).stdin(Stdio::null()).output().expect("fw-top can be started")
}

fn complaint(args: &[&str]) -> String {
    let out = fw_top(args);
    assert!(!out.status.success(), "{args:?} succeeded");
    assert!(out.stdout.is_empty(), "{args:?} printed to standard output");
    String::from_utf8(out.stderr).expect("UTF-8")
}

#[test]
fn without_a_terminal_one_sentence_says_so() {
    let said = "fw-top: standard output is not a terminal; use `fw-top --once` for one plain-text frame\n";
    assert_eq!(complaint(&[]), said);
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
