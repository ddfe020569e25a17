//! `cupola bench tacas`: the table of the TACAS 2012 paper.

use std::path::Path;

use assert_cmd::Command;
use cupola::bench::tacas::PROGRAMS;
use serde_json::Value;
use tempfile::TempDir;

fn cupola() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cupola"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn json(command: &mut Command) -> Value {
    let output = command.output().expect("the binary runs");
    serde_json::from_slice(&output.stdout).expect("it prints JSON")
}

#[test]
fn the_texts_are_those_of_the_examples() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/rmm");
    for program in &PROGRAMS {
        let path = root.join(format!("{}.rmm", program.name));
        let text = std::fs::read_to_string(path).expect("the example is there");
        assert_eq!(program.text, text, "{}", program.name);
    }
    let numbers: Vec<usize> = PROGRAMS.iter().map(|program| program.number).collect();
    assert_eq!(numbers, (1..=17).collect::<Vec<_>>());
}

#[test]
fn the_paper_s_numbers_of_fences_and_sets_come_out() {
    let results = json(cupola().args(["bench", "tacas", "--json", "-q"]));
    let rows = results["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 34);
    let mut compared = 0;
    for row in rows {
        let (ours, paper) = (&row["ours"], &row["paper"]);
        let name = row["program"].as_str().unwrap_or_default();
        assert_ne!(ours["verdict"], "unknown", "{name} under {}", row["model"]);
        if paper.is_object() {
            assert_eq!(row["model"], "tso");
            assert_eq!(
                (&ours["fences"], &ours["sets"]),
                (&paper["fences"], &paper["sets"]),
                "{name}"
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 17);
    // What the table does not have: PSO, by hand and by `cupola fences`.
    let pso = |name: &str| {
        let mut rows = rows.iter();
        let row = rows.find(|row| row["program"] == name && row["model"] == "pso");
        let ours = &row.expect("the row is there")["ours"];
        (ours["fences"].as_u64(), ours["sets"].as_u64())
    };
    assert_eq!(pso("peterson"), (Some(2), Some(1)));
    assert_eq!(pso("bakery"), (Some(2), Some(1)));
    assert_eq!(pso("lamport_fast"), (Some(3), Some(1)));
    assert_eq!(pso("sense_barrier"), (Some(1), Some(1)));
    assert_eq!(pso("clh"), (Some(0), Some(1)));
    assert_eq!(pso("producer_consumer_v1_2"), (None, Some(0)));
}

#[test]
fn an_engine_can_be_chosen_and_files_named() {
    let mut command = cupola();
    command.args([
        "bench", "tacas", "--engine", "explore", "--model", "tso", "--json", "-q",
    ]);
    command.args(["examples/rmm/peterson.rmm", "examples/dekker_simple.cup"]);
    let results = json(&mut command);
    let rows = results["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["number"], 3);
    assert_eq!(rows[0]["ours"]["engines"], Value::from(vec!["explore"]));
    assert!(rows[1]["paper"].is_null() && rows[1]["number"].is_null());
    let text = cupola()
        .args(["bench", "tacas", "--model", "sc"])
        .output()
        .expect("it runs");
    assert_eq!(text.status.code(), Some(2));
    let few = [
        "bench",
        "tacas",
        "--engine",
        "explore",
        "--explore-states",
        "3",
        "--model",
        "tso",
    ];
    let text = cupola()
        .args(few)
        .arg("examples/rmm/peterson.rmm")
        .output()
        .expect("it runs");
    assert_eq!(text.status.code(), Some(5));
}

/// A folder with a program `memorax` that does this.
fn memorax(script: &str) -> TempDir {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().expect("there is room for a folder");
    let path = folder.path().join("memorax");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("it can be written");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("it can be run");
    folder
}

fn beside(script: &str, more: &[&str]) -> Value {
    let folder = memorax(script);
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = cupola();
    command.env("PATH", format!("{}:{path}", folder.path().display()));
    command.args(["bench", "tacas", "--peer", "memorax", "--json", "-q"]);
    command.args(more).arg("examples/rmm/peterson.rmm");
    json(&mut command)
}

#[test]
fn memorax_runs_on_the_same_files() {
    let answer = r#"case "$*" in
        "fencins --abstraction sb --rff --only-one examples/rmm/peterson.rmm") echo "Found 1 fence set:";;
        "fencins --abstraction sb --rff examples/rmm/peterson.rmm") sleep 0.2; echo "Found 3 fence sets:";;
        *) exit 1;;
    esac"#;
    let results = beside(answer, &[]);
    let (tso, pso) = (&results["rows"][0], &results["rows"][1]);
    assert_eq!(tso["peer"]["end"], "answered");
    assert_eq!(tso["peer"]["sets"], 3);
    assert!(tso["peer"]["all_seconds"].as_f64() >= Some(0.2));
    assert!(pso["peer"].is_null());
    assert_eq!(beside("exit 1", &[])["rows"][0]["peer"]["end"], "failed");
    assert_eq!(
        beside("echo hello", &[])["rows"][0]["peer"]["end"],
        "failed"
    );
    let late = beside("sleep 20", &["--peer-timeout", "0.2"]);
    assert_eq!(late["rows"][0]["peer"]["end"], "timeout");
}

#[test]
fn the_table_shows_the_ratio() {
    let folder = memorax("echo 'Found 1 fence set:'");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = cupola();
    command.env("PATH", format!("{}:{path}", folder.path().display()));
    command.args([
        "bench", "tacas", "--peer", "memorax", "--model", "tso", "-q",
    ]);
    let output = command
        .arg("examples/rmm/peterson.rmm")
        .output()
        .expect("it runs");
    let text = String::from_utf8(output.stdout).expect("the output is text");
    let heading = text
        .lines()
        .find(|line| line.contains("ratio"))
        .expect("a heading");
    assert_eq!(heading.matches("memorax").count(), 3, "{text}");
    assert!(text.contains("come out for 1 of 1 program."), "{text}");
}

#[test]
fn memorax_must_be_there() {
    let folder = TempDir::new().expect("there is room for a folder");
    let mut command = cupola();
    command.env("PATH", folder.path());
    command.args([
        "bench",
        "tacas",
        "--peer",
        "memorax",
        "examples/rmm/peterson.rmm",
    ]);
    let output = command.output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        errors.contains("there is no `memorax` on the PATH"),
        "{errors}"
    );
}
