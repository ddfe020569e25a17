//! Pages, drawings and executions by hand, as a user asks for them. `make pages` opens the pages in a browser.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const PETERSON: &str = "examples/peterson.cup";
const UNFENCED: [&str; 4] = ["--model", "pso", "--fences", "none"];

fn cupola(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_cupola"))
        .args(args)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("it has an input");
    // A command that fails at once does not read.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("it is text")
}

/// The file that a command writes.
fn written(args: &[&str], option: &str, folder: &Path) -> String {
    let file = folder.join("out");
    let _ = std::fs::remove_file(&file);
    let name = file.to_str().expect("a plain name");
    let output = cupola(&[args, &[option, name]].concat(), "");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    std::fs::read_to_string(&file).unwrap_or_else(|_| panic!("{args:?}: {error}"))
}

#[test]
fn pages_are_the_same_every_time_and_load_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let commands: [&[&str]; 5] = [
        &["translate", PETERSON, "--model", "all"],
        &["verify", "examples/bakery.cup"],
        &["explore", PETERSON, "--model", "pso", "--fences", "none"],
        &["fences", "examples/dekker.cup", "--model", "pso"],
        &[
            "litmus",
            "tests/litmus/sb.litmus",
            "--model",
            "tso",
            "--witness",
        ],
    ];
    for command in commands {
        let page = written(command, "--html", folder.path());
        assert_eq!(
            page,
            written(command, "--html", folder.path()),
            "{command:?}"
        );
        assert!(
            page.len() < 1_000_000,
            "{command:?} has {} bytes",
            page.len()
        );
        for loads in ["http://", "https://", " src=\"", "@import", "url("] {
            assert!(!page.contains(loads), "{command:?} has {loads}");
        }
    }
}

/// The words of the tables stand below them: those that are there, and no others.
#[test]
fn a_page_explains_its_words() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["verify", "examples/ticket.cup", "--model", "tso"];
    let page = written(&args, "--html", folder.path());
    for word in [
        "explore",
        "predicate",
        "pe",
        "-",
        "rules 1, 8",
        "rules 2, 9",
    ] {
        assert!(
            page.contains(&format!("<dt><code>{word}</code></dt><dd>")),
            "{word}"
        );
    }
    for word in ["backward", "ce", "rule 17"] {
        assert!(
            !page.contains(&format!("<dt><code>{word}</code></dt>")),
            "{word}"
        );
    }
}

#[test]
fn what_the_user_wrote_is_no_markup() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("<b>.cup");
    let program =
        "shared x; // <img onerror=1>\nthread P { x = 1; assert(x == 0, \"</script><i>\"); }";
    std::fs::write(&file, program).unwrap();
    let name = file.to_str().unwrap();
    for command in ["explore", "verify", "translate"] {
        let page = written(&[command, name, "--model", "sc"], "--html", folder.path());
        assert!(page.contains("&lt;img onerror=1&gt;"), "{command}");
        for markup in ["<img", "<b>.cup", "</script><i>"] {
            assert!(!page.contains(markup), "{command} has {markup}");
        }
    }
}

#[test]
fn a_page_does_not_replace_a_file_unless_that_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    std::fs::write(&file, "mine").unwrap();
    let name = file.to_str().unwrap();
    let args = ["explore", PETERSON, "--model", "sc", "--html", name];
    assert_eq!(cupola(&args, "").status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(
        cupola(&[&args[..], &["--force"]].concat(), "")
            .status
            .code(),
        Some(0)
    );
    assert!(
        std::fs::read_to_string(&file)
            .unwrap()
            .starts_with("<!DOCTYPE html>")
    );
}

#[test]
fn a_drawing_has_the_steps_and_what_reaches_memory() {
    let folder = tempfile::tempdir().unwrap();
    let command = [
        "litmus",
        "tests/litmus/sb.litmus",
        "--model",
        "tso",
        "--witness",
    ];
    let drawing = written(&command, "--svg", folder.path());
    assert!(drawing.starts_with("<svg ") && drawing.ends_with("</svg>\n"));
    assert!(
        drawing.contains(">memory<") && drawing.contains("flushes"),
        "{drawing}"
    );
    let safe = folder.path().join("none.svg");
    let args = [
        "explore",
        PETERSON,
        "--model",
        "sc",
        "--svg",
        safe.to_str().unwrap(),
    ];
    let output = cupola(&args, "");
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no execution to draw"));
    assert!(!safe.exists());
}

#[test]
fn translations_stand_side_by_side_on_pages_of_any_width() {
    for width in [20, 40, 80, 120] {
        let args = [
            "translate",
            PETERSON,
            "--model",
            "pso",
            "--side-by-side",
            "--width",
            &width.to_string(),
        ];
        let text = stdout(&cupola(&args, ""));
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(width), "{widest:?} on {width}");
    }
    let text = stdout(&cupola(
        &["translate", PETERSON, "--model", "pso", "--side-by-side"],
        "",
    ));
    assert!(text.contains("13     flag0 = 1;"), "{text}");
    let row = text.lines().find(|line| line.starts_with("13 ")).unwrap();
    assert!(row.ends_with("// line 13: flag0 = 1;"), "{row}");
}

