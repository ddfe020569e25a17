//! Abstract store buffers on the examples, on programs made by hand, and in the portfolio.

mod edges;

use cupola::engine::backward::BackwardConfig;
use cupola::engine::coherence::{self, Coherence, CoherenceConfig};
use cupola::engine::portfolio::{Config, Portfolio};
use cupola::engine::{Context, Engine, EngineError, Limits, Task};
use cupola::front::cup;
use cupola::front::cup::check::Checked;
use cupola::memory::Model;
use cupola::source::SourceFile;
use cupola::verdict::{Domain, Evidence, Outcome, PartialCoherence, Unknown, Verdict, VerdictKind};

use crate::support::examples;

fn load(text: &str) -> (SourceFile, Checked) {
    let file = SourceFile::new("test.cup", text);
    let checked = cup::load(&file).expect("it is a program");
    (file, checked)
}

fn run(
    engine: &mut dyn Engine,
    (file, checked): &(SourceFile, Checked),
    (model, fences): (Model, &[String]),
    limits: Limits,
) -> Result<Outcome, EngineError> {
    let task = Task {
        source: file,
        program: checked,
        model,
        fences: &fences.iter().cloned().collect(),
        proof: None,
        earlier: &[],
    };
    let context = Context {
        limits,
        ..Context::default()
    };
    engine.run(&task, &context)
}

fn abstractly(domain: Domain, k: usize) -> Coherence {
    Coherence::new(CoherenceConfig {
        domain: Some(domain),
        k: Some(k),
    })
}

/// What is verified is expected to be safe; most of what is safe is verified.
#[test]
fn examples_are_verified_only_if_they_are_safe() {
    let (mut safe, mut proved) = (0, 0);
    for example in examples::finite() {
        let program = load(&example.text);
        for expected in &example.header.expectations {
            if expected.model == Model::Sc {
                continue;
            }
            let limits = Limits {
                abstract_states: 100_000,
                ..Limits::default()
            };
            let mut engine = abstractly(Domain::Fd, 2);
            let case = (expected.model, &expected.fences[..]);
            let Ok(outcome) = run(&mut engine, &program, case, limits) else {
                continue;
            };
            let kind = outcome.verdict.kind();
            let contradiction = match expected.safe {
                true => VerdictKind::Violated,
                false => VerdictKind::Verified,
            };
            assert_ne!(kind, contradiction, "{} {expected:?}", example.name);
            safe += usize::from(expected.safe);
            proved += usize::from(kind == VerdictKind::Verified);
        }
    }
    assert!(
        proved * 2 > safe && safe > 20,
        "{proved} of {safe} are proved"
    );
}

/// Where the exact engine has too many states, abstract buffers decide.
#[test]
fn abstract_buffers_decide_where_the_exact_engine_gives_up() {
    let example = examples::all()
        .into_iter()
        .find(|example| example.name == "peterson");
    let program = load(&example.expect("it is there").text);
    let fences = ["a".to_owned(), "b".to_owned()];
    let limits = Limits {
        explore_states: 10,
        ..Limits::default()
    };
    let config = |configs| Config {
        backward: BackwardConfig {
            forward_buffer: 0,
            invariant: 0,
            configs,
            ..BackwardConfig::default()
        },
        ..Config::default()
    };
    let ask = |configs| {
        let mut portfolio = Portfolio::of(&config(configs), &limits);
        let outcome = run(&mut portfolio, &program, (Model::Pso, &fences), limits);
        outcome.expect("it is supported")
    };
    let outcome = ask(1);
    let expected = PartialCoherence {
        domain: Domain::Fd,
        k: 0,
    };
    assert!(
        matches!(outcome.verdict, Verdict::Verified(Evidence::PartialCoherence(found)) if found == expected),
        "{:?}",
        outcome.verdict
    );
    // Where the exact engine decides, they are not asked.
    let outcome = ask(200_000);
    assert!(
        matches!(outcome.verdict, Verdict::Verified(Evidence::Basis)),
        "{:?}",
        outcome.verdict
    );
    assert!(
        outcome
            .log
            .iter()
            .all(|attempt| attempt.engine != coherence::NAME)
    );
}

#[test]
fn a_path_comes_with_its_buffers_and_a_real_one_is_run() {
    let stores = load(
        "shared x; thread P { x = 1; x = 2; } thread Q { local r, s; r = x; s = x; assume(r == 2); assert(s == 2); }",
    );
    let outcome = run(
        &mut abstractly(Domain::Fd, 0),
        &stores,
        (Model::Pso, &[]),
        Limits::default(),
    );
    let Ok(Outcome {
        verdict: Verdict::Unknown(Unknown::TooIncoherent { path, .. }),
        ..
    }) = outcome
    else {
        panic!("{outcome:?}");
    };
    let flushes = path.steps.iter().filter(|step| step.line.is_none());
    assert!(
        flushes.clone().all(|step| step.text.starts_with("FLUSH-S")),
        "{path:?}"
    );
    assert_eq!(flushes.count(), 2, "{path:?}");
    assert!(
        path.steps
            .iter()
            .any(|step| step.buffers == ["x: last 2, set {1, 2}, oldest []"]),
        "{path:?}"
    );
    let verdict = |engine: &mut Coherence, program, model| {
        let outcome = run(engine, program, (model, &[]), Limits::default());
        outcome.expect("it is supported").verdict
    };
    let exact = verdict(&mut abstractly(Domain::Fd, 1), &stores, Model::Pso);
    assert_eq!(exact.kind(), VerdictKind::Verified);
    let buffering = load(
        "shared x, y; thread P { local r; x = 1; r = y; } thread Q { local s; y = 1; s = x; } finally !(P.r == 0 && Q.s == 0);",
    );
    for model in [Model::Tso, Model::Pso] {
        let found = verdict(&mut abstractly(Domain::Pd, 0), &buffering, model);
        assert_eq!(found.kind(), VerdictKind::Violated, "{model}");
    }
    assert_eq!(
        verdict(&mut abstractly(Domain::Set, 0), &buffering, Model::Sc).kind(),
        VerdictKind::Verified
    );
}

#[test]
fn arbitrary_values_are_not_supported() {
    let program = load("shared x; thread P { local r; r = *; x = r; }");
    let outcome = run(
        &mut abstractly(Domain::Fd, 1),
        &program,
        (Model::Tso, &[]),
        Limits::default(),
    );
    assert!(
        matches!(outcome, Err(EngineError::Unsupported(_))),
        "{outcome:?}"
    );
}

/// A program whose values have no bound ends at a limit, not with a proof.
#[test]
fn values_without_bound_meet_a_limit() {
    let program =
        load("shared x; thread P { local r; loop { x = r; r = r + 1; } } invariant x >= 0;");
    for (domain, k) in [
        (Domain::Set, 0),
        (Domain::Fd, 0),
        (Domain::Fd, 1),
        (Domain::Pd, 1),
    ] {
        let limits = Limits {
            abstract_states: 2_000,
            ..Limits::default()
        };
        let outcome = run(
            &mut abstractly(domain, k),
            &program,
            (Model::Pso, &[]),
            limits,
        );
        let verdict = outcome.expect("it is supported").verdict;
        assert!(
            matches!(verdict, Verdict::Unknown(Unknown::Incomplete { .. })),
            "{verdict:?}"
        );
    }
}
