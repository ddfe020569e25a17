//! `cupola explore` as a command: exit codes, what goes where, and its options.

use assert_cmd::Command;
use serde_json::Value;

/// A store buffer test whose property fails under TSO and PSO.
const SB: &str = "shared x, y;
thread P { local r = 1; x = 1; fence? f; r = y; }
thread Q { local r = 1; y = 1; fence? f; r = x; }
finally seen: P.r != 0 || Q.r != 0;
fences tso: f;
";

struct Output {
    code: i32,
    stdout: String,
    stderr: String,
}

fn explore(program: &str, args: &[&str]) -> Output {
    let mut command = Command::cargo_bin("cupola").expect("the binary is built");
    let output = command
        .args(["explore", "-"])
        .args(args)
        .write_stdin(program)
        .output()
        .expect("the command runs");
    Output {
        code: output.status.code().expect("an exit code"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

#[track_caller]
fn check(args: &[&str], code: i32, start: &str) {
    let output = explore(SB, args);
    assert_eq!(output.code, code, "{}{}", output.stdout, output.stderr);
    assert!(output.stdout.starts_with(start), "{}", output.stdout);
}

#[test]
fn exit_codes_tell_the_verdict() {
    check(
        &["--model", "sc"],
        0,
        "<stdin> under sc: safe (22 states)\n",
    );
    let violated = "<stdin> under pso: violated, finally `seen` (";
    check(&["--model", "pso"], 10, violated);
    let unknown = "<stdin> under sc: unknown, not everything was seen (10 states)\n  there are more \
        than 10 states: allow more states\n";
    check(&["--model", "sc", "--max-states", "10"], 5, unknown);
}

#[test]
fn fences_are_those_of_the_model_unless_named() {
    assert_eq!(explore(SB, &["--model", "tso"]).code, 0);
    assert_eq!(
        explore(SB, &["--model", "tso", "--fences", "none"]).code,
        10
    );
    assert_eq!(explore(SB, &["--model", "pso", "--fences", "f"]).code, 0);
    assert_eq!(explore(SB, &["--model", "pso", "--fences", "all"]).code, 0);
    let unknown = explore(SB, &["--model", "pso", "--fences", "g"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stdout.is_empty());
    assert!(
        unknown.stderr.contains("no optional fence `g`"),
        "{}",
        unknown.stderr
    );
}

#[test]
fn measured_figures_are_not_part_of_the_result() {
    let output = explore(SB, &["--model", "sc"]);
    assert!(output.stderr.contains("states/s"), "{}", output.stderr);
    assert!(!output.stdout.contains("states/s"));
    assert!(explore(SB, &["--model", "sc", "--quiet"]).stderr.is_empty());
}

#[test]
fn json_is_one_object_that_only_measured_figures_change() {
    let json = || -> Value {
        let output = explore(SB, &["--model", "pso", "--json", "--outcomes"]);
        serde_json::from_str(&output.stdout).expect("one JSON object")
    };
    let (mut first, mut second) = (json(), json());
    assert_eq!(first["verdict"], "violated");
    assert_eq!(first["property"], "seen");
    assert_eq!(first["outcomes"].as_array().map(Vec::len), Some(4));
    assert!(first["measured"]["memory_bytes"].is_u64());
    for value in [&mut first, &mut second] {
        value["measured"].take();
    }
    assert_eq!(first, second);
}

#[test]
fn an_overflow_of_a_reduced_program_is_unknown() {
    let program = "shared overflow;
        thread P { overflow = 1; assert(overflow == 0, \"overflow\"); assume(false); }";
    let output = explore(program, &["--model", "sc"]);
    assert_eq!(output.code, 5);
    let advice = "a buffer of the reduced program overflows: translate with a larger -k";
    assert!(output.stdout.contains(advice), "{}", output.stdout);
    let output = explore(program, &["--model", "sc", "--json"]);
    let json: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(json["verdict"], "unknown");
    assert_eq!(json["reason"], "overflow");
}

#[test]
fn bad_input_and_usage() {
    let cases: [(&str, &[&str]); 7] = [
        ("shared ;", &["--model", "sc"]),
        (SB, &[]),
        (SB, &["--model", "arm"]),
        (SB, &["--model", "sc", "--star", "3..1"]),
        (SB, &["--model", "sc", "--star", "3"]),
        (SB, &["--model", "sc", "--buffer", "0"]),
        (SB, &["--model", "sc", "--timeout", "soon"]),
    ];
    for (program, args) in cases {
        let output = explore(program, args);
        assert_eq!(output.code, 2, "{args:?}");
        assert!(
            output.stdout.is_empty() && output.stderr.contains("error"),
            "{args:?}"
        );
    }
}

#[test]
fn background_blocks_are_for_sc() {
    let program = "thread P { background { skip; } skip; }";
    let output = explore(program, &["--model", "tso"]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("--model sc"), "{}", output.stderr);
    assert_eq!(explore(program, &["--model", "sc"]).code, 0);
}

#[test]
fn a_wide_range_for_arbitrary_values_ends_at_a_limit() {
    let range = "-9223372036854775808..9223372036854775807";
    let program = "thread P { local r; r = *; }";
    let args = ["--model", "sc", "--star", range, "--max-states", "1000"];
    assert_eq!(explore(program, &args).code, 5);
    let blocked = "thread P { local r; background { r = *; assume(r == 0); } skip; }";
    let args = ["--model", "sc", "--star", range, "--timeout", "0.01"];
    assert_eq!(explore(blocked, &args).code, 5);
}

#[test]
fn the_result_goes_to_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("result.txt");
    let path = path.to_str().expect("text");
    let output = explore(SB, &["--model", "sc", "-o", path]);
    assert!(output.code == 0 && output.stdout.is_empty());
    let written = std::fs::read_to_string(path).expect("written");
    assert!(written.starts_with("<stdin> under sc: safe"));
}
