//! `--search exhaustive` and `--search fast` print the same boolean program.
//!
//! Exhaustive search goes cube by cube, so its calls of the solver grow with a power of the number of
//! predicates. On the examples that were made large on purpose it takes more than 500,000 of them;
//! `make exhaustive` compares those too.

#![allow(
    clippy::print_stderr,
    reason = "the long comparison tells how many calls it took"
)]

use crate::support::examples;
use crate::support::proofs::Proved;
use cupola::abstraction::Abstraction;
use cupola::abstraction::cubes::Search;
use cupola::engine::Context;
use cupola::engine::predicate::{PredicateConfig, abstracted, extrapolated};
use cupola::memory::Model;
use cupola::verdict::Method;

/// The examples on which exhaustive search may take more than 500,000 calls, and the methods.
const LARGE: [(&str, &[Method]); 3] = [
    ("bakery-3", &[Method::Trad, Method::Pe]),
    ("sequence_lock", &[Method::Pe]),
    ("ticket-4", &[Method::Pe]),
];

fn is_large(name: &str, (_, method): (Model, Method)) -> bool {
    let mut large = LARGE.iter();
    large.any(|(large, methods)| *large == name && methods.contains(&method))
}

/// Every model with the methods that search for cubes.
const CASES: [(Model, Method); 5] = [
    (Model::Sc, Method::Trad),
    (Model::Tso, Method::Trad),
    (Model::Pso, Method::Trad),
    (Model::Tso, Method::Pe),
    (Model::Pso, Method::Pe),
];

#[test]
fn both_searches_print_the_same_boolean_program() {
    for example in examples::all() {
        for case in CASES {
            if is_large(&example.name, case) {
                continue;
            }
            let (_, exhaustive) = compare(&example.name, case);
            let name = &example.name;
            assert!(exhaustive <= 500_000, "{name} {case:?} is a large one");
        }
    }
}

#[test]
#[ignore = "takes minutes; `make exhaustive` runs it"]
fn both_searches_print_the_same_boolean_program_on_large_examples() {
    for (name, _) in LARGE {
        for case in CASES.into_iter().filter(|case| is_large(name, *case)) {
            let (fast, exhaustive) = compare(name, case);
            eprintln!("{name} {case:?}: {fast} calls and {exhaustive} calls");
        }
    }
}

/// Fails where the searches make different programs; else says how many calls each of them took.
fn compare(name: &str, (model, method): (Model, Method)) -> (u64, u64) {
    let proved = Proved::example(name);
    let stage = proved.stage(model, 1);
    let config = PredicateConfig::default();
    let proof = extrapolated(&proved.input(), &stage, method, &config.extrapolate)
        .expect("numbers are small");
    let built = |search| -> Abstraction {
        let config = PredicateConfig {
            search,
            ..PredicateConfig::default()
        };
        let context = Context {
            jobs: 2,
            ..Context::default()
        };
        let built = abstracted(&proved.input(), &stage, (&proof, method), &config, &context);
        built.expect("numbers are small")
    };
    let (fast, exhaustive) = (built(Search::Fast), built(Search::Exhaustive));
    assert!(
        fast.program.to_string() == exhaustive.program.to_string(),
        "{name} {model} {method:?}"
    );
    (fast.spent.effort.calls, exhaustive.spent.effort.calls)
}
