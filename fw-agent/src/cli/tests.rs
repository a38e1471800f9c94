//! What the command line says about itself.

use super::*;

/// The long help of a command, as in a terminal of 100 columns.
fn help(command: Option<&str>) -> String {
    let mut cli = Cli::command().term_width(100);
    cli.build();
    let command = match command {
        Some(name) => cli.find_subcommand_mut(name).unwrap(),
        None => &mut cli,
    };
    command.render_long_help().to_string()
}

#[test]
fn command_line_is_consistent() {
    Cli::command().debug_assert();
}

#[test]
fn help_of_the_program() {
    insta::assert_snapshot!(help(None));
}

#[test]
fn help_of_observe() {
    insta::assert_snapshot!(help(Some("observe")));
}

#[test]
fn help_of_doctor() {
    insta::assert_snapshot!(help(Some("doctor")));
}

#[test]
fn nonsense_is_refused_with_a_sentence() {
    for (arguments, sentence) in [
        ("--duration 0", "it must be longer than 0"),
        ("--duration 5parsecs", "no unit of time"),
        ("--interval=-1s", "it must be longer than 0"),
        ("--count 0", "1.."),
        ("--json --text", "cannot be used with"),
        ("--pid 0", "idle thread"),
        ("--comm a-name-that-is-too-long", "keeps 15 bytes"),
        ("--no-such-option", "unexpected argument"),
        ("--top -1", "unexpected argument"),
    ] {
        let words = ["fw-agent", "observe"].into_iter().chain(arguments.split(' '));
        let error = Cli::try_parse_from(words).expect_err(arguments);
        assert_eq!(error.exit_code(), 2, "{arguments}");
        assert!(error.to_string().contains(sentence), "{arguments}: {error}");
    }
}
