//! Proofs that the engine finds for itself: they verify, they suffice when they are given back, and the same
//! program gets the same one again.

use std::path::Path;

use cupola::certify::{self, Solver};
use cupola::engine::predicate::PredicateConfig;
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::verdict::{Case, Found, Method, ModelResult, VerdictKind};

use crate::support::examples;
use crate::support::proofs::{Answer, Proved};

/// The text of an example.
fn example(name: &str) -> String {
    let path = examples::directory().join(format!("{name}.cup"));
    std::fs::read_to_string(path).expect("the example can be read")
}

/// Verifies a program without a proof and without exploration.
fn refined(proved: &Proved, rounds: usize) -> Answer {
    let config = PredicateConfig {
        refine: rounds,
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
    let proved = Proved::new(name, text, None);
    let answer = refined(&proved, 60);
    assert!(answer.is_verified(), "{name}\n{}", answer.text());
    for result in &answer.results {
        let certificate = proved
            .certificate(result)
            .expect("it is verified by a proof");
        let stored = certify::prepare(&certificate).expect("it can be written");
        let report = certify::check(&stored, &Solver::Library).expect("it can be checked");
        assert_eq!(report.verdict, certify::Verdict::Accepted, "{name}");
    }
    let again = Proved::new(name, text, Some(&proof(&answer)));
    let alone = refined(&again, 0);
    assert!(alone.is_verified(), "{name}\n{}", alone.text());
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

/// All programs of `tests/programs/unbounded` are verified under all models; their data are without bound, so
/// exploration alone decides none of them.
#[test]
fn programs_with_unbounded_data_are_proved() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/unbounded");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
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
