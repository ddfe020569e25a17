//! Tests of `cupola fmt`.

use std::path::Path;

use assert_cmd::Command;

const UNTIDY: &str = "shared  x;thread P{x=1;}";
const TIDY: &str = "shared x;\nthread P {\n  x = 1;\n}\n";

fn fmt() -> Command {
    let mut command = Command::cargo_bin("cupola").expect("the command is built");
    command.arg("fmt");
    command
}

fn write(folder: &Path, text: &str) -> std::path::PathBuf {
    let path = folder.join("program.cup");
    std::fs::write(&path, text).expect("files can be written");
    path
}

#[test]
fn the_result_goes_to_standard_output() {
    fmt()
        .arg("-")
        .write_stdin(UNTIDY)
        .assert()
        .success()
        .stdout(TIDY)
        .stderr("");
}

#[test]
fn a_file_can_be_formatted_in_place() {
    let folder = tempfile::tempdir().expect("there is room for files");
    let path = write(folder.path(), UNTIDY);
    fmt().arg(&path).arg("--check").assert().code(2).stdout("");
    fmt()
        .arg(&path)
        .arg("-o")
        .arg(&path)
        .assert()
        .code(2)
        .stdout("");
    fmt()
        .arg(&path)
        .arg("-o")
        .arg(&path)
        .arg("--force")
        .assert()
        .success()
        .stdout("");
    assert_eq!(
        std::fs::read_to_string(&path).expect("the file is there"),
        TIDY
    );
    fmt()
        .arg(&path)
        .arg("--check")
        .assert()
        .success()
        .stdout("")
        .stderr("");
}

#[test]
fn programs_that_break_static_rules_are_formatted() {
    let output = "thread P {\n  y = z;\n}\n";
    fmt()
        .arg("-")
        .write_stdin("thread P{y=z;}")
        .assert()
        .success()
        .stdout(output);
}

#[test]
fn broken_syntax_is_refused() {
    let output = fmt()
        .arg("-")
        .write_stdin("thread P { x = ; }")
        .assert()
        .code(2)
        .stdout("");
    let messages = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(messages.contains("<stdin>:1:16"), "{messages}");
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let output = fmt()
        .arg("-")
        .write_stdin(b"shared x;\nshared \xff;".to_vec())
        .assert()
        .code(2)
        .stdout("");
    let messages = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(messages.contains("line 2, column 8"), "{messages}");
}
