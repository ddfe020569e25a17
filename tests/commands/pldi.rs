//! `cupola bench pldi`: the tables of the PLDI 2011 paper.

use assert_cmd::Command;
use serde_json::Value;

fn results(arguments: &[&str]) -> Value {
    let mut command = Command::cargo_bin("cupola").expect("the binary is built");
    let command = command
        .args(["bench", "pldi", "--json", "-q"])
        .args(arguments);
    let output = command.assert().code(0).get_output().clone();
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// With sets none of the correctly fenced programs is verified, with `fd` and k = 0 all but two, with k = 1 all.
#[test]
fn programs_are_verified_as_in_table_1() {
    let results = results(&["--table", "1"]);
    let rows = results["verification"].as_array().expect("a list");
    assert_eq!(rows.len(), 18);
    for row in rows {
        let verified = row["verified"].as_bool().expect("a truth value");
        assert_eq!(row["verified"], row["paper"]["verified"], "{row}");
        let program = row["program"].as_str().expect("a name");
        let expected = match (row["domain"].as_str(), row["k"].as_u64()) {
            (Some("fd"), Some(1)) => true,
            (Some("fd"), Some(0)) => !["Fast3", "CLH2"].contains(&program),
            _ => false,
        };
        assert_eq!(verified, expected, "{row}");
    }
}

/// The marks from best to worst.
const MARKS: [&str; 4] = ["optimal", "sub_optimal", "unfixable", "out_of_states"];

/// The paper's mark or a better one, and everything is decided.
#[test]
fn fences_are_inferred_as_in_table_2_or_better() {
    let results = results(&["--table", "2"]);
    let rows = results["inference"].as_array().expect("a list");
    assert_eq!(rows.len(), 45);
    let rank = |mark: &Value| {
        MARKS
            .iter()
            .position(|known| mark == known)
            .expect("a mark")
    };
    for row in rows {
        assert!(rank(&row["mark"]) <= rank(&row["paper"]["mark"]), "{row}");
        assert_ne!(row["mark"], "out_of_states", "{row}");
    }
}

#[test]
fn a_program_that_is_not_there_is_told() {
    let mut command = Command::cargo_bin("cupola").expect("the binary is built");
    let output = command.args(["bench", "pldi", "Ticket"]).assert().code(2);
    let errors = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(
        errors.contains("no program has a name that contains `Ticket`"),
        "{errors}"
    );
}
