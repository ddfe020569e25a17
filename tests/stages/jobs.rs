//! The boolean programs of the seven algorithms are the same whether one thread asks the solver or two.

use crate::support::proofs::{ALGORITHMS, Proved};
use cupola::engine::Context;
use cupola::engine::predicate::{PredicateConfig, abstracted, extrapolated};
use cupola::memory::Model;
use cupola::verdict::Method;

#[test]
fn boolean_programs_do_not_depend_on_the_number_of_threads() {
    for name in ALGORITHMS {
        let proved = Proved::example(name);
        for model in Model::ALL {
            let (alone, together) = (text(&proved, model, 1), text(&proved, model, 2));
            assert!(alone == together, "{name} under {model}");
        }
    }
}

fn text(proved: &Proved, model: Model, jobs: usize) -> String {
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
    built.expect("numbers are small").program.to_string()
}
