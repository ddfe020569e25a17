//! Runs the commands that the documentation shows and compares what they print.
//!
//! In a fenced block marked `console`, a line that begins with `$ ` is a command; the lines up to the next
//! one are what it prints on standard output. `UPDATE_DOCS=1 cargo test --test commands docs::` writes the
//! present output into the pages.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The pages whose commands are run.
const PAGES: [&str; 14] = [
    "README.md",
    "docs/certificates.md",
    "docs/coherence.md",
    "docs/exact.md",
    "docs/exports.md",
    "docs/fences.md",
    "docs/litmus.md",
    "docs/memory-models.md",
    "docs/performance.md",
    "docs/regression.md",
    "docs/rmm.md",
    "docs/tutorial.md",
    "docs/unbounded.md",
    "docs/verification.md",
];

#[test]
fn commands_print_what_the_pages_say() {
    for page in PAGES {
        let path = root().join(page);
        let text = std::fs::read_to_string(&path).unwrap();
        let current = with_current_output(&text);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, current).unwrap();
        } else {
            assert_same_lines(page, &text, &current);
        }
    }
}

/// The page with what its commands print now.
fn with_current_output(page: &str) -> String {
    let mut current = String::new();
    let mut in_console = false;
    for line in page.lines() {
        if line.starts_with("```") {
            in_console = line == "```console";
        }
        let command = line.strip_prefix("$ ").filter(|_| in_console);
        if !in_console || line.starts_with("```") || command.is_some() {
            writeln!(current, "{line}").unwrap();
        }
        if let Some(command) = command {
            current.push_str(&output(command));
        }
    }
    current
}

/// What a command prints on standard output, run by the shell in the project's folder.
fn output(command: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_cupola"));
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders = binary
        .parent()
        .map(Path::to_owned)
        .into_iter()
        .chain(std::env::split_paths(&folders));
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(root())
        .env("PATH", std::env::join_paths(folders).unwrap())
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Fails at the first line that differs, which says more than two long texts.
fn assert_same_lines(page: &str, text: &str, current: &str) {
    let lines = text.lines().zip(current.lines());
    for (number, (said, printed)) in lines.enumerate() {
        assert_eq!(said, printed, "{page}, line {}", number + 1);
    }
    assert_eq!(
        text.lines().count(),
        current.lines().count(),
        "{page}: number of lines"
    );
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
