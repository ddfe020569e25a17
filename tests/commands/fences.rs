//! The command `cupola fences`.

use assert_cmd::Command;
use serde_json::Value;

use crate::support::examples;

fn cupola(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("cupola").expect("the binary is built");
    command
        .current_dir(examples::directory())
        .arg("fences")
        .args(arguments);
    command
}

fn stdout(arguments: &[&str], code: i32) -> String {
    let output = cupola(arguments).assert().code(code).get_output().clone();
    String::from_utf8(output.stdout).expect("the answer is UTF-8")
}

fn stderr(arguments: &[&str], code: i32) -> String {
    let output = cupola(arguments).assert().code(code).get_output().clone();
    String::from_utf8(output.stderr).expect("messages are UTF-8")
}

#[test]
fn the_answer_is_told_as_text() {
    let text = stdout(&["peterson.cup", "--model", "pso"], 0);
    let expected = "\
peterson.cup under pso: 1 minimal placement
  {a, b}: exactly minimal, no fence can be left out
places:
  a: line 14 (P0), line 28 (P1)
  b: line 16 (P0), line 30 (P1)
tried 4 of 8 placements: 3 refuted, 1 proved
";
    assert_eq!(text, expected);
}

#[test]
fn the_answer_is_told_as_json() {
    let text = stdout(
        &["peterson.cup", "--model", "tso", "--json", "--explain", "b"],
        0,
    );
    let json: Value = serde_json::from_str(&text).expect("one JSON object");
    assert_eq!(json["outcome"], "complete");
    assert_eq!(json["complete"], true);
    assert_eq!(json["placements"][0]["fences"], serde_json::json!(["b"]));
    assert_eq!(json["placements"][0]["exact"], true);
    assert_eq!(json["search"][0]["verdict"], "violated");
    assert_eq!(json["places"][1]["sites"][0]["line"], 16);
    assert_eq!(json["placements"][0]["engine"], "explore");
    let execution = &json["explanation"]["execution"];
    assert_eq!(execution["property"], "mutex");
    assert_eq!(execution["fences"], serde_json::json!([]));
    assert_eq!(execution["trace"]["property"]["kind"], "forbid");
}

/// The predicate engine finds the same placements, with what it replays as refutations.
#[test]
fn both_engines_find_the_placements_of_peterson_s_lock() {
    for engine in ["explore", "predicate"] {
        for (model, fences) in [("tso", &["b"][..]), ("pso", &["a", "b"])] {
            let arguments = [
                "peterson.cup",
                "--model",
                model,
                "--engine",
                engine,
                "--json",
            ];
            let json: Value = serde_json::from_str(&stdout(&arguments, 0)).expect("JSON");
            let placements = json["placements"].as_array().expect("a list");
            assert_eq!(placements.len(), 1, "{engine} {model}: {json}");
            assert_eq!(placements[0]["fences"], serde_json::json!(fences));
            assert_eq!(placements[0]["engine"], engine);
            assert_eq!(placements[0]["exact"], true, "{engine} {model}");
        }
    }
}

#[test]
fn the_search_and_the_explanation_are_shown() {
    let arguments = ["peterson.cup", "--model", "tso", "-v", "--explain", "b"];
    let output = cupola(&arguments).assert().code(0).get_output().clone();
    let search = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        search.contains("{}: refuted, one of {a, b} is needed"),
        "{search}"
    );
    assert!(search.contains("{b}: proved (explore"), "{search}");
    let answer = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        answer.contains("Without `b`, with no other fence:"),
        "{answer}"
    );
    assert!(answer.contains("fence? b; is off"), "{answer}");
}

#[test]
fn programs_broken_under_sc_and_hopeless_ones_are_violated() {
    let text = stdout(&["producer_consumer_v1.cup", "--model", "tso"], 10);
    assert!(
        text.contains("broken already under sc, no fence helps"),
        "{text}"
    );
    assert!(text.contains("broken: assert(got == n"), "{text}");
}

