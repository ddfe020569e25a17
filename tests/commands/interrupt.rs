//! Ctrl-C: long commands end with what is known.

#![cfg(unix)]

use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

/// Starts a command, interrupts it until it ends, and returns what it said. It may get the first
/// signal before it can handle it and die from that: then it is started once more and gets more time.
fn interrupted(args: &[&str]) -> Output {
    for wait in [1, 2, 4, 8, 16] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_cupola"))
            .args(args)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        sleep(Duration::from_secs(wait));
        let signalled = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .expect("there is a kill command");
        assert!(signalled.success(), "it ended before it was interrupted");
        let mut stdout = Vec::new();
        let mut out = child.stdout.take().expect("it is piped");
        out.read_to_end(&mut stdout).expect("the pipe can be read");
        let status = child.wait().expect("it ends");
        if status.code().is_some() {
            return Output {
                status,
                stdout,
                stderr: Vec::new(),
            };
        }
    }
    panic!("it never came to handle the signal");
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("the report is JSON")
}

/// A program that no exploration ends.
const ENDLESS: &str = "examples/bakery.cup";

#[test]
fn explore_tells_what_it_saw() {
    let output = interrupted(&[
        "explore",
        ENDLESS,
        "--model",
        "pso",
        "--fences",
        "all",
        "--max-states",
        "4000000000",
        "--json",
    ]);
    assert_eq!(output.status.code(), Some(5));
    let report = json(&output);
    assert_eq!(report["verdict"], "unknown");
    assert_eq!(report["reason"], "interrupted");
    assert!(report["states"].as_u64().is_some_and(|states| states > 0));
}

#[test]
fn check_tells_what_it_saw() {
    let names: Vec<String> = (0..40).map(|i| format!("v{i}")).collect();
    let folder = tempfile::tempdir().expect("a directory");
    let file = folder.path().join("many.bp");
    // Each of the many states is stored on its own, so that this takes time rather than memory.
    let names = names.join(", ");
    let text = format!("decl {names};\nvoid main() begin\nassert(v0 | !v0);\nend\n");
    std::fs::write(&file, text).expect("it can be written");
    let file = file.to_str().expect("a plain path");
    let output = interrupted(&[
        "check",
        file,
        "--exact",
        "--max-states",
        "4000000000",
        "--json",
    ]);
    assert_eq!(output.status.code(), Some(5));
    assert_eq!(json(&output)["reason"], "cancelled");
}

#[test]
fn verify_tells_of_every_model() {
    let output = interrupted(&[
        "verify",
        "examples/bakery.cup",
        "--model",
        "all",
        "--search",
        "exhaustive",
        "--cube-size",
        "6,6",
        "--json",
    ]);
    assert_eq!(output.status.code(), Some(5));
    let report = json(&output);
    let results = report["results"].as_array().expect("there are results");
    assert_eq!(results.len(), 3);
    for result in results {
        assert_eq!(result["verdict"], "unknown");
        assert_eq!(result["reason"], "interrupted");
    }
}

#[test]
fn fences_tells_what_is_known() {
    let output = interrupted(&[
        "fences",
        ENDLESS,
        "--model",
        "pso",
        "--places",
        "all",
        "--engine",
        "explore",
        "--buffer",
        "60",
        "--explore-states",
        "4000000000",
        "--json",
    ]);
    assert_eq!(output.status.code(), Some(5));
    let report = json(&output);
    assert_eq!(report["outcome"], "interrupted");
    assert_eq!(report["complete"], false);
}
