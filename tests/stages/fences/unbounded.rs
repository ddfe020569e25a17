//! Programs with unbounded numbers: the predicate engine proves placements, and what it asks of the
//! solver for all of them is little more than what it asks for one.

use std::collections::BTreeSet;

use cupola::engine::Limits;
use cupola::engine::portfolio::{Config, Portfolio};
use cupola::engine::predicate::{
    Bound, MethodChoice, PastBounds, PredicateConfig, ReductionChoice,
};
use cupola::fences::{FenceSet, emit};
use cupola::front::cup;
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::proof::Proof;
use cupola::verdict::VerdictKind;

use super::{Problem, owned};
use crate::support::examples;
use crate::support::proofs::{Answer, Proved};

/// A program, a model and the placements that are found. `cargo bench --bench fences` has the
/// bakery under TSO too.
const PLACEMENTS: [(&str, Model, &[&[&str]]); 7] = [
    ("bakery", Model::Pso, &[&["a", "b"]]),
    ("ticket", Model::Tso, &[&[]]),
    ("ticket", Model::Pso, &[&["a"]]),
    ("ticket_linux", Model::Tso, &[&[]]),
    ("ticket_linux", Model::Pso, &[&["a"]]),
    ("queue", Model::Tso, &[&["a"]]),
    ("queue", Model::Pso, &[&["a"]]),
];

/// What a search found and asked.
struct Found {
    placements: BTreeSet<Vec<String>>,
    first: FenceSet,
    calls: u64,
}

fn problem(name: &str, model: Model) -> Problem {
    let path = examples::directory().join(format!("{name}.cup"));
    let text = std::fs::read_to_string(path).expect("the example can be read");
    Problem::new(&text, None, model).expect("the example has places")
}

fn search(problem: &Problem, proof: Option<&Proof>) -> Found {
    search_with(problem, proof, ReductionChoice::Slots)
}

fn search_with(problem: &Problem, proof: Option<&Proof>, reduction: ReductionChoice) -> Found {
    let config = Config {
        predicate: PredicateConfig {
            reduction,
            past_bounds: PastBounds::Skip,
            ..PredicateConfig::default()
        },
        ..Config::default()
    };
    let limits = Limits {
        explore_states: 20_000,
        ..Limits::default()
    };
    let mut engines = Portfolio::of(&config, &limits);
    let answer = problem.search_with(&mut engines, proof);
    let first = answer.proved.first().expect("a placement is proved");
    Found {
        placements: problem.proved(&answer),
        first: first.fences.clone(),
        calls: answer.tried.iter().map(|tried| tried.solver_calls).sum(),
    }
}

/// The questions about a program under a relaxed model; those under SC are asked once, whatever the placement.
fn calls(report: &Answer, model: Model) -> u64 {
    let results = report.results.iter();
    let results = results.filter(|result| result.model == model);
    let tries = results.flat_map(|result| &result.outcome.log);
    tries.map(|tried| tried.stats.solver_calls()).sum()
}

/// The report for the program in the placement that was found, and for it alone.
fn verify_alone(proved: &Proved, model: Model, placement: Placement) -> Answer {
    let bound = (Bound::Auto(4), MethodChoice::Auto);
    proved.verify(&[Model::Sc, model], bound, placement)
}

/// Finds the placements and holds the number of questions against those for the first one alone.
fn assert_cheap(problem: &Problem, proved: &Proved, expected: &[&[&str]]) -> FenceSet {
    let found = search(problem, Some(&proved.proof));
    let context = format!("{} under {}", proved.file.name(), problem.model);
    assert_eq!(found.placements, owned(expected), "{context}");
    let first = Placement::Named(problem.names(&found.first));
    let one = calls(&verify_alone(proved, problem.model, first), problem.model);
    assert!(
        found.calls <= 2 * one,
        "{context}: {} questions, {one} for one placement",
        found.calls
    );
    found.first
}

/// The program with the fences written in verifies on its own.
fn assert_emitted_verifies(problem: &Problem, proved: Proved, fences: &FenceSet) {
    let text = cup::print(&emit(&problem.candidates, fences));
    let (file, checked) = super::load(&text);
    let emitted = Proved {
        file,
        checked,
        ..proved
    };
    let report = verify_alone(&emitted, problem.model, Placement::Declared);
    assert_eq!(report.kind(), VerdictKind::Verified, "{text}");
}

#[test]
fn all_placements_are_proved_for_at_most_twice_the_questions_of_one() {
    for (name, model, expected) in PLACEMENTS {
        let (problem, proved) = (problem(name, model), Proved::example(name));
        let first = assert_cheap(&problem, &proved, expected);
        assert_emitted_verifies(&problem, proved, &first);
    }
}

/// Without a proof the same placements are found, from predicates that all of them share.
#[test]
fn placements_are_found_without_a_proof() {
    for (name, model, expected) in PLACEMENTS {
        if name != "bakery" {
            let found = search(&problem(name, model), None);
            assert_eq!(found.placements, owned(expected), "{name} under {model}");
        }
    }
}

/// With buffers of any length no fence is needed, which is the exact answer.
fn assert_no_fence(name: &str, model: Model) {
    let (problem, proved) = (problem(name, model), Proved::example(name));
    let found = search_with(&problem, Some(&proved.proof), ReductionChoice::Auto);
    assert_eq!(found.placements, owned(&[&[]]), "{name} under {model}");
}

#[test]
fn the_queue_needs_no_fence() {
    assert_no_fence("queue", Model::Tso);
    assert_no_fence("queue", Model::Pso);
}

/// The order facts that the proofs lack are found.
#[test]
#[ignore = "takes some seconds: `make unbounded` runs it"]
fn ticket_locks_need_no_fence() {
    for name in ["ticket", "ticket_linux"] {
        assert_no_fence(name, Model::Tso);
        assert_no_fence(name, Model::Pso);
    }
}
