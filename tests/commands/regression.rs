//! `cupola test`: the project's own regression, and what users see of theirs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::examples;

/// What a command said.
struct Said {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn cupola_in(folder: &Path, args: &str) -> Said {
    let output = Command::new(env!("CARGO_BIN_EXE_cupola"))
        .args(args.split_whitespace())
        .current_dir(folder)
        .output()
        .expect("the binary runs");
    Said {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

/// A folder with two examples, a litmus test and a program of Memorax, and golden files of the examples.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("there is room for files");
    fill(folder.path());
    folder
}

fn fill(folder: &Path) {
    fs::create_dir_all(folder.join("golden")).expect("a folder");
    for (from, to) in [
        ("examples/burns.cup", "burns.cup"),
        ("examples/queue.cup", "queue.cup"),
        ("examples/queue.proof", "queue.proof"),
        ("tests/litmus/sb.litmus", "sb.litmus"),
        ("examples/rmm/dekker_simple.rmm", "dekker_simple.rmm"),
        ("translations/burns.tso.k2.cup", "golden/burns.tso.k2.cup"),
        ("translations/burns.verdicts", "golden/burns.verdicts"),
        (
            "translations/queue.pso.fifo.cup",
            "golden/queue.pso.fifo.cup",
        ),
        ("translations/queue.tso.k1.bp", "golden/queue.tso.k1.bp"),
        (
            "translations/queue.sc.predicates",
            "golden/queue.sc.predicates",
        ),
    ] {
        fs::copy(root().join(from), folder.join(to))
            .unwrap_or_else(|error| panic!("{from}: {error}"));
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{:?}: {error}", path.as_ref()))
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = read(path);
    assert!(text.contains(from), "{path:?} has no `{from}`");
    fs::write(path, text.replace(from, to)).expect("its own file");
}

/// All files of a folder with their contents.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("it can be read") {
        let path = entry.expect("it can be read").path();
        match path.is_dir() {
            true => all.extend(contents(&path)),
            false => all.push((path.clone(), fs::read(&path).expect("it can be read"))),
        }
    }
    all.sort();
    all
}

#[test]
fn the_examples_are_as_expected_and_as_kept() {
    let said = cupola_in(&root(), "test examples -j 2");
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    let summary = said.stdout.lines().last().expect("a summary");
    assert!(
        summary.starts_with("test result: passed files="),
        "{summary}"
    );
}

#[test]
fn of_every_example_there_are_golden_files() {
    let mut lacking = Vec::new();
    for example in examples::all() {
        for kind in [
            "tso.k2.cup",
            "pso.k2.cup",
            "tso.fifo.cup",
            "pso.fifo.cup",
            "verdicts",
        ] {
            let path = format!("translations/{}.{kind}", example.name);
            if !root().join(&path).exists() {
                lacking.push(path);
            }
        }
    }
    assert!(
        lacking.is_empty(),
        "make them with `touch` and `make golden`: {lacking:?}"
    );
}

/// Run twice, by several threads, and on a copy elsewhere.
#[test]
fn the_same_files_give_the_same_bytes() {
    let (one, other) = (folder(), folder());
    edit(
        &one.path().join("golden/burns.tso.k2.cup"),
        "flush",
        "flash",
    );
    edit(
        &other.path().join("golden/burns.tso.k2.cup"),
        "flush",
        "flash",
    );
    let run = |folder: &Path, jobs: usize| {
        let args = "--junit junit.xml --sarif log.sarif --force";
        let text = cupola_in(folder, &format!("test -j {jobs} {args}"));
        let json = cupola_in(folder, &format!("test -j {jobs} --json"));
        assert_eq!(
            (text.code, json.code),
            (Some(10), Some(10)),
            "{}",
            text.stderr
        );
        let files = ["junit.xml", "log.sarif"].map(|name| read(folder.join(name)));
        (text.stdout, json.stdout, files)
    };
    let first = run(one.path(), 1);
    assert_eq!(run(one.path(), 1), first);
    assert_eq!(run(one.path(), 4), first);
    assert_eq!(run(other.path(), 2), first);
    for folder in [&one, &other] {
        assert_eq!(cupola_in(folder.path(), "test --bless").code, Some(0));
    }
    let golden = |folder: &TempDir| {
        let files = contents(&folder.path().join("golden")).into_iter();
        files
            .map(|(path, bytes)| (path.file_name().map(ToOwned::to_owned), bytes))
            .collect::<Vec<_>>()
    };
    assert_eq!(golden(&one), golden(&other));
    let name = |name: &str| read(one.path().join("golden").join(name));
    assert!(name("burns.tso.k2.cup").starts_with("// burns.cup under TSO"));
    assert!(name("queue.tso.k1.bp").starts_with("// The boolean program of queue.cup under TSO"));
}

#[test]
fn a_changed_text_is_shown_and_can_be_accepted() {
    let folder = folder();
    let golden = folder.path().join("golden/queue.pso.fifo.cup");
    let right = read(&golden);
    edit(
        &golden,
        "// Store buffers are FIFOs",
        "// Store buffers were FIFOs",
    );
    let said = cupola_in(folder.path(), "test");
    assert_eq!(said.code, Some(10));
    for line in [
        "failed queue.cup: queue.pso.fifo.cup",
        "--- golden/queue.pso.fifo.cup",
        "+++ present",
        "-// Store buffers were FIFOs of any length, flushes are background blocks.",
        "+// Store buffers are FIFOs of any length, flushes are background blocks.",
    ] {
        assert!(
            said.stdout.lines().any(|shown| shown == line),
            "{line}: {}",
            said.stdout
        );
    }
    let summary = said.stdout.lines().last().expect("a summary");
    assert!(
        summary.starts_with("test result: failed files=4 "),
        "{summary}"
    );
    assert!(summary.contains(" failed=1 "), "{summary}");
    let coloured = cupola_in(folder.path(), "test --color always").stdout;
    assert!(
        coloured.contains("\u{1b}[31m-// Store buffers were"),
        "{coloured}"
    );
    assert!(
        coloured.contains("\u{1b}[32m+// Store buffers are"),
        "{coloured}"
    );
    let blessed = cupola_in(folder.path(), "test --bless");
    assert_eq!(blessed.code, Some(0), "{}", blessed.stdout);
    assert!(
        blessed
            .stdout
            .contains("blessed queue.cup: queue.pso.fifo.cup")
    );
    assert_eq!(read(&golden), right);
    assert_eq!(cupola_in(folder.path(), "test").code, Some(0));
}

/// A file with the right name and no text is a wish for a golden file.
#[test]
fn an_empty_golden_file_is_filled() {
    let folder = folder();
    for name in [
        "burns.pso.k1.cup",
        "queue.pso.k1.predicates",
        "sb.litmus.verdicts",
        "dekker_simple.rmm.tso.k1.cup",
    ] {
        fs::write(folder.path().join("golden").join(name), "").expect("a file");
    }
    assert_eq!(cupola_in(folder.path(), "test").code, Some(10));
    assert_eq!(cupola_in(folder.path(), "test --bless").code, Some(0));
    assert_eq!(cupola_in(folder.path(), "test").code, Some(0));
    let litmus = read(folder.path().join("golden/sb.litmus.verdicts"));
    assert_eq!(
        litmus,
        "// The answers for sb.litmus.\nsc: Never\ntso: Sometimes\npso: Sometimes\n"
    );
}

#[test]
fn a_wrong_answer_is_told_and_not_accepted() {
    let folder = folder();
    let program = folder.path().join("burns.cup");
    let right = read(&program);
    edit(&program, "tso{a}=safe", "tso{a}=violated");
    edit(&program, "pso{a}=safe", "pso{b}=safe");
    for args in ["test", "test --bless"] {
        let said = cupola_in(folder.path(), args);
        assert_eq!(said.code, Some(10), "{args}");
        let line = "  line 8 expects tso{a}=violated, the answer is tso{a}=safe\n";
        assert!(said.stdout.contains(line), "{}", said.stdout);
        let line = "  line 8 expects pso{b}=safe, the answer is pso{b}=violated (mutex)\n";
        assert!(said.stdout.contains(line), "{}", said.stdout);
    }
    fs::remove_file(folder.path().join("golden/burns.verdicts")).expect("its own file");
    fs::write(&program, right.replace("tso=violated", "tso=violated?")).expect("its own file");
    assert_eq!(cupola_in(folder.path(), "test").code, Some(0));
    fs::write(&program, right.replace("tso=violated", "tso=safe?")).expect("its own file");
    let said = cupola_in(folder.path(), "test");
    assert_eq!(
        said.code,
        Some(10),
        "a violation that is found contradicts `safe?`"
    );
}

#[test]
fn mistakes_of_programs_and_of_expect_lines_are_told() {
    for (from, to, told) in [
        (
            "tso{a}=safe",
            "tso{z}=safe",
            "the program has no optional fence `z`",
        ),
        (
            "tso{a}=safe",
            "tso{b,a}=safe",
            "names fences in another order",
        ),
        ("tso{a}=safe", "tso{a}=good", "`good` is none of safe"),
        ("tso{a}=safe", "tso=safe", "`tso` is expected twice"),
        ("shared flag0", "shared flag9", "burns.cup:15: "),
    ] {
        let folder = folder();
        edit(&folder.path().join("burns.cup"), from, to);
        let said = cupola_in(folder.path(), "test burns.cup");
        assert_eq!(said.code, Some(10), "{to}");
        assert!(said.stdout.contains(told), "{to}: {}", said.stdout);
    }
}

#[test]
fn golden_files_without_a_program_are_told() {
    let folder = folder();
    fs::write(folder.path().join("golden/gone.verdicts"), "").expect("a file");
    fs::write(folder.path().join("golden/burns.tso.k2.cpu"), "").expect("a file");
    fs::write(folder.path().join("golden/README.md"), "").expect("a file");
    let said = cupola_in(folder.path(), "test --bless");
    assert_eq!(said.code, Some(10));
    for file in ["golden/gone.verdicts", "golden/burns.tso.k2.cpu"] {
        assert!(
            said.stdout.contains(&format!("failed {file}: golden file")),
            "{}",
            said.stdout
        );
    }
    assert!(said.stdout.contains(" failed=2 "), "{}", said.stdout);
    assert_eq!(
        cupola_in(folder.path(), "test burns.cup").code,
        Some(0),
        "it is one file's"
    );
}

#[test]
fn golden_files_may_be_elsewhere() {
    let folder = tempfile::tempdir().expect("there is room for files");
    let programs = folder.path().join("src/programs");
    fill(&programs);
    fs::rename(programs.join("golden"), folder.path().join("kept")).expect("it is moved");
    let bad = |args: &str| {
        cupola_in(folder.path(), args)
            .stdout
            .contains("kept/burns.tso.k2.cup")
    };
    fs::write(folder.path().join("kept/burns.tso.k2.cup"), "other\n").expect("a file");
    assert!(!bad("test src"), "there is none beside them");
    assert!(bad("test src/programs --golden kept"));
    assert!(bad("test src/programs/burns.cup --golden kept"));
    fs::write(programs.join("golden"), "../../kept\n").expect("a file");
    assert!(bad("test src"));
    assert!(
        bad("test"),
        "the folder of golden files is no folder of programs"
    );
    assert!(
        !cupola_in(folder.path(), "test")
            .stdout
            .contains("failed kept")
    );
    fs::write(programs.join("golden"), "../nowhere\n").expect("a file");
    let said = cupola_in(folder.path(), "test src");
    assert_eq!(said.code, Some(2));
    assert!(
        said.stderr
            .contains("names the folder `src/nowhere`, which is not there"),
        "{}",
        said.stderr
    );
    fs::remove_file(programs.join("golden")).expect("its own file");
    fs::create_dir_all(folder.path().join("mirror")).expect("a folder");
    fs::rename(
        folder.path().join("kept"),
        folder.path().join("mirror/programs"),
    )
    .expect("it is moved");
    let said = cupola_in(folder.path(), "test src --golden mirror");
    assert!(
        said.stdout.contains("mirror/programs/burns.tso.k2.cup"),
        "{}",
        said.stdout
    );
}

#[test]
fn present_answers_become_expectations() {
    let folder = tempfile::tempdir().expect("there is room for files");
    fill(folder.path());
    fs::remove_dir_all(folder.path().join("golden")).expect("its own folder");
    for name in ["burns.cup", "dekker_simple.rmm"] {
        let path = folder.path().join(name);
        let text = read(&path);
        let lines = text.lines().filter(|line| !line.contains("expect:"));
        let text: Vec<&str> = lines.collect();
        fs::write(&path, text.join("\n") + "\n").expect("its own file");
    }
    let said = cupola_in(folder.path(), "test --init .");
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(
        said.stdout
            .contains("written burns.cup\nwritten golden/burns.tso.k2.cup\n"),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout.contains("written golden/queue.pso.k1.bp\n"),
        "{}",
        said.stdout
    );
    let expected = "// expect: sc=safe tso=violated tso{a}=safe pso=violated pso{a}=safe";
    assert!(read(folder.path().join("burns.cup")).contains(expected));
    let litmus = read(folder.path().join("sb.litmus"));
    assert!(
        litmus.contains("\n(* expect: sc=Never tso=Sometimes pso=Sometimes *)\n"),
        "{litmus}"
    );
    let rmm = read(folder.path().join("dekker_simple.rmm"));
    assert!(
        rmm.starts_with("/* expect: sc=safe tso=violated pso=violated */\n"),
        "{rmm}"
    );
    assert_eq!(cupola_in(folder.path(), "test").code, Some(0));
    let before = contents(folder.path());
    assert_eq!(
        cupola_in(folder.path(), "test --init").stdout,
        "",
        "nothing is missing"
    );
    assert!(before == contents(folder.path()));
    edit(
        &folder.path().join("burns.cup"),
        "tso{a}=safe",
        "tso{a}=violated",
    );
    assert_eq!(
        cupola_in(folder.path(), "test --init").stdout,
        "",
        "a claim is kept"
    );
    assert_eq!(cupola_in(folder.path(), "test").code, Some(10));
    assert_eq!(
        cupola_in(folder.path(), "test --init --force").stdout,
        "written burns.cup\n"
    );
    assert!(before == contents(folder.path()));
}

/// The names of all comparisons that a command makes.
fn compared(folder: &Path, args: &str) -> Vec<String> {
    let said = cupola_in(folder, &format!("test --json {args}"));
    let value: Value = serde_json::from_str(&said.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", said.stderr));
    let files = value["files"].as_array().expect("files").iter();
    let names = files.flat_map(|file| {
        let checks = file["checks"].as_array().expect("checks").iter();
        checks.map(|check| {
            format!(
                "{}: {}",
                file["file"].as_str().unwrap(),
                check["name"].as_str().unwrap()
            )
        })
    });
    names.collect()
}

#[test]
fn shards_are_parts_of_the_whole() {
    let folder = folder();
    let whole = compared(folder.path(), "");
    assert_eq!(whole.len(), 5 + 5 + 5 + 3 + 1, "{whole:?}");
    for parts in [1, 2, 3, 7] {
        let shards =
            (1..=parts).map(|part| compared(folder.path(), &format!("--shard {part}/{parts}")));
        let mut together: Vec<String> = shards.flatten().collect();
        together.sort();
        let mut whole = whole.clone();
        whole.sort();
        assert_eq!(together, whole, "{parts} parts");
    }
    for wrong in ["0/2", "3/2", "1", "a/b"] {
        assert_eq!(
            cupola_in(folder.path(), &format!("test --shard {wrong}")).code,
            Some(2),
            "{wrong}"
        );
    }
}

#[test]
fn a_filter_names_files_or_comparisons() {
    let folder = folder();
    let names: BTreeSet<String> = compared(folder.path(), "").into_iter().collect();
    for filter in ["burns", "tso{a}", ".bp"] {
        let found: BTreeSet<String> = compared(folder.path(), &format!("--filter {filter}"))
            .into_iter()
            .collect();
        let wanted = names.iter().filter(|name| name.contains(filter));
        assert_eq!(found, wanted.cloned().collect(), "{filter}");
        assert!(!found.is_empty() && found.len() < names.len(), "{filter}");
    }
    let said = cupola_in(folder.path(), "test --filter nothing");
    assert_eq!(said.code, Some(2));
    assert!(
        said.stderr
            .contains("no comparison has a name that contains `nothing`"),
        "{}",
        said.stderr
    );
}

#[test]
fn what_is_no_program_is_refused() {
    let folder = folder();
    for (args, why) in [
        ("test nowhere", "there is no `nowhere`"),
        ("test queue.proof", "`queue.proof` is no program"),
        ("test golden/none", "there is no `golden/none`"),
        ("test --init --bless", "cannot be used with"),
        ("test --junit burns.cup --force", "is an input"),
    ] {
        let said = cupola_in(folder.path(), args);
        assert_eq!(said.code, Some(2), "{args}");
        assert!(said.stderr.contains(why), "{args}: {}", said.stderr);
    }
    let empty = tempfile::tempdir().expect("a folder");
    let said = cupola_in(empty.path(), "test");
    assert_eq!(said.code, Some(2));
    assert!(
        said.stderr.contains("there is no program to test"),
        "{}",
        said.stderr
    );
}

/// The five lines of the page are a CI: they pass, and they fail where a program changes its answer.
#[test]
fn the_ci_of_the_page_works() {
    let page = read(root().join("docs/regression.md"));
    let begin = page
        .find("```sh\n#!/bin/sh\n")
        .expect("the page has a script")
        + "```sh\n".len();
    let script = &page[begin..begin + page[begin..].find("```").expect("it ends")];
    assert_eq!(script.lines().count(), 5, "{script}");
    let folder = tempfile::tempdir().expect("there is room for files");
    fill(&folder.path().join("programs"));
    let binary = Path::new(env!("CARGO_BIN_EXE_cupola"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = binary.parent().map(Path::to_owned).into_iter();
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path))).expect("a path");
    let run = || {
        let mut command = Command::new("sh");
        command
            .args(["-c", script])
            .current_dir(folder.path())
            .env("PATH", &path);
        let output = command
            .stdin(Stdio::null())
            .output()
            .expect("the shell runs");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    assert_eq!(run(), (Some(0), String::new()));
    assert!(read(folder.path().join("report.xml")).contains("<testsuites"));
    edit(
        &folder.path().join("programs/burns.cup"),
        "    flag0 = 1;\n    fence? a;\n",
        "    flag0 = 0;\n    fence? a;\n",
    );
    assert_eq!(run().0, Some(10));
    assert!(read(folder.path().join("report.xml")).contains("<failure "));
}
