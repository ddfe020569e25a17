//! Warnings where a verdict holds for nothing, `--strict`, the limit on memory, and JSON for bad input.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::json::assert_obeys;

/// A lock that is never taken: it is taken only if it is taken already.
const NEVER_TAKEN: &str = "shared lock, x;
thread P[2] {
  local r;
  do { r = cas(lock, 1, 1); } while (r == 0);
cs:
  x = 1;
  assert(x == 1);
  lock = 0;
}
forbid mutex: P[0]@cs && P[1]@cs;
";

/// Two threads that wait for each other, each in an atomic block.
const WAITING: &str = "shared x, y;
thread P { local r; atomic { r = y; assume(r == 1); } x = 1; }
thread Q { local r; atomic { r = x; assume(r == 1); } y = 1; }
invariant x <= 1;
";

/// The same with loops.
const SPINNING: &str = "shared x, y;
thread P { local r; do { r = y; } while (r == 0); x = 1; }
thread Q { local r; do { r = x; } while (r == 0); y = 1; }
invariant x <= 1;
";

const NO_FINAL_STATE: &str = "shared x;
thread P { loop { x = 1; } }
finally done: x == 1;
";

/// Programs, and what every command says of them.
const WARNED: [(&str, &[(&str, &str)]); 5] = [
    (
        NEVER_TAKEN,
        &[
            (
                "loop",
                "leaves the loop with the condition `r == 0` (line 4)",
            ),
            ("label", "reaches the label `cs` of P[0] and P[1] (line 5)"),
            (
                "assertion",
                "of P[0] and P[1] reaches the assertion in line 7",
            ),
        ],
    ),
    (
        WAITING,
        &[
            ("blocked", "P can be blocked for ever at `r = y;` (line 2)"),
            ("blocked", "Q can be blocked for ever at `r = x;` (line 3)"),
        ],
    ),
    (
        SPINNING,
        &[
            ("loop", "no execution of P leaves the loop"),
            ("loop", "no execution of Q leaves the loop"),
        ],
    ),
    (
        NO_FINAL_STATE,
        &[(
            "finally",
            "no execution has a final state, so `done` (line 3) says nothing",
        )],
    ),
    (
        "",
        &[("empty", "the program is empty: no thread has a statement")],
    ),
];

pub(super) fn cupola(args: &str, input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_cupola"))
        .args(args.split_whitespace())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("it has an input");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn verdicts_that_hold_for_nothing_are_told_by_every_command() {
    for (program, expected) in WARNED {
        for command in ["verify -", "explore - --model sc", "fences - --model tso"] {
            let output = cupola(command, program);
            let shown = text(&output.stdout);
            assert_eq!(output.status.code(), Some(0), "{command}: {shown}");
            for (_, sentence) in expected {
                assert!(shown.contains(sentence), "{command}: {sentence}\n{shown}");
            }
            let strict = cupola(&format!("{command} --strict"), program);
            assert_eq!(strict.status.code(), Some(5), "{command}: {shown}");
            let name = command.split(' ').next().expect("a name");
            let json = cupola(&format!("{command} --json"), program);
            let value: Value = serde_json::from_slice(&json.stdout).expect("JSON");
            assert_obeys(name, &value, command);
            let warnings = match name {
                "verify" => &value["results"][0]["warnings"],
                _ => &value["warnings"],
            };
            let kinds: Vec<&str> = warnings
                .as_array()
                .expect("a list")
                .iter()
                .map(|warning| warning["kind"].as_str().expect("a word"))
                .collect();
            let wanted: Vec<&str> = expected.iter().map(|(kind, _)| *kind).collect();
            assert_eq!(kinds, wanted, "{command}");
        }
    }
}

#[test]
fn each_warning_is_told_once_for_all_models() {
    let shown = text(&cupola("verify -", NEVER_TAKEN).stdout);
    assert_eq!(shown.matches("label `cs`").count(), 1, "{shown}");
    assert!(
        shown.contains("sc, tso, pso: warning: no execution reaches"),
        "{shown}"
    );
}

#[test]
fn a_program_that_is_all_right_passes_a_strict_look() {
    let output = cupola("verify examples/peterson.cup --strict", "");
    assert_eq!(output.status.code(), Some(0));
    let output = cupola(
        "explore examples/peterson.cup --model tso --strict --deadlocks",
        "",
    );
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("no thread can be blocked for ever"));
}

