//! The replay of abstract paths: what is told to be violated is, and what is not real is explained.
//!
//! No search comes before the proof here: the paths of abstractions have to do.

use crate::support::compared::Compared;
use crate::support::proofs::Proved;
use crate::support::{entries, examples, random};
use cupola::engine::Context;
use cupola::engine::explore::{ExploreConfig, explore};
use cupola::engine::predicate::{Bound, MethodChoice};
use cupola::front::cup;
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::program::lower;
use cupola::proof;
use cupola::reduce::{Flush, ReduceConfig, reduce};
use cupola::semantics::interpreter::replay;
use cupola::source::SourceFile;
use cupola::verdict::{
    Feasibility, FoundBy, Method, ModelResult, Refinement, Unknown, Verdict, VerdictKind,
};

const AUTO: (Bound, MethodChoice) = (Bound::Auto(2), MethodChoice::Auto);
const RELAXED: [Model; 2] = [Model::Tso, Model::Pso];

/// A violation is an execution that the separate interpreter can run.
#[track_caller]
fn assert_real(result: &ModelResult) {
    let violation = result.outcome.verdict.violation();
    let violation = violation.expect("it is violated");
    replay(violation.program(), result.model, violation.trace()).expect("it is real");
}

/// What would exclude the path of the last attempt.
fn refinement(result: &ModelResult) -> Option<&Refinement> {
    let Verdict::Unknown(unknown) = &result.outcome.verdict else {
        return None;
    };
    match &unknown.path()?.feasibility {
        Feasibility::Spurious { refinement, .. } => Some(refinement),
        Feasibility::Undecided | Feasibility::Feasible(_) => None,
    }
}

/// Without its fences, an algorithm is violated by the path that its abstraction finds.
fn broken_without_fences(name: &str, methods: &[MethodChoice]) {
    let proved = Proved::example(name);
    for model in RELAXED {
        for &method in methods {
            let report = proved.verify(&[model], (Bound::Auto(2), method), Placement::None);
            let result = &report.results[0];
            assert_eq!(
                result.kind(),
                VerdictKind::Violated,
                "{name} {model} {method:?}\n{}",
                report.text()
            );
            assert_real(result);
            let found = result.outcome.verdict.violation();
            let found = found.map(|violation| violation.found_by());
            assert_eq!(found, Some(FoundBy::Replay));
        }
    }
}

#[test]
fn the_path_of_an_abstraction_breaks_peterson() {
    let lazy = MethodChoice::Only(Method::Lazy);
    broken_without_fences("peterson", &[MethodChoice::Auto, lazy]);
}

#[test]
fn the_path_of_an_abstraction_breaks_dekker() {
    broken_without_fences("dekker", &[MethodChoice::Auto]);
}

#[test]
fn the_path_of_an_abstraction_breaks_szymanski() {
    broken_without_fences("szymanski", &[MethodChoice::Only(Method::Pe)]);
}

#[test]
fn the_path_of_an_abstraction_breaks_store_buffering() {
    broken_without_fences("litmus_sb", &[MethodChoice::Auto]);
}

/// Initial values and arbitrary choices come from the solver, the least that will do.
#[test]
fn unknown_values_are_the_least_that_will_do() {
    let program = "shared x = *, y;
        thread P { local r, s; r = x; s = *; assume(s > 2 * r); if (r > 4) { y = s; } }
        invariant small: y <= 10;";
    let proof = "predicates { y <= 10; P.s <= 10; P.r <= 4; x <= 4; P.s <= 2 * P.r; }";
    let proved = Proved::new("values", program, Some(proof));
    for model in Model::ALL {
        let report = proved.verify(&[model], AUTO, Placement::Declared);
        assert_real(&report.results[0]);
        let violation = report.results[0].outcome.verdict.violation();
        let trace = violation.expect("it is violated").trace();
        assert_eq!(trace.initial[0], 5, "{}", report.text());
        let chosen = trace.steps.iter().flat_map(|step| &step.action.path);
        let chosen: Vec<i64> = chosen.filter_map(|taken| taken.value).collect();
        assert_eq!(chosen, [11]);
    }
}

