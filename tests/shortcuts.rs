//! Saving work changes no answer: the same predicates and boolean programs with every shortcut on and
//! off and with any number of threads, and the same verdicts whether unused slots are forgotten or not.

mod support;

use cupola::abstraction::cubes::Memo;
use cupola::lang::placement::Placement;
use cupola::model::Model;
use cupola::pipeline::{
    self, Bound, MethodChoice, PipelineConfig, VerifyConfig, abstracted, extrapolated,
};
use cupola::report::{AttemptOutcome, Method};
use cupola::shortcuts::{Shortcut, Shortcuts};
use support::proofs::{ALGORITHMS, Proved};

/// The predicates and boolean programs of an algorithm under all models, by both extrapolations.
fn programs(name: &str, shortcuts: Shortcuts, jobs: usize) -> Vec<String> {
    let config = PipelineConfig {
        shortcuts,
        jobs,
        ..PipelineConfig::default()
    };
    let mut proved = Proved::example(name);
    let completed = pipeline::prove(&proved.task(), &config).expect("it has a proof");
    proved.proof = completed.proof.expect("it is verified under SC");
    let mut texts = Vec::new();
    for model in Model::ALL {
        for method in [Method::Pe, Method::Ce] {
            let task = proved.task();
            let stage = pipeline::stage(&task, model, 1, &Placement::Declared)
                .expect("the example can be reduced");
            let found = extrapolated(&task, &stage, method, &config.extrapolate)
                .expect("numbers are small");
            let built =
                abstracted(&task, &stage, &found, method, &config).expect("numbers are small");
            texts.push(found.text(&stage.reduced));
            texts.push(built.program.to_string());
        }
    }
    texts
}

#[test]
fn shortcuts_change_no_predicate_and_no_boolean_program() {
    let each = Shortcut::ALL.map(|shortcut| Shortcuts::ALL.without(shortcut));
    for name in ALGORITHMS {
        let expected = programs(name, Shortcuts::ALL, 1);
        for shortcuts in each.into_iter().chain([Shortcuts::NONE]) {
            let found = programs(name, shortcuts, 1);
            assert!(found == expected, "{name} with {shortcuts:?}");
        }
        let found = programs(name, Shortcuts::ALL, 2);
        assert!(found == expected, "{name} with two threads");
    }
}

/// How the last try under each model ends.
fn verdicts(proved: &Proved, k: usize, keep_slots: bool) -> Vec<&'static str> {
    let config = VerifyConfig {
        models: vec![Model::Tso, Model::Pso],
        bound: Bound::Fixed(k),
        method: MethodChoice::Only(Method::Pe),
        refute_states: 0,
        pipeline: PipelineConfig {
            keep_slots,
            memo: Memo::default(),
            ..PipelineConfig::default()
        },
    };
    let report = pipeline::verify(&proved.task(), false, &config).expect("it can be reduced");
    let results = report.results.iter();
    results
        .map(|result| match result.outcome() {
            Some(AttemptOutcome::Verified) => "verified",
            Some(AttemptOutcome::Overflow(..)) => "overflow",
            Some(AttemptOutcome::Abstraction(..)) => "abstraction",
            Some(AttemptOutcome::Violated(_)) => "violated",
            Some(AttemptOutcome::Limit(_)) => "limit",
            None => "none",
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
        let config = PipelineConfig::default();
        let built = pipeline::boolean_program(&proved.task(), (Model::Tso, 1), Method::Pe, &config);
        let built = built.expect("it can be reduced").expect("it has a proof");
        assert!(built.effort.calls > 0, "{name}");
        assert_eq!(built.effort.z3_calls, 0, "{name}");
    }
}
