//! Proofs that the engine finds for itself: they verify, they suffice when they are given back, and the same
//! program gets the same one again.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cupola::certify::{self, Solver};
use cupola::engine::Context;
use cupola::engine::predicate::{PredicateConfig, ReductionChoice};
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::run::stop::Stop;
use cupola::verdict::{Case, Found, Method, ModelResult, VerdictKind};

use crate::support::examples;
use crate::support::proofs::{Answer, Proved};

/// The text of an example.
fn example(name: &str) -> String {
    let path = examples::directory().join(format!("{name}.cup"));
    std::fs::read_to_string(path).expect("the example can be read")
}

/// Verifies a program without a proof and without exploration, with the command's own choice of slots and FIFOs.
fn refined(proved: &Proved, rounds: usize) -> Answer {
    let config = PredicateConfig {
        refine: rounds,
        reduction: ReductionChoice::Auto,
        ..PredicateConfig::default()
    };
    proved.verify_with(&Model::ALL, config, &Placement::Declared)
}

/// The proof that a result rests on.
fn found(result: &ModelResult) -> Option<&Found> {
    let decisive = result.outcome.decisive()?;
    decisive.settings.found.as_deref()
}

/// The last proof that was found, as text.
fn proof(answer: &Answer) -> String {
    let found = answer.results.iter().filter_map(found).next_back();
    let lines = found.expect("a proof was found").lines.iter();
    let entries: String = lines.map(|line| format!("{line}; ")).collect();
    format!("predicates {{ {entries} }}")
}

/// A program is verified under all models from predicates that are found, its certificates are accepted, and the
/// predicates suffice when they are given back.
fn is_proved(name: &str, text: &str) {
    let answer = holds_up(name, text, &[Solver::Library]);
    assert!(answer.is_verified(), "{name}\n{}", answer.text());
}

/// Verifies a program without a proof. What is verified has certificates that some solvers accept, and the
/// predicates that were found suffice for it when they are given back.
fn holds_up(name: &str, text: &str, solvers: &[Solver]) -> Answer {
    let proved = Proved::new(name, text, None);
    let answer = refined(&proved, 60);
    let verified = |answer: &Answer| -> Vec<Model> {
        let results = answer.results.iter();
        let verified = results.filter(|result| result.kind() == VerdictKind::Verified);
        verified.map(|result| result.model).collect()
    };
    for result in &answer.results {
        let Some(certificate) = proved.certificate(result) else {
            continue;
        };
        let stored = certify::prepare(&certificate).expect("it can be written");
        for solver in solvers {
            let report = certify::check(&stored, solver).expect("it can be checked");
            let accepted = report.verdict == certify::Verdict::Accepted;
            assert!(accepted, "{name}, {}, {solver:?}", result.model);
        }
    }
    if answer.results.iter().any(|result| found(result).is_some()) {
        let again = Proved::new(name, text, Some(&proof(&answer)));
        let alone = refined(&again, 0);
        let text = alone.text();
        assert_eq!(verified(&alone), verified(&answer), "{name}\n{text}");
    }
    answer
}

#[test]
fn tickets_are_proved_without_a_proof() {
    is_proved("ticket", &example("ticket"));
    is_proved("ticket_linux", &example("ticket_linux"));
}

#[test]
fn a_queue_and_a_lock_of_nodes_are_proved_without_a_proof() {
    is_proved("queue", &example("queue"));
    is_proved("clh", &example("clh"));
}

/// A path that ends with an index out of its bounds goes no further, and still has to be excluded.
#[test]
fn indices_are_proved_to_be_in_their_bounds() {
    let answer = refined(&Proved::new("dijkstra", &example("dijkstra"), None), 60);
    assert!(answer.is_verified(), "{}", answer.text());
}

/// The programs of `tests/programs/unbounded`, by name.
fn unbounded() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/unbounded");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths
}

/// All programs of `tests/programs/unbounded` are verified under all models; their data are without bound, so
/// exploration alone decides none of them.
#[test]
fn programs_with_unbounded_data_are_proved() {
    let paths = unbounded();
    for path in &paths {
        let text = std::fs::read_to_string(path).expect("a text");
        assert!(text.contains("// expect: sc=safe tso=safe pso=safe\n"));
        let answer = refined(&Proved::new("unbounded", &text, None), 60);
        assert!(
            answer.is_verified(),
            "{}\n{}",
            path.display(),
            answer.text()
        );
    }
    assert!(paths.len() >= 24);
}

