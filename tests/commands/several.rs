//! Several inputs, several models and several formats: one load, one way to put results together.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

struct Output {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn cupola(args: &str) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_cupola"))
        .args(args.split_whitespace())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the binary runs");
    Output {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

fn json(args: &str) -> Value {
    let stdout = cupola(args).stdout;
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}"))
}

/// A folder with a program that is safe, one that is not, one that is none, and a boolean program.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("there is room for files");
    let files = [
        (
            "safe.cup",
            "shared x;\nthread P {\n  x = 1;\n}\ninvariant x >= 0;\n",
        ),
        (
            "broken.cup",
            "shared x;\nthread P {\n  x = 1;\n}\ninvariant zero: x == 0;\n",
        ),
        ("wrong.cup", "shared x;\nthread P {\n  y = 1;\n}\n"),
        ("untidy.cup", "shared  x;thread P{x=1;}"),
        (
            "holds.bp",
            "decl a;\nvoid main() begin\n  a := T;\n  assert(a);\nend\n",
        ),
    ];
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("files can be written");
    }
    folder
}

/// The arguments with `@` in place of the folder's path.
fn at(folder: &TempDir, args: &str) -> String {
    args.replace('@', &folder.path().display().to_string())
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_program_is_explored_under_every_model() {
    let output = cupola("explore examples/dekker.cup tests/litmus/sb.litmus --model sc,pso -q");
    let heads: Vec<&str> = output
        .stdout
        .lines()
        .filter(|line| line.contains(" under "))
        .filter_map(|line| line.split_once(" ("))
        .map(|(head, _)| head)
        .collect();
    let wanted = [
        "examples/dekker.cup under sc: safe",
        "examples/dekker.cup under pso: safe",
        "tests/litmus/sb.litmus under sc: safe",
        "tests/litmus/sb.litmus under pso: violated, finally `line 18`",
    ];
    assert_eq!(heads, wanted, "{}", output.stdout);
    assert_eq!(output.code, Some(10), "the gravest verdict counts");
    assert_eq!(output.stderr, "");
    assert!(output.stdout.contains(")\n\nexamples/dekker.cup under pso"));
}

#[test]
fn json_of_several_results_is_an_array() {
    let several = json("explore examples/dekker.cup --model all --json");
    let models = several.as_array().expect("an array");
    let models: Vec<&Value> = models.iter().map(|result| &result["model"]).collect();
    assert_eq!(models, ["sc", "tso", "pso"]);
    let one = json("explore examples/dekker.cup --model sc --json");
    assert_eq!(one["model"], "sc");
    let translated = json("translate examples/dekker.cup --model sc,tso --json");
    assert_eq!(translated.as_array().map(Vec::len), Some(2));
    let decided = json("litmus tests/litmus/sb.litmus --model all --json");
    assert_eq!(decided[0]["tests"][0]["observation"], "Never");
    assert_eq!(decided[1]["tests"][0]["observation"], "Sometimes");
}

#[test]
fn an_error_of_one_file_does_not_hide_the_others() {
    let folder = folder();
    let args = "explore @/safe.cup @/wrong.cup @/no.cup @/broken.cup --model sc";
    let output = cupola(&at(&folder, args));
    assert_eq!(output.code, Some(2), "bad input is graver than a violation");
    assert!(output.stdout.contains("safe.cup under sc: safe"));
    assert!(output.stdout.contains("broken.cup under sc: violated"));
    assert!(output.stderr.contains("wrong.cup:3:3"), "{}", output.stderr);
    assert!(output.stderr.contains("no.cup"), "{}", output.stderr);
    let only = at(
        &folder,
        "explore @/safe.cup @/wrong.cup --model sc --json -q",
    );
    let found = json(&only);
    assert_eq!(found.as_array().map(Vec::len), Some(2));
    assert!(found[1]["diagnostics"].is_array(), "{found}");
    assert_eq!(found[1]["command"], "explore");
}

/// Tests under one model are one object; with files that are no tests beside them it is an array, still one value.
#[test]
fn files_that_are_no_litmus_tests_stand_beside_the_object_of_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a.litmus", "b.litmus"] {
        std::fs::write(folder.path().join(name), "X86 T\n{ }\n P0 ;\n MOV EAX ;\n").unwrap();
    }
    let sb = std::fs::read("tests/litmus/sb.litmus").unwrap();
    std::fs::write(folder.path().join("c.litmus"), sb).unwrap();
    let found = json(&at(&folder, "litmus @ --model tso --json -q"));
    assert_eq!(found.as_array().map(Vec::len), Some(3), "{found}");
    assert!(found[0]["diagnostics"].is_array() && found[1]["diagnostics"].is_array());
    assert_eq!(found[2]["tests"][0]["observation"], "Sometimes");
}