#[test]
fn executions_that_lead_to_blocked_threads_are_shown() {
    let program = "shared x; thread P { local r; r = x; assume(r == 1); } thread Q { x = 1; }";
    let shown = text(&cupola("explore - --model tso --deadlocks", program).stdout);
    assert!(
        shown.contains("P can be blocked for ever at `assume(r == 1);` (line 1):"),
        "{shown}"
    );
    assert!(
        shown.contains("1  P          1  r = x;     x = 0  r = 0"),
        "{shown}"
    );
}

#[test]
fn a_thread_that_can_go_on_is_not_blocked() {
    // The block waits until Q has stored, which it can do.
    let waits =
        "shared x; thread P { local r; atomic { r = x; assume(r == 1); } } thread Q { x = 1; }";
    // A fence waits for the thread's own stores, a loop for nothing.
    let fence = "shared x; thread P { x = 1; fence; x = 2; } thread Q { local r; loop { r = x; } }";
    for program in [waits, fence] {
        for model in ["sc", "tso", "pso"] {
            let command = format!("explore - --model {model} --strict");
            let output = cupola(&command, program);
            assert_eq!(
                output.status.code(),
                Some(0),
                "{model}: {}",
                text(&output.stdout)
            );
        }
    }
}

#[test]
fn what_is_meant_not_to_be_reached_is_no_reason_to_warn() {
    let program = "shared x; thread P { local r; r = x; if (r == 1) { error: assert(false); } }
        forbid P@error;";
    let output = cupola("verify - --strict", program);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
}

