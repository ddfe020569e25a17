//! The seven algorithms of the SAS 2013 paper verify, with the fences of their files, and two of them
//! with more threads.

use crate::support::entries;
use crate::support::proofs::{ALGORITHMS, Proved};
use cupola::engine::predicate::{
    self, Bound, MethodChoice, PredicateConfig, abstracted, boolean_program, extrapolated,
};
use cupola::engine::{Context, Limits};
use cupola::extrapolate::ExtrapolateConfig;
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::verdict::{CubeSizes, Method, ModelResult, Unknown, Verdict, VerdictKind};

const AUTO: (Bound, MethodChoice) = (Bound::Auto(4), MethodChoice::Auto);
const RELAXED: [Model; 2] = [Model::Tso, Model::Pso];

/// Verifies an algorithm under all models; returns the bounds that TSO and PSO need.
fn bounds(name: &str) -> (usize, usize) {
    let report = Proved::example(name).verify(&Model::ALL, AUTO, Placement::Declared);
    for result in &report.results {
        assert!(
            result.kind() == VerdictKind::Verified,
            "{name} {}\n{}",
            result.model,
            report.text()
        );
        let plain = result.outcome.log.iter().all(|tried| !tried.settings.split);
        assert!(plain, "{name} {} needs splitting", result.model);
    }
    let k = |model: Model| {
        let mut results = report.results.iter();
        let result = results.find(|result| result.model == model);
        last_bound(result.expect("all models were asked for"))
    };
    (k(Model::Tso), k(Model::Pso))
}

fn last_bound(result: &ModelResult) -> usize {
    let last = result.outcome.log.last();
    let sizes = last.and_then(|tried| tried.settings.buffers.as_ref());
    let sizes = sizes.expect("there are buffers");
    let sizes = sizes.sizes().expect("buffers have slots");
    sizes.as_uniform().expect("all buffers are of one size")
}

#[test]
fn dekker_verifies() {
    assert_eq!(bounds("dekker"), (3, 2));
}

#[test]
fn peterson_verifies() {
    assert_eq!(bounds("peterson"), (3, 2));
}

#[test]
fn the_alternating_bit_protocol_verifies() {
    assert_eq!(bounds("abp"), (1, 1));
}

#[test]
fn szymanski_verifies() {
    assert_eq!(bounds("szymanski"), (4, 4));
}

#[test]
fn the_queue_verifies() {
    assert_eq!(bounds("queue"), (1, 1));
}

#[test]
fn bakery_verifies() {
    assert_eq!(bounds("bakery"), (2, 2));
}

#[test]
fn ticket_verifies() {
    assert_eq!(bounds("ticket"), (1, 1));
}

#[test]
fn ticket_verifies_with_four_threads() {
    assert_eq!(bounds("ticket-4"), (1, 1));
}

#[test]
fn bakery_verifies_with_three_threads() {
    assert_eq!(bounds("bakery-3"), (2, 1));
}

/// Both ways of extrapolation verify a program, with its own fences and with all of them at k = 1.
fn both_extrapolations_verify(name: &str) {
    let proved = Proved::example(name);
    for method in [Method::Pe, Method::Ce].map(MethodChoice::Only) {
        let own = proved.verify(&RELAXED, (Bound::Auto(4), method), Placement::Declared);
        assert!(own.is_verified(), "{name}\n{}", own.text());
        let all = proved.verify(&RELAXED, (Bound::Fixed(entries(1)), method), Placement::All);
        assert!(all.is_verified(), "{name}\n{}", all.text());
    }
}

#[test]
fn both_extrapolations_verify_the_queue() {
    both_extrapolations_verify("queue");
}

#[test]
fn both_extrapolations_verify_bakery() {
    both_extrapolations_verify("bakery");
}

#[test]
fn both_extrapolations_verify_ticket() {
    both_extrapolations_verify("ticket");
}

/// Equalities between slots and memory, which rules 4 and 11 add, are of no use here, and do no harm.
#[test]
fn equalities_of_slots_destroy_no_proof() {
    for name in ALGORITHMS {
        let proved = Proved::example(name);
        let config = PredicateConfig {
            bound: Bound::Auto(4),
            method: MethodChoice::Only(Method::Pe),
            extrapolate: ExtrapolateConfig {
                rule4: true,
                ..ExtrapolateConfig::default()
            },
            ..PredicateConfig::default()
        };
        let report = proved.verify_with(&RELAXED, config, &Placement::Declared);
        assert!(report.is_verified(), "{name}\n{}", report.text());
    }
}

/// Neither predicates that are of no use nor the sign of a predicate decide whether a proof is found.
#[test]
fn more_predicates_and_other_signs_destroy_no_proof() {
    let text = "shared x; thread P { local a, c = *; x = 1; fence; a = x; assert(a != 0); }";
    for proof in [
        "predicates { x == 0; P.a == 0; }",
        "predicates { x == 0; P.a == 0; P.c == 0; P.c == x; }",
        "predicates { x != 0; P.a != 0; P.c == 0; P.c == x; }",
        "predicates { x == 0; P.a != 0; P.c != 0; P.c != x; }",
    ] {
        let proved = Proved::new("one", text, Some(proof));
        for (model, method) in [(Model::Sc, Method::Trad), (Model::Tso, Method::Pe)] {
            let choice = (Bound::Fixed(entries(1)), MethodChoice::Only(method));
            let report = proved.verify(&[model], choice, Placement::Declared);
            assert!(report.is_verified(), "{proof}\n{}", report.text());
        }
    }
}

