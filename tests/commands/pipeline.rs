//! The commands of the proof pipeline: what they print, where, and how they end.

use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

const SAFE: &str =
    "shared x;\nthread P {\n  local r;\n  x = 1;\n  r = x;\n}\ninvariant small: x <= 1;\n";

fn cupola(arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("cupola").expect("the binary is built");
    command.args(arguments).output().expect("the binary runs")
}

/// A folder with `p.cup` and `p.proof`.
fn folder(program: &str, proof: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("there is room");
    std::fs::write(folder.path().join("p.cup"), program).expect("it can be written");
    std::fs::write(folder.path().join("p.proof"), proof).expect("it can be written");
    let file = folder.path().join("p.cup");
    (folder, file)
}

fn run(command: &str, file: &Path, more: &[&str]) -> Output {
    let file = file.to_str().expect("a plain path");
    let arguments: Vec<&str> = [command, file]
        .into_iter()
        .chain(more.iter().copied())
        .collect();
    cupola(&arguments)
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("it ends by itself")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("it is JSON")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The proof is refused with a message that contains these words.
fn refused(proof: &str, words: &[&str]) {
    let (_folder, file) = folder(SAFE, proof);
    let output = run("verify", &file, &["--model", "all"]);
    assert_eq!(code(&output), 2, "{proof}\n{}", stderr(&output));
    assert!(output.stdout.is_empty());
    for word in words {
        assert!(
            stderr(&output).contains(word),
            "{proof}: no `{word}`\n{}",
            stderr(&output)
        );
    }
}

#[test]
fn wrong_proofs_are_told_well() {
    refused("predicates { y == 0; }", &["y", "p.proof:1:14"]);
    refused("predicates { P.q == 0; }", &["q"]);
    refused(
        "predicates { x == 0; } cubes { x == 0 && x == 1; }",
        &["no predicate of the list", "1:42"],
    );
    refused("predicates { x == 0 }", &["no proof", "1:21", "`;`"]);
    refused("predicates {\n  x == 0;\n  x == 1", &["3:9", "`;`"]);
    refused("predicates { x == 0;", &["1:21", "an entry or `}`"]);
    refused("predicates x == 0; }", &["1:12", "`{`"]);
    refused("predicates { x + 1; }", &["condition"]);
    refused("predicates { x == ; }", &["1:19"]);
    refused("predicates { P@end; }", &["location"]);
    refused("predicates { *; }", &["`*`"]);
    refused("sentences { x == 0; }", &["predicates"]);
    refused("predicates { x == 99999999999999999; }", &["too large"]);
}

#[test]
fn verified_programs_exit_with_0() {
    let (_folder, file) = folder(SAFE, "predicates { x <= 1; }");
    let output = run("verify", &file, &["--model", "all"]);
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    assert_eq!(stdout(&output).matches("verified").count(), 3);
}

#[test]
fn a_proof_that_is_too_weak_exits_with_5_and_tells_the_path() {
    let (_folder, file) = folder(SAFE, "predicates { x == 0; }");
    let verify = ["--model", "all", "--engine", "predicate", "--refine", "0"];
    for (command, more) in [("verify", &verify[..]), ("prove", &verify[4..])] {
        let output = run(command, &file, more);
        assert_eq!(code(&output), 5, "{}", stderr(&output));
        let told = stdout(&output) + &stderr(&output);
        assert!(told.contains("small") && told.contains("x = 1"), "{told}");
    }
    let output = run("prove", &file, &verify[4..]);
    assert!(output.stdout.is_empty());
}

/// What is missing is found, told, and written where that is asked for.
#[test]
fn a_proof_that_is_too_weak_is_refined() {
    let (folder, file) = folder(SAFE, "predicates { x == 0; }");
    let saved = folder.path().join("saved.proof");
    let path = saved.to_str().expect("UTF-8");
    let arguments = ["--engine", "predicate", "-v", "--save-proof", path];
    let output = run("verify", &file, &arguments);
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("new predicates"));
    assert!(stdout(&output).contains("This proof was found in 1 round:"));
    let again = ["--engine", "predicate", "--refine", "0", "--proof", path];
    let output = run("verify", &file, &again);
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    let output = run("verify", &file, &arguments);
    assert_eq!(code(&output), 2, "the file exists: {}", stderr(&output));
    let output = run("prove", &file, &[]);
    assert!(
        stdout(&output).starts_with("predicates {"),
        "{}",
        stdout(&output)
    );
}

