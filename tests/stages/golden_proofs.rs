//! Keeps the golden files of `translations/proofs/`: for the seven algorithms, the extrapolated
//! predicates and the boolean program under each model at k = 1, the same with one thread and with two.
//!
//! `make golden` accepts the present output.

use std::collections::BTreeSet;

use super::golden::{assert_only, settings};
use crate::support::proofs::{ALGORITHMS, Proved};
use cupola::engine::Context;
use cupola::engine::predicate::{PredicateConfig, abstracted, extrapolated};
use cupola::memory::Model;
use cupola::verdict::Method;

const FOLDER: &str = "translations/proofs";

#[test]
fn predicates_and_boolean_programs_of_the_algorithms() {
    let names = settings(FOLDER).bind(|| {
        let mut names = BTreeSet::new();
        for name in ALGORITHMS {
            let proved = Proved::example(name);
            for model in Model::ALL {
                let (predicates, program) = texts(&proved, model, 2);
                let alone = texts(&proved, model, 1).1;
                assert!(alone == program, "{name} under {model} with one thread");
                for (kind, text) in [("predicates", predicates), ("bp", program)] {
                    let name = format!("{name}.{model}.{kind}");
                    insta::assert_snapshot!(name.clone(), text);
                    names.insert(name);
                }
            }
        }
        names
    });
    assert_only(FOLDER, &names);
}

fn texts(proved: &Proved, model: Model, jobs: usize) -> (String, String) {
    let config = PredicateConfig::default();
    let context = Context {
        jobs,
        ..Context::default()
    };
    let stage = proved.stage(model, 1);
    let found = extrapolated(&proved.input(), &stage, Method::Pe, &config.extrapolate)
        .expect("numbers are small");
    let method = (&found, Method::Pe);
    let built = abstracted(&proved.input(), &stage, method, &config, &context);
    let built = built.expect("numbers are small");
    (found.text(&stage.program), built.program.to_string())
}
