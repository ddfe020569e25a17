//! `cupola convert`, and programs of Memorax in the other commands.

use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

const PETERSON: &str = "examples/rmm/peterson.rmm";

fn cupola() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cupola"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

/// Runs a command and returns its exit code, standard output and standard error.
fn run(command: &mut Command) -> (i32, String, String) {
    let output = command.output().expect("the binary runs");
    let text = |bytes| String::from_utf8(bytes).expect("the output is text");
    (
        output.status.code().expect("it ends"),
        text(output.stdout),
        text(output.stderr),
    )
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("the file is written")
}

#[test]
fn the_format_is_that_of_the_output() {
    let folder = TempDir::new().expect("there is room for a folder");
    let (cup, rmm) = (folder.path().join("p.cup"), folder.path().join("p.rmm"));
    cupola()
        .args(["convert", PETERSON, "-o"])
        .arg(&cup)
        .assert()
        .success();
    assert!(read(&cup).contains("forbid forbidden: P0@CS && P1@CS;"));
    cupola()
        .arg("convert")
        .arg(&cup)
        .arg("-o")
        .arg(&rmm)
        .assert()
        .success();
    assert!(read(&rmm).starts_with("forbidden\n  CS CS\n"));
    for model in ["sc", "tso", "pso"] {
        let verdict = |file: &Path| run(cupola().args(["explore", "--model", model]).arg(file)).0;
        let expected = if model == "sc" { 0 } else { 10 };
        assert_eq!(
            (verdict(&cup), verdict(&rmm)),
            (expected, expected),
            "{model}"
        );
    }
    let (code, text, _) = run(cupola().args(["convert", PETERSON, "--to", "cup"]));
    assert_eq!((code, text), (0, read(&cup)));
    let (code, _, errors) = run(cupola().args(["convert", PETERSON]));
    assert_eq!(code, 2);
    assert!(
        errors.contains("the format of the result is not known"),
        "{errors}"
    );
    let (code, _, errors) = run(cupola().args(["convert", PETERSON, "--to", "litmus"]));
    assert_eq!(code, 2);
    assert!(
        errors.contains("`litmus` is neither cup nor rmm"),
        "{errors}"
    );
}

#[test]
fn several_programs_go_to_a_folder() {
    let folder = TempDir::new().expect("there is room for a folder");
    let files = [PETERSON, "examples/rmm/clh.rmm", "tests/litmus/sb.litmus"];
    let (code, _, errors) = run(cupola().arg("convert").args(files).args(["--to", "cup"]));
    assert_eq!(code, 2);
    assert!(
        errors.contains("several programs together are none"),
        "{errors}"
    );
    let mut command = cupola();
    command
        .arg("convert")
        .args(files)
        .args(["--to", "cup", "-o"])
        .arg(folder.path());
    command.assert().success();
    for name in ["peterson", "clh", "sb"] {
        let file = folder.path().join(format!("{name}.cup"));
        cupola()
            .arg("fmt")
            .arg(file)
            .arg("--check")
            .assert()
            .success();
    }
}

#[test]
fn standard_input_has_a_format() {
    let text = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(PETERSON));
    let mut command = cupola();
    command
        .args(["fences", "-", "--format", "rmm", "--model", "tso", "-q"])
        .write_stdin(text);
    let (code, output, _) = run(&mut command);
    assert_eq!(code, 0);
    assert!(output.contains("1 minimal placement"), "{output}");
    let (code, _, errors) =
        run(cupola().args(["explore", "-", "--format", "xml", "--model", "sc"]));
    assert_eq!(code, 2);
    assert!(errors.contains("none of cup, litmus and rmm"), "{errors}");
}

#[test]
fn every_command_reads_programs_of_memorax() {
    for (command, code) in [
        ("verify", 10),
        ("explore --model tso", 10),
        ("explore --model sc", 0),
        ("translate --model tso", 0),
        ("fences --model pso", 0),
        ("abstract --model sc", 0),
    ] {
        let (found, _, errors) = run(cupola().args(command.split(' ')).arg(PETERSON));
        assert_eq!(found, code, "{command}: {errors}");
        let note = "lines are those of the program that `cupola convert examples/rmm/peterson.rmm --to cup` prints";
        assert!(errors.contains(note), "{command}: {errors}");
    }
    let (code, _, errors) = run(cupola().args(["fmt", PETERSON]));
    assert_eq!(code, 2);
    assert!(
        errors.contains("is a program of Memorax, whose comments and macros"),
        "{errors}"
    );
}

#[test]
fn mistakes_are_shown_at_their_places() {
    let text = "forbidden CS\n\nprocess\ntext\n  write: x := 1;\n  CS: ssfence\n";
    let mut command = cupola();
    command
        .args(["explore", "-", "--format", "rmm", "--model", "tso"])
        .write_stdin(text);
    let (code, _, errors) = run(&mut command);
    assert_eq!(code, 2);
    assert!(
        errors.contains("the store-store fence `ssfence` is not modelled"),
        "{errors}"
    );
    assert!(errors.contains("<stdin>:6:7"), "{errors}");
}

/// Programs that do not fit, with their messages and places.
#[test]
fn what_does_not_fit_is_an_error_at_its_place() {
    let cases = [
        (
            "thread P { x = 1; l: skip; } finally x == 1;",
            "`finally` has no counterpart",
            "finally",
        ),
        (
            "thread P { x = 1; l: skip; } forbid x == 1;",
            "this property has no counterpart",
            "x == 1;",
        ),
        (
            "thread P { x = 1; l: skip; } invariant P@l;",
            "this property has no counterpart",
            "P@l",
        ),
        (
            "thread P { local r; r = *; assert(r == 0); }",
            "an arbitrary integer has no counterpart",
            "r = *",
        ),
        (
            "thread P { local r; r = swap(x, 1); assert(r == 0); }",
            "fits behind a fence alone",
            "r = swap",
        ),
        (
            "thread P { local r; r = r / 2; assert(r == 0); }",
            "this expression has no counterpart",
            "r / 2",
        ),
        (
            "thread P { atomic { x = 1; } assert(false); }",
            "a store in an atomic block has no counterpart",
            "x = 1",
        ),
        (
            "thread P { assert(x == 0); }",
            "this has no counterpart",
            "x == 0",
        ),
        ("thread P { x = 1; }", "there is no property", "shared"),
    ];
    for (thread, message, place) in cases {
        let text = format!("shared x; {thread}");
        let place = 1 + text.find(place).expect("the place is in the text");
        let mut command = cupola();
        command
            .args(["convert", "-", "--to", "rmm"])
            .write_stdin(text);
        let (code, _, errors) = run(&mut command);
        assert_eq!(code, 2, "{thread}");
        assert!(errors.contains(message), "{thread}: {errors}");
        let at = errors.split("<stdin>:").nth(1).unwrap_or_default();
        let at = at.lines().next().unwrap_or_default();
        assert_eq!((thread, at.trim()), (thread, &*format!("1:{place}")));
    }
    let (code, _, errors) = run(cupola().args(["convert", "examples/peterson.cup", "--to", "rmm"]));
    assert_eq!(code, 2);
    assert!(
        errors.contains("has other fences for tso and pso"),
        "{errors}"
    );
    let fenced = [
        "convert",
        "examples/peterson.cup",
        "--to",
        "rmm",
        "--fences",
        "b",
    ];
    let (code, text, _) = run(cupola().args(fenced));
    assert_eq!(code, 0);
    assert_eq!(
        text.matches("fence\n").count() + text.matches("fence;\n").count(),
        2,
        "{text}"
    );
}
