//! `cupola bench buffers`: slots beside buffers of any length, and what facts about their entries are worth.

use assert_cmd::Command;
use serde_json::Value;

fn output(arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("cupola").expect("the binary is built");
    let command = command.args(["bench", "buffers", "-q"]).args(arguments);
    let output = command.assert().code(0).get_output().clone();
    String::from_utf8(output.stdout).expect("text")
}

/// The words of each row without its last one, the seconds.
fn rows(text: &str) -> Vec<Vec<String>> {
    let words = text.lines().map(|line| {
        let words = line.split_whitespace().map(str::to_owned);
        let mut words: Vec<String> = words.collect();
        words.pop();
        words
    });
    words.collect()
}

/// The page has the figures of the command, but for the seconds.
#[test]
fn the_page_has_the_figures() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/unbounded.md");
    let page = std::fs::read_to_string(page).expect("it can be read");
    let block = page.split("$ cupola bench buffers\n").nth(1);
    let block = block.expect("the page shows the command");
    let shown = block.split("```").next().expect("the block ends");
    assert_eq!(rows(shown), rows(&output(&[])));
}

/// Facts about the order of entries are needed by all but the ticket locks, facts by all.
#[test]
fn facts_are_worth_what_the_page_says() {
    let results: Value = serde_json::from_str(&output(&["ticket", "--json"])).expect("one object");
    let rows = results["tails"].as_array().expect("a list");
    assert_eq!(rows.len(), 12);
    for row in rows {
        let verified = row["ours"]["verdict"] == "verified";
        assert_eq!(verified, row["tail"] != "forget", "{row}");
    }
}

#[test]
fn a_program_that_is_not_there_is_told() {
    let mut command = Command::cargo_bin("cupola").expect("the binary is built");
    let output = command.args(["bench", "buffers", "Pet2"]).assert().code(2);
    let errors = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(
        errors.contains("no program has a name that contains `Pet2`"),
        "{errors}"
    );
}
