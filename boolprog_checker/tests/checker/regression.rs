//! Small programs in the dialect, each with its verdicts in the first line.
//!
//! `// verdict: …` has one word for each assertion, in the order of the text; `// options: …` has
//! options of the command.

use std::path::{Path, PathBuf};
use std::process::Command;

use boolprog_checker::parse;

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let entries = std::fs::read_dir(folder).expect("the folder is part of the crate");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    paths.sort();
    paths
}

fn header<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let prefix = format!("// {key}:");
    text.lines()
        .find_map(|line| line.strip_prefix(&prefix))
        .unwrap_or("")
        .split_whitespace()
        .collect()
}

#[test]
fn every_program_has_its_verdict() {
    let programs = programs();
    assert!(programs.len() >= 40);
    for path in programs {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let output = Command::new(env!("CARGO_BIN_EXE_boolprog-checker"))
            .arg(&path)
            .args(header(&text, "options"))
            .arg("--json")
            .output()
            .expect("the command runs");
        let report: serde_json::Value =
            serde_json::from_slice(&output.stdout).expect("it prints JSON");
        let assertions = report["assertions"]
            .as_array()
            .expect("there is a list of assertions");
        let found: Vec<_> = assertions
            .iter()
            .map(|one| one["verdict"].as_str().unwrap())
            .collect();
        assert_eq!(found, header(&text, "verdict"), "{}", path.display());
        let code = match report["verdict"].as_str().unwrap() {
            "verified" => 0,
            "violated" => 10,
            _ => 5,
        };
        assert_eq!(output.status.code(), Some(code), "{}", path.display());
        for one in assertions {
            assert_eq!(
                one["trace"].is_null(),
                one["verdict"] == "verified" || one["reason"] == "threads"
            );
        }
    }
}

#[test]
fn every_program_prints_and_parses_back() {
    for path in programs() {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let program = parse(&text).expect("it is a program");
        let printed = program.to_string();
        let again = parse(&printed)
            .unwrap_or_else(|errors| panic!("{}: {errors}\n{printed}", path.display()));
        assert_eq!(program, again, "{}", path.display());
    }
}
