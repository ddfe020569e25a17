//! Lists of states: those of finished explorations and of enumerations are accepted, changed ones are not.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use assert_cmd::Command;
use cupola::certificate::{self, Certificate, Existing, StateTable, Stored, StoredBody};
use cupola::certify::{self, Effort, Rejection, Solver, Unknown, Verdict};
use cupola::engine::explore::{self, Explore, ExploreConfig, NoCertificate};
use cupola::engine::{Context, Engine, Task};
use cupola::front::cup;
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::run::stop::Stop;
use cupola::source::SourceFile;
use cupola::verdict::{self, Evidence, Limit};
use indexmap::IndexSet;
use tempfile::TempDir;

use crate::bases::{Base, cases};
use crate::enumerate::{self, Listing};
use crate::mutation;
use crate::support::entries;
use crate::support::examples;
use crate::support::random::Random;
use crate::{assert_examples_are_judged, assert_mutations_are_rejected};
use crate::{assert_random_programs_are_judged, why};

/// Algorithms without atomic sections: each state is one between atomic groups.
const LOCKS: [&str; 3] = ["peterson", "szymanski", "dijkstra"];

/// The number of states of a program, and the certificate that lists them; `None` if it is not safe.
fn explored(
    source: &SourceFile,
    model: Model,
    fences: Option<&IndexSet<String>>,
) -> Option<(usize, Certificate)> {
    let checked = cup::load(source).expect("a program");
    let declared = Placement::Declared.in_force(&checked, model);
    let declared = declared.expect("its own placement");
    let task = Task {
        source,
        program: &checked,
        model,
        fences: fences.unwrap_or(&declared),
        proof: None,
        earlier: &[],
    };
    let context = Context::default();
    let outcome = Explore::new(ExploreConfig::default()).run(&task, &context);
    match outcome.expect("it can be explored").verdict {
        verdict::Verdict::Verified(Evidence::Exhaustive { states, max_buffer }) => {
            let made = explore::certificate(&task, max_buffer, &context);
            Some((states, made.expect("there are few states")))
        }
        _ => None,
    }
}

fn example(name: &str) -> SourceFile {
    let path = examples::directory().join(format!("{name}.cup"));
    let text = fs::read_to_string(path).expect("the example can be read");
    SourceFile::new(format!("{name}.cup"), text)
}

/// The certificate of an exploration of an example.
fn stored(name: &str, model: Model) -> Stored {
    let (states, made) = explored(&example(name), model, None).expect("it is safe");
    let stored = certify::prepare(&made).expect("it makes sense");
    assert_eq!(table(&stored).states.len(), states, "{name} under {model}");
    stored
}

fn table(stored: &Stored) -> &StateTable {
    match &stored.body {
        StoredBody::States(table) => table,
        StoredBody::Invariant(_) | StoredBody::Basis(_) => panic!("not a list of states"),
    }
}

fn verdict(stored: &Stored) -> Verdict {
    let report = certify::check(stored, &Solver::Library);
    report.expect("a report").verdict
}

#[track_caller]
fn assert_rejected(stored: &Stored, what: &str) {
    let verdict = verdict(stored);
    let rejected = matches!(verdict, Verdict::Rejected(Rejection::Step(_)));
    assert!(rejected, "{what}: {verdict:?}");
}

#[test]
fn finished_explorations_are_certified() {
    for name in LOCKS {
        for model in Model::ALL {
            let stored = stored(name, model);
            assert_eq!(verdict(&stored), Verdict::Accepted, "{name} under {model}");
        }
    }
}

/// Each state is reached, so none may be missing, and none may have another value.
#[test]
fn explorations_without_a_state_or_with_another_value_are_rejected() {
    let mut random = Random::new(5);
    for name in LOCKS {
        for model in [Model::Tso, Model::Pso] {
            let stored = stored(name, model);
            let count = table(&stored).states.len();
            for index in [0, count - 1, random.below(count), random.below(count)] {
                let mut changed = stored.clone();
                let table = mutation::table(&mut changed).expect("a list of states");
                table.states.remove(index);
                let what = format!("{name} under {model} without state {}", index + 1);
                assert_rejected(&changed, &what);
            }
            for _ in 0..4 {
                let (mut changed, index) = (stored.clone(), random.below(count));
                let table = mutation::table(&mut changed).expect("a list of states");
                let values = &mut table.states[index].values;
                let known: Vec<usize> =
                    (0..values.len()).filter(|&i| values[i].is_some()).collect();
                let column = random.pick(&known);
                values[column] = values[column].map(|value| value + 1);
                let what = format!("{name} under {model}, state {}: {values:?}", index + 1);
                assert_refused_or_rejected(&changed, &what);
            }
        }
    }
}