/// Cubes that are larger than usual are kept for cube extrapolation.
#[test]
fn a_proof_keeps_all_cubes_that_fired() {
    let text = "shared x; thread P { local a = *, b = *, c = *, d = *;
        assume(a == 0); assume(b == 0); assume(c == 0); assume(d == 0); x = 1; fence;
        assume(a != 0 || b != 0 || c != 0 || d != 0); assert(false); }";
    let mut proved = Proved::new("four", text, None);
    let config = PredicateConfig {
        sizes: CubeSizes {
            updates: 4,
            conditions: 4,
        },
        ..PredicateConfig::default()
    };
    let completed =
        predicate::prove(&proved.input(), &config, &Context::default()).expect("it can be tried");
    proved.proof = completed.proof.expect("it is verified under SC");
    let cubes = proved.proof.cubes.as_ref().expect("they were computed");
    assert!(cubes.iter().any(|cube| cube.size() == 4));
    let choice = (Bound::Auto(4), MethodChoice::Only(Method::Ce));
    let report = proved.verify(&RELAXED, choice, Placement::Declared);
    assert!(report.is_verified(), "{}", report.text());
}

#[test]
fn cube_extrapolation_asks_linearly_many_questions() {
    let config = PredicateConfig::default();
    for name in ALGORITHMS {
        let mut proved = Proved::example(name);
        let completed = predicate::prove(&proved.input(), &config, &Context::default())
            .expect("it has a proof");
        proved.proof = completed.proof.expect("it is verified under SC");
        for model in RELAXED {
            let stage = proved.stage(model, 1);
            let proof = extrapolated(&proved.input(), &stage, Method::Ce, &config.extrapolate)
                .expect("numbers are small");
            let method = (&proof, Method::Ce);
            let built = abstracted(
                &proved.input(),
                &stage,
                method,
                &config,
                &Context::default(),
            )
            .expect("numbers are small");
            let most = 2 * (proof.predicates.len() + proof.cubes.len());
            assert!(
                built.most_calls <= most as u64,
                "{name} {model}: {} questions for one update or condition, {most} allowed",
                built.most_calls
            );
        }
    }
}

#[test]
fn the_number_of_threads_does_not_show() {
    for name in ["peterson", "ticket"] {
        let proved = Proved::example(name);
        let printed = |jobs| {
            let context = Context {
                jobs,
                ..Context::default()
            };
            let (stage, config) = (proved.stage(Model::Pso, 1), PredicateConfig::default());
            let built = boolean_program(&proved.input(), &stage, Method::Pe, &config, &context);
            let built = built
                .expect("numbers are small")
                .expect("no cubes are needed");
            built.program.to_string()
        };
        assert_eq!(printed(1), printed(2), "{name}");
    }
}

/// The placements of an algorithm under a model, each with one place less than its file's.
fn with_a_place_less(proved: &Proved, model: Model) -> Vec<Placement> {
    let places = Placement::Declared
        .in_force(&proved.checked, model)
        .expect("the program's own places");
    let without = |dropped: &String| {
        let rest = places.iter().filter(|place| *place != dropped);
        Placement::Named(rest.cloned().collect())
    };
    places.iter().map(without).collect()
}

/// Without a place of its placement an infinite algorithm is not verified, whatever the method.
#[test]
fn placements_of_the_infinite_algorithms_are_minimal() {
    for name in ["queue", "bakery", "ticket"] {
        let proved = Proved::example(name);
        for model in RELAXED {
            for placement in with_a_place_less(&proved, model) {
                for method in [Method::Pe, Method::Ce] {
                    let how = (Bound::Auto(4), MethodChoice::Only(method));
                    let report = proved.verify(&[model], how, placement.clone());
                    let told = report.text();
                    assert!(!report.is_verified(), "{name} {placement:?}\n{told}");
                }
            }
        }
    }
}

#[test]
fn bakery_verifies_under_tso_with_its_other_placement() {
    let other = Placement::Named(["a", "b"].map(str::to_owned).into_iter().collect());
    let report = Proved::example("bakery").verify(&[Model::Tso], AUTO, other);
    assert!(report.is_verified(), "{}", report.text());
    assert_eq!(last_bound(&report.results[0]), 3);
}

/// Neither more threads than the checker starts by default, nor the last one, go unseen.
#[test]
fn programs_with_many_threads_are_checked_in_full() {
    let program = |last: &str| {
        let idle = (0..10).map(|i| format!("thread T{i} {{ local r; r = {i}; }}\n"));
        let idle: String = idle.collect();
        format!("shared x;\n{idle}thread Last {{ {last} }}\ninvariant small: x <= 1;\n")
    };
    let verified = |last: &str| {
        let proved = Proved::new("many", &program(last), Some("predicates { x <= 1; }"));
        let report = proved.verify(&Model::ALL, AUTO, Placement::Declared);
        let kinds = report.results.iter().map(ModelResult::kind);
        kinds.filter(|kind| *kind == VerdictKind::Verified).count()
    };
    assert_eq!(verified("x = 1;"), 3);
    assert_eq!(verified("x = 2;"), 0);
}

