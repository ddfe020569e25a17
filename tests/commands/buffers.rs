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
#[ignore = "what fails takes long: make unbounded"]
fn the_page_has_the_figures() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/unbounded.md");
    let page = std::fs::read_to_string(page).expect("it can be read");
    let block = page.split("$ cupola bench buffers\n").nth(1);
    let block = block.expect("the page shows the command");
    let shown = block.split("```").next().expect("the block ends");
    assert_eq!(rows(shown), rows(&output(&[])));
}

/// The queue needs facts about the order of entries under both models; slots are enough for it where a fence stands.
#[test]
fn the_queue_needs_facts_about_order() {
    let results: Value = serde_json::from_str(&output(&["queue", "--json"])).expect("one object");
    let rows = |table: &str| results[table].as_array().expect("a list").clone();
    assert_eq!(rows("ways").len(), 4);
    assert!(
        rows("ways")
            .iter()
            .all(|row| row["ours"]["verdict"] == "verified")
    );
    assert_eq!(rows("tails").len(), 6);
    for row in rows("tails") {
        let verified = row["ours"]["verdict"] == "verified";
        assert_eq!(verified, row["tail"] == "ordered", "{row}");
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
