//! Saving work changes no answer: the same predicates and boolean programs with every optimization on and
//! off and with any number of threads, and the same verdicts whether unused slots are forgotten or not.

use crate::support::entries;
use crate::support::proofs::{ALGORITHMS, Proved};
use cupola::engine::Context;
use cupola::engine::predicate::{
    self, Bound, MethodChoice, PredicateConfig, abstracted, extrapolated,
};
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::optimizations::{Optimization, Optimizations};
use cupola::verdict::{Method, Unknown, Verdict};

/// The predicates and boolean programs of an algorithm under all models, by both extrapolations.
fn programs(name: &str, optimizations: Optimizations, jobs: usize) -> Vec<String> {
    let config = PredicateConfig {
        optimizations,
        ..PredicateConfig::default()
    };
    let context = Context {
        jobs,
        ..Context::default()
    };
    let mut proved = Proved::example(name);
    let completed = predicate::prove(&proved.input(), &config, &context).expect("it has a proof");
    proved.proof = completed.proof.expect("it is verified under SC");
    let mut texts = Vec::new();
    for model in Model::ALL {
        for method in [Method::Pe, Method::Ce] {
            let input = proved.input();
            let stage = proved.stage(model, 1);
            let found = extrapolated(&input, &stage, method, &config.extrapolate)
                .expect("numbers are small");
            let built = abstracted(&input, &stage, (&found, method), &config, &context)
                .expect("numbers are small");
            texts.push(found.text(&stage.program));
            texts.push(built.program.to_string());
        }
    }
    texts
}

#[test]
fn optimizations_change_no_predicate_and_no_boolean_program() {
    let each = Optimization::ALL.map(|optimization| Optimizations::ALL.without(optimization));
    for name in ALGORITHMS {
        let expected = programs(name, Optimizations::ALL, 1);
        for optimizations in each.into_iter().chain([Optimizations::NONE]) {
            let found = programs(name, optimizations, 1);
            assert!(found == expected, "{name} with {optimizations:?}");
        }
        let found = programs(name, Optimizations::ALL, 2);
        assert!(found == expected, "{name} with two threads");
    }
}

/// How the last try under each model ends.
fn verdicts(proved: &Proved, k: usize, keep_slots: bool) -> Vec<&'static str> {
    let config = PredicateConfig {
        bound: Bound::Fixed(entries(k)),
        method: MethodChoice::Only(Method::Pe),
        keep_slots,
        ..PredicateConfig::default()
    };
    let models = [Model::Tso, Model::Pso];
    let report = proved.verify_with(&models, config, &Placement::Declared);
    let results = report.results.iter();
    results
        .map(|result| match &result.outcome.verdict {
            Verdict::Verified(_) => "verified",
            Verdict::Violated(_) => "violated",
            Verdict::Unknown(Unknown::Overflow { .. }) => "overflow",
            Verdict::Unknown(Unknown::TooCoarse { .. }) => "abstraction",
            Verdict::Unknown(_) => "other",
        })
        .collect()
}

#[test]
fn forgetting_unused_slots_changes_no_verdict() {
    for name in ALGORITHMS {
        let proved = Proved::example(name);
        for k in [1, 2] {
            let forgotten = verdicts(&proved, k, false);
            let kept = verdicts(&proved, k, true);
            assert_eq!(forgotten, kept, "{name} with k = {k}");
        }
    }
}

#[test]
fn questions_about_differences_never_reach_z3() {
    for name in ALGORITHMS {
        let proved = Proved::example(name);
        let config = PredicateConfig::default();
        let (input, stage) = (proved.input(), proved.stage(Model::Tso, 1));
        let context = Context::default();
        let built = predicate::boolean_program(&input, &stage, Method::Pe, &config, &context);
        let built = built.expect("it can be reduced").expect("it has a proof");
        assert!(built.spent.effort.calls > 0, "{name}");
        assert_eq!(built.spent.effort.z3_calls, 0, "{name}");
    }
}
