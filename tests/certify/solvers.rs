//! Other solvers, as processes, and the command `cupola certify`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command as Process;
use std::time::Duration;

use assert_cmd::Command;
use cupola::certificate::{self, Existing, StoreError, Stored, StoredBody};
use cupola::certify::{self, Effort, Solver, Verdict};
use cupola::render::{self, Page};
use cupola::source::SourceFile;
use tempfile::TempDir;

use crate::bases::{Base, cases};
use crate::{check, length, mutation, why};

fn certify(dir: &Path, options: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::cargo_bin("cupola").expect("the binary");
    let output = command
        .arg("certify")
        .arg(dir)
        .args(options)
        .output()
        .expect("a run");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn base() -> Base {
    cases().remove(1).base()
}

/// How many obligations there are.
fn obligations(base: &Base) -> usize {
    match &base.stored.body {
        StoredBody::Invariant(invariant) => invariant.obligations.matches("(check-sat)").count(),
        StoredBody::Facts(facts) => facts.obligations.matches("(check-sat)").count(),
        StoredBody::States(_) | StoredBody::Basis(_) => 0,
    }
}

fn written(base: &Base) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a directory");
    let dir = folder.path().join("certificate");
    certificate::write(&dir, &base.stored, Existing::Refuse).expect("written");
    (folder, dir)
}

/// A solver that is a shell script.
fn script(folder: &Path, text: &str) -> String {
    let path = folder.join("solver.sh");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    path.display().to_string()
}

/// The SMT-LIB solvers of this machine that are known to answer such files.
fn installed() -> Vec<&'static str> {
    let known = ["cvc5", "cvc4", "/usr/bin/z3", "yices-smt2"];
    let present = |name: &&str| Process::new(name).arg("--version").output().is_ok();
    known.into_iter().filter(present).collect()
}

#[test]
#[allow(clippy::print_stdout)] // Whoever reads the output should see what was left out.
fn other_solvers_agree() {
    let solvers = installed();
    if solvers.is_empty() {
        println!("skipped: no SMT-LIB solver is installed (Debian: apt-get install cvc5)");
    }
    for name in solvers {
        let solver: Solver = name.parse().expect("any name is a solver's");
        for case in cases().into_iter().take(5) {
            let base = case.base();
            let report = check(&base.stored, &solver).expect("the solver runs");
            assert_eq!(
                report.verdict,
                Verdict::Accepted,
                "{name}, {}: {report:?}",
                base.name
            );
            let mut stored = base.stored.clone();
            let pairs = &mut mutation::invariant(&mut stored)
                .expect("an invariant")
                .pairs;
            pairs.remove(pairs.len() / 2);
            let report = check(&stored, &solver).expect("the solver runs");
            let reason = why(&report).expect("a reason");
            assert!(
                matches!(report.verdict, Verdict::Rejected(_)),
                "{name}: {report:?}"
            );
            assert!(reason.contains("with: "), "{name} gives values: {reason}");
        }
    }
}

#[test]
fn solvers_that_misbehave_are_never_believed() {
    let base = base();
    let (folder, dir) = written(&base);
    for (text, reason) in [
        ("echo unknown", "it answers `unknown`"),
        (
            "echo '(error \"line 1\")'",
            "it answers `(error \"line 1\")`",
        ),
        (
            "echo unsat; echo unsat",
            "refute obligation 3: it ends without an answer",
        ),
        ("echo no memory >&2; exit 3", "exit status: 3: no memory"),
        ("head -c 100000 /dev/zero >&2", "it ends without an answer"),
        ("yes success", "it answers `success`"),
        ("kill -9 $$", "it ends without an answer"),
    ] {
        let solver = script(folder.path(), text);
        let (code, stdout, stderr) = certify(&dir, &["--solver", &solver]);
        assert_eq!(code, Some(5), "{text}: {stdout}{stderr}");
        assert!(
            stdout.starts_with("unknown: ") && stdout.contains(reason),
            "{text}: {stdout}"
        );
    }
    let solver = script(folder.path(), "echo sat");
    let (code, stdout, _) = certify(&dir, &["--solver", &solver]);
    assert_eq!(code, Some(10), "{stdout}");
}

