//! The command line: exit codes, streams, options, diagnostics.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use crate::support::command::run;

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("it is text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("it is text")
}

/// Expects a diagnostic with this message and nothing on standard output.
fn refused(text: &str, message: &str) {
    let output = run(text, &[]);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(output.stdout.is_empty(), "{text}");
    assert!(
        stderr(&output).contains(message),
        "{text}\n{}",
        stderr(&output)
    );
}

const TOGGLE: &str = "decl a;\nvoid main() begin\n  a := F;\n  a := !a;\n  assert(!a);\nend\n";

#[test]
fn the_report_has_a_trace_with_lines_and_changes() {
    let output = run(TOGGLE, &[]);
    assert_eq!(output.status.code(), Some(10));
    let text = stdout(&output);
    assert!(
        text.starts_with("violated\n-:5:3: assert(!a): violated\n"),
        "{text}"
    );
    assert!(
        text.contains("thread 0    -:4:3  a := !a  => a=1"),
        "{text}"
    );
    assert!(output.stderr.is_empty());
}

#[test]
fn a_later_condition_of_an_if_is_shown_as_elsif() {
    let text = "decl a, b;\nvoid main() begin\n  a, b := F, T;\n  if a then\n    skip;\n  elsif b then\n    assert(F);\n  fi\nend\n";
    let output = stdout(&run(text, &[]));
    for line in [
        "-:4:3  if a then  [does not hold]\n",
        "-:6:9  elsif b then  [holds]\n",
    ] {
        assert!(output.contains(line), "{output}");
    }
    let output = run(text, &["--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let step = &report["assertions"][0]["trace"]["steps"][2];
    assert_eq!(step["statement"], "elsif b then");
    assert_eq!(step["line"], 6);
}

#[test]
fn a_local_that_hides_a_global_has_its_procedure_in_front() {
    let text = "decl a;\nvoid main() begin\n  decl a, b;\n  a := T;\n  assert(!a);\nend\n";
    let output = run(text, &["--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let trace = &report["assertions"][0]["trace"];
    let initial = trace["initial"].as_object().expect("an object");
    assert_eq!(initial.keys().collect::<Vec<_>>(), ["a", "main.a", "b"]);
    assert!(stdout(&run(text, &[])).contains(" main.a="));
}

/// A thread that works alone for long goes first in the search, but not in the trace.
#[test]
fn traces_are_shortest_unless_the_report_says_otherwise() {
    let text = format!(
        "decl x;\nvoid main() begin\n  start_thread busy();\n  start_thread busy();\n{}  assert(!x);\nend\nvoid busy() begin\n  decl a;\n{}end\n",
        "  x := F;\n  x := T;\n".repeat(5),
        "  a := F;\n  a := T;\n".repeat(10)
    );
    let trace = |options: &[&str]| {
        let output = run(&text, &[&["--json"], options].concat());
        assert_eq!(output.status.code(), Some(10), "{}", stdout(&output));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        let trace = &report["assertions"][0]["trace"];
        (trace["shortest"] == true, trace["length"].as_u64())
    };
    assert_eq!(trace(&[]), (true, Some(13)));
    assert_eq!(trace(&["--exact"]), (true, Some(13)));
    let (shortest, length) = trace(&["--max-states", "100"]);
    assert!(!shortest && length > Some(13), "{length:?}");
    let told =
        |options: &[&str]| stdout(&run(&text, options)).contains("there may be a shorter one");
    assert!(told(&["--max-states", "100"]) && !told(&[]));
}

#[test]
fn json_has_the_documented_fields() {
    let output = run(TOGGLE, &["--json", "--stats"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(report["schema"], 1);
    assert_eq!(report["verdict"], "violated");
    assert!(report["reason"].is_null());
    let assertion = &report["assertions"][0];
    assert_eq!(assertion["line"], 5);
    assert_eq!(assertion["column"], 3);
    assert_eq!(assertion["trace"]["steps"][1]["changes"]["a"], true);
    for field in [
        "states",
        "transitions",
        "revisited",
        "covered",
        "merged",
        "memory_bytes",
        "seconds",
    ] {
        assert!(report["stats"][field].is_number(), "{field}");
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/programs/peterson_broken.bp"
    ));
    let text = text.expect("it can be read");
    assert_eq!(
        run(&text, &["--json"]).stdout,
        run(&text, &["--json"]).stdout
    );
}

#[test]
fn limits_give_unknown_and_name_the_limit() {
    let counter = "decl a, b, c;\nvoid main() begin\nL: a, b, c := *, *, *;\n  assert(a | b | c | T);\n  goto L;\nend\n";
    for (options, reason) in [
        (&["--max-states", "1"][..], "states"),
        (&["--timeout", "0"][..], "timeout"),
    ] {
        let output = run(counter, options);
        assert_eq!(output.status.code(), Some(5), "{}", stdout(&output));
        assert!(stdout(&output).contains(reason), "{}", stdout(&output));
    }
    let bomb =
        "void main() begin\nL: start_thread goto W;\n  goto L;\nW: assert(T);\n  goto W;\nend\n";
    let output = run(bomb, &["--max-threads", "2"]);
    assert_eq!(output.status.code(), Some(5));
    assert!(stdout(&output).contains("--max-threads"));
}

#[test]
fn bad_usage_is_exit_code_2() {
    assert_eq!(run(TOGGLE, &["--no-such-option"]).status.code(), Some(2));
    assert_eq!(run(TOGGLE, &["--timeout", "soon"]).status.code(), Some(2));
    let missing = Command::new(env!("CARGO_BIN_EXE_boolprog-checker"))
        .arg("/no/such/file.bp")
        .output();
    let missing = missing.expect("the command runs");
    assert_eq!(missing.status.code(), Some(2));
    assert!(missing.stdout.is_empty());
}

#[test]
fn text_that_is_not_utf8_is_refused() {
    let folder = std::env::temp_dir().join(format!("boolprog-checker-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("it can be made");
    let path = folder.join("latin1.bp");
    std::fs::write(&path, b"decl a,\n  \xe4;").expect("it can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_boolprog-checker"))
        .arg(&path)
        .output()
        .expect("it runs");
    std::fs::remove_dir_all(&folder).expect("it can be removed");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("line 2, column 3 is not valid UTF-8"));
}

/// What is said of the program as a whole, and of the end of a procedure, has a place, too.
#[test]
fn every_message_has_a_place() {
    refused("", "-:1:1");
    refused("decl a;\n", "-:1:1");
    refused(
        "void f() begin\n  if * then\n    atomic_begin;\n  fi;\nend\nvoid main() begin\n  f();\n  assert(T);\nend\n",
        "-:7:3",
    );
}

#[test]
fn very_long_lines_are_not_shown() {
    let text = format!("void main() begin {} b := T; end", "skip; ".repeat(10_000));
    refused(&text, "there is no variable `b`");
    assert!(stderr(&run(&text, &[])).len() < 1000);
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_boolprog-checker"))
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    child
        .stdin
        .take()
        .expect("it has an input")
        .write_all(TOGGLE.as_bytes())
        .expect("it reads");
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(output.status.code(), Some(10));
    assert!(output.stderr.is_empty());
}

#[test]
fn what_the_peers_have_besides_is_named() {
    for (statement, name) in [
        ("sync L;", "sync"),
        ("broadcast;", "broadcast"),
        ("wait;", "wait"),
        ("skip; wait", "wait"),
        ("L: start_thread goto L, L;", "start_thread goto A, B"),
        ("abortif T; skip;", "abortif"),
        ("abortif a; enforce a; skip;", "abortif"),
        ("enforce a; abortif a; skip;", "abortif"),
        ("skip; abortif a;", "abortif"),
    ] {
        let text = format!("decl a;\nvoid main() begin\n  {statement}\nend\n");
        refused(&text, &format!("`{name}` is not supported"));
    }
    refused(
        "decl a;\nvoid main() begin\n  a, a$ := T, F;\nend\n",
        "the values of a variable in the other threads, `x$`, are not supported",
    );
}

/// They are words of other dialects only where they stand alone.
#[test]
fn wait_and_broadcast_can_be_procedures_and_variables() {
    let text = "decl wait;\nvoid broadcast() begin wait := T end\nvoid main() begin broadcast(); assert(wait) end\n";
    assert_eq!(run(text, &[]).status.code(), Some(0));
}

#[test]
fn an_error_label_is_reported_with_its_path() {
    let text = "decl a;\nvoid main() begin\n  a := F;\n  a := !a;\nERROR: a := F;\nend\n";
    let output = run(text, &["--error-label", "ERROR"]);
    assert_eq!(output.status.code(), Some(10));
    let report = stdout(&output);
    for line in [
        "violated\n-:5:8: ERROR: a := F: violated\n",
        "thread 0    -:4:3  a := !a  => a=1\n",
        "thread 0    -:5:8  ERROR: a := F\n",
    ] {
        assert!(report.contains(line), "{report}");
    }
    let output = run(text, &["--error-label", "ERROR", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(report["assertions"][0]["label"], "ERROR");
    assert_eq!(run(text, &[]).status.code(), Some(0));
}

#[test]
fn an_error_label_must_be_there() {
    let output = run("void main() begin skip; end", &["--error-label", "NONE"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no statement has the label `NONE`"));
}

/// Labels open and close no blocks, however many there are.
#[test]
fn keywords_are_labels_without_limit() {
    for word in ["begin", "if", "while", "end", "fi", "od"] {
        let labels: String = (0..300).map(|_| format!("{word}: ")).collect();
        let gotos = format!("goto {word}, {word}; /* {word} */ ").repeat(300);
        let text = format!("void main() begin {gotos}{labels}skip; start_thread goto {word} end");
        let output = run(&text, &["--error-label", word, "--max-threads", "1"]);
        assert_eq!(output.status.code(), Some(10), "{}", stderr(&output));
    }
}

#[test]
fn errors_of_meaning_are_named_all_at_once() {
    let text = "decl a, a;\nvoid main() begin\n  b := T;\n  a := T, F;\n  goto nowhere;\n  f();\n  assert('a);\nend\n";
    for message in [
        "the variable `a` is declared twice",
        "there is no variable `b`",
        "2 values given where 1 is needed",
        "there is no label `nowhere`",
        "there is no procedure `f`",
        "the next value `'a` has a meaning only in `constrain`",
    ] {
        refused(text, message);
    }
    refused("decl a;\n", "there is no procedure `main`");
    refused(
        "void f() begin g(); end\nvoid g() begin f(); end\nvoid main() begin f(); end\n",
        "f calls g calls f",
    );
    refused(
        "decl a; void main() begin a, a := T, F; end\n",
        "assigned twice",
    );
    refused(
        "decl a; void main() begin a := 7; end\n",
        "`7` is not a truth value",
    );
    refused(
        "decl while; void main() begin skip; end\n",
        "`while` is a keyword",
    );
    refused(
        "void main() begin atomic_end; end\n",
        "`atomic_end` without `atomic_begin`",
    );
    refused(
        "void main() begin goto A, B; A: atomic_begin; B: skip; end\n",
        "both inside and outside an atomic section",
    );
    refused("void main() begin\n  assert(T;\nend\n", "-:2:11");
}

#[test]
fn of_many_errors_the_first_are_shown() {
    let wrong = "  b := T;\n".repeat(3000);
    let text = format!("void main() begin\n{wrong}end\n");
    refused(&text, "these are the first 100 of 3000 errors");
    let shown = stderr(&run(&text, &[]))
        .matches("there is no variable")
        .count();
    assert_eq!(shown, 100);
}

#[test]
fn slips_of_the_pen_are_explained() {
    let body = |statement: &str| format!("decl a, b; void main() begin {statement} end");
    refused(&body("a := T b := F;"), "`;`");
    refused(&body("assert(a) skip;"), "`;`");
    refused(
        &body("skip; /* a"),
        "comment that begins here is not closed",
    );
    refused(&body("assert(a == b);"), "write `=`");
    refused(&body("assert(a && b);"), "write `&`");
    refused(&body("assert(a || b);"), "write `|`");
    refused(&body("a, b := T;"), "1 value given where 2 are needed");
    let marked = format!("\u{feff}{TOGGLE}");
    assert_eq!(run(&marked, &[]).status.code(), Some(10));
    assert_eq!(run(&marked, &[]).stdout, run(TOGGLE, &[]).stdout);
}

#[test]
fn deep_nesting_is_refused() {
    let parentheses = format!(
        "void main() begin assert({}T{}); end",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    refused(&parentheses, "nested more than 200 levels deep");
    let negations = format!("void main() begin assert({}T); end", "!".repeat(100_000));
    refused(&negations, "nested more than 200 levels deep");
    let chain = format!("void main() begin assert(T{}); end", " ^ T".repeat(100_000));
    refused(&chain, "nested more than 200 levels deep");
    let blocks = format!(
        "void main() begin {} skip; {} end",
        "if * then ".repeat(100_000),
        "fi ".repeat(100_000)
    );
    refused(&blocks, "nested more than 200 levels deep");
    for operator in ["->", "=", "!=", "^", "? T :"] {
        let chain = format!(" {operator} T").repeat(100_000);
        let text = format!("void main() begin assert(T{chain}); end");
        refused(&text, "nested more than 200 levels deep");
    }
    let conjunction = format!("void main() begin assert(T{}); end", " & T".repeat(100_000));
    assert_eq!(run(&conjunction, &[]).status.code(), Some(0));
}

/// Each operator would double the work if both sides of it were looked at twice.
#[test]
fn long_chains_of_operators_come_to_an_end() {
    for operator in ["^", "=", "!=", "? x :"] {
        let chain = format!(" {operator} x").repeat(150);
        let text = format!("decl x; void main() begin x := T; assert(x{chain} | T); end");
        assert_eq!(run(&text, &[]).status.code(), Some(0), "{operator}");
    }
}

#[test]
fn long_chains_of_steps_without_effect_come_to_an_end() {
    let skips = "skip;\n".repeat(100_000);
    let text = format!("void main() begin {skips} assert(T); end");
    assert_eq!(run(&text, &[]).status.code(), Some(0));
    let gotos: String = (0..50_000)
        .map(|n| format!("{n}: goto {};\n", (n + 1) % 50_000))
        .collect();
    let text = format!("void main() begin {gotos} assert(F); end");
    assert_eq!(run(&text, &[]).status.code(), Some(0));
}

#[test]
fn long_traces_are_told() {
    let steps = "a := !a;\n".repeat(50_000);
    let text = format!("decl a;\nvoid main() begin\n{steps} assert(F);\nend");
    for options in [&[][..], &["--json"]] {
        assert_eq!(run(&text, options).status.code(), Some(10));
    }
}

#[test]
fn limits_count_while_the_initial_states_are_made() {
    let names: Vec<String> = (0..40).map(|n| format!("g{n}")).collect();
    let text = format!(
        "decl {};\nvoid main() begin assert(T); end",
        names.join(", ")
    );
    for (option, value, reason) in [
        ("--max-states", "1000", "states"),
        ("--timeout", "0.5", "timeout"),
    ] {
        let output = run(&text, &["--exact", "--json", option, value]);
        assert_eq!(output.status.code(), Some(5), "{}", stdout(&output));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        assert_eq!(report["reason"], reason);
    }
}

#[test]
fn choices_inside_one_another_are_refused_from_a_depth_on() {
    let inside = |depth| format!("{}x{}", "x ? ".repeat(depth), " : x".repeat(depth));
    let after = |length| format!("{}x", "x ? x : ".repeat(length));
    let program = |condition: String, statements: usize| {
        let before = "x := x;\n".repeat(statements);
        format!("decl x; void main() begin {before} L: assert({condition} | T); end")
    };
    // A long program is parsed on threads that have smaller stacks.
    for statements in [0, 20_000] {
        for deep in [inside(50_000), inside(3_000), after(50_000)] {
            refused(&program(deep, statements), "nested more than 200 levels");
        }
        for flat in [inside(150), after(150)] {
            let output = run(&program(flat, statements), &[]);
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        }
    }
}

#[test]
fn inlining_has_a_limit() {
    let mut text = String::from("void f0() begin skip; end\n");
    for level in 1..40 {
        text.push_str(&format!(
            "void f{level}() begin f{0}(); f{0}(); end\n",
            level - 1
        ));
    }
    text.push_str("void main() begin f39(); end\n");
    refused(&text, "statements after inlining");
}

#[test]
fn what_is_printed_is_not_nested_more_deeply() {
    for operators in [
        &["^"][..],
        &["=", "!="],
        &["->", "|"],
        &["? a :"],
        &["? a ? b : a :"],
    ] {
        let chain: Vec<_> = operators.iter().cycle().take(120).copied().collect();
        let value = format!("a {} a", chain.join(" a "));
        let text = format!(
            "decl a, b; void main() begin {} a := {value}; {} end",
            "if a then ".repeat(90),
            "fi ".repeat(90)
        );
        let printed = stdout(&run(&text, &["--print"]));
        assert!(!printed.is_empty(), "{operators:?}");
        assert_eq!(stdout(&run(&printed, &["--print"])), printed);
    }
}

#[test]
fn print_writes_the_program() {
    let output = run(
        "decl a,b;void main() begin a:=schoose[b&!a,a|b];end",
        &["--print"],
    );
    assert_eq!(output.status.code(), Some(0));
    assert!(
        stdout(&output).contains("a := schoose [b & !a, a | b];"),
        "{}",
        stdout(&output)
    );
}
