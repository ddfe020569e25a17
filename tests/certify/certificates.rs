//! `cupola verify --certificate`: what is written is what `cupola certify` accepts.
//!
//! Z3 checks the certificates of all algorithms of the paper. `CUPOLA_CERTIFICATES=all` insists on cvc5 for
//! all of them, which needs some minutes; without it cvc5 checks the quick ones, where it is installed.

use std::path::Path;
use std::process::{Command as Process, Output};

use crate::support::proofs::ALGORITHMS;
use assert_cmd::Command;
use tempfile::TempDir;

/// The algorithms whose certificates every solver checks in seconds.
const QUICK: [&str; 3] = ["abp", "queue", "ticket"];

const MODELS: [&str; 3] = ["sc", "tso", "pso"];

/// The engine whose certificates are invariants.
const PREDICATE: [&str; 2] = ["--engine", "predicate"];

/// The files of an invariant.
const FILES: [&str; 4] = [
    "certificate.json",
    "obligations.smt2",
    "reduced.cup",
    "source.cup",
];

fn cupola(arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("cupola").expect("the binary is built");
    command.args(arguments).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn files(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).map(|entries| {
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        names.map(|name| name.to_string_lossy().into_owned())
    });
    let mut names: Vec<String> = entries.map(Iterator::collect).unwrap_or_default();
    names.sort();
    names
}

fn plain(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// A folder with a program, and the name of a directory in it that does not exist.
fn folder(program: &str) -> (TempDir, String, String) {
    let folder = TempDir::new().expect("there is room");
    let (file, dir) = (folder.path().join("p.cup"), folder.path().join("made/here"));
    std::fs::write(&file, program).expect("it can be written");
    let names = (plain(&file).to_owned(), plain(&dir).to_owned());
    (folder, names.0, names.1)
}

#[track_caller]
fn assert_accepted(dir: &Path, solver: &str) {
    let output = cupola(&["certify", plain(dir), "--solver", solver]);
    let said = text(&output.stdout);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{said}{}",
        text(&output.stderr)
    );
    assert!(said.starts_with("accepted: "), "{said}");
}

/// cvc5, if it is installed.
#[allow(clippy::print_stdout)] // Whoever reads the output should see what was left out.
fn cvc5() -> Option<&'static str> {
    let found = Process::new("cvc5").arg("--version").output().is_ok();
    if !found {
        println!("cvc5 is not installed: the certificates are checked with Z3 alone");
    }
    found.then_some("cvc5")
}

/// Whose certificates cvc5 checks.
fn checked_by_cvc5() -> &'static [&'static str] {
    match std::env::var("CUPOLA_CERTIFICATES").is_ok_and(|value| value == "all") {
        true => &ALGORITHMS,
        false => &QUICK,
    }
}