/// Atomic sections, copies, arrays and atomic operations are told in terms of the source.
#[test]
fn everything_of_the_language_can_be_replayed() {
    let program = "shared A[2], n;
        thread P[2] { local r, i;
            i = tid;
            atomic { A[i] = 1; r = A[1 - i]; }
            if (r == 0) { r = fetch_add(n, 1); } }
        invariant one: n <= 1;";
    let proof = "predicates { n <= 1; n <= 0; A[0] == 0; A[1] == 0; P[0].r == 0; P[1].r == 0;
        P[0].i == 0; P[1].i == 1; }";
    let proved = Proved::new("section", program, Some(proof));
    let report = proved.verify(&[Model::Tso, Model::Pso], AUTO, Placement::Declared);
    // Under TSO the atomic operation waits for the buffer, which does not hold up the load.
    for result in &report.results {
        assert_eq!(result.kind(), VerdictKind::Violated, "{}", report.text());
        assert_real(result);
    }
}

/// A run of a background block is one step, whether it breaks a property behind it or inside.
#[test]
fn background_blocks_can_be_replayed() {
    for (text, proof) in [
        ("shared x; thread P { local r; background { r = r + 1; } skip; } invariant small: P.r <= 0;", None),
        ("shared x; thread P { local r, s = *; background { assume(r < 2); if (s > 4) { r = r + 1; } else { skip; } x = r; }
            r = 1; r = x; } forbid two: x == 2 && P.r == 2;", None),
        ("shared x; thread P { local r; background { r = r + 1; assert(r != 1); r = 0; } x = 1; }", None),
        ("shared A[2]; thread P { local r; background { A[r] = 1; r = 1 - r; } skip; } forbid both: A[0] + A[1] == 2;",
            Some("predicates { P.r == 0; P.r == 1; A[0] == 0; A[0] == 1; A[1] == 0; A[1] == 1; }")),
    ] {
        let proved = Proved::new("background", text, proof);
        let report = proved.verify(&[Model::Sc], AUTO, Placement::Declared);
        let result = &report.results[0];
        assert_eq!(result.kind(), VerdictKind::Violated, "{}", report.text());
        assert_real(result);
    }
}

#[test]
fn an_index_out_of_range_is_a_violation() {
    let program = "shared A[2], x; thread P { local r; r = x; x = 2; r = x; A[r] = 1; }";
    let proof = "predicates { P.r == 0; P.r == 2; x == 0; x == 2; }";
    let proved = Proved::new("index", program, Some(proof));
    let report = proved.verify(&Model::ALL, AUTO, Placement::Declared);
    for result in &report.results {
        assert_real(result);
        let violation = result.outcome.verdict.violation().expect("it is violated");
        assert_eq!(violation.property().name_text(), "bounds");
    }
}

/// The two ways of `assert(*)` stand at one place.
#[test]
fn an_assertion_that_may_fail_is_a_violation() {
    let program = "shared x; thread P { assert(*); x = 1; atomic { assert(*, \"maybe\"); } }";
    let proved = Proved::new("maybe", program, Some("predicates { x == 1; }"));
    for method in [MethodChoice::Auto, MethodChoice::Only(Method::Lazy)] {
        let report = proved.verify(&Model::ALL, (Bound::Auto(2), method), Placement::Declared);
        for result in &report.results {
            assert_eq!(result.kind(), VerdictKind::Violated, "{}", report.text());
            assert_real(result);
        }
    }
    let section = program.replace("assert(*);", "");
    let proved = Proved::new("section", &section, Some("predicates { x == 1; }"));
    let report = proved.verify(&Model::ALL, AUTO, Placement::Declared);
    for result in &report.results {
        assert_real(result);
        let violation = result.outcome.verdict.violation().expect("it is violated");
        let broken = violation.property().name_text();
        assert_eq!(broken, "maybe", "{}", report.text());
    }
}