#[test]
fn wrong_requests_have_ways_out() {
    let message = stderr(&["peterson.cup", "--model", "sc"], 2);
    assert!(message.contains("--model tso"), "{message}");
    let message = stderr(&["peterson.cup", "--model", "tso", "--explain", "z"], 2);
    assert!(message.contains("the places are a, b, c"), "{message}");
    let message = stderr(&["abp.cup", "--model", "tso", "--places", "optional"], 2);
    assert!(message.contains("--places stores"), "{message}");
}

#[test]
fn the_first_placement_is_written_to_a_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("fenced.cup");
    let path = path.to_str().expect("a path");
    let arguments = ["peterson.cup", "--model", "tso", "--emit", path];
    stdout(&arguments, 0);
    let written = std::fs::read_to_string(path).expect("the file is written");
    assert_eq!(written.matches("    fence;\n").count(), 2);
    let message = stderr(&arguments, 2);
    assert!(message.contains("--force"), "{message}");
    stdout(&[&arguments[..], &["--force"]].concat(), 0);
}

#[test]
fn when_the_time_is_up_the_answer_says_so() {
    let text = stdout(&["lamport_fast.cup", "--model", "pso", "--timeout", "0"], 5);
    assert!(text.contains("the time was up"), "{text}");
}

/// A lock whose store and load are inside a loop: only a fence there helps.
const IN_A_LOOP: &str = "\
shared x, y;
thread P0 {
  local r;
  fence? out0;
  loop {
    x = 1;
    fence? in0;
    r = y;
    if (r == 0) {
    cs: skip;
    }
    x = 0;
  }
}
thread P1 {
  local r;
  y = 1;
  fence;
  r = x;
  assume(r == 0);
cs: skip;
}
forbid mutex: P0@cs && P1@cs;
";

/// A store before a loop, and a load inside: a fence before the loop helps, and one inside it.
const BEFORE_A_LOOP: &str = "\
shared x, y;
thread P0 {
  local r, i;
  x = 1;
  fence? out0;
  while (i < 2) {
    fence? in0;
    r = y;
    i = i + 1;
  }
  assume(r == 0);
cs: skip;
}
thread P1 {
  local r;
  y = 1;
  fence;
  r = x;
  assume(r == 0);
cs: skip;
}
forbid mutex: P0@cs && P1@cs;
";

#[test]
fn fences_stay_out_of_loops_where_that_is_asked_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let answer = |text: &str, more: &[&str], code: i32| -> Value {
        let path = folder.path().join("program.cup");
        std::fs::write(&path, text).expect("it can be written");
        let path = path.to_str().expect("a path");
        let arguments = [&[path, "--model", "tso", "--json"], more].concat();
        serde_json::from_str(&stdout(&arguments, code)).expect("one JSON object")
    };
    let sets = |json: &Value| -> Vec<Value> {
        let placements = json["placements"].as_array().expect("a list");
        let sets = placements.iter();
        sets.map(|placement| placement["fences"].clone()).collect()
    };
    use serde_json::json;
    let all = answer(IN_A_LOOP, &[], 0);
    assert_eq!(sets(&all), [json!(["in0"])], "{all}");
    let outside = answer(IN_A_LOOP, &["--not-in-loops"], 10);
    assert!(sets(&outside).is_empty(), "{outside}");
    let all = answer(BEFORE_A_LOOP, &[], 0);
    assert_eq!(sets(&all), [json!(["out0"]), json!(["in0"])], "{all}");
    let outside = answer(BEFORE_A_LOOP, &["--not-in-loops"], 0);
    assert_eq!(sets(&outside), [json!(["out0"])], "{outside}");
    let behind_stores = ["--not-in-loops", "--places", "stores"];
    let outside = answer(BEFORE_A_LOOP, &behind_stores, 0);
    assert_eq!(sets(&outside), [json!(["after_4"])], "{outside}");
    let outside = answer(IN_A_LOOP, &behind_stores, 10);
    assert!(sets(&outside).is_empty(), "{outside}");
}
