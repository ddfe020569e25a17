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

/// The text of an example with some fences made real.
fn with_fences(folder: &std::path::Path, example: &str, real: &[&str]) -> std::path::PathBuf {
    let text = std::fs::read_to_string(examples::directory().join(example)).expect("it is there");
    let lines = text.lines().filter(|line| !line.starts_with("fences "));
    let mut text: String = lines.flat_map(|line| [line, "\n"]).collect();
    for name in real {
        text = text.replace(&format!("fence? {name};"), "fence;");
    }
    let path = folder.join(example);
    std::fs::write(&path, text).expect("it can be written");
    path
}

#[test]
fn fences_that_are_too_many_are_found() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let path = with_fences(folder.path(), "dekker_simple.cup", &["a"]);
    let path = path.to_str().expect("the path is UTF-8");
    let needed = stdout(&[path, "--model", "tso", "--existing"], 0);
    assert!(needed.contains("every fence is needed"), "{needed}");
    let path = with_fences(folder.path(), "peterson.cup", &["a", "b", "c"]);
    let path = path.to_str().expect("the path is UTF-8");
    let text = stdout(&[path, "--model", "tso", "--existing", "--json"], 0);
    let json: Value = serde_json::from_str(&text).expect("one JSON object");
    // One of each thread is enough: b of both, which are in lines 16 and 30.
    let expected = serde_json::json!(["fence_16", "fence_30"]);
    assert_eq!(json["placements"][0]["fences"], expected);
    let removed = serde_json::json!(["fence_14", "fence_20", "fence_28", "fence_34"]);
    assert_eq!(json["placements"][0]["removes"], removed);
}

#[test]
fn costs_pick_a_placement() {
    let cheapest = |costs: &[&str]| {
        let mut arguments = vec!["bakery_rounds.cup", "--model", "tso", "--json"];
        arguments.extend(costs.iter().flat_map(|cost| ["--cost", cost]));
        let text = stdout(&arguments, 0);
        let json: Value = serde_json::from_str(&text).expect("one JSON object");
        json["cheapest"].clone()
    };
    assert_eq!(cheapest(&["b=5"]), serde_json::json!(["a", "c"]));
    assert_eq!(cheapest(&["c=5"]), serde_json::json!(["a", "b"]));
    assert_eq!(cheapest(&[]), Value::Null);
    // The cheapest placement need not be the smallest.
    let path = "../tests/programs/coherence/infer_costs.cup";
    let cheapest_is = |costs: &[&str], expected: &str| {
        let mut arguments = vec![path, "--model", "tso"];
        arguments.extend(costs.iter().flat_map(|cost| ["--cost", cost]));
        let text = stdout(&arguments, 0);
        assert!(text.contains(expected), "{text}");
    };
    cheapest_is(&["m=10"], "cheapest: {a, b}, cost 2");
    cheapest_is(&["m=1"], "cheapest: {m}, cost 1");
    let text = stdout(
        &[
            "bakery_rounds.cup",
            "--model",
            "tso",
            "--cost-in-loop",
            "3",
            "--cost",
            "b=1",
        ],
        0,
    );
    assert!(text.contains("cheapest: {a, b}, cost"), "{text}");
    let error = stderr(&["bakery_rounds.cup", "--model", "tso", "--cost", "z=1"], 2);
    assert!(error.contains("there is no place `z`"), "{error}");
}

#[test]
fn every_placement_is_written_and_verifies() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let into = folder.path().join("all");
    let into = into.to_str().expect("the path is UTF-8");
    stdout(
        &[
            "bakery_rounds.cup",
            "peterson.cup",
            "--model",
            "all",
            "--emit-all",
            into,
        ],
        0,
    );
    let mut files: Vec<_> = std::fs::read_dir(into)
        .expect("it is a folder")
        .map(|file| file.expect("it is there").path())
        .collect();
    files.sort();
    let names: Vec<_> = files
        .iter()
        .map(|file| {
            file.file_name()
                .expect("it has a name")
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    let expected = [
        "bakery_rounds.pso.1.cup",
        "bakery_rounds.tso.1.cup",
        "bakery_rounds.tso.2.cup",
        "peterson.pso.1.cup",
        "peterson.tso.1.cup",
    ];
    assert_eq!(names, expected);
    for (file, name) in files.iter().zip(&names) {
        let model = if name.contains(".tso.") { "tso" } else { "pso" };
        let mut verify = Command::cargo_bin("cupola").expect("the binary is built");
        verify
            .args(["verify", "--model", model])
            .arg(file)
            .assert()
            .code(0);
    }
}

#[test]
fn a_difference_is_a_patch() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    for lines in [false, true] {
        let path = folder.path().join("peterson.cup");
        std::fs::copy(examples::directory().join("peterson.cup"), &path).expect("it can be copied");
        let mut arguments = vec![
            path.to_str().expect("the path is UTF-8"),
            "--model",
            "tso",
            "--diff",
        ];
        if lines {
            // Another placement than the one of its line.
            let text = std::fs::read_to_string(&path).expect("it can be read");
            std::fs::write(&path, text.replace("fences tso: b;\n", "")).expect("it can be written");
            arguments.push("--lines");
        }
        let diff = stdout(&arguments, 0);
        let patch = folder.path().join("patch");
        std::fs::write(&patch, &diff).expect("it can be written");
        let applied = std::process::Command::new("patch")
            .arg(&path)
            .arg(&patch)
            .output()
            .expect("patch runs");
        assert!(applied.status.success(), "{diff}\n{applied:?}");
        let text = std::fs::read_to_string(&path).expect("it can be read");
        assert_eq!(text.contains("fences tso: b;"), lines, "{text}");
        assert_eq!(text.contains("    fence;\n"), !lines, "{text}");
        let mut verify = Command::cargo_bin("cupola").expect("the binary is built");
        verify
            .args(["verify", "--model", "tso"])
            .arg(&path)
            .assert()
            .code(0);
    }
}