/// A changed state may be one that is listed already.
#[track_caller]
fn assert_refused_or_rejected(stored: &Stored, what: &str) {
    if let Ok(report) = certify::check(stored, &Solver::Library) {
        let rejected = matches!(report.verdict, Verdict::Rejected(Rejection::Step(_)));
        assert!(rejected, "{what}: {report:?}");
    }
}

/// A program without its property is safe, but it is another program.
#[test]
fn a_property_may_not_be_taken_out() {
    let whole = example("peterson");
    let specs = |line: &&str| !line.starts_with("forbid");
    let text: Vec<&str> = whole.text().lines().filter(specs).collect();
    let without = SourceFile::new(whole.name(), text.join("\n"));
    for model in [Model::Tso, Model::Pso] {
        // The fence that is needed is missing, and those in force keep the buffers short.
        let some: IndexSet<String> = ["a", "c"].map(str::to_owned).into();
        let (_, made) = explored(&without, model, Some(&some)).expect("nothing can be broken");
        let stored = certify::prepare(&made).expect("it makes sense");
        assert_eq!(verdict(&stored), Verdict::Accepted);
        let effort = Effort::from(Solver::Library);
        let report = certify::check_with(&stored, Some(&whole), &effort).expect("a report");
        let rejected = matches!(report.verdict, Verdict::Rejected(Rejection::Source { .. }));
        assert!(rejected, "{report:?}");
        // With the source as it is, the states break the property.
        let mut forged = stored;
        forged.source = whole.clone();
        forged.reduced = mutation::reduced_text(&forged).expect("it is a program");
        assert_rejected(&forged, "without fences");
        let reason = why(&certify::check(&forged, &Solver::Library).expect("a report"));
        assert!(reason.is_some_and(|reason| reason.starts_with("forbid mutex is broken")));
    }
}

/// The engine lists what the enumeration of the tests finds, with and without atomic sections.
#[test]
fn explorations_list_the_states_that_there_are() {
    let mut compared = 0;
    for case in cases() {
        let source = case.source();
        let config = case.config();
        let Some((_, made)) = explored(&source, case.model, Some(&config.fences)) else {
            continue;
        };
        let reduction = enumerate::reduced(&source, &made.config).expect("it can be reduced");
        let reached = enumerate::reach(&reduction.program).expect("it is small");
        assert!(!reached.broken, "{}", case.name);
        let enumerated = enumerate::certificate(&source, &reduction, &reached, Listing::States);
        let [ours, theirs] = [&made, &enumerated].map(|made| {
            let stored = certify::prepare(made).expect("it makes sense");
            table(&stored).clone()
        });
        assert_eq!(ours, theirs, "{}", case.name);
        compared += 1;
    }
    assert!(compared >= 12, "only {compared} cases were compared");
}

#[test]
fn lists_of_all_states_are_accepted() {
    for listing in [Listing::States, Listing::WholeStates] {
        for case in cases() {
            let base = case.listing(listing).base();
            assert_eq!(verdict(&base.stored), Verdict::Accepted, "{}", base.name);
        }
    }
}

#[test]
fn mutated_lists_are_rejected_with_a_reason() {
    let cases = cases().into_iter();
    let bases: Vec<Base> = cases
        .map(|case| case.listing(Listing::States).base())
        .collect();
    assert_mutations_are_rejected(&bases);
}

/// Without each of their states in turn.
#[test]
fn lists_need_all_their_states() {
    for case in cases() {
        let base = case.listing(Listing::States).base();
        let count = table(&base.stored).states.len();
        for index in (0..count).step_by(1 + count / 40) {
            let mut changed = base.stored.clone();
            let table = mutation::table(&mut changed).expect("a list of states");
            table.states.remove(index);
            assert_rejected(&changed, &format!("{} without {}", base.name, index + 1));
        }
    }
}

#[test]
fn lists_of_examples_are_accepted_if_they_are_safe() {
    assert_examples_are_judged(Listing::States, usize::MAX);
}

#[test]
fn lists_of_random_programs_are_accepted_if_they_are_safe() {
    assert_random_programs_are_judged(Listing::States, 150, usize::MAX);
    assert_random_programs_are_judged(Listing::WholeStates, 50, 2000);
}

/// A state that says nothing stands for all states at its locations, of which no property follows.
#[test]
fn lists_that_say_nothing_are_rejected() {
    for case in cases() {
        let mut stored = case.listing(Listing::States).base().stored;
        let table = mutation::table(&mut stored).expect("a list of states");
        for state in &mut table.states {
            state.values.fill(None);
        }
        table.states.dedup();
        assert_rejected(&stored, stored.source.name());
    }
}