/// Neither a solver that says nothing, nor one that a shell waits for, is waited for longer than told.
#[test]
fn when_the_time_is_over_the_answer_is_unknown() {
    let base = base();
    let (folder, dir) = written(&base);
    let all = obligations(&base);
    for (text, done) in [
        ("exec sleep 600", 0),
        ("sleep 20; true", 0),
        ("echo unsat; echo unsat; exec sleep 600", 2),
    ] {
        let solver = script(folder.path(), text);
        let (code, stdout, stderr) = certify(&dir, &["--solver", &solver, "--timeout", "1"]);
        assert_eq!(code, Some(5), "{text}: {stdout}{stderr}");
        let told = format!("{done} of {all} obligations are discharged");
        assert!(stdout.contains("the time was up"), "{text}: {stdout}");
        assert!(stdout.contains(&told), "{text}: {stdout}");
    }
    let (code, stdout, _) = certify(&dir, &["--timeout", "0"]);
    assert_eq!(code, Some(5), "{stdout}");
    let (code, stdout, _) = certify(&dir, &["--timeout", "600"]);
    assert_eq!(code, Some(0), "{stdout}");
}

/// What is said of a solver that gives all answers, each of them right, and then does this. It is not believed.
fn told_after_all_answers(more: &str, options: &[&str]) -> String {
    let base = base();
    let (folder, dir) = written(&base);
    let all = obligations(&base);
    let solver = script(folder.path(), &format!("yes unsat | head -n {all}; {more}"));
    let (code, stdout, _) = certify(&dir, &[&["--solver", &solver], options].concat());
    assert_eq!(code, Some(5), "{more}: {stdout}");
    stdout
}

#[test]
fn a_solver_that_says_more_is_not_believed() {
    for more in ["echo sat", "echo '(error \"late\")'"] {
        let told = told_after_all_answers(more, &[]);
        assert!(told.contains("it says more than it was asked"), "{told}");
    }
}

#[test]
fn a_solver_that_fails_in_the_end_is_not_believed() {
    for end in ["echo wrong >&2; exit 1", "kill -SEGV $$"] {
        let told = told_after_all_answers(end, &[]);
        assert!(told.contains("it gives all answers but ends"), "{told}");
    }
    let told = told_after_all_answers("exec >&-; exec sleep 600", &["--timeout", "1"]);
    assert!(told.contains("the time was up"), "{told}");
}

/// What a script has started ends with it.
#[test]
fn nothing_of_a_solver_goes_on_when_the_time_is_over() {
    let (folder, dir) = written(&base());
    let told = folder.path().join("child");
    let text = format!("sleep 600 & echo $! > {}; wait", told.display());
    let solver = script(folder.path(), &text);
    let (code, stdout, _) = certify(&dir, &["--solver", &solver, "--timeout", "1"]);
    assert_eq!(code, Some(5), "{stdout}");
    let child = fs::read_to_string(&told).expect("the script has begun");
    let status = PathBuf::from(format!("/proc/{}/stat", child.trim()));
    // One that has been stopped may wait to be collected.
    let is_over = || fs::read_to_string(&status).map_or(true, |text| text.contains(") Z "));
    let patience = std::iter::repeat_n(Duration::from_millis(50), 200);
    assert!(patience.into_iter().any(|pause| {
        std::thread::sleep(pause);
        is_over()
    }));
}

/// A certificate may be right and yet be about another program than the reader thinks.
#[test]
fn a_certificate_can_be_held_against_a_program() {
    let base = base();
    let (folder, dir) = written(&base);
    let program = folder.path().join("program.cup");
    let check = |text: &str| {
        fs::write(&program, text).expect("written");
        certify(
            &dir,
            &["--program", program.to_str().expect("a plain path")],
        )
    };
    let text = base.stored.source.text();
    let (code, stdout, _) = check(text);
    assert_eq!(code, Some(0), "{stdout}");
    let (code, stdout, _) = check(&format!("{text}\nforbid more: false;\n"));
    assert_eq!(code, Some(10), "{stdout}");
    assert!(
        stdout.contains("`source.cup` is not the program: line "),
        "{stdout}"
    );
}

