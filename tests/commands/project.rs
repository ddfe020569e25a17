//! The project's own files: what its packages hold, and versions that stand in several places.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use cupola::bench::ALGORITHMS;
use cupola::bench::tacas::PROGRAMS;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files of a package.
fn packaged(package: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args([
            "package",
            "--list",
            "--allow-dirty",
            "--offline",
            "-p",
            package,
        ])
        .current_dir(root())
        .env_remove("RUSTC_BOOTSTRAP")
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    let list = String::from_utf8(output.stdout).expect("names are text");
    list.lines().map(|line| line.replace('\\', "/")).collect()
}

/// The Rust files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let below = paths.flat_map(|path| match path.is_dir() {
        true => sources(&path),
        false => vec![path],
    });
    below.collect()
}

/// The grammars that the sources of a crate name.
fn grammars(crate_folder: &str) -> BTreeSet<String> {
    let files = sources(&root().join(crate_folder).join("src"));
    let texts = files
        .iter()
        .map(|path| std::fs::read_to_string(path).expect("a source is text"));
    let named = texts.flat_map(|text| {
        let lines = text.lines().filter_map(|line| {
            let name = line.trim().strip_prefix("#[grammar = \"")?;
            name.strip_suffix("\"]").map(str::to_owned)
        });
        lines.collect::<Vec<String>>()
    });
    named.collect()
}

#[test]
fn packages_hold_what_they_embed() {
    for (package, folder, expected) in [
        ("cupola", "", 4),
        ("boolprog_checker", "boolprog_checker", 1),
    ] {
        let (files, grammars) = (packaged(package), grammars(folder));
        assert_eq!(grammars.len(), expected, "{grammars:?}");
        let missing: Vec<_> = grammars.difference(&files).collect();
        assert!(missing.is_empty(), "{package}: {missing:?}");
        for file in [
            "Cargo.toml",
            "LICENSE-MIT",
            "LICENSE-APACHE",
            "src/lib.rs",
            "src/main.rs",
        ] {
            assert!(files.contains(file), "{package}: {file}");
        }
    }
    let files = packaged("cupola");
    for algorithm in &ALGORITHMS {
        for extension in ["cup", "proof"] {
            let file = format!("examples/{}.{extension}", algorithm.name);
            assert!(files.contains(&file), "{file}");
        }
    }
    for program in &PROGRAMS {
        let file = format!("examples/rmm/{}.rmm", program.name);
        assert!(files.contains(&file), "{file}");
    }
    for name in ["bakery", "clh", "sense_barrier"] {
        let file = format!("examples/pldi/{name}.cup");
        assert!(files.contains(&file), "{file}");
    }
    assert!(!files.iter().any(|file| file.starts_with("tests/")));
}

/// The value of the first line `key = "value"` of a manifest.
fn manifest(key: &str) -> String {
    let text = read("Cargo.toml");
    let mut values = text.lines().filter_map(|line| {
        let value = line.strip_prefix(key)?.strip_prefix(" = \"")?;
        value.strip_suffix('"').map(str::to_owned)
    });
    values
        .next()
        .unwrap_or_else(|| panic!("Cargo.toml has no `{key}`"))
}

#[test]
fn versions_are_the_same_everywhere() {
    let (version, rust) = (manifest("version"), manifest("rust-version"));
    assert!(read("CITATION.cff").contains(&format!("\nversion: {version}\n")));
    let workflow = read(".github/workflows/ci.yml");
    assert!(workflow.contains(&format!("rust: [stable, \"{rust}\"]\n")));
    assert!(read("README.md").contains(&format!("Rust ({rust} or newer)")));
}

#[test]
fn a_workflow_runs_the_targets_of_the_makefile() {
    let (workflow, makefile) = (read(".github/workflows/ci.yml"), read("Makefile"));
    for target in ["setup", "lint", "test", "package"] {
        assert!(
            workflow.contains(&format!("run: make {target}\n")),
            "{target}"
        );
        assert!(makefile.contains(&format!("\n{target}: ")), "{target}");
    }
}