#[test]
fn very_many_states_are_not_listed() {
    let source = SourceFile::new(
        "many.cup",
        "shared x = 0..499, y = 0..499; thread P { skip; }",
    );
    let checked = cup::load(&source).expect("a program");
    let fences = IndexSet::new();
    let task = Task {
        source: &source,
        program: &checked,
        model: Model::Sc,
        fences: &fences,
        proof: None,
        earlier: &[],
    };
    let error = explore::certificate(&task, 0, &Context::default()).expect_err("too many");
    assert!(
        matches!(error, NoCertificate::TooManyStates(200_000)),
        "{error}"
    );
    assert!(
        error.to_string().contains("more than 200000 states"),
        "{error}"
    );
}

#[test]
fn interrupted_work_says_so() {
    let stored = stored("dijkstra", Model::Tso);
    let stop = Stop {
        deadline: None,
        cancel: Some(Arc::new(AtomicBool::new(true))),
        ..Stop::default()
    };
    let effort = Effort {
        stop: stop.clone(),
        ..Effort::from(Solver::Library)
    };
    let report = certify::check_with(&stored, None, &effort).expect("a report");
    let all = table(&stored).states.len();
    let expected = Unknown::Stopped {
        interrupted: true,
        done: 0,
        all,
    };
    assert_eq!(report.verdict, Verdict::Unknown(expected));
    let checked = cup::load(&stored.source).expect("a program");
    let task = Task {
        source: &stored.source,
        program: &checked,
        model: Model::Tso,
        fences: &stored.config.fences,
        proof: None,
        earlier: &[],
    };
    let context = Context {
        stop,
        ..Context::default()
    };
    let error = explore::certificate(&task, 8, &context).expect_err("it is interrupted");
    assert!(
        matches!(error, NoCertificate::Limit(Limit::Interrupted)),
        "{error}"
    );
}

#[test]
fn progress_is_counted() {
    let stored = stored("peterson", Model::Sc);
    let effort = Effort::from(Solver::Library);
    let report = certify::check_with(&stored, None, &effort).expect("a report");
    assert_eq!(report.verdict, Verdict::Accepted);
    let all = table(&stored).states.len() as u64;
    assert_eq!(effort.progress.questions(), (all, all));
}

/// A buffer that is too short for the program is found out, whatever is listed.
#[test]
fn buffers_must_be_long_enough() {
    let mut stored = stored("peterson", Model::Tso);
    stored.config.sizes = entries(1);
    stored.reduced = mutation::reduced_text(&stored).expect("it is a program");
    let refused = certify::check(&stored, &Solver::Library);
    let error = refused.expect_err("it has no second entry").to_string();
    assert!(
        error.contains("which the reduced program does not have"),
        "{error}"
    );
}

// The command line.

