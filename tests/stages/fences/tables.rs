//! The placements of the papers' tables and of the examples' headers.

use cupola::fences::{End, Minimality};
use cupola::memory::Model;

use super::{Problem, RELAXED, owned};
use crate::support::examples;

/// The program, the fences per thread under TSO (Table 1 of TACAS 2012 and the table of SAS 2012)
/// and under PSO (section 6 of PLDI 2011), where a paper has a figure.
const PAPERS: [(&str, Option<usize>, Option<usize>); 17] = [
    ("dekker_simple", Some(1), None),
    ("dekker_restart", Some(1), None),
    ("dekker", None, Some(2)),
    ("peterson", Some(1), Some(2)),
    ("bakery_rounds", Some(2), Some(2)),
    ("lamport_fast", Some(2), Some(3)),
    ("clh", Some(0), None),
    ("sense_barrier", Some(0), Some(1)),
    ("burns", Some(1), None),
    ("dijkstra", Some(1), None),
    ("tournament_barrier", Some(0), None),
    ("task_scheduler", Some(0), None),
    ("increasing_sequence", Some(0), None),
    ("ticket_rounds", Some(0), None),
    ("queue_rounds", Some(0), None),
    ("producer_consumer_v2", Some(0), None),
    ("szymanski", None, None),
];

fn problem(name: &str, model: Model) -> Problem {
    let mut all = examples::all().into_iter();
    let example = all.find(|example| example.name == name);
    let text = example.expect("the example exists").text;
    Problem::new(&text, None, model).expect("the example has places")
}

#[test]
fn the_smallest_placements_are_as_large_as_in_the_papers() {
    for (name, tso, pso) in PAPERS {
        for (model, expected) in RELAXED.into_iter().zip([tso, pso]) {
            let Some(expected) = expected else { continue };
            let answer = problem(name, model).search();
            let smallest = answer.proved.first().map(|proved| proved.fences.len());
            assert_eq!(smallest, Some(expected), "{name} under {model}");
        }
    }
}

#[test]
fn the_queue_lock_with_predecessors_in_memory_needs_two_fences_under_pso() {
    let text = include_str!("../../../examples/pldi/clh.cup");
    for (model, expected) in [
        (Model::Tso, owned(&[&[]])),
        (Model::Pso, owned(&[&["a", "b"]])),
    ] {
        let problem = Problem::new(text, None, model).expect("it has places");
        assert_eq!(problem.proved(&problem.search()), expected, "{model}");
    }
}

#[test]
fn the_bakery_has_four_placements_when_threads_are_fenced_apart() {
    let example = examples::all()
        .into_iter()
        .find(|one| one.name == "bakery_rounds");
    let text = example.expect("the example exists").text;
    let kind = Some(cupola::fences::PlaceKind::Stores);
    let problem = Problem::new(&text, kind, Model::Tso).expect("it has stores");
    let answer = problem.search();
    let sizes: Vec<usize> = answer
        .proved
        .iter()
        .map(|proved| proved.fences.len())
        .collect();
    assert_eq!(sizes, [4; 4]);
    assert!(answer.tried.len() < 40, "tried {}", answer.tried.len());
}

#[test]
fn finite_examples_have_the_placements_of_their_headers() {
    for example in examples::finite().filter(examples::is_correct) {
        for model in RELAXED {
            let Ok(problem) = Problem::new(&example.text, None, model) else {
                continue;
            };
            if problem
                .candidates
                .places
                .keys()
                .any(|name| name.starts_with("after_"))
            {
                continue;
            }
            let answer = problem.search();
            let expected = example.header.minimal_placements(model).into_iter();
            let name = &example.name;
            assert_eq!(
                problem.proved(&answer),
                expected.map(<[String]>::to_vec).collect(),
                "{name} under {model}"
            );
            let exact = |proved: &cupola::fences::Proved| proved.minimality == Minimality::Exact;
            assert!(answer.proved.iter().all(exact), "{name} under {model}");
            assert!(matches!(answer.end, End::Complete), "{name} under {model}");
        }
    }
}

#[test]
fn what_is_broken_under_sc_is_said_to_be() {
    for example in examples::all()
        .iter()
        .filter(|one| !examples::is_correct(one))
    {
        for model in RELAXED {
            let problem = Problem::new(&example.text, None, model).expect("it has places");
            let answer = problem.search();
            assert!(
                matches!(answer.end, End::BrokenUnderSc(_)),
                "{}",
                example.name
            );
            assert!(answer.tried.is_empty() && answer.proved.is_empty());
        }
    }
}
