//! Keeps the golden files of `translations/proofs/`: for the seven algorithms, the extrapolated
//! predicates and the boolean program under each model at k = 1, the same with one thread and with two.
//!
//! `make golden` accepts the present output.

mod support;

use cupola::lang::placement::Placement;
use cupola::model::Model;
use cupola::pipeline::{self, PipelineConfig, abstracted, extrapolated};
use cupola::report::Method;
use support::proofs::{ALGORITHMS, Proved};

#[test]
fn predicates_and_boolean_programs_of_the_algorithms() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../translations/proofs");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for name in ALGORITHMS {
            let proved = Proved::example(name);
            for model in Model::ALL {
                let (predicates, program) = texts(&proved, model, 2);
                let alone = texts(&proved, model, 1).1;
                assert!(alone == program, "{name} under {model} with one thread");
                insta::assert_snapshot!(format!("{name}.{model}.predicates"), predicates);
                insta::assert_snapshot!(format!("{name}.{model}.bp"), program);
            }
        }
    });
}

fn texts(proved: &Proved, model: Model, jobs: usize) -> (String, String) {
    let config = PipelineConfig {
        jobs,
        ..PipelineConfig::default()
    };
    let stage = pipeline::stage(&proved.task(), model, 1, &Placement::Declared)
        .expect("the example can be reduced");
    let found = extrapolated(&proved.task(), &stage, Method::Pe, &config.extrapolate)
        .expect("numbers are small");
    let built =
        abstracted(&proved.task(), &stage, &found, Method::Pe, &config).expect("numbers are small");
    (found.text(&stage.reduced), built.program.to_string())
}