/// In a translated program a full buffer is a state of its own variables: no property is broken.
#[test]
fn an_overflow_of_a_translated_program_is_no_violation() {
    let source = "shared x; thread P { x = 1; x = 1; } invariant small: x <= 1;";
    let source = Proved::new("twice", source, Some("predicates { x <= 1; }"));
    for model in RELAXED {
        let config = ReduceConfig {
            model,
            sizes: entries(1),
            fences: Default::default(),
            flush: Flush::Background,
        };
        let reduction = reduce(&source.file, &source.checked, &config).expect("it can be reduced");
        let translated = Proved::new("translated", &cup::print(reduction.tree()), None);
        let report = translated.verify(&[Model::Sc], AUTO, Placement::Declared);
        let result = &report.results[0];
        assert_eq!(result.kind(), VerdictKind::Unknown, "{}", report.text());
        let Verdict::Unknown(Unknown::Overflow { path, .. }) = &result.outcome.verdict else {
            panic!("it overflows\n{}", report.text());
        };
        assert!(
            matches!(path.feasibility, Feasibility::Feasible(_)),
            "{}",
            report.text()
        );
        let text = report.text();
        assert!(text.contains("meets a full buffer of P"), "{text}");
    }
}

/// The last bound overflows for sure: the execution that fills the buffer is told.
#[test]
fn an_overflow_is_shown() {
    let program = "shared x, y; thread P { loop { x = 1; } } thread Q { local r; r = x; y = r; }
        invariant small: x <= 1;";
    let proved = Proved::new("loops", program, Some("predicates { x <= 1; }"));
    for model in RELAXED {
        let report = proved.verify(&[model], AUTO, Placement::Declared);
        let result = &report.results[0];
        assert_eq!(result.kind(), VerdictKind::Unknown);
        let Verdict::Unknown(Unknown::Overflow { path, .. }) = &result.outcome.verdict else {
            panic!("it overflows\n{}", report.text());
        };
        let Feasibility::Feasible(run) = &path.feasibility else {
            panic!("the overflow is real\n{}", report.text());
        };
        let last = run.trace().steps.last().expect("there are steps");
        assert_eq!(last.buffers[0].entries.len(), 3, "more than k = 2");
        let text = report.text();
        assert!(text.contains("into a buffer of P"), "{text}");
    }
}

/// A path that is not real is told where, and the line that is told makes the proof complete.
fn repaired(name: &str, model: Model, dropped: usize) -> bool {
    let mut proved = Proved::example(name);
    proved.proof.cubes = None;
    proved.proof.predicates.remove(dropped);
    let report = proved.verify(&[model], AUTO, Placement::Declared);
    if report.is_verified() {
        return false;
    }
    assert_ne!(report.kind(), VerdictKind::Violated, "{}", report.text());
    let verdict = &report.results[0].outcome.verdict;
    let under_sc = matches!(verdict, Verdict::Unknown(Unknown::NotVerifiedUnderSc(_)));
    let report = match under_sc {
        true => proved.verify(&[Model::Sc], AUTO, Placement::Declared),
        false => report,
    };
    let Some(Refinement::Predicates(lines)) = refinement(&report.results[0]) else {
        return false;
    };
    let program = lower(&proved.checked, &Default::default());
    let known = proved.proof.text(&program);
    for line in lines {
        assert!(
            !known.contains(&format!("  {line}\n")),
            "{name}: {line} is known"
        );
        assert!(report.text().contains(line), "{}", report.text());
    }
    let text = known.replace(
        "predicates {",
        &format!("predicates {{ {}", lines.join(" ")),
    );
    let file = SourceFile::new("repaired.proof", text);
    let parsed = proof::parse(&file, &proved.checked);
    proved.proof = parsed.expect("what is suggested can be pasted").0;
    let report = proved.verify(&[model], AUTO, Placement::Declared);
    assert_ne!(report.kind(), VerdictKind::Violated, "{}", report.text());
    report.is_verified()
}

#[test]
fn a_dropped_predicate_is_suggested_again() {
    let count = Proved::example("peterson").proof.predicates.len();
    let repaired = (0..count).filter(|&dropped| repaired("peterson", Model::Pso, dropped));
    assert_eq!(repaired.count(), count);
}