#[test]
fn a_difference_shows_what_a_bound_changes() {
    let text = stdout(&cupola(
        &["translate", PETERSON, "--diff", "pso:1,pso:2"],
        "",
    ));
    assert!(
        text.starts_with("--- examples/peterson.cup pso:1\n+++ examples/peterson.cup pso:2\n@@ -"),
        "{text}"
    );
    assert!(
        text.contains("\n+    } else if (flag0_cnt_t0 == 2) {")
            || text.contains("\n+      } else if (flag0_cnt_t0 == 2) {"),
        "{text}"
    );
    let same = stdout(&cupola(
        &["translate", PETERSON, "--diff", "tso:1,tso:1"],
        "",
    ));
    assert_eq!(same.lines().count(), 2, "{same}");
    assert_eq!(
        cupola(&["translate", PETERSON, "--diff", "tso:1"], "")
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn the_map_of_lines_leads_from_each_statement_to_its_line() {
    let output = cupola(&["translate", PETERSON, "--model", "tso", "--json"], "");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text: Vec<&str> = json["text"].as_str().unwrap().lines().collect();
    let lines = json["lines"].as_array().unwrap();
    let mut comments = 0;
    for line in lines {
        let shown = text[line["line"].as_u64().unwrap() as usize - 1].trim();
        // The comment of a group names its line: the map, which comes from the origins, agrees.
        if let Some(named) = shown.strip_prefix("// line ") {
            let number: u64 = named.split(':').next().unwrap().parse().unwrap();
            assert_eq!(line["source"], serde_json::json!([number]), "{shown}");
            comments += 1;
        }
    }
    assert_eq!(
        comments,
        text.iter()
            .filter(|line| line.trim().starts_with("// line "))
            .count()
    );
    assert!(lines.iter().any(|line| line["kind"] == "flush"));
}

#[test]
fn a_walk_goes_through_a_violation_by_its_own_trace() {
    let folder = tempfile::tempdir().unwrap();
    let (trace, saved) = (
        folder.path().join("trace.json"),
        folder.path().join("saved.json"),
    );
    let (trace, saved) = (trace.to_str().unwrap(), saved.to_str().unwrap());
    let explored = cupola(
        &[&["explore", PETERSON, "--json"], &UNFENCED[..]].concat(),
        "",
    );
    std::fs::write(trace, &explored.stdout).unwrap();
    let explored: Value = serde_json::from_slice(&explored.stdout).unwrap();
    let steps = explored["trace"]["steps"].as_array().unwrap().len();
    let step = [&["step", PETERSON], &UNFENCED[..]].concat();
    let input = "on\n".repeat(steps - 1);
    let args = [&step[..], &["--trace", trace]].concat();
    assert_eq!(
        cupola(&args, &input).status.code(),
        Some(0),
        "nothing is broken yet"
    );
    let args = [&args[..], &["--save", saved]].concat();
    let walked = cupola(&args, &(input + "on\n"));
    assert_eq!(walked.status.code(), Some(10));
    assert!(stdout(&walked).contains("broken: forbid mutex: P0@cs && P1@cs; (line 40)"));
    // What was saved is the same execution, and can be walked in turn, back and forth.
    let text = std::fs::read_to_string(saved).unwrap();
    let again: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(again["trace"], explored["trace"]);
    let args = [&step[..], &["--trace", saved, "--json"]].concat();
    let walked = cupola(&args, "end\nback 3\nstart\nend\n");
    assert_eq!(walked.status.code(), Some(10));
    let walked: Value = serde_json::from_slice(&walked.stdout).unwrap();
    assert_eq!(walked["trace"], explored["trace"]);
    assert_eq!(walked["command"], "step");
    // It is no execution under TSO.
    let args = [
        "step", PETERSON, "--model", "tso", "--fences", "all", "--trace", trace,
    ];
    assert_eq!(cupola(&args, "").status.code(), Some(2));
}

#[test]
fn choices_are_told_apart_from_what_is_none() {
    let step = ["step", "examples/litmus_sb.cup", "--model", "tso"];
    let walked = cupola(&step, "# a comment\n1\n2\nback\nquit\n");
    let text = stdout(&walked);
    assert_eq!(walked.status.code(), Some(0), "{text}");
    assert!(text.contains("flushes"), "{text}");
    assert_eq!(text.matches("start\n").count(), 1);
    for wrong in [
        "0\n",
        "99\n",
        "jump\n",
        "set x 1\n",
        "set nothing 1\n",
        "back x\n",
    ] {
        assert_eq!(cupola(&step, wrong).status.code(), Some(2), "{wrong}");
    }
}