#[test]
fn a_violation_is_graver_than_an_unknown() {
    let folder = folder();
    let args = "explore @/broken.cup examples/dekker.cup --model sc --max-states 3 -q";
    let output = cupola(&at(&folder, args));
    assert!(output.stdout.contains("dekker.cup under sc: unknown"));
    assert_eq!(output.code, Some(10));
}

#[test]
fn several_results_go_to_a_folder_but_not_to_a_file() {
    let (folder, results) = (folder(), tempfile::tempdir().expect("there is room"));
    let into = |args: &str| {
        let args = at(&folder, args).replace('!', &results.path().display().to_string());
        cupola(&args)
    };
    let refused = into("translate @/safe.cup --model sc,tso -o !/all.cup");
    assert_eq!(refused.code, Some(2));
    assert!(
        refused
            .stderr
            .contains("several results do not go to one file")
    );
    let written = into("translate @/safe.cup --model sc,tso -o !");
    assert_eq!((written.code, &*written.stdout), (Some(0), ""));
    assert!(read(results.path(), "safe.sc.cup").contains("under SC"));
    assert!(read(results.path(), "safe.tso.cup").contains("under TSO"));
    assert_eq!(
        into("translate @/safe.cup --model sc,tso -o !").code,
        Some(2)
    );
    let again = into("translate @/safe.cup --model sc,tso -o ! --force");
    assert_eq!(again.code, Some(0));
    assert_eq!(
        into("explore @/safe.cup --model sc --json -o !").code,
        Some(0)
    );
    assert!(read(results.path(), "safe.sc.json").starts_with("{\n"));
    let twice = into("explore @/safe.cup @/safe.cup --model sc -o !");
    assert_eq!(twice.code, Some(2));
    assert!(
        twice
            .stderr
            .contains("two results would be called `safe.sc.txt`")
    );
}

#[test]
fn a_litmus_test_is_a_program_with_its_condition() {
    let sb = "tests/litmus/sb.litmus";
    let safe = cupola(&format!("explore {sb} --model sc"));
    assert_eq!(safe.code, Some(0), "{}", safe.stdout);
    assert!(
        safe.stderr
            .contains("cupola litmus tests/litmus/sb.litmus --to-cup")
    );
    let violated = cupola(&format!("explore {sb} --model tso -q"));
    assert_eq!(violated.code, Some(10));
    let broken = "broken: finally !(P0.EAX == 0 && P1.EAX == 0);";
    assert!(violated.stdout.contains(broken), "{}", violated.stdout);
    let fenced = cupola(&format!("fences {sb} --model tso -q"));
    let found = "tests/litmus/sb.litmus under tso: 1 minimal placement";
    assert!(fenced.stdout.starts_with(found), "{}", fenced.stdout);
    let translated = cupola(&format!("translate {sb} --model pso -q"));
    assert!(translated.stdout.starts_with("// sb.litmus under PSO"));
    let verified = cupola(&format!("verify {sb} --model sc,tso -q"));
    assert_eq!(verified.code, Some(10), "{}", verified.stdout);
}

#[test]
fn the_format_is_that_of_the_extension_or_that_which_is_asked_for() {
    let folder = folder();
    let copy = |from: &str, to: &str| {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join(from);
        std::fs::copy(from, folder.path().join(to)).expect("files can be copied");
    };
    copy("tests/litmus/sb.litmus", "sb.txt");
    assert_eq!(
        cupola(&at(&folder, "explore @/sb.txt --model sc")).code,
        Some(2)
    );
    let asked = cupola(&at(&folder, "explore @/sb.txt --format litmus --model sc"));
    assert_eq!(asked.code, Some(0));
    let refused = cupola(&at(&folder, "explore @/sb.txt --format herd --model sc"));
    assert_eq!(refused.code, Some(2));
    let other = cupola(&at(&folder, "explore @/holds.bp --model sc"));
    assert_eq!(other.code, Some(2));
    assert!(other.stderr.contains("cupola check"), "{}", other.stderr);
    let proof = cupola("verify examples/ticket.proof --model sc");
    assert_eq!(proof.code, Some(2));
    assert!(proof.stderr.contains("--proof"), "{}", proof.stderr);
}

#[test]
fn standard_input_is_read_once() {
    for command in ["explore - - --model sc", "fmt - - --check", "check - -"] {
        let output = cupola(command);
        assert_eq!(output.code, Some(2), "{command}");
        assert!(output.stderr.contains("only once"), "{}", output.stderr);
    }
}

#[test]
fn several_files_are_formatted_in_place_or_checked() {
    let folder = folder();
    let together = cupola(&at(&folder, "fmt @/safe.cup @/untidy.cup"));
    assert_eq!((together.code, &*together.stdout), (Some(2), ""));
    let checked = cupola(&at(
        &folder,
        "fmt --check @/safe.cup @/untidy.cup @/wrong.cup",
    ));
    assert_eq!((checked.code, &*checked.stdout), (Some(2), ""));
    assert_eq!(checked.stderr.matches("is not formatted").count(), 1);
    let placed = cupola(&at(&folder, "fmt --in-place @/safe.cup @/untidy.cup"));
    assert_eq!((placed.code, &*placed.stdout), (Some(0), ""));
    let tidy = "shared x;\nthread P {\n  x = 1;\n}\n";
    assert_eq!(read(folder.path(), "untidy.cup"), tidy);
    assert_eq!(cupola("fmt - --in-place").code, Some(2));
    let litmus = cupola("fmt tests/litmus/sb.litmus");
    assert!(litmus.stderr.contains("--to-cup"), "{}", litmus.stderr);
}

