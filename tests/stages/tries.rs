//! The order of tries: whatever single setting verifies a program with its proof, `auto` does too, and takes no more
//! than as many times the effort of that setting as there are settings. What paths suggest are lines of a proof.

use cupola::abstraction::lazy::{self, LazyLimits, Pausing, Unknowns};
use cupola::engine::predicate::{MethodChoice, PredicateConfig, extrapolated};
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::proof;
use cupola::run::stop::Stop;
use cupola::source::SourceFile;
use cupola::verdict::{Attempt, CubeSizes, Feasibility, Method, ModelResult, Refinement, Verdict};

use crate::support::examples;
use crate::support::proofs::{Answer, Proved};

/// The settings that `auto` tries one after the other: with the cubes of the proof, with cubes that are looked for,
/// without cubes, with unknown values split, with larger cubes.
const SETTINGS: usize = 5;

/// The sizes to begin with; with the small ones some programs need a retry.
const SIZES: [CubeSizes; 3] = [
    CubeSizes {
        updates: 2,
        conditions: 3,
    },
    CubeSizes {
        updates: 1,
        conditions: 2,
    },
    CubeSizes {
        updates: 1,
        conditions: 1,
    },
];

/// Verifies a program from the predicates of its proof alone.
fn verified(proved: &Proved, model: Model, method: MethodChoice, sizes: CubeSizes) -> Answer {
    let config = PredicateConfig {
        method,
        sizes,
        refine: 0,
        ..PredicateConfig::default()
    };
    proved.verify_with(&[model], config, &Placement::Declared)
}

/// States and questions of the attempts under a model.
fn effort(result: &ModelResult) -> u64 {
    let log = result.outcome.log.iter();
    let attempts = log.map(|tried| tried.stats.states as u64 + tried.stats.solver_calls());
    attempts.sum()
}

/// The single settings that `auto` tries when it begins with some sizes of cubes.
fn single(sizes: CubeSizes) -> [(Method, CubeSizes); 4] {
    let larger = CubeSizes {
        updates: sizes.updates + 1,
        conditions: sizes.conditions + 1,
    };
    [
        (Method::Ce, sizes),
        (Method::Pe, sizes),
        (Method::Lazy, sizes),
        (Method::Pe, larger),
    ]
}

/// Compares `auto` with the single settings on an example; how many of them verify it.
fn compare(name: &str, model: Model, sizes: CubeSizes) -> usize {
    let proved = Proved::example(name);
    let auto = verified(&proved, model, MethodChoice::Auto, sizes);
    let needed = effort(&auto.results[0]);
    let mut compared = 0;
    for (method, cubes) in single(sizes) {
        let has_cubes = proved
            .proof
            .cubes
            .as_ref()
            .is_some_and(|all| !all.is_empty());
        if method == Method::Ce && !has_cubes {
            continue;
        }
        let alone = verified(&proved, model, MethodChoice::Only(method), cubes);
        if alone.is_verified() {
            let case = format!("{name}, {model}, {sizes:?}: {method:?} {cubes:?}");
            assert!(auto.is_verified(), "{case}\n{}", auto.text());
            let most = SETTINGS as u64 * effort(&alone.results[0]);
            assert!(
                needed <= most,
                "{case}: {needed}, at most {most}\n{}",
                auto.text()
            );
            compared += 1;
        }
    }
    compared
}

/// With cubes of one literal, Peterson's lock under TSO takes 36,720 states and questions without cubes, and 1,234
/// with cubes of two: as tries take turns, the first of these does not eat the time of the second.
#[test]
fn auto_takes_no_more_than_its_settings_times_the_best() {
    let names = [
        "abp",
        "dekker",
        "peterson",
        "queue",
        "ticket",
        "ticket_linux",
    ];
    let mut compared = 0;
    for name in names {
        for model in [Model::Tso, Model::Pso] {
            for sizes in SIZES {
                compared += compare(name, model, sizes);
            }
        }
    }
    assert!(compared >= 60, "{compared}");
}