/// Examples whose proofs take long to find.
const LONG: [&str; 7] = [
    "bakery",
    "bakery-3",
    "bakery_rounds",
    "dijkstra",
    "producer_consumer_v2",
    "ticket-4",
    "ticket_rounds",
];

/// The expected verdicts with the declared fences, where the header says one.
fn expected(example: &examples::Example, proved: &Proved, model: Model) -> Option<bool> {
    let fences = Placement::Declared.in_force(&proved.checked, model);
    let fences = fences.expect("the program declares places that it has");
    let mut expectations = example.header.expectations.iter();
    let same = |names: &[String]| {
        names.len() == fences.len() && names.iter().all(|name| fences.contains(name))
    };
    let found = expectations.find(|one| one.model == model && same(&one.fences));
    found.map(|expectation| expectation.safe)
}

/// That an example without its proof gets the verdicts of its header; how many there are.
fn gets_its_verdicts(example: &examples::Example) -> usize {
    let proved = Proved {
        explore_states: 50_000,
        max_states: 1_000_000,
        ..Proved::new(&example.name, &example.text, None)
    };
    let answer = refined(&proved, 60);
    let mut compared = 0;
    for result in &answer.results {
        let Some(safe) = expected(example, &proved, result.model) else {
            continue;
        };
        let kind = match safe {
            true => VerdictKind::Verified,
            false => VerdictKind::Violated,
        };
        assert_eq!(result.kind(), kind, "{}\n{}", example.name, answer.text());
        compared += 1;
    }
    compared
}

#[test]
fn examples_get_their_verdicts_without_a_proof() {
    let quick = examples::all().into_iter();
    let quick = quick.filter(|example| !LONG.contains(&example.name.as_str()));
    let compared: usize = quick.map(|example| gets_its_verdicts(&example)).sum();
    assert!(compared >= 60, "{compared}");
}

#[test]
#[ignore = "takes minutes: make proofs"]
fn long_examples_get_their_verdicts_without_a_proof() {
    let long = examples::all().into_iter();
    let long = long.filter(|example| LONG.contains(&example.name.as_str()));
    let compared: usize = long.map(|example| gets_its_verdicts(&example)).sum();
    assert!(compared >= 15, "{compared}");
}

/// What the predicate engine alone leaves unknown, with the reason.
const OPEN: [(&str, &[Model]); 2] = [
    // A buffer gets longer than any bound.
    ("increasing_sequence", &[Model::Tso, Model::Pso]),
    // A buffer holds more than four stores.
    ("lamport_fast", &[Model::Tso]),
];

/// The proofs found for the examples and the programs without bound, exploration off: certificates are accepted by Z3 and
/// by cvc5, and the proofs suffice alone.
#[test]
#[ignore = "takes minutes: make proofs"]
#[allow(clippy::print_stdout, reason = "it says how far it is")]
fn all_proofs_found_are_certified_and_suffice_alone() {
    let solvers = [Solver::Library, Solver::Process("cvc5".into())];
    // The invariant of the bakery for three threads has hundreds of thousands of states.
    let examples = examples::correct().filter(|example| example.name != "bakery-3");
    for example in examples {
        let start = Instant::now();
        let answer = holds_up(&example.name, &example.text, &solvers);
        let open = OPEN.iter().find(|(name, _)| *name == example.name);
        for result in &answer.results {
            let is_open = open.is_some_and(|(_, models)| models.contains(&result.model));
            let is_unknown = result.kind() == VerdictKind::Unknown;
            assert_eq!(is_unknown, is_open, "{}\n{}", example.name, answer.text());
        }
        println!("{}: {:.1} s", example.name, start.elapsed().as_secs_f64());
    }
    for path in unbounded() {
        let text = std::fs::read_to_string(&path).expect("a text");
        let answer = holds_up(&path.display().to_string(), &text, &solvers);
        assert!(
            answer.is_verified(),
            "{}\n{}",
            path.display(),
            answer.text()
        );
    }
}