#[test]
fn inferred_fences_are_told_with_their_constraints() {
    let text = stdout(
        &[
            "peterson.cup",
            "--model",
            "pso",
            "--infer",
            "avoid",
            "--domain",
            "fd",
            "-k",
            "0",
            "--check",
        ],
        0,
    );
    assert!(
        text.contains("{a, b}: sufficient; no fence is too many"),
        "{text}"
    );
    assert!(text.contains("`flag0 = 1;` (P0, line 13) before"), "{text}");
    let text = stdout(
        &[
            "lamport_fast.cup",
            "--model",
            "pso",
            "--infer",
            "avoid",
            "--domain",
            "pd",
            "-k",
            "0",
        ],
        5,
    );
    assert!(text.contains("under this abstraction"), "{text}");
    let branch = "shared x, y; thread P { local r, c; x = 1; if (*) { c = 1; fence? a; } else { c = 0; fence? b; } r = y; } thread Q { local s; y = 1; fence; s = x; } finally !(P.c == 1 && P.r == 0 && Q.s == 0);";
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let path = folder.path().join("branch.cup");
    std::fs::write(&path, branch).expect("it can be written");
    let path = path.to_str().expect("the path is UTF-8");
    let text = stdout(&[path, "--model", "tso", "--infer", "avoid", "--check"], 0);
    assert!(text.contains("{a, b}: sufficient; enough is {a}"), "{text}");
}

/// The names that lines give are not the labels of other fences.
#[test]
fn existing_fences_have_names_of_their_own() {
    let path = "../tests/programs/existing/label_like_a_line.cup";
    let text = stdout(&[path, "--model", "tso", "--existing", "--json"], 0);
    let json: Value = serde_json::from_str(&text).expect("one JSON object");
    assert_eq!(json["places"].as_array().map(Vec::len), Some(3), "{text}");
}

/// Optional fences that a `fences` line puts in force are no candidates, and leaving them out would say too little.
#[test]
fn existing_fences_beside_optional_ones_in_force_are_refused() {
    let path = "../tests/programs/existing/with_fences_line.cup";
    let text = stderr(&[path, "--model", "tso", "--existing"], 2);
    assert!(text.contains("optional fences are in force"), "{text}");
}

/// Very many initial states end at the limit on states.
#[test]
fn very_many_initial_states_are_a_limit() {
    let program = "shared a[12] = 0..9, y; thread P { y = 1; } finally y == 1;";
    for engine in ["coherence", "backward", "explore"] {
        let mut command = Command::cargo_bin("cupola").expect("the binary is built");
        let options = ["verify", "-", "--model", "pso", "--engine", engine];
        let limits = ["--explore-states", "2000", "--max-states", "2000"];
        let command = command.args(options).args(limits).write_stdin(program);
        // Backwards it is decided all the same.
        let code = command.output().expect("it runs").status.code();
        assert!(matches!(code, Some(0 | 5)), "{engine}: {code:?}");
    }
}

/// Where a placement helps, inference never says that none does.
#[test]
fn inference_does_not_deny_placements_that_help() {
    for name in ["branch_without_place", "location", "section_end"] {
        let path = format!("../tests/programs/coherence/infer_{name}.cup");
        for model in ["tso", "pso"] {
            stdout(&[&path, "--model", model], 0);
            let output = cupola(&[&path, "--model", model, "--infer", "avoid"]).output();
            let code = output.expect("it runs").status.code();
            assert!(matches!(code, Some(0 | 5)), "{name} {model}: {code:?}");
        }
    }
}
