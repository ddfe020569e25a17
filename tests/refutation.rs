//! The search for a violation before the proof: what it finds is real, and it changes no verdict.

mod support;

use cupola::explore::replay::replay;
use cupola::lang::placement::Placement;
use cupola::model::Model;
use cupola::pipeline::{Bound, MethodChoice, REFUTE_STATES};
use cupola::report::{FoundBy, Method, ModelResult, Verdict};
use support::examples::{self, Example};
use support::proofs::{ALGORITHMS, Proved};

const RELAXED: [Model; 2] = [Model::Tso, Model::Pso];

/// One short try of a proof, for programs of which only violations are of interest.
const ONE_TRY: (Bound, MethodChoice) = (Bound::Fixed(1), MethodChoice::Only(Method::Pe));

fn proved(example: &Example) -> Proved {
    let mut proved = Proved::new(&example.name, &example.text, Some("predicates { }"));
    proved.refute_states = REFUTE_STATES;
    proved
}

/// A violation is an execution that the separate interpreter can run.
#[track_caller]
fn assert_real(result: &ModelResult) {
    let violation = result.violation().expect("it is violated");
    replay(&violation.program, result.model, &violation.trace).expect("it is real");
}

/// Whatever place of a minimal placement of a finite example is left out, the execution that it was
/// there for is told.
#[test]
fn each_fence_of_a_minimal_placement_is_missed() {
    let mut dropped = 0;
    for example in examples::finite().filter(examples::is_correct) {
        let proved = proved(&example);
        for model in RELAXED {
            for places in example.header.minimal_placements(model) {
                for missed in places {
                    let rest: Vec<String> = places
                        .iter()
                        .filter(|place| *place != missed)
                        .cloned()
                        .collect();
                    let report = proved.verify(&[model], ONE_TRY, Placement::Named(rest));
                    let result = &report.results[0];
                    let name = &example.name;
                    assert_eq!(
                        result.verdict(),
                        Verdict::Violated,
                        "{name} {model} {missed}"
                    );
                    assert_real(result);
                    dropped += 1;
                }
            }
        }
    }
    assert!(dropped >= 40, "only {dropped} fences were dropped");
}

/// Without a proof, nothing is verified: not even what the search has seen to the end.
#[test]
fn expectations_are_never_contradicted() {
    for example in examples::all() {
        let proved = proved(&example);
        for expected in &example.header.expectations {
            let placement = Placement::Named(expected.fences.to_vec());
            let report = proved.verify(&[expected.model], ONE_TRY, placement);
            let verdict = report.results[0].verdict();
            let name = &example.name;
            match expected.safe {
                true => assert_ne!(verdict, Verdict::Violated, "{name} {expected}"),
                false => assert_real(&report.results[0]),
            }
        }
    }
}

/// The algorithms are verified with the search as without it.
#[test]
fn the_search_does_not_change_what_is_verified() {
    for name in ALGORITHMS.into_iter().filter(|name| *name != "bakery") {
        let mut proved = Proved::example(name);
        let auto = (Bound::Auto(4), MethodChoice::Auto);
        let without = proved.verify(&[Model::Pso], auto, Placement::Declared);
        proved.refute_states = REFUTE_STATES;
        let with = proved.verify(&[Model::Pso], auto, Placement::Declared);
        assert_eq!(without.verdict(), Verdict::Verified, "{name}");
        assert_eq!(with.verdict(), Verdict::Verified, "{name}");
    }
}

#[test]
fn what_breaks_under_sc_breaks_everywhere() {
    // Under TSO and PSO the buffers of the third thread hide the violation from a search this short.
    let program = "shared x, y, z;
        thread P { x = 1; }
        thread Q { y = 1; y = 2; y = 3; y = 4; }
        thread R { z = 1; z = 2; z = 3; z = 4; }
        finally zero: x == 0;";
    let mut proved = Proved::new("fails", program, Some("predicates { x == 0; }"));
    proved.refute_states = 60;
    let report = proved.verify(&Model::ALL, ONE_TRY, Placement::Declared);
    let found: Vec<&str> = report
        .results
        .iter()
        .map(|result| {
            assert_real(result);
            result.violation().expect("it is violated").found_by.word()
        })
        .collect();
    assert_eq!(found, ["refutation", "sc", "sc"]);
    assert_eq!(report.verdict(), Verdict::Violated);
}

/// Whoever asks for a relaxed model only is told all the same that SC is enough to break the program.
#[test]
fn what_breaks_under_sc_is_told_so_under_a_relaxed_model() {
    let program = "shared x; thread P { x = 1; x = 2; } invariant x < 2;";
    let mut proved = Proved::new("broken.cup", program, None);
    proved.refute_states = REFUTE_STATES;
    for model in RELAXED {
        let report = proved.verify(&[model], ONE_TRY, Placement::Declared);
        let result = &report.results[0];
        let found_by = result.violation().map(|violation| violation.found_by);
        assert!(
            matches!(found_by, Some(FoundBy::Sc)),
            "{model}: {found_by:?}"
        );
        assert_real(result);
    }
}

#[test]
fn a_buffer_that_overflows_is_no_violation() {
    let program = "shared x; thread P { loop { x = 1; } } invariant small: x <= 1;";
    let mut proved = Proved::new("loops", program, Some("predicates { x <= 1; }"));
    proved.refute_states = 100;
    let report = proved.verify(&RELAXED, ONE_TRY, Placement::Declared);
    assert!(
        report
            .results
            .iter()
            .all(|result| result.verdict() == Verdict::Unknown)
    );
}

#[test]
fn no_search_is_made_where_none_is_wanted() {
    let program = "shared x; thread P { x = 1; } invariant zero: x == 0;";
    let mut proved = Proved::new("fails", program, Some("predicates { x == 0; }"));
    let found = |proved: &Proved| {
        let report = proved.verify(&[Model::Sc], ONE_TRY, Placement::Declared);
        report.results[0]
            .refutation
            .clone()
            .map(|found| found.found_by)
    };
    assert_eq!(found(&proved), None);
    proved.refute_states = 10;
    assert!(matches!(found(&proved), Some(FoundBy::Refutation { .. })));
}