fn cupola(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::cargo_bin("cupola").expect("the binary is built");
    let output = command.args(arguments).output().expect("the binary runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    (output.status.code(), stdout, stderr)
}

fn plain(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// A directory with the certificate of an exploration, written by the command.
fn written(model: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("there is room");
    let dir = folder.path().join("certificate");
    let file = examples::directory().join("peterson.cup");
    let options = ["--model", model, "--engine", "explore"];
    let certificate = ["--certificate", plain(&dir)];
    let arguments = [&["verify", plain(&file)][..], &options, &certificate].concat();
    let (code, stdout, stderr) = cupola(&arguments);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(stderr.contains(" states, in `"), "{stderr}");
    (folder, dir)
}

#[test]
fn an_exploration_is_certified_by_commands() {
    for (model, states) in [("sc", 876), ("tso", 2064), ("pso", 1464)] {
        let (_folder, dir) = written(model);
        let mut files: Vec<String> = fs::read_dir(&dir)
            .expect("a directory")
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        files.sort();
        let expected = [
            "certificate.json",
            "reduced.cup",
            "source.cup",
            "states.txt",
        ];
        assert_eq!(files, expected);
        let (code, stdout, stderr) = cupola(&["certify", plain(&dir)]);
        assert_eq!(code, Some(0), "{stdout}{stderr}");
        assert!(stdout.starts_with("accepted: "), "{stdout}");
        assert!(
            stdout.contains(&format!("  states: {states} between atomic groups\n")),
            "{stdout}"
        );
        assert!(
            stdout.contains("property: line 40: forbid mutex"),
            "{stdout}"
        );
        assert!(stderr.contains("was checked in "), "{stderr}");
    }
}

#[test]
fn a_list_needs_no_solver() {
    let (_folder, dir) = written("sc");
    let (code, stdout, stderr) = cupola(&["certify", plain(&dir), "--solver", "/no/such/solver"]);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(stderr.contains("`--solver` has no effect"), "{stderr}");
    let (_, _, stderr) = cupola(&["certify", plain(&dir)]);
    assert!(!stderr.contains("--solver"), "{stderr}");
    let (_, _, stderr) = cupola(&["certify", plain(&dir), "--quiet"]);
    assert!(stderr.is_empty(), "{stderr}");
}

#[test]
fn reports_on_lists_in_words_and_in_json() {
    let (_folder, dir) = written("tso");
    let (code, stdout, _) = cupola(&["certify", plain(&dir), "--json"]);
    let json: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!((code, &json["verdict"]), (Some(0), &"accepted".into()));
    assert_eq!(
        (&json["kind"], &json["states"]["count"]),
        (&"states".into(), &2064.into())
    );
    assert!(json["states"]["steps"].as_u64() > Some(2064), "{json}");
    assert!(
        json["invariant"].is_null() && json["failure"].is_null(),
        "{json}"
    );

    let mut stored = certificate::read(&dir).expect("a certificate");
    mutation::table(&mut stored)
        .expect("a list")
        .states
        .remove(1000);
    certificate::write(&dir, &stored, Existing::Replace).expect("written");
    let (code, stdout, _) = cupola(&["certify", plain(&dir), "--json"]);
    let json: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!((code, &json["verdict"]), (Some(10), &"rejected".into()));
    let failure = &json["failure"];
    assert!(
        failure["state"].is_u64() && failure["step"].is_string(),
        "{json}"
    );
    assert!(failure["reached"]["values"]["flag0"].is_string(), "{json}");
    let (code, stdout, _) = cupola(&["certify", plain(&dir)]);
    assert_eq!(code, Some(10), "{stdout}");
    for part in [
        "the step leads to a state that is not listed",
        "    from: state ",
        "    to: P0 ",
    ] {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
}

#[test]
fn a_list_can_be_held_against_a_program() {
    let (folder, dir) = written("pso");
    let program = folder.path().join("program.cup");
    let check = |text: &str| {
        fs::write(&program, text).expect("written");
        cupola(&["certify", plain(&dir), "--program", plain(&program)])
    };
    let text = example("peterson").text().to_owned();
    assert_eq!(check(&text).0, Some(0));
    let (code, stdout, _) = check(&format!("{text}\nforbid more: false;\n"));
    assert_eq!(code, Some(10), "{stdout}");
    assert!(
        stdout.contains("`source.cup` is not the program: line "),
        "{stdout}"
    );
}

#[test]
fn a_list_is_read_back_as_it_was_written() {
    let (_folder, dir) = written("pso");
    let text = || ["certificate.json", "states.txt"].map(|name| fs::read(dir.join(name)).ok());
    let stored = certificate::read(&dir).expect("a certificate");
    let first = text();
    certificate::write(&dir, &stored, Existing::Replace).expect("written");
    assert_eq!(text(), first);
}

#[test]
fn malformed_lists_are_refused() {
    let (_folder, dir) = written("tso");
    for (file, old, new, reason) in [
        (
            "certificate.json",
            "\"states\"",
            "\"invariant\"",
            "are for `invariant`",
        ),
        (
            "certificate.json",
            "\"version\": 2",
            "\"version\": 9",
            "version 9",
        ),
        (
            "certificate.json",
            "\"kind\": \"states\"",
            "\"kind\": \"diary\"",
            "kind `diary`",
        ),
        (
            "states.txt",
            "states 2064",
            "states 2063",
            "it lists 2064 states, not 2063",
        ),
        ("states.txt", " | flag0", " | flag9", "the variable `flag9`"),
        (
            "states.txt",
            " | flag0",
            " | flag1",
            "the variable `flag1` twice",
        ),
        ("states.txt", "P0 P1 |", "P1 P0 |", "the threads `P1 P0`"),
        (
            "states.txt",
            "\n0 0 | 0",
            "\n0 999 | 0",
            "where it never is",
        ),
        (
            "states.txt",
            "\n0 0 | 0",
            "\n0 0 0 | 0",
            "3 locations for 2 threads",
        ),
        ("states.txt", "\n0 0 | 0", "\n0 0 | x", "`x` is no value"),
    ] {
        let path = dir.join(file);
        let good = fs::read_to_string(&path).expect("a file");
        assert!(good.contains(old), "{old}");
        fs::write(&path, good.replacen(old, new, 1)).expect("written");
        let (code, stdout, stderr) = cupola(&["certify", plain(&dir)]);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{new}: {stderr}");
        assert!(stderr.contains(reason), "{new}: {stderr}");
        fs::write(&path, good).expect("written");
    }
    fs::remove_file(dir.join("states.txt")).expect("removed");
    let (code, _, stderr) = cupola(&["certify", plain(&dir)]);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("states.txt"), "{stderr}");
}