/// Who has taken the properties out of a program can certify it; the report says that there are none.
#[test]
fn the_report_says_what_was_proved() {
    let base = base();
    let told = |stored: &Stored| {
        let report = check(stored, &Solver::Library).expect("a report");
        render::certify::text(&report, &Page::unlimited())
    };
    let specs = |line: &&str| {
        !["forbid", "invariant", "finally"]
            .iter()
            .any(|word| line.trim().starts_with(word))
    };
    let property = "  property: line ";
    assert!(told(&base.stored).contains(property));
    let text = base.stored.source.text();
    let without: Vec<&str> = text.lines().filter(specs).collect();
    let with_source = |text: String| {
        let mut stored = base.stored.clone();
        stored.source = SourceFile::new(base.stored.source.name(), text);
        stored.reduced = crate::mutation::reduced_text(&stored).expect("it is a program");
        told(&stored)
    };
    let nothing = with_source(without.join("\n"));
    assert!(nothing.contains("  property: none"), "{nothing}");
    assert!(!nothing.contains(property), "{nothing}");
    let hidden = with_source(format!("{text}\nforbid /* \u{1b}[8m */ more: false;\n"));
    assert!(
        hidden.contains("forbid /* ?[8m */ more: false;"),
        "{hidden}"
    );
}

/// The name of the program is not a way to write lines into the report.
#[test]
fn names_are_told_on_one_line() {
    let mut base = base();
    let text = base.stored.source.text().to_owned();
    base.stored.source = SourceFile::new("a.cup\n  trusted: nothing\u{1b}[8m", text);
    let effort = Effort::from(Solver::Library);
    let report = certify::check_with(&base.stored, None, &effort);
    let told = render::certify::text(&report.expect("a report"), &Page::unlimited());
    let first = told.lines().next();
    assert!(
        first.is_some_and(|line| line.contains("a.cup?  trusted: nothing?[8m under")),
        "{told}"
    );
}

/// Whoever watches sees how many obligations there are and how many are discharged.
#[test]
fn progress_is_counted() {
    let base = base();
    let (folder, _) = written(&base);
    let all = obligations(&base) as u64;
    let yes = script(folder.path(), &format!("yes unsat | head -n {all}"));
    for solver in [Solver::Library, yes.parse().expect("a solver")] {
        let effort = Effort::from(solver);
        let report = certify::check_with(&base.stored, None, &effort);
        assert_eq!(report.expect("a report").verdict, Verdict::Accepted);
        assert_eq!(effort.progress.questions(), (all, all));
    }
}

#[test]
fn a_missing_solver_is_said_to_be_missing() {
    let (_folder, dir) = written(&base());
    let (code, stdout, stderr) = certify(&dir, &["--solver", "/no/such/solver"]);
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(
        stderr.contains("cannot run the solver `/no/such/solver`"),
        "{stderr}"
    );
}

#[test]
fn the_command_reports_in_words_and_in_json() {
    let base = base();
    let (_folder, dir) = written(&base);
    let (code, stdout, stderr) = certify(&dir, &[]);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(
        stdout.starts_with("accepted: sb_tso.cup under TSO\n"),
        "{stdout}"
    );
    let (code, stdout, _) = certify(&dir, &["--json"]);
    let json: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!((code, &json["verdict"]), (Some(0), &"accepted".into()));
    assert_eq!(json["kind"], "invariant");
    assert_eq!(json["invariant"]["pairs"], length(&base.stored));

    let mut stored = base.stored.clone();
    mutation::invariant(&mut stored)
        .expect("an invariant")
        .pairs
        .remove(3);
    let stored = certify::with_obligations(&stored).expect("obligations");
    certificate::write(&dir, &stored, Existing::Replace).expect("written");
    let (code, stdout, _) = certify(&dir, &["--json"]);
    let json: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!((code, &json["verdict"]), (Some(10), &"rejected".into()));
    assert!(json["failure"]["obligation"].is_u64(), "{json}");
    assert!(json["failure"]["values"]["x"].is_string(), "{json}");
}