#[test]
fn suggestions_repair_the_alternating_bit_protocol() {
    let count = Proved::example("abp").proof.predicates.len();
    let repaired = (0..count).filter(|&dropped| repaired("abp", Model::Pso, dropped));
    assert_eq!(repaired.count(), count);
}

/// Without a proof there is nothing to add a line to: a whole proof is shown, and it goes further.
#[test]
fn a_first_proof_is_suggested() {
    let folder = tempfile::tempdir().expect("a directory");
    let file = folder.path().join("mp.cup");
    let text = "shared x, y, d;\nthread P { local a; x = 5; y = 7; a = d; x = a + 100; }\n\
        thread Q { local r, s; r = y; s = x; assert(r != 7 || s == 5 || s == 100, \"mp\"); }\n";
    std::fs::write(&file, text).expect("written");
    let verify = || {
        let mut command = assert_cmd::Command::cargo_bin("cupola").expect("the binary");
        let options = ["--model", "tso", "--engine", "predicate", "--refine", "0"];
        let output = command.arg("verify").arg(&file).args(options).output();
        let output = output.expect("a run");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        (output.status.code(), text)
    };
    let (code, told) = verify();
    assert_eq!(code, Some(5), "{told}");
    let start = told.find("predicates {\n").expect("a proof");
    let end = start + told[start..].find('}').expect("its end") + 1;
    std::fs::write(file.with_extension("proof"), &told[start..end]).expect("written");
    let (code, told) = verify();
    assert_eq!(code, Some(0), "{told}");
}

/// Every violation is real and is one for the explorer too; nothing verified is refuted.
#[test]
fn random_programs_are_violated_only_for_real() {
    let setting = std::env::var("CUPOLA_RANDOM_PROGRAMS").ok();
    let count = setting.map_or(40, |text| text.parse().expect("a number"));
    let (mut violated, mut real) = (0, 0);
    let mut total = Compared::default();
    for seed in 0..count {
        let text = cupola::front::cup::print(&random::program(seed));
        let mut proved = Proved::new("random", &text, None);
        proved.max_states = 20_000;
        let one_try = (Bound::Fixed(entries(2)), MethodChoice::Only(Method::Pe));
        let report = proved.verify(&Model::ALL, one_try, Placement::Declared);
        for result in &report.results {
            let fences = Placement::Declared
                .in_force(&proved.checked, result.model)
                .expect("its own placement");
            let program = lower(&proved.checked, &fences);
            let config = ExploreConfig {
                max_states: 50_000,
                ..ExploreConfig::default()
            };
            let explored = explore(&program, result.model, &config, &Context::default())
                .expect("it can be explored");
            let shown = || format!("seed {seed} {}\n{text}\n{}", result.model, report.text());
            match result.kind() {
                VerdictKind::Verified => {
                    assert_ne!(explored.kind(), VerdictKind::Violated, "{}", shown())
                }
                VerdictKind::Violated => {
                    assert_real(result);
                    assert_ne!(explored.kind(), VerdictKind::Verified, "{}", shown());
                    real += 1;
                }
                VerdictKind::Unknown => {}
            }
            violated += usize::from(explored.violation.is_some());
            let decided = explored.kind() != VerdictKind::Unknown;
            total.count(decided && result.kind() != VerdictKind::Unknown);
        }
    }
    total.assert_percent(75);
    assert!(
        2 * real >= violated,
        "only {real} of {violated} violations were found"
    );
}

/// With and without the search before the proof, no verdict contradicts the other.
#[test]
fn the_search_and_the_replay_do_not_contradict_each_other() {
    for example in examples::finite() {
        let mut proved = Proved::example(&example.name);
        proved.max_states = 5_000;
        let one_try = || (Bound::Fixed(entries(1)), MethodChoice::Only(Method::Pe));
        for expected in &example.header.expectations {
            let placement = Placement::Named(expected.fences.clone());
            let report = proved.verify(&[expected.model], one_try(), placement);
            let contradicts = match expected.safe {
                true => VerdictKind::Violated,
                false => VerdictKind::Verified,
            };
            let name = &example.name;
            assert_ne!(
                report.kind(),
                contradicts,
                "{name} {expected}\n{}",
                report.text()
            );
        }
    }
}
