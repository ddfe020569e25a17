//! Colours of diagnostics: asked for, forbidden, or left to the terminal.

use std::io::Write;
use std::process::{Command, Stdio};

/// What a wrong program gets on standard error.
fn diagnostic(args: &[&str]) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_cupola"))
        .args(["fmt", "-"])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut input = child.stdin.take().expect("it is piped");
    input.write_all(b"shared x y;").expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8(output.stderr).expect("diagnostics are text")
}

const ESCAPE: char = '\u{1b}';

#[test]
fn colours_are_used_when_asked_for() {
    assert!(diagnostic(&["--color", "always"]).contains(ESCAPE));
}

#[test]
fn without_a_terminal_there_are_none() {
    assert!(!diagnostic(&[]).contains(ESCAPE));
    assert!(!diagnostic(&["--color", "auto"]).contains(ESCAPE));
    assert!(!diagnostic(&["--color", "never"]).contains(ESCAPE));
}