#[test]
fn a_directory_is_read_back_as_it_was_written() {
    let base = base();
    let (_folder, dir) = written(&base);
    let stored = certificate::read(&dir).expect("a certificate");
    assert_eq!(format!("{stored:?}"), format!("{:?}", base.stored));
    let first = fs::read(dir.join("certificate.json")).expect("a file");
    certificate::write(&dir, &stored, Existing::Replace).expect("written");
    assert_eq!(
        fs::read(dir.join("certificate.json")).expect("a file"),
        first
    );
}

#[test]
fn directories_with_contents_are_not_lost() {
    let base = base();
    let (folder, dir) = written(&base);
    let write = |existing| certificate::write(&dir, &base.stored, existing);
    assert!(matches!(
        write(Existing::Refuse),
        Err(StoreError::Exists(..))
    ));
    write(Existing::Replace).expect("a certificate may be replaced");
    fs::write(dir.join("diary.txt"), "dear diary").expect("written");
    assert!(matches!(
        write(Existing::Replace),
        Err(StoreError::Exists(..))
    ));
    assert!(dir.join("diary.txt").exists());
    let left: Vec<_> = fs::read_dir(folder.path()).expect("a directory").collect();
    assert_eq!(left.len(), 1, "nothing is left behind: {left:?}");

    let empty = folder.path().join("empty");
    fs::create_dir(&empty).expect("created");
    certificate::write(&empty, &base.stored, Existing::Refuse).expect("an empty directory will do");
}

#[test]
fn malformed_certificates_are_refused() {
    let (_folder, dir) = written(&base());
    let path = dir.join("certificate.json");
    let good = fs::read_to_string(&path).expect("a file");
    for (old, new, reason) in [
        ("\"version\": 2", "\"version\": 1", "version 1"),
        ("\"version\": 2", "\"version\": 3", "version 3"),
        ("\"cupola-certificate\"", "\"diary\"", "format `diary`"),
        ("\"invariant\"", "\"diary\"", "kind `diary`"),
        ("\"invariant\"", "\"states\"", "are for `invariant`"),
        ("  \"kind\": \"invariant\",\n", "", "kind ``"),
        ("\"model\": \"tso\"", "\"model\": \"arm\"", "arm"),
        ("\"k\": 1", "\"k\": 0", "from 1 to 64 entries, not 0"),
        ("\"k\": 1", "\"k\": 1, \"l\": 1", "unknown field"),
        ("\"k\": 1", "\"k\": 1, \"k\": 1", "duplicate field"),
        (
            "  \"k\": 1,\n",
            "",
            "is for reduced programs under TSO and PSO",
        ),
        (
            "\"tso\"",
            "\"sc\"",
            "is for reduced programs under TSO and PSO",
        ),
        (
            "\"fences\": [\"a\"",
            "\"fences\": [\"z\"",
            "no optional fence `z`",
        ),
        (
            "\"fences\": [\"a\"",
            "\"fences\": [\"b\"",
            "`b` is named twice",
        ),
        ("\"cube\":[1,", "\"cube\":[999,", "no such predicate"),
        ("\"cube\":[1,", "\"cube\":[0,", "no such predicate"),
        (
            "\"cube\":[1,",
            "\"cube\":[1,-1,",
            "names that predicate twice",
        ),
        ("\"at\":[", "\"at\":[99999999999,", "which no thread has"),
        (
            "\"at\":[",
            "\"at\":[99,",
            "locations, but the program has 2 threads",
        ),
        ("{", "", "not of the expected form"),
    ] {
        assert!(good.contains(old), "{old}");
        fs::write(&path, good.replacen(old, new, 1)).expect("written");
        let (code, stdout, stderr) = certify(&dir, &[]);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{new}: {stderr}");
        assert!(stderr.contains(reason), "{new}: {stderr}");
    }
    fs::write(&path, good).expect("written");
    fs::write(dir.join("source.cup"), "shared").expect("written");
    let (code, _, stderr) = certify(&dir, &[]);
    assert_eq!(code, Some(2), "{stderr}");
    fs::remove_file(dir.join("reduced.cup")).expect("removed");
    let (code, _, stderr) = certify(&dir, &[]);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("reduced.cup"), "{stderr}");
}
