//! Colours of diagnostics and of verdicts: asked for, forbidden, or left to the terminal.

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

/// What is printed on standard output, which is no terminal.
fn report(args: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_cupola"))
        .args(args.split_whitespace())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the binary runs");
    String::from_utf8(output.stdout).expect("reports are text")
}

#[test]
fn verdicts_have_colours_when_asked_for() {
    let explored = "explore examples/peterson.cup --model";
    let safe = report(&format!("{explored} sc --color always"));
    assert!(safe.contains(" \x1b[32msafe\x1b[0m ("), "{safe}");
    let violated = report(&format!("{explored} tso --fences none --color always"));
    assert!(
        violated.contains(" \x1b[31mviolated\x1b[0m, "),
        "{violated}"
    );
    let unknown = report(&format!("{explored} sc --max-states 3 --color always"));
    assert!(unknown.contains(" \x1b[33munknown\x1b[0m, "), "{unknown}");
    assert!(!report(&format!("{explored} sc")).contains(ESCAPE));
}

#[test]
fn json_and_files_have_no_colours() {
    let explored = "explore examples/peterson.cup --model sc --color always";
    assert!(!report(&format!("{explored} --json")).contains(ESCAPE));
    let folder = tempfile::tempdir().expect("there is room for files");
    let path = folder.path().join("result.txt");
    report(&format!("{explored} -o {}", path.display()));
    let written = std::fs::read_to_string(path).expect("the result is written");
    assert!(written.contains(": safe ("), "{written}");
}
