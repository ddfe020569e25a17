//! The predicate engine alone: what it replays refutes placements, what it proves is proved.

use cupola::engine::predicate::{NAME, PastBounds, Predicate, PredicateConfig};
use cupola::fences::{End, Finding, Minimality};
use cupola::verdict::FoundBy;

use super::{Problem, RELAXED};
use crate::support::examples;
use crate::support::proofs::Proved;

#[test]
fn it_finds_the_placements_of_peterson() {
    let mut all = examples::all().into_iter();
    let example = all.find(|example| example.name == "peterson");
    let example = example.expect("the example exists");
    let proof = Proved::example("peterson").proof;
    for model in RELAXED {
        let problem = Problem::new(&example.text, None, model).expect("it has places");
        let mut engine = Predicate::new(PredicateConfig {
            past_bounds: PastBounds::Skip,
            ..PredicateConfig::default()
        });
        let answer = problem.search_with(&mut engine, Some(&proof));
        assert!(matches!(answer.end, End::Complete), "{:?}", answer.end);
        let expected = example.header.minimal_placements(model).into_iter();
        let found = problem.proved(&answer);
        assert_eq!(found, expected.map(<[String]>::to_vec).collect(), "{model}");
        for proved in &answer.proved {
            assert_eq!(proved.minimality, Minimality::Exact, "{model}");
            assert_eq!(proved.engine, NAME);
        }
        assert!(answer.undecided.is_empty(), "{:?}", answer.undecided);
        let refuted = |finding: &Finding| matches!(finding, Finding::Refuted(_));
        let refuted = answer.tried.iter().filter(|tried| refuted(&tried.finding));
        assert_eq!(refuted.count(), answer.refutations.len());
        assert!(!answer.refutations.is_empty(), "{model}");
        for refutation in &answer.refutations {
            assert_eq!(refutation.violation.found_by(), FoundBy::Replay);
        }
    }
}