#[test]
#[allow(clippy::print_stderr)] // A long run tells how far it is.
fn certificates_of_the_paper_are_accepted() {
    let (cvc5, checked_by_cvc5) = (cvc5(), checked_by_cvc5());
    let all = checked_by_cvc5.len() == ALGORITHMS.len();
    assert!(
        cvc5.is_some() || !all,
        "cvc5 is missing (Debian: apt-get install cvc5)"
    );
    for name in ALGORITHMS {
        let folder = TempDir::new().expect("there is room");
        let dir = folder.path().join(name);
        let file = format!("examples/{name}.cup");
        let options = ["--model", "all", "--certificate", plain(&dir)];
        let output = cupola(&[&["verify", &file][..], &PREDICATE, &options].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(files(&dir), ["pso", "sc", "tso"]);
        let cvc5 = cvc5.filter(|_| checked_by_cvc5.contains(&name));
        for model in MODELS {
            let told = format!("certificate for {model}: ");
            assert!(text(&output.stderr).contains(&told), "{name}");
            for solver in ["z3"].into_iter().chain(cvc5) {
                assert_accepted(&dir.join(model), solver);
                eprintln!("{name} under {model}: accepted with {solver}");
            }
        }
    }
}

/// Loops inside atomic sections, sections with many paths, and every method.
#[test]
fn sections_and_methods_are_certified() {
    let ifs = "if (*) { n = n + 1; } else { n = n + 2; } ".repeat(9);
    let program = format!(
        "shared x; thread P {{ local n, r; \
           atomic {{ n = 0; while (n < 2) {{ n = n + 1; x = n; }} }} \
           atomic {{ n = 0; {ifs} n = 1; }} \
           r = x; x = 1; assert(r >= 0 || r < 0); }} \
         thread Q {{ local s; atomic {{ s = x; do {{ x = 2; s = s; }} while (*); }} }} \
         invariant range: x == 0 || x == 1 || x == 2;"
    );
    for method in ["auto", "trad", "pe", "ce", "lazy"] {
        let (_folder, file, dir) = folder(&program);
        let options = ["--model", "sc", "--method", method, "--certificate", &dir];
        let output = cupola(&[&["verify", &file][..], &PREDICATE, &options].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
        assert_eq!(files(Path::new(&dir)), FILES, "{method}");
        assert_accepted(Path::new(&dir), "z3");
    }
}

/// Lifting puts buffered values in place of single elements of an array that an index picks from.
#[test]
fn lifted_arrays_are_certified() {
    let solvers: Vec<&str> = ["z3"].into_iter().chain(cvc5()).collect();
    let stores = (
        "shared a[2]; thread P { local i; a[i] = 1; fence; i = 1; a[i] = 1; fence; } \
         invariant a[0] >= 0;",
        "predicates { a[0] >= 0; P.i == 0; P.i == 1; a[P.i] >= 0; }",
    );
    let loads = (
        "shared a[2]; thread P { local i = 1, r; a[1] = 1; r = a[i]; fence; assert(r == 1); } \
         invariant a[0] == 0;",
        "predicates { a[0] == 0; P.i == 1; a[P.i] == 0; a[1] == 1; P.r == 1; }",
    );
    // An index that is a choice itself, and two choices that are compared.
    let nested = (
        "shared a[2], b[2]; thread P { local i; a[i] = 1; fence; b[i] = 1; fence; } \
         invariant a[0] >= 0;",
        "predicates { a[0] >= 0; P.i == 0; a[b[P.i]] >= b[P.i]; a[P.i] == b[P.i]; }",
    );
    for (program, proof) in [stores, loads, nested] {
        for (model, method) in [
            ("tso", "pe"),
            ("pso", "pe"),
            ("tso", "lazy"),
            ("pso", "lazy"),
        ] {
            let (folder, file, dir) = folder(program);
            std::fs::write(folder.path().join("p.proof"), proof).expect("it can be written");
            let options = ["--model", model, "--method", method, "--certificate", &dir];
            let output = cupola(&[&["verify", &file][..], &PREDICATE, &options].concat());
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            for solver in &solvers {
                assert_accepted(Path::new(&dir), solver);
            }
        }
    }
}

#[test]
fn the_same_certificate_is_written_again() {
    let write = |dir: &Path, jobs: &str| {
        let options = ["--model", "tso", "-j", jobs, "--certificate", plain(dir)];
        let output = cupola(&[&["verify", "examples/abp.cup"][..], &PREDICATE, &options].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        FILES.map(|file| std::fs::read_to_string(dir.join(file)).expect("it is written"))
    };
    let folder = TempDir::new().expect("there is room");
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    assert_eq!(write(&one, "1"), write(&two, "2"));
}

#[test]
fn a_directory_that_exists_is_left_alone() {
    let (folder, file, _) = folder("shared x; thread P { x = 1; }");
    let taken = folder.path().join("taken");
    std::fs::create_dir(&taken).expect("it can be made");
    std::fs::write(taken.join("diary"), "dear diary").expect("it can be written");
    let output = cupola(&[
        "verify",
        &file,
        "--model",
        "tso",
        "--certificate",
        plain(&taken),
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty(), "nothing is verified first");
    let said = text(&output.stderr);
    assert!(
        said.contains("holds other things than a certificate"),
        "{said}"
    );
    assert_eq!(files(&taken), ["diary"]);
}

/// Before any work is done.
#[test]
fn a_place_that_cannot_be_written_is_refused() {
    let folder = tempfile::tempdir().expect("a directory");
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(folder.path().join("nowhere"), &link).expect("a link");
    for (dir, why) in [
        ("/proc/certificate", "cannot access"),
        (".", "is the current directory"),
        (plain(&link), "is no directory"),
    ] {
        let options = ["--model", "sc", "--certificate", dir];
        let output = cupola(&[&["verify", "examples/peterson.cup"][..], &options].concat());
        assert_eq!(output.status.code(), Some(2), "{dir}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(why), "{dir}: {said}");
    }
}

/// A link to a directory stays one.
#[test]
fn a_link_leads_to_the_certificate() {
    let folder = tempfile::tempdir().expect("a directory");
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    std::fs::create_dir(&real).expect("a directory");
    std::os::unix::fs::symlink(&real, &link).expect("a link");
    let options = ["--model", "sc", "--certificate", plain(&link)];
    let output = cupola(&[&["verify", "examples/peterson.cup"][..], &options].concat());
    assert_eq!(output.status.code(), Some(0));
    assert!(link.is_symlink() && real.join("certificate.json").is_file());
}

#[test]
fn what_is_not_verified_gets_no_certificate() {
    let broken = "shared x; thread P { x = 1; } invariant never: x == 0;";
    let (folder, file, dir) = folder(broken);
    let output = cupola(&["verify", &file, "--model", "tso", "--certificate", &dir]);
    assert_eq!(output.status.code(), Some(10), "{}", text(&output.stderr));
    let said = text(&output.stderr);
    assert!(
        said.contains("no certificate for tso: it is not verified"),
        "{said}"
    );
    assert_eq!(files(folder.path()), ["p.cup"]);
}

/// Some models may be verified and others not.
#[test]
fn each_model_is_on_its_own() {
    let (folder, _, dir) = folder("");
    let places = ["--fences", "none", "--certificate", &dir];
    let options = [
        &["verify", "examples/litmus_sb.cup", "--model", "all"][..],
        &places,
    ]
    .concat();
    let output = cupola(&options);
    assert_eq!(output.status.code(), Some(10), "{}", text(&output.stderr));
    assert_eq!(files(Path::new(&dir)), ["sc"]);
    assert_accepted(&Path::new(&dir).join("sc"), "z3");
    let output = cupola(&["certify", &dir]);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("/sc`") && !told.contains("/tso`"), "{told}");
    drop(folder);
}

/// A limit that leaves room for the verdict, but not for the search without reductions.
#[test]
fn a_limit_leaves_nothing_half_written() {
    let mut seen = (false, false);
    for states in [10, 100, 300, 1000, 10_000] {
        let (folder, _, dir) = folder("");
        let states = states.to_string();
        let options = [
            "--model",
            "sc",
            "--max-states",
            &states,
            "--certificate",
            &dir,
        ];
        let arguments = [
            &["verify", "examples/peterson.cup"][..],
            &PREDICATE,
            &options,
        ]
        .concat();
        let output = cupola(&arguments);
        let verified = text(&output.stdout).contains("verified");
        match (output.status.code(), verified) {
            (Some(0), true) => {
                seen.0 = true;
                assert_accepted(Path::new(&dir), "z3");
            }
            (Some(5), _) => {
                seen.1 = true;
                assert!(text(&output.stderr).contains("no certificate for sc"));
                assert_eq!(files(folder.path()), ["p.cup"]);
            }
            other => panic!("{other:?}: {}", text(&output.stderr)),
        }
    }
    assert_eq!(seen, (true, true));
}