/// A search that is paused often looks at the same states and asks the same questions as one that is not.
#[test]
fn a_search_that_is_paused_is_the_same_search() {
    let mut pauses = 0;
    for (name, model) in [("peterson", Model::Tso), ("ticket", Model::Pso)] {
        let proved = Proved::example(name);
        let stage = proved.stage(model, 1);
        let rules = PredicateConfig::default().extrapolate;
        let found = extrapolated(&proved.input(), &stage, Method::Lazy, &rules);
        let predicates = found.expect("numbers are small").predicates;
        let limits = || LazyLimits {
            max_states: 100_000,
            max_calls: 100_000,
            stop: Stop::default(),
            differences: true,
        };
        let buffers = stage.buffers();
        let whole = lazy::search(
            &stage.program,
            &predicates,
            buffers,
            Unknowns::Kept,
            limits(),
        );
        let whole = whole.expect("numbers are small");
        let paused = Pausing::new(
            &stage.program,
            &predicates,
            buffers,
            Unknowns::Kept,
            limits(),
        );
        let mut paused = paused.expect("numbers are small");
        let outcome = loop {
            let before = paused.spent();
            match paused.go_on(before + 100) {
                Some(outcome) => break outcome,
                None => {
                    pauses += 1;
                    assert!(paused.spent() > before, "it goes on");
                }
            }
        };
        assert_eq!(outcome.states, whole.states);
        assert_eq!(outcome.effort.calls, whole.effort.calls);
        assert_eq!(outcome.invariant, whole.invariant);
        let kinds = [&outcome, &whole].map(|outcome| std::mem::discriminant(&outcome.finding));
        assert_eq!(kinds[0], kinds[1]);
    }
    assert!(pauses >= 10, "{pauses}");
}

/// Ways to try take turns by counts that do not depend on how many threads ask the solver.
#[test]
fn the_order_of_tries_does_not_depend_on_the_number_of_jobs() {
    let mut paused = 0;
    for name in ["peterson", "szymanski"] {
        let proved = Proved::example(name);
        let rows = |jobs: usize| {
            let config = PredicateConfig {
                sizes: SIZES[2],
                refine: 0,
                ..PredicateConfig::default()
            };
            let answer = proved.verify_jobs(&Model::ALL, config, jobs);
            let log = answer.results.iter().flat_map(|result| &result.outcome.log);
            let row = |tried: &Attempt| {
                let settings = &tried.settings;
                let kind = (settings.method, settings.cube_sizes, settings.split);
                (kind, tried.stats.states, tried.verdict.kind())
            };
            log.map(row).collect::<Vec<_>>()
        };
        let alone = rows(1);
        assert_eq!(alone, rows(3), "{name}");
        paused += alone.len();
    }
    assert!(paused >= 8, "{paused} rows");
}

/// What verified SC comes first under the other models: where the cubes are too small, the try without them.
#[test]
fn the_settings_that_verified_sc_come_first() {
    let mut compared = 0;
    for name in ["abp", "peterson", "ticket"] {
        let proved = Proved::example(name);
        let config = PredicateConfig {
            sizes: SIZES[2],
            refine: 0,
            ..PredicateConfig::default()
        };
        let models = [Model::Sc, Model::Tso];
        let answer = proved.verify_with(&models, config, &Placement::Declared);
        let [sc, tso] = &answer.results[..] else {
            panic!("two models");
        };
        let last = sc.outcome.decisive().expect("an attempt");
        if last.settings.method == Some(Method::Lazy) {
            let first = tso.outcome.log.first().expect("an attempt");
            assert_eq!(
                first.settings.method,
                Some(Method::Lazy),
                "{}",
                answer.text()
            );
            compared += 1;
        }
    }
    assert!(compared >= 1);
}

/// The lines that the path of a result suggests.
fn suggested(result: &ModelResult) -> Vec<String> {
    let Verdict::Unknown(unknown) = &result.outcome.verdict else {
        return Vec::new();
    };
    match unknown.path().map(|path| &path.feasibility) {
        Some(Feasibility::Spurious {
            refinement: Refinement::Predicates(lines),
            ..
        }) => lines.clone(),
        _ => Vec::new(),
    }
}

/// Each line that a path suggests is one of a proof, and the proof with these lines excludes the path.
#[test]
fn what_a_path_suggests_can_be_pasted() {
    let mut pasted = 0;
    for path in examples::proofs() {
        let name = path.file_stem().expect("a name").to_string_lossy();
        // These take long without one of their predicates.
        if name.starts_with("bakery") || name.ends_with("-4") {
            continue;
        }
        let proved = Proved::example(&name);
        for left_out in 0..proved.proof.predicates.len() {
            let mut fewer = Proved::example(&name);
            fewer.proof.predicates.remove(left_out);
            fewer.proof.cubes = None;
            let answer = verified(&fewer, Model::Sc, MethodChoice::Auto, SIZES[0]);
            for line in suggested(&answer.results[0]) {
                let file = SourceFile::new("pasted", format!("predicates {{ {line} }}"));
                let parsed = proof::parse(&file, &fewer.checked);
                assert!(parsed.is_ok(), "{name}: {line} {parsed:?}");
                pasted += 1;
            }
        }
    }
    assert!(pasted >= 20, "{pasted}");
}
