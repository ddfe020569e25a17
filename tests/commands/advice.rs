//! Advice never names an option that was given, and names one that was not.

use super::warnings::{cupola, text};

/// A buffer gets as long as one likes.
const GROWING: &str = "shared x, y;
thread P { loop { x = 1; y = 1; } }
thread Q { local r, s; loop { r = y; s = x; assert(r <= 1); } }
";

/// It has more states than any limit.
const COUNTING: &str = "shared x;
thread P { local a; loop { a = a + 1; x = a; fence; } }
thread Q { local b; loop { b = x; } }
invariant x < 1000000000;
";

/// What a command says, on both outputs, of a program that it does not decide.
fn said(command: &str, program: &str) -> String {
    let output = cupola(command, program);
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(5), "{command}\n{said}");
    said
}

/// All of a lock stands in a loop: it is not said that no fence helps where none was tried.
#[test]
fn fences_that_were_left_out_of_loops_are_named() {
    for places in ["", "--places stores", "--places all"] {
        let command = format!("fences examples/rmm/peterson.rmm --model tso {places}");
        let output = cupola(&format!("{command} --not-in-loops"), "");
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(10), "{command}: {said}");
        assert!(said.contains("Fences in loops were left out"), "{said}");
        assert!(
            !said.contains("--") && !said.contains("change the algorithm"),
            "{said}"
        );
        assert_eq!(cupola(&command, "").status.code(), Some(0), "{command}");
    }
}

#[test]
fn options_that_were_given_are_not_named() {
    let cases = [
        ("explore - --model tso", GROWING, "--buffer 3"),
        ("explore - --model sc", COUNTING, "--max-states 1000"),
        ("explore - --model sc", COUNTING, "--timeout 0"),
        ("explore - --model sc", COUNTING, "--max-memory 1M"),
        (
            "verify - --model tso --engine predicate --reduction slots",
            GROWING,
            "-k 1",
        ),
        (
            "verify - --model tso --engine predicate --reduction slots",
            GROWING,
            "--max-k 1",
        ),
        (
            "verify - --model tso --engine predicate --reduction slots",
            GROWING,
            "--fences none",
        ),
        (
            "verify - --model tso --engine predicate --reduction slots --refine 0 -k 1",
            GROWING,
            "--method lazy",
        ),
        ("verify - --model tso", COUNTING, "--timeout 0"),
        (
            "verify - --model tso --engine explore",
            COUNTING,
            "--explore-states 1000",
        ),
        (
            "verify - --model tso --engine explore",
            GROWING,
            "--buffer 3",
        ),
        (
            "verify - --model sc --engine predicate",
            COUNTING,
            "--refine 1",
        ),
        (
            "verify - --model sc --engine predicate",
            COUNTING,
            "--refine 0",
        ),
        (
            "verify - --model sc --engine predicate --refine 0",
            COUNTING,
            "--cube-size 1,1",
        ),
        (
            "fences - --model tso --places loads",
            GROWING,
            "--timeout 0",
        ),
        ("prove -", COUNTING, "--timeout 0"),
        ("prove - --refine 0", COUNTING, "--max-states 1"),
        ("abstract - --model tso -k 1", COUNTING, "--timeout 0"),
        ("extrapolate - --model tso -k 1", COUNTING, "--timeout 0"),
    ];
    for (command, program, given) in cases {
        let option = given.split(' ').next().expect("an option");
        let said = said(&format!("{command} {given}"), program);
        let named =
            |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-') == option;
        let mut words = said.split_whitespace();
        assert!(!words.any(named), "{command} {given}\n{said}");
    }
}

#[test]
fn options_that_were_not_given_are_named() {
    let cases = [
        ("explore - --model tso", GROWING, "--buffer"),
        (
            "explore - --model sc --max-states 1000",
            COUNTING,
            "--max-states",
        ),
        ("verify - --model tso --engine explore", GROWING, "--buffer"),
    ];
    for (command, program, option) in cases {
        let given = command.contains(option);
        assert_eq!(said(command, program).contains(option), !given, "{command}");
    }
}