/// Prints what it takes to find the proofs, beside what it takes with the proofs of `examples/`.
#[test]
#[ignore = "a benchmark: make proofs"]
#[allow(clippy::print_stdout, reason = "it prints a table")]
fn the_table_of_proofs() {
    println!(
        "| program | rounds | predicates found → kept | questions | seconds | with its proof |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    let examples = examples::infinite().filter(examples::is_correct);
    let programs = examples.map(|example| (example.name.clone(), example.text));
    let more = unbounded().into_iter().map(|path| {
        let name = path.file_stem().expect("a name").to_string_lossy();
        let text = std::fs::read_to_string(&path).expect("a text");
        (name.into_owned(), text)
    });
    for (name, text) in programs.chain(more) {
        let measured = |proved: &Proved| {
            let start = Instant::now();
            let answer = refined(proved, 60);
            (start.elapsed().as_secs_f64(), answer)
        };
        let (seconds, answer) = measured(&Proved::new(&name, &text, None));
        let found = answer.results.iter().filter_map(found).next_back();
        let rounds = found.map_or(0, |found| found.rounds.len());
        let counted = |found: &Found| {
            found
                .rounds
                .iter()
                .map(|round| round.predicates.len())
                .sum()
        };
        let added: usize = found.map_or(0, counted);
        let kept = found.map_or(0, |found| found.lines.len());
        let given = match examples::directory().join(format!("{name}.proof")).exists() {
            true => {
                let (seconds, answer) = measured(&Proved::example(&name));
                format!("{}, {seconds:.2} s", questions(&answer))
            }
            false => "–".to_owned(),
        };
        let all = questions(&answer);
        println!("| {name} | {rounds} | {added} → {kept} | {all} | {seconds:.2} | {given} |");
    }
}

/// The questions to the solver in all attempts and rounds.
fn questions(answer: &Answer) -> u64 {
    let attempts = answer.results.iter().flat_map(|result| &result.outcome.log);
    let asked: u64 = attempts.map(|tried| tried.stats.solver_calls()).sum();
    let last = answer.results.iter().filter_map(found).next_back();
    let rounds = last.map_or(0, |found| {
        found.rounds.iter().map(|round| round.calls).sum()
    });
    asked + rounds
}

/// Of alike threads two are tried first; what three need beyond the images of their proof is found with all of them.
#[test]
fn alike_threads_are_solved_by_two_of_them() {
    let text = std::fs::read_to_string(&unbounded()[20]).expect("a text");
    assert!(text.contains("ticket lock for three threads"));
    let answer = refined(&Proved::new("three", &text, None), 60);
    assert!(answer.is_verified(), "{}", answer.text());
    let found = found(&answer.results[0]).expect("a proof was found");
    let threads: Vec<usize> = found.rounds.iter().map(|round| round.threads).collect();
    assert_eq!(threads, [2, 3, 3], "{}", answer.text());
    assert!(
        found.lines.iter().any(|line| line.contains("P[2].")),
        "{:?}",
        found.lines
    );
}

/// What two of the threads cannot break, three can: a proof for two is no proof for three.
#[test]
fn what_only_three_threads_break_is_violated() {
    let thread = "{ local a; loop { a = fetch_add(n, 1); m: skip; a = fetch_add(n, -1); } }";
    let text = format!(
        "shared n; thread P {thread} thread Q {thread} thread R {thread} invariant n <= 2;"
    );
    let answer = refined(&Proved::new("three", &text, None), 60);
    for result in &answer.results {
        assert_eq!(result.kind(), VerdictKind::Violated, "{}", answer.text());
    }
}

/// The last round of what is broken under the model alone says so.
#[test]
fn a_path_that_is_real_is_the_last_round() {
    let proved = Proved::new("bakery", &example("bakery"), None);
    let config = PredicateConfig::default();
    let answer = proved.verify_with(&[Model::Sc, Model::Tso], config, &Placement::None);
    let tso = answer.results.last().expect("two models");
    assert_eq!(tso.kind(), VerdictKind::Violated, "{}", answer.text());
    let found = found(tso).expect("rounds");
    let last = found.rounds.last().expect("a round");
    assert_eq!((last.case, last.model), (Case::Model, Model::Tso));
    assert!(last.steps > 0 && last.predicates.is_empty() && !last.property.is_empty());
    assert!(!answer.text().contains("This proof was found"));
}

/// That the sums of 1, 2, 3 and so on are never 7 takes five rounds.
#[test]
fn what_cannot_be_proved_ends_with_what_is_known() {
    let text = "thread P { local n, s; loop { n = n + 1; s = s + n; assert(s != 7, \"seven\"); } }";
    let answer = refined(&Proved::new("sums", text, None), 3);
    assert_eq!(answer.kind(), VerdictKind::Unknown, "{}", answer.text());
    for told in [
        "Refinement ended after",
        "the last one for `seven`",
        "predicates {",
    ] {
        assert!(answer.text().contains(told), "{}", answer.text());
    }
}

/// Work that is stopped says what was found, and which path was to be excluded last. That no square is this number takes as
/// many rounds as there are smaller ones.
#[test]
fn what_is_stopped_ends_with_what_is_known() {
    let text = "thread P { local n, s; loop { n = n + 1; s = s + n + n - 1; assert(s != 1000003, \"prime\"); } }";
    let proved = Proved::new("squares", text, None);
    let stop = Stop {
        deadline: Some(Instant::now() + Duration::from_secs(3)),
        ..Stop::default()
    };
    let context = Context {
        stop,
        ..Context::default()
    };
    let config = PredicateConfig {
        refine: usize::MAX,
        ..PredicateConfig::default()
    };
    let answer = proved.verify_in(&[Model::Sc], config, &Placement::Declared, context);
    assert_eq!(answer.kind(), VerdictKind::Unknown, "{}", answer.text());
    for told in [
        "unknown: out of time",
        "Refinement ended after",
        "the last one for `prime",
        "predicates {",
        "the last path that was to be excluded:",
        "The path is not real",
    ] {
        assert!(answer.text().contains(told), "{told}\n{}", answer.text());
    }
}

/// Whatever the number of threads that ask the solver, the rounds and the proof are the same.
#[test]
fn the_rounds_do_not_depend_on_the_number_of_jobs() {
    let proved = Proved::new("clh", &example("clh"), None);
    let with_jobs = |jobs: usize| {
        let answer = proved.verify_jobs(&Model::ALL, PredicateConfig::default(), jobs);
        let found = found(answer.results.last().expect("three models")).cloned();
        let mut found = found.expect("a proof was found");
        // Threads may ask the same question at once.
        found.rounds.iter_mut().for_each(|round| round.calls = 0);
        found
    };
    assert_eq!(with_jobs(1), with_jobs(3));
}

#[test]
fn the_same_program_gets_the_same_rounds() {
    let text = example("queue");
    let rounds = || {
        let answer = refined(&Proved::new("queue", &text, None), 60);
        let found = found(answer.results.last().expect("three models")).cloned();
        found.expect("a proof was found")
    };
    let first = rounds();
    assert_eq!(first, rounds());
    assert!(first.rounds.iter().any(|round| round.case == Case::Data));
}

#[test]
fn a_proof_that_suffices_is_used_as_it_is() {
    let answer = refined(&Proved::example("ticket"), 60);
    assert!(answer.is_verified());
    for result in &answer.results {
        assert_eq!(result.outcome.log.len(), 1);
        assert!(found(result).is_none());
    }
}

/// A proof that lacks something is where refinement starts: its own predicates stay.
#[test]
fn refinement_goes_on_from_a_given_proof() {
    let given = "predicates { a0 < num; a1 < num; next == a0; }";
    let proved = Proved::new("ticket", &example("ticket"), Some(given));
    assert!(!refined(&proved, 0).is_verified());
    let answer = refined(&proved, 60);
    assert!(answer.is_verified(), "{}", answer.text());
    let found = found(&answer.results[0]).expect("predicates were found");
    assert_eq!(
        found.lines[..3],
        ["P0.a0 < num", "P1.a1 < num", "next == P0.a0"]
    );
}

#[test]
fn rounds_are_limited() {
    let proved = Proved::new("queue", &example("queue"), None);
    let answer = refined(&proved, 2);
    let sc = &answer.results[0];
    assert_eq!(sc.kind(), VerdictKind::Unknown);
    let last = sc.outcome.log.last().expect("an attempt");
    let found = last.settings.found.as_ref().expect("what was found so far");
    assert_eq!(found.rounds.len(), 2);
    assert!(answer.text().contains("Refinement ended after 2 rounds"));
}

/// What is broken is violated, with exploration off too, and not refined for ever.
#[test]
fn what_is_broken_is_violated() {
    let broken = example("ticket").replace("fetch_add(num, 1)", "num");
    let answer = refined(&Proved::new("broken", &broken, None), 60);
    for result in &answer.results {
        assert_eq!(result.kind(), VerdictKind::Violated, "{}", answer.text());
    }
}

/// Weakest preconditions give one more equality in each round here; inequalities end it.
#[test]
fn counting_does_not_march() {
    let text = "shared x; thread P { local n, m; loop { n = n + 1; m = m + 1; x = n; fence; assert(m <= n); } }
        thread Q { local r; r = x; } invariant 0 <= x;";
    let answer = refined(&Proved::new("march", text, None), 20);
    assert!(answer.is_verified(), "{}", answer.text());
    let log = &answer.results[0].outcome.log;
    let last = log.last().expect("an attempt");
    assert_eq!(last.settings.method, Some(Method::Lazy));
}