/// What is small enough is explored, whatever the proof is worth; without `--model` under all models.
#[test]
fn what_a_proof_does_not_show_an_exploration_may() {
    let (_folder, file) = folder(SAFE, "predicates { x == 0; }");
    for engine in ["auto", "explore"] {
        let output = run("verify", &file, &["--engine", engine, "--json"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let report = json(&output);
        let results = report["results"].as_array().expect("a list");
        let models: Vec<&Value> = results.iter().map(|result| &result["model"]).collect();
        assert_eq!(models, ["sc", "tso", "pso"]);
        for result in results {
            assert_eq!(result["verdict"], "verified");
            assert_eq!(result["method"], "explore");
            assert_eq!(result["evidence"]["kind"], "exhaustive");
            let states = &result["evidence"]["states"];
            assert_eq!(states, &explored_states(&file, &result["model"]));
        }
    }
}

/// The number of states that `cupola explore` sees.
fn explored_states(file: &Path, model: &Value) -> Value {
    let model = model.as_str().expect("a name");
    let output = run("explore", file, &["--model", model, "--json"]);
    json(&output)["states"].clone()
}

/// Every attempt is a row: the short exploration, the proof, the long exploration.
#[test]
fn every_attempt_has_a_row_with_its_engine() {
    let program = "shared x; thread P { local r; loop { r = x; x = r + 1; assert(r >= 0); } }";
    let (_folder, file) = folder(program, "predicates { x == 0; }");
    let arguments = [
        "--model",
        "sc",
        "--explore-states",
        "60000",
        "--refine",
        "0",
        "--json",
    ];
    let output = run("verify", &file, &arguments);
    assert_eq!(code(&output), 5, "{}", stderr(&output));
    let result = &json(&output)["results"][0];
    let attempts = result["attempts"].as_array().expect("a list");
    let engines: Vec<&Value> = attempts.iter().map(|tried| &tried["engine"]).collect();
    assert_eq!(
        (engines[0], engines.last()),
        (&"explore".into(), Some(&&"explore".into()))
    );
    assert!(
        engines[1..engines.len() - 1]
            .iter()
            .all(|engine| *engine == "predicate")
    );
    let states = |tried: &Value| tried["stats"]["states"].as_u64();
    assert_eq!(states(&attempts[0]), Some(50_000));
    assert_eq!(states(&attempts[attempts.len() - 1]), Some(60_000));
    let text = stdout(&run("verify", &file, &arguments[..6]));
    assert!(text.starts_with("model  engine     k  method  "), "{text}");
    let rows = text.lines().skip(1).take_while(|line| !line.is_empty());
    let found: Vec<&str> = rows
        .filter_map(|row| row.split_whitespace().nth(1))
        .collect();
    assert_eq!(found, engines);
}

/// A buffer that grows without bound is shown with its loop and with what does hold, where neither the backward search
/// is asked nor a proof with FIFOs, which verify the program.
#[test]
fn growth_without_bound_is_shown() {
    let program = "shared x; thread P { loop { x = 1; } } invariant small: x <= 1;";
    let (_folder, file) = folder(program, "predicates { x <= 1; }");
    for engine in ["predicate", "explore"] {
        let arguments = "--model tso --max-k 2 --reduction slots --engine";
        let arguments: Vec<&str> = arguments.split(' ').chain([engine]).collect();
        let output = run("verify", &file, &arguments);
        assert_eq!(code(&output), 5, "{}", stderr(&output));
        let text = stdout(&output);
        for words in [
            "can be repeated for ever",
            "safe as long as no buffer holds more than",
        ] {
            assert!(text.contains(words), "{engine}: {text}");
        }
        assert!(!text.contains("--max-k"), "no bound helps: {text}");
        let output = run("verify", &file, &[&arguments[..], &["--json"]].concat());
        let result = &json(&output)["results"][0];
        assert_eq!(fields(&result["growth"]), documented("#### Growth"));
        let steps = result["growth"]["execution"]["steps"].as_array();
        let from = result["growth"]["repeats_from"].as_u64();
        assert!(from.is_some_and(|from| 1 <= from && from <= steps.map_or(0, Vec::len) as u64));
        let entries = if engine == "predicate" { 2 } else { 8 };
        assert_eq!(result["safe_up_to"], entries, "{result}");
    }
}

#[test]
fn only_known_engines_are_asked() {
    let (_folder, file) = folder(SAFE, "predicates { x <= 1; }");
    for (command, model) in [("verify", "all"), ("fences", "tso")] {
        let output = run(command, &file, &["--model", model, "--engine", "pipeline"]);
        assert_eq!(code(&output), 2, "{command}");
        assert!(
            stderr(&output).contains("explore, backward, coherence, predicate"),
            "{}",
            stderr(&output)
        );
    }
    let output = run(
        "verify",
        &file,
        &["--engine", "explore", "--explore-states", "0"],
    );
    assert_eq!(code(&output), 2, "{}", stdout(&output));
}

#[test]
fn a_proof_with_cubes_can_be_written_and_read_back() {
    let (folder, _) = folder(SAFE, "");
    let written = folder.path().join("peterson.proof");
    let target = written.to_str().expect("a plain path");
    let output = cupola(&["prove", "examples/peterson.cup", "-o", target]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let proof = std::fs::read_to_string(&written).expect("it was written");
    assert!(
        proof.contains("cubes {\n  !(P0.o0 == 0) && !(P0.t0 == 0);"),
        "{proof}"
    );
    let again = cupola(&["prove", "examples/peterson.cup", "-o", target]);
    assert_eq!(code(&again), 2, "nothing is overwritten unasked");
    let output = cupola(&["prove", "examples/peterson.cup", "--proof", target]);
    assert_eq!(stdout(&output), proof);
    let model = [
        "verify",
        "examples/peterson.cup",
        "--model",
        "pso",
        "--proof",
        target,
        "--engine",
        "predicate",
        "--json",
    ];
    let report = json(&cupola(&model));
    assert_eq!(report["results"][0]["method"], "ce");
}

#[test]
fn timeouts_may_be_fractions_of_a_second() {
    let (folder, file) = folder(SAFE, "predicates { x <= 1; }");
    let program = folder.path().join("p.bp");
    std::fs::write(&program, "void main() begin assert(T); end").expect("it can be written");
    for (command, file) in [("verify", &file), ("prove", &file), ("check", &program)] {
        let model: &[&str] = if command == "verify" {
            &["--model", "tso"]
        } else {
            &[]
        };
        let ends = |timeout| {
            code(&run(
                command,
                file,
                &[model, &["--timeout", timeout]].concat(),
            ))
        };
        // The largest is more than the clock can say.
        for timeout in ["300.5", "1e18"] {
            assert_eq!(ends(timeout), 0, "{command} --timeout {timeout}");
        }
        for wrong in ["soon", "-1", "1e99"] {
            assert_eq!(ends(wrong), 2, "{command} --timeout {wrong}");
        }
    }
}

#[test]
fn without_a_proof_predicates_are_harvested() {
    let folder = TempDir::new().expect("there is room");
    let file = folder.path().join("p.cup");
    std::fs::write(&file, SAFE).expect("it can be written");
    let output = run("verify", &file, &["--model", "tso", "--json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let report = json(&output);
    assert_eq!(report["harvested"], true);
}

#[test]
fn the_boolean_program_can_be_checked_on_its_own() {
    let (folder, file) = folder(SAFE, "predicates { x <= 1; }");
    let program = folder.path().join("p.bp");
    let target = program.to_str().expect("a plain path");
    let output = run("abstract", &file, &["--model", "pso", "-o", target]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let output = run("check", &program, &[]);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    std::fs::write(&program, "void main() begin assert(F); end").expect("it can be written");
    assert_eq!(code(&run("check", &program, &[])), 10);
    std::fs::write(&program, "void main() begin assert(q); end").expect("it can be written");
    let output = run("check", &program, &[]);
    assert_eq!(code(&output), 2);
    assert!(
        output.stdout.is_empty() && stderr(&output).contains("p.bp:1:26"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn the_number_of_threads_does_not_show() {
    let printed = |jobs| {
        let arguments = [
            "abstract",
            "examples/peterson.cup",
            "--model",
            "tso",
            "-j",
            jobs,
        ];
        stdout(&cupola(&arguments))
    };
    assert_eq!(printed("1"), printed("2"));
}

/// The fields that `docs/verification.md` lists under a heading.
fn documented(heading: &str) -> Vec<String> {
    let documentation = include_str!("../../docs/verification.md");
    let section = documentation
        .split(&format!("{heading}\n"))
        .nth(1)
        .expect("the heading is there");
    let rows = section.lines().skip_while(|line| !line.starts_with("| `"));
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.filter_map(|row| row.split('`').nth(1).map(str::to_owned))
        .collect()
}

fn fields(value: &Value) -> Vec<String> {
    let object = value.as_object().expect("it is an object");
    object.keys().cloned().collect()
}

/// The fields that `docs/verification.md` promises, and no others.
#[test]
fn the_json_report_has_the_documented_fields() {
    let output = cupola(&[
        "verify",
        "examples/litmus_sb.cup",
        "--model",
        "all",
        "--fences",
        "none",
        "--explore-states",
        "0",
        "--json",
    ]);
    assert_eq!(code(&output), 10, "{}", stderr(&output));
    let report = json(&output);
    assert_eq!(fields(&report), documented("#### The report"));
    for result in report["results"].as_array().expect("a list") {
        assert_eq!(fields(result), documented("#### A result"));
        for tried in result["attempts"].as_array().expect("a list") {
            assert_eq!(fields(tried), documented("#### An attempt"));
            assert_eq!(fields(&tried["settings"]), documented("#### Settings"));
            assert_eq!(fields(&tried["stats"]), documented("#### Figures"));
        }
    }
}

#[test]
fn executions_and_paths_have_the_documented_fields() {
    let arguments = ["--model", "tso", "--fences", "none", "--json"];
    let example = Path::new("examples/litmus_sb.cup");
    let output = run("verify", example, &arguments);
    let report = json(&output);
    let result = &report["results"][0];
    assert_eq!(result["verdict"], "violated");
    assert_eq!(result["found_by"], "exploration");
    assert_eq!(fields(&result["trace"]), documented("#### An execution"));
    let (_folder, file) = folder(SAFE, "predicates { x == 5; }");
    let arguments = [
        "--model",
        "sc",
        "--engine",
        "predicate",
        "--refine",
        "0",
        "--json",
    ];
    let output = run("verify", &file, &arguments);
    assert_eq!(code(&output), 5, "{}", stderr(&output));
    let report = json(&output);
    let trace = &report["results"][0]["trace"];
    assert_eq!(fields(trace), documented("#### A path"));
    assert!(trace["impossible_step"].is_u64(), "{trace}");
}

#[test]
fn an_execution_can_be_told_as_json_in_the_text() {
    let arguments = ["--model", "pso", "--fences", "none", "--trace", "json"];
    let example = Path::new("examples/litmus_sb.cup");
    let output = run("verify", example, &arguments);
    assert_eq!(code(&output), 10, "{}", stderr(&output));
    let text = stdout(&output);
    let start = text.find('{').expect("there is an object");
    let trace: Value = serde_json::from_str(&text[start..]).expect("it is JSON");
    assert_eq!(trace["property"]["name"], "seen");
}

/// A program that is broken under SC has no proof: `prove` shows why.
#[test]
fn prove_shows_what_breaks_a_program() {
    let broken = "shared x; thread P { x = 1; } invariant zero: x == 0;";
    let (_folder, file) = folder(broken, "predicates { x == 0; }");
    let output = run("prove", &file, &[]);
    assert_eq!(code(&output), 10, "{}", stderr(&output));
    assert!(output.stdout.is_empty());
    let told = stderr(&output);
    assert!(told.contains("x = 1;") && told.contains("zero"), "{told}");
}

/// A reduction may be larger than a program may be.
#[test]
fn a_reduction_that_is_too_large_is_refused() {
    let program = "shared a[1024]; thread P { local i; a[i] = 1; fence; } invariant a[0] >= 0;";
    let (_folder, file) = folder(program, "predicates { a[0] >= 0; P.i == 0; }");
    let arguments = ["--model", "pso", "-k", "64", "--engine", "predicate"];
    let output = run("verify", &file, &arguments);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    let told = stderr(&output);
    assert!(told.contains("more than 65536 variables"), "{told}");
}

/// Background blocks have a meaning under SC only, whatever the program does there.
#[test]
fn background_blocks_are_refused_under_other_models() {
    for block in [
        "background { } loop { x = 1; }",
        "background { if (*) { x = 1; } }",
    ] {
        let program = format!("shared x; thread P {{ {block} }} invariant x == 0;");
        let (_folder, file) = folder(&program, "predicates { x == 0; }");
        for (command, model) in [("verify", "tso"), ("verify", "all"), ("fences", "pso")] {
            let output = run(command, &file, &["--model", model]);
            assert_eq!(code(&output), 2, "{command} {model}\n{}", stdout(&output));
            let told = stderr(&output);
            assert!(told.contains("has SC semantics only"), "{told}");
            assert!(told.contains("the first such block"), "{told}");
        }
        let output = run("verify", &file, &["--model", "sc"]);
        assert_eq!(code(&output), 10, "{}", stderr(&output));
    }
}

#[test]
fn bounds_are_from_1_to_64() {
    let (_folder, file) = folder(SAFE, "predicates { x <= 1; }");
    for command in ["verify", "fences"] {
        for bound in ["0", "65", "many"] {
            let output = run(command, &file, &["--model", "tso", "--max-k", bound]);
            assert_eq!(code(&output), 2, "{command} --max-k {bound}");
        }
    }
    let output = run("verify", &file, &["--model", "tso", "--max-k", "64"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

/// A program that stores to 20 shared variables, with a predicate over all of them.
fn wide() -> (TempDir, PathBuf) {
    let names: Vec<String> = (0..20).map(|number| format!("x{number}")).collect();
    let stores: String = names.iter().map(|x| format!("{x} = 1; fence; ")).collect();
    let program = format!(
        "shared {}; thread P {{ {stores} }} thread Q {{ {stores} }} invariant x0 != 5;",
        names.join(", ")
    );
    let proof = format!("predicates {{ x0 == 5; {} >= 0; }}", names.join(" + "));
    folder(&program, &proof)
}

#[test]
fn wide_predicates_have_a_way_out() {
    let (_folder, file) = wide();
    let output = run("extrapolate", &file, &["--model", "pso"]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    let told = stderr(&output);
    assert!(
        told.contains("more than 20000") && told.contains("split"),
        "{told}"
    );
}

/// Most cubes are refuted by models that are known, without the solver and its clock.
#[test]
fn the_search_for_cubes_looks_at_the_clock() {
    let (_folder, file) = wide();
    let arguments = ["--model", "tso", "--timeout", "2", "--engine", "predicate"];
    let output = run("verify", &file, &arguments);
    assert_eq!(code(&output), 5, "{}", stderr(&output));
    assert!(stdout(&output).contains("out of time"));
}

/// Cube extrapolation needs a proof: without one it says what stands in the way, as `prove` does.
#[test]
fn a_boolean_program_without_the_cubes_it_needs_is_unknown() {
    let program = "shared x; thread P { x = 1; x = 2; } invariant small: x <= 2;";
    let (_folder, file) = folder(program, "predicates { x == 1; }");
    let output = run("abstract", &file, &["--model", "tso", "--method", "ce"]);
    assert_eq!(code(&output), 5, "{}", stderr(&output));
    assert!(output.stdout.is_empty());
    let told = stderr(&output);
    for word in ["needs the proof's cubes", "`small`", "check small"] {
        assert!(told.contains(word), "{word}: {told}");
    }
}

#[test]
fn a_missing_folder_is_said_to_be_missing() {
    let (folder, file) = folder(SAFE, "predicates { x <= 1; }");
    let target = folder.path().join("no/such/p.bp");
    let target = target.to_str().expect("a plain path");
    let output = run("abstract", &file, &["--model", "sc", "-o", target]);
    assert_eq!(code(&output), 2);
    let told = stderr(&output);
    assert!(told.contains("there is no folder"), "{told}");
}

/// Some editors begin every file with a mark.
#[test]
fn byte_order_marks_are_no_part_of_a_text() {
    let (_folder, file) = folder(
        &format!("\u{feff}{SAFE}"),
        "\u{feff}predicates { x <= 1; x == 0; }",
    );
    let output = run("verify", &file, &["--model", "all"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn there_is_no_work_without_threads() {
    let (_folder, file) = folder(SAFE, "predicates { x <= 1; }");
    let output = run("verify", &file, &["--model", "sc", "-j", "0"]);
    assert_eq!(code(&output), 2);
}

/// The retries store too many states, but the path of the first attempt is shown, in JSON too.
#[test]
fn a_path_is_told_though_retries_reach_a_limit() {
    let folder = tempfile::tempdir().expect("a directory");
    let text = std::fs::read_to_string("examples/bakery.proof").expect("a proof");
    let dropped = text.replace("  N0 == n0 + 1;  N1 == n1 + 1;\n", "");
    assert_ne!(text, dropped);
    let proof = folder.path().join("weak.proof");
    std::fs::write(&proof, dropped).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_cupola"))
        .args(["verify", "examples/bakery.cup", "--model", "sc", "--json"])
        .args(["--engine", "predicate", "--max-states", "290", "--proof"])
        .arg(&proof)
        .output()
        .expect("a run");
    assert_eq!(output.status.code(), Some(5));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let result = &report["results"][0];
    let attempts = result["attempts"].as_array().expect("a list");
    assert_eq!(attempts[0]["reason"], "abstraction", "{result}");
    assert_eq!(attempts[attempts.len() - 1]["reason"], "states", "{result}");
    assert_eq!(result["property"], "mutex");
    assert!(
        !result["trace"]["steps"]
            .as_array()
            .expect("steps")
            .is_empty()
    );
}

#[test]
fn standard_input_is_read_once() {
    let output = Command::new(env!("CARGO_BIN_EXE_cupola"))
        .args(["verify", "-", "--proof", "-", "--model", "sc"])
        .output()
        .expect("a run");
    assert_eq!(output.status.code(), Some(2));
}

/// The program is a translation itself, and under TSO its own check of a buffer fails with one store buffered:
/// that says nothing about the buffers of its reduction.
#[test]
fn a_translation_whose_own_check_fails_needs_no_larger_buffers() {
    let program = "shared overflow, x, y, a;
thread P { local r; x = 1; r = y; if (r == 0) { fence; a = 1; fence; } }
thread Q { local s, t; y = 1; s = x; if (s == 0) { fence; t = a; if (t == 1) {
  overflow = 1; fence; assert(overflow == 0, \"overflow\"); assume(false); } } }
";
    let (folder, file) = folder(program, "");
    std::fs::remove_file(folder.path().join("p.proof")).expect("it is there");
    let options = ["--model", "tso", "--engine", "predicate"];
    let output = run("verify", &file, &options);
    assert_eq!(code(&output), 5, "{}", stderr(&output));
    assert!(
        !stdout(&output).contains("more than"),
        "{}",
        stdout(&output)
    );
    let output = run("verify", &file, &[&options[..], &["--json"]].concat());
    let result = &json(&output)["results"][0];
    assert_eq!(result["reason"], "overflow", "{result}");
    assert_eq!(result["safe_up_to"], Value::Null, "{result}");
    let attempts = result["attempts"].as_array().expect("a list");
    assert!(attempts.iter().all(|tried| tried["k"] != 2), "{result}");
}

/// Buffers of a reduced program have at most 64 entries.
#[test]
fn a_certificate_that_would_need_longer_buffers_is_missing() {
    let stores = "X = 1; ".repeat(70);
    let (folder, file) = folder(
        &format!("shared X; thread P {{ {stores} }} finally X == 1;"),
        "",
    );
    let dir = folder.path().join("certificate");
    let dir = dir.to_str().expect("a plain path");
    let options = ["--model", "tso", "--engine", "explore", "--buffer", "100"];
    let output = run(
        "verify",
        &file,
        &[&options[..], &["--certificate", dir]].concat(),
    );
    assert_eq!(code(&output), 5, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("no certificate for tso: a buffer is too long"),
        "{}",
        stderr(&output)
    );
}
