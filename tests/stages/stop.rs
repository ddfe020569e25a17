//! Work that is to stop: every stage looks, and says so, whatever the reason is.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use cupola::abstraction::Transformers;
use cupola::engine::backward;
use cupola::engine::portfolio::{Choice, Config, Portfolio, names};
use cupola::engine::predicate::{
    self, MethodChoice, PredicateConfig, PredicateError, abstracted, extrapolated,
};
use cupola::engine::{Context, Limits};
use cupola::front::cup::placement::Placement;
use cupola::memory::{BufferSizes, Model};
use cupola::reduce::{Flush, ReduceConfig, reduce_until};
use cupola::run::stop::Stop;
use cupola::verdict::{Limit, Method, Unknown, Verdict};
use indexmap::IndexSet;

use crate::support::proofs::Proved;

/// The ways to be told to stop, with the reason that is given.
fn stops() -> [(Stop, Limit); 3] {
    let set = || Some(Arc::new(AtomicBool::new(true)));
    let due = Stop {
        deadline: Some(Instant::now()),
        ..Stop::default()
    };
    let cancelled = Stop {
        cancel: set(),
        ..Stop::default()
    };
    let full = Stop {
        full: set(),
        ..cancelled.clone()
    };
    [
        (due, Limit::Timeout),
        (cancelled, Limit::Interrupted),
        (full, Limit::Memory),
    ]
}

fn context(stop: &Stop) -> Context {
    Context {
        stop: stop.clone(),
        ..Context::default()
    }
}

fn is_stopped<T>(result: Result<T, PredicateError>) -> bool {
    matches!(result, Err(PredicateError::Stopped))
}

#[test]
fn every_stage_of_a_proof_stops() {
    let proved = Proved::example("peterson");
    let input = proved.input();
    let stage = proved.stage(Model::Tso, 1);
    let config = PredicateConfig::default();
    for (stop, _) in stops() {
        let context = context(&stop);
        let how = ReduceConfig {
            model: Model::Tso,
            sizes: BufferSizes::ONE,
            fences: IndexSet::new(),
            flush: Flush::Background,
        };
        let reduced = reduce_until(&proved.file, &proved.checked, &how, &stop);
        assert!(reduced.is_ok_and(|reduction| reduction.is_none()));

        let bound = (Model::Tso, &BufferSizes::ONE);
        let fences = IndexSet::new();
        let reduced = predicate::stage(&input, bound, &fences, Transformers::Optimized, &stop);
        assert!(is_stopped(reduced));

        let proof = extrapolated(&input, &stage, Method::Pe, &config.extrapolate);
        let proof = proof.expect("the proof can be extrapolated");
        let built = abstracted(&input, &stage, (&proof, Method::Pe), &config, &context);
        assert!(is_stopped(built));

        assert!(is_stopped(predicate::prove(&input, &config, &context)));
    }
}

#[test]
fn every_engine_stops_and_says_why() {
    // No exploration of it ends. The backward search, which cannot handle it, decides short programs before it first looks.
    let proved = Proved::example("ticket");
    let engines = names().into_iter().filter(|name| *name != backward::NAME);
    let engines = engines.map(|name| Choice::Only(name.to_owned()));
    for choice in engines.chain([Choice::Auto]) {
        for method in [MethodChoice::Auto, MethodChoice::Only(Method::Lazy)] {
            for (stop, reason) in stops() {
                let config = Config {
                    choice: choice.clone(),
                    predicate: PredicateConfig {
                        method,
                        ..PredicateConfig::default()
                    },
                    ..Config::default()
                };
                let mut engines = Portfolio::of(&config, &Limits::default());
                let (subject, placement) = (proved.subject(), Placement::Declared);
                let report = engines.verify(&subject, &Model::ALL, &placement, &context(&stop));
                let report = report.expect("the program can be verified");
                for result in report.results {
                    let told = match &result.outcome.verdict {
                        Verdict::Unknown(Unknown::Stopped(limit)) => *limit,
                        Verdict::Unknown(Unknown::Incomplete { limits, .. }) => {
                            *limits.first().expect("there is a limit")
                        }
                        other => panic!("{choice:?} {}: {other:?}", result.model),
                    };
                    assert_eq!(told, reason, "{choice:?} {}", result.model);
                }
            }
        }
    }
}
