//! Programs with unbounded numbers: the pipeline proves placements, and what it asks of the solver
//! for all of them is little more than what it asks for one.

use std::collections::BTreeSet;

use cupola::explore::ExploreConfig;
use cupola::fences::{AutoProver, Candidates, ExploreProver, FenceSet, PipelineProver, emit};
use cupola::lang;
use cupola::lang::placement::Placement;
use cupola::model::Model;
use cupola::pipeline::{Bound, MethodChoice, PipelineConfig, VerifyConfig};
use cupola::report::Report;

use super::support::examples;
use super::support::proofs::Proved;
use super::{Problem, owned};

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

fn config(placement: Placement) -> VerifyConfig {
    VerifyConfig {
        models: Vec::new(),
        bound: Bound::Auto(4),
        method: MethodChoice::Auto,
        refute_states: 0,
        pipeline: PipelineConfig {
            placement,
            ..PipelineConfig::default()
        },
    }
}

fn search(problem: &Problem, proved: &Proved) -> Found {
    let limits = ExploreConfig {
        max_states: 20_000,
        ..ExploreConfig::default()
    };
    let (candidates, model): (&Candidates, Model) = (&problem.candidates, problem.model);
    let explorer = ExploreProver::new(candidates, model, limits, None);
    let explorer = explorer.expect("the example has no background blocks");
    let config = config(Placement::Declared);
    let pipeline = PipelineProver::new(&problem.file, candidates, &proved.proof, model, config);
    let answer = problem.search_with(&mut AutoProver::new(explorer, pipeline));
    let first = answer.proved.first().expect("a placement is proved");
    Found {
        placements: problem.proved(&answer),
        first: first.fences.clone(),
        calls: answer.tried.iter().map(|tried| tried.solver_calls).sum(),
    }
}

fn calls(report: &Report) -> u64 {
    let tries = report.results.iter().flat_map(|result| &result.attempts);
    tries.map(|tried| tried.effort.calls).sum()
}

/// The report for the program in the placement that was found, and for it alone.
fn verify_alone(proved: &Proved, model: Model, placement: Placement) -> Report {
    let bound = (Bound::Auto(4), MethodChoice::Auto);
    proved.verify(&[Model::Sc, model], bound, placement)
}

/// Finds the placements and holds the number of questions against those for the first one alone.
fn assert_cheap(problem: &Problem, proved: &Proved, expected: &[&[&str]]) -> FenceSet {
    let found = search(problem, proved);
    let context = format!("{} under {}", proved.file.name(), problem.model);
    assert_eq!(found.placements, owned(expected), "{context}");
    let first = Placement::Named(problem.names(&found.first));
    let one = calls(&verify_alone(proved, problem.model, first));
    assert!(
        found.calls <= 2 * one,
        "{context}: {} questions, {one} for one placement",
        found.calls
    );
    found.first
}

/// The program with the fences written in verifies on its own.
fn assert_emitted_verifies(problem: &Problem, proved: Proved, fences: &FenceSet) {
    let text = lang::print(&emit(&problem.candidates, fences));
    let (file, checked) = super::load(&text);
    let emitted = Proved {
        file,
        checked,
        ..proved
    };
    let report = verify_alone(&emitted, problem.model, Placement::Declared);
    let verified = |result: &cupola::report::ModelResult| result.is_verified();
    assert!(report.results.iter().all(verified), "{text}");
}

#[test]
fn all_placements_are_proved_for_at_most_twice_the_questions_of_one() {
    for (name, model, expected) in PLACEMENTS {
        let (problem, proved) = (problem(name, model), Proved::example(name));
        let first = assert_cheap(&problem, &proved, expected);
        assert_emitted_verifies(&problem, proved, &first);
    }
}