#[test]
fn no_example_is_warned_about_without_reason() {
    // Programs of Memorax stop where a value would leave its range: these two count without end. The third waits for values that
    // only some executions have.
    let reasons = [
        "examples/several_writers.cup",
        "examples/rmm/bakery.rmm",
        "examples/rmm/increasing_sequence.rmm",
    ];
    let mut seen = 0;
    for folder in ["examples", "examples/rmm"] {
        let files = std::fs::read_dir(format!("{}/{folder}", env!("CARGO_MANIFEST_DIR")));
        for file in files.expect("the folder is there") {
            let name = file.expect("a file").file_name();
            let name = format!("{folder}/{}", name.to_string_lossy());
            if !name.ends_with(".cup") && !name.ends_with(".rmm") {
                continue;
            }
            let command = format!("explore {name} --model all --max-states 20000 --quiet");
            let shown = text(&cupola(&command, "").stdout);
            let warned = shown.contains("warning:");
            assert_eq!(warned, reasons.contains(&&*name), "{name}: {shown}");
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn full_memory_ends_with_a_report() {
    let program = "shared x, y; thread P { local a; loop { a = a + 1; x = a; } }
        thread Q { local b; loop { b = b + 1; y = b; } } invariant x >= 0;";
    let command = "explore - --model tso --max-states 100000000 --max-memory 60M --json";
    let output = cupola(command, program);
    assert_eq!(output.status.code(), Some(5), "{}", text(&output.stderr));
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_obeys("explore", &value, command);
    assert_eq!(value["reason"], "memory");
    assert_eq!(value["limits"][0]["advice"], "more_memory");
}

#[test]
fn loops_that_are_meant_to_run_for_ever_are_no_reason_to_warn() {
    for cond in ["true", "!false", "1 == 1", "true || 2 < 1"] {
        let program = format!(
            "shared x; thread P {{ while ({cond}) {{ x = 1; }} }} thread Q {{ do {{ x = 0; }} while ({cond}); }} invariant x <= 1;"
        );
        for command in [
            "explore - --model sc --strict",
            "verify - --model sc --strict",
        ] {
            let output = cupola(command, &program);
            let shown = text(&output.stdout);
            assert_eq!(output.status.code(), Some(0), "{shown}");
            assert!(!shown.contains("warning"), "{shown}");
        }
    }
}

#[test]
fn bad_input_is_told_in_json_too() {
    let bad = "shared x; thread P { y = 1; }";
    for command in [
        "verify -",
        "explore - --model sc",
        "fences - --model tso",
        "translate - --model tso",
        "prove -",
        "abstract - --model tso",
        "extrapolate - --model tso",
        "export - --to dot",
        "explore no_such_file.cup --model sc",
    ] {
        let output = cupola(&format!("{command} --json"), bad);
        assert_eq!(output.status.code(), Some(2), "{command}");
        let value: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{command}: {error}"));
        assert_obeys("diagnostics", &value, command);
        let name = command.split(' ').next();
        assert_eq!(value["command"].as_str(), name, "{command}");
        let first = &value["diagnostics"][0];
        if command.contains(" -") && !command.contains("no_such") {
            assert_eq!(first["place"]["line"], 1, "{command}");
            assert_eq!(first["place"]["column"], 22, "{command}");
        } else {
            assert!(first["place"].is_null(), "{command}");
        }
    }
}

#[test]
fn habits_from_other_languages_have_one_message_with_the_way_out() {
    let cases = [
        ("x++;", "`++` is no operator", "r = fetch_add(x, 1);"),
        ("x += 2;", "`+=` is no operator", "r = fetch_add(x, …);"),
        ("if (r == 0) skip;", "a block is expected here", "{ skip; }"),
        ("lock(x);", "there are no procedures", "r = cas(x, 0, 1);"),
        ("unlock(x);", "there are no procedures", "`x = 0;`"),
        ("x := 1;", "`:=` is no operator", "`=` assigns"),
        (
            "for (r = 0; r < 3; r = r + 1) { x = 1; }",
            "there is no `for`",
            "while (i < 3)",
        ),
        ("return;", "there is no `return`", "goto end;"),
        ("++x;", "`++` is no operator", "r = fetch_add(x, 1);"),
        ("--r;", "`--` is no operator", "`r = r - 1;`"),
        ("r = x ? 1 : 2;", "expected `;`, found `?`", "if (…) { … }"),
        ("if r == 1 { skip; }", "expected `(`, found `r`", "`if (…)`"),
        ("assert r == 1;", "expected `(`, found `r`", "`assert (…)`"),
        ("r == 1;", "expected `=` or `:`, found `==`", "`=` assigns"),
        (
            "r = load(x);",
            "expected `;`, found `(`",
            "there are no functions",
        ),
        (
            "r = r & 1;",
            "expected `;`, found `&`",
            "no operators on bits",
        ),
        (
            "r <<= 1;",
            "expected `=` or `:`, found `<`",
            "no operators on bits",
        ),
        ("int s;", "variables have no types", "`local s;`"),
    ];
    for (statement, message, way_out) in cases {
        let program = format!("shared x; thread P {{ local r; {statement} }}");
        assert_one_message(&program, message, way_out);
    }
    assert_one_message(
        "shared int x; thread P { x = 1; }",
        "variables have no types",
        "`shared x;`",
    );
    assert_one_message(
        "int x; thread P { x = 1; }",
        "variables have no types",
        "`shared x;`",
    );
    assert_one_message(
        "shared x := 1; thread P { x = 1; }",
        "`:=` is no operator",
        "`=` assigns",
    );
}

fn assert_one_message(program: &str, message: &str, way_out: &str) {
    let output = cupola("explore - --model sc --json", program);
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let found = value["diagnostics"].as_array().expect("a list");
    assert_eq!(found.len(), 1, "{program}: {value:#}");
    assert_eq!(found[0]["message"], message, "{program}");
    let notes = found[0]["notes"].to_string();
    assert!(notes.contains(way_out), "{program}: {notes}");
}

/// The same with counters that grow: no exploration ends, but a proof does.
const NEVER_TAKEN_WITH_COUNTERS: &str = "shared lock, x;
thread P[2] {
  local r, n;
  do { r = cas(lock, 1, 1); n = n + 1; fence; } while (r == 0);
cs:
  x = 1;
  assert(x == 1);
  lock = 0;
}
invariant free: lock == 0;
forbid mutex: P[0]@cs && P[1]@cs;
";

#[test]
fn a_proof_shows_what_no_execution_reaches() {
    let command = "verify - --engine predicate";
    let shown = cupola(command, NEVER_TAKEN_WITH_COUNTERS);
    let shown = text(&shown.stdout);
    for sentence in [
        "reaches the label `cs` of P[0] and P[1] (line 5)",
        "of P[0] and P[1] reaches the assertion in line 7",
    ] {
        assert!(shown.contains(sentence), "{sentence}\n{shown}");
    }
    let taken = NEVER_TAKEN_WITH_COUNTERS.replace("cas(lock, 1, 1)", "cas(lock, 0, 1)");
    let taken = taken.replace("invariant free: lock == 0;", "");
    let taken = taken.replace("assert(x == 1);", "fence;");
    let shown = text(&cupola(command, &taken).stdout);
    assert!(shown.contains("verified"), "{shown}");
    assert!(!shown.contains("warning"), "{shown}");
}

#[test]
fn tests_tell_answers_that_hold_for_nothing() {
    let command = "test tests/programs/warned";
    let output = cupola(command, "");
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    let sentence = "sc, tso: no execution reaches the label `cs` of P[0] and P[1] (line 8)";
    assert_eq!(shown.matches(sentence).count(), 1, "{shown}");
    let strict = cupola(&format!("{command} --strict"), "");
    assert_eq!(strict.status.code(), Some(5));
    let json = cupola(&format!("{command} --json"), "");
    let value: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_obeys("test", &value, command);
    assert_eq!(
        value["files"][0]["warnings"].as_array().map(Vec::len),
        Some(2)
    );
    let shown = text(&cupola("test examples --filter dekker.cup", "").stdout);
    assert!(!shown.contains("warning"), "{shown}");
}

/// A command that knows nothing before it is done ends where the memory is full, and says so.
#[test]
fn full_memory_ends_a_translation() {
    let stores = "x = 1; ".repeat(20_000);
    let program = format!("shared x; thread P {{ {stores} }} invariant x >= 0;");
    let command = "translate - --model tso --max-memory 20M --json";
    let output = cupola(command, &program);
    assert_eq!(output.status.code(), Some(5), "{}", text(&output.stderr));
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_obeys("diagnostics", &value, command);
    let said = value["diagnostics"][0]["message"].to_string();
    assert!(said.contains("out of memory"), "{said}");
}

#[test]
fn a_program_without_a_property_is_told() {
    let program = "shared x; thread P { x = 1; }";
    for command in ["verify -", "explore - --model sc", "fences - --model tso"] {
        let said = text(&cupola(command, program).stderr);
        assert_eq!(
            said.matches("has no property").count(),
            1,
            "{command}: {said}"
        );
    }
    let said = text(&cupola("explore - --model sc --outcomes", program).stderr);
    assert!(!said.contains("has no property"), "{said}");
}

/// Where the predicates come from is told where they matter, and once.
#[test]
fn the_source_of_predicates_is_told_once() {
    for (args, told) in [
        ("verify examples/litmus_sb.cup --model sc", 0),
        ("fences examples/litmus_mp.cup --model tso", 0),
        ("extrapolate examples/litmus_sb.cup --model tso", 1),
        ("prove examples/litmus_corr.cup", 1),
    ] {
        let output = cupola(args, "");
        let said = text(&output.stdout) + &text(&output.stderr);
        let count = said
            .matches("predicates are taken from the program")
            .count();
        assert_eq!(count, told, "{args}: {said}");
    }
}

#[test]
fn a_program_is_no_litmus_test() {
    let output = cupola("litmus examples/peterson.cup --model tso", "");
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("is a program, not a litmus test"), "{said}");
    assert!(said.contains("`cupola verify`"), "{said}");
}
