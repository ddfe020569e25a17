//! Runs the command on a text.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs the command with these options and the text as its input.
pub fn run(text: &str, options: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_boolprog-checker"))
        .args(options)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut input = child.stdin.take().expect("it has an input");
    // A command that refuses its options does not read; that is no error of the test.
    let _ = input.write_all(text.as_bytes());
    drop(input);
    child.wait_with_output().expect("the command ends")
}