#[test]
fn a_program_that_fails_under_sc_is_not_tried_elsewhere() {
    let program = "shared x; thread P { x = 1; } invariant small: x <= 1;";
    let proved = Proved::new("fails", program, Some("predicates { x == 0; }"));
    let report = proved.verify(&Model::ALL, AUTO, Placement::Declared);
    assert_eq!(report.kind(), VerdictKind::Unknown);
    for result in &report.results[1..] {
        let verdict = &result.outcome.verdict;
        assert!(matches!(
            verdict,
            Verdict::Unknown(Unknown::NotVerifiedUnderSc(_))
        ));
        assert!(result.outcome.log.is_empty());
    }
    let Verdict::Unknown(Unknown::TooCoarse { property, path }) =
        &report.results[0].outcome.verdict
    else {
        panic!("the path to the broken property is told");
    };
    assert_eq!(report.property(*property).name_text(), "small");
    assert!(path.steps.iter().any(|step| step.text == "x = 1"));
}

#[test]
fn a_program_that_is_violated_under_sc_is_violated_everywhere() {
    let program = "shared x; thread P { x = 1; } invariant zero: x == 0;";
    let proved = Proved::new("fails", program, Some("predicates { x == 0; }"));
    let report = proved.verify(&Model::ALL, AUTO, Placement::Declared);
    let found = report
        .results
        .iter()
        .map(|result| result.outcome.verdict.violation());
    let found: Vec<_> = found
        .map(|found| found.map(|violation| violation.found_by().word()))
        .collect();
    assert_eq!(found, [Some("replay"), Some("sc"), Some("sc")]);
}

#[test]
fn the_lazy_method_agrees_on_peterson() {
    let proved = Proved::example("peterson");
    let lazy = MethodChoice::Only(Method::Lazy);
    let report = proved.verify(&[Model::Pso], (Bound::Auto(2), lazy), Placement::Declared);
    assert!(report.is_verified(), "{}", report.text());
    let without = proved.verify(
        &[Model::Pso],
        (Bound::Fixed(entries(2)), lazy),
        Placement::None,
    );
    assert!(!without.is_verified(), "{}", without.text());
}

/// What a local is set to decides nothing, but the two have to be told together.
const CHOSEN: &str =
    "shared X; thread P { local a, b; a = *; b = a; assert(a != 0 || b == 0); X = 1; }";

/// `prove` tries as `verify` does under SC.
#[test]
fn a_proof_may_need_a_retry() {
    let proved = Proved::new("chosen", CHOSEN, Some("predicates { P.a == 0; P.b == 0; }"));
    let report = proved.verify(&[Model::Sc], AUTO, Placement::Declared);
    assert!(report.is_verified(), "{}", report.text());
    assert!(report.results[0].outcome.log.len() > 1);
    let tried = predicate::prove(
        &proved.input(),
        &PredicateConfig::default(),
        &Context::default(),
    )
    .expect("it is tried");
    assert!(tried.proof.is_some());
}

/// A retry with too many states is not the last one.
#[test]
fn larger_cubes_are_tried_where_splitting_ends_at_the_limit() {
    let locals: String = (0..12).map(|i| format!(", l{i} = *")).collect();
    let text = format!(
        "shared X; thread P {{ local a, b, c, s = *{locals}; s = a + b + c; assert(s == 0); X = 1; }}"
    );
    let chain: String = (0..12)
        .map(|i| format!("P.l{i} == 0; P.l{i} == 1; P.l{i} == P.l{}; ", (i + 1) % 12))
        .collect();
    let proof =
        format!("predicates {{ P.a == 0; P.b == 0; P.c == 0; P.s == 0; P.a == P.l0; {chain} }}");
    let mut proved = Proved::new("sum", &text, Some(&proof));
    proved.max_states = 300;
    let context = Context {
        limits: Limits {
            abstract_states: proved.max_states,
            ..Limits::default()
        },
        ..Context::default()
    };
    let tried = predicate::prove(&proved.input(), &PredicateConfig::default(), &context);
    let tried = tried.expect("it is tried");
    let sizes = tried.attempt.settings.cube_sizes;
    assert!(tried.proof.is_some());
    assert_eq!(sizes.map(|sizes| sizes.updates), Some(3));
    // The search without cubes takes turns with larger cubes, and decides first.
    let report = proved.verify(&[Model::Sc], AUTO, Placement::Declared);
    let log = &report.results[0].outcome.log;
    let tried: Vec<_> = log
        .iter()
        .map(|tried| (tried.settings.method, tried.settings.split))
        .collect();
    let [trad, lazy] = [Method::Trad, Method::Lazy].map(Some);
    assert_eq!(tried, [(trad, false), (trad, true), (lazy, false)]);
    assert!(report.is_verified(), "{}", report.text());
}