#[test]
fn litmus_tests_under_several_models_have_headings() {
    let output = cupola("litmus tests/litmus/sb.litmus tests/litmus/mp.litmus --model tso,pso");
    assert!(output.stdout.starts_with("Model tso\n\nTest SB Allowed\n"));
    assert!(output.stdout.contains("\n\nModel pso\n\nTest SB Allowed\n"));
    let table = cupola("litmus tests/litmus --model tso,pso --expect tests/litmus/expect.tso.csv");
    assert_eq!((table.code, &*table.stdout), (Some(2), ""));
}

#[test]
fn a_litmus_test_that_is_wrong_does_not_hide_the_others() {
    let folder = folder();
    let wrong = folder.path().join("wrong.litmus");
    fs::write(wrong, "X86 T\n").expect("its own file");
    let output = cupola(&at(
        &folder,
        "litmus @/wrong.litmus tests/litmus/sb.litmus @/safe.cup --model tso",
    ));
    assert_eq!(output.code, Some(2));
    assert!(output.stdout.starts_with("Test SB Allowed\n"));
    for told in ["wrong.litmus:", "safe.cup` is a program"] {
        assert!(output.stderr.contains(told), "{}", output.stderr);
    }
}

#[test]
fn several_programs_are_verified() {
    let folder = folder();
    let args = "verify @/safe.cup @/wrong.cup @/broken.cup --model sc,tso";
    let output = cupola(&at(
        &folder,
        &format!("{args} --certificate @/certificates"),
    ));
    assert_eq!(output.code, Some(2), "{}", output.stdout);
    let safe = at(&folder, "@/safe.cup:\nmodel  engine ");
    assert!(output.stdout.starts_with(&safe), "{}", output.stdout);
    let broken = at(&folder, "\n\n@/broken.cup:\nmodel  engine ");
    assert!(output.stdout.contains(&broken), "{}", output.stdout);
    let certified = cupola(&at(&folder, "certify @/certificates/safe/tso"));
    assert_eq!(certified.code, Some(0), "{}", certified.stderr);
    let results = json(&at(&folder, &format!("{args} --json -q")));
    assert_eq!(results.as_array().map(Vec::len), Some(3));
    assert!(results[1]["diagnostics"].is_array(), "{results}");
    assert_eq!(results[2]["results"][0]["verdict"], "violated");
    let proof = at(
        &folder,
        "verify @/safe.cup @/broken.cup --proof examples/ticket.proof",
    );
    assert_eq!(cupola(&proof).code, Some(2));
}

#[test]
fn fences_are_found_for_several_programs_and_models() {
    let (sb, peterson) = ("tests/litmus/sb.litmus", "examples/peterson.cup");
    let output = cupola(&format!("fences {sb} {peterson} --model all -q"));
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    for file in [sb, peterson] {
        for model in ["tso", "pso"] {
            let head = format!("{file} under {model}: ");
            assert!(output.stdout.contains(&head), "{}", output.stdout);
        }
    }
    let both = json(&format!("fences {sb} --model tso,pso --json -q"));
    assert_eq!(both[1]["model"], "pso");
    assert_eq!(cupola(&format!("fences {sb} --model sc,tso")).code, Some(2));
    let emitted = cupola(&format!("fences {sb} --model all --emit target/never.cup"));
    assert_eq!(emitted.code, Some(2));
    assert!(emitted.stderr.contains("--emit"), "{}", emitted.stderr);
}

#[test]
fn several_boolean_programs_are_checked() {
    let folder = folder();
    let output = cupola(&at(&folder, "check @/holds.bp @/holds.bp"));
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert_eq!(output.stdout.matches("verified\n").count(), 4);
    let several = json(&at(&folder, "check @/holds.bp @/holds.bp --json"));
    assert_eq!(several.as_array().map(Vec::len), Some(2));
}

#[test]
fn several_certificates_are_checked() {
    let folder = folder();
    let written = cupola(&at(
        &folder,
        "verify examples/ticket.cup --model tso,pso --certificate @/certificates",
    ));
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    let args = "certify @/certificates/tso @/certificates/none @/certificates/pso";
    let output = cupola(&at(&folder, args));
    assert_eq!(output.code, Some(2));
    assert_eq!(output.stdout.matches("accepted: ").count(), 2);
    let args = "certify @/certificates/tso @/certificates/pso --json";
    assert_eq!(json(&at(&folder, args))[1]["model"], "pso");
}
