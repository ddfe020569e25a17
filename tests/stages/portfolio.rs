//! Several engines one after the other: what any of them decides is decided, what is violated is real, and an engine that
//! decides nothing changes nothing.

use std::cell::RefCell;
use std::rc::Rc;

use crate::support::examples::{self, Example, Expectation};
use crate::support::proofs::{ALGORITHMS, Proved};
use cupola::engine::explore::{self, ExploreConfig, explore};
use cupola::engine::portfolio::{self, Config, FIRST_STATES, Portfolio, Subject};
use cupola::engine::predicate::{Bound, MethodChoice};
use cupola::engine::{Context, Engine, EngineError, Limits, Task};
use cupola::front::cup;
use cupola::front::cup::check::Checked;
use cupola::front::cup::placement::Placement;
use cupola::memory::{BufferSizes, Model};
use cupola::program::lower;
use cupola::semantics::interpreter::replay;
use cupola::source::SourceFile;
use cupola::verdict::{
    Attempt, Evidence, FoundBy, Method, ModelResult, Outcome, Report, Settings, Stats, Unknown,
    Unsupported, Verdict, VerdictKind,
};

const RELAXED: [Model; 2] = [Model::Tso, Model::Pso];

/// One short try of a proof, for programs of which only violations are of interest.
const ONE_TRY: (Bound, MethodChoice) = (
    Bound::Fixed(BufferSizes::ONE),
    MethodChoice::Only(Method::Pe),
);

fn proved(example: &Example) -> Proved {
    let mut proved = Proved::new(&example.name, &example.text, Some("predicates { }"));
    proved.explore_states = FIRST_STATES;
    proved
}

/// A violation is an execution that the separate interpreter can run.
#[track_caller]
fn assert_real(result: &ModelResult) {
    let violation = result.outcome.verdict.violation();
    let violation = violation.expect("it is violated");
    replay(violation.program(), result.model, violation.trace()).expect("it is real");
}

/// Whatever place of a minimal placement of a finite example is left out, the execution that it was
/// there for is told.
#[test]
fn each_fence_of_a_minimal_placement_is_missed() {
    let mut dropped = 0;
    for example in examples::finite().filter(examples::is_correct) {
        let proved = proved(&example);
        for model in RELAXED {
            for places in example.header.minimal_placements(model) {
                for missed in places {
                    let rest: Vec<String> = places
                        .iter()
                        .filter(|place| *place != missed)
                        .cloned()
                        .collect();
                    let report = proved.verify(&[model], ONE_TRY, Placement::Named(rest));
                    let result = &report.results[0];
                    let name = &example.name;
                    assert_eq!(
                        result.kind(),
                        VerdictKind::Violated,
                        "{name} {model} {missed}"
                    );
                    assert_real(result);
                    dropped += 1;
                }
            }
        }
    }
    assert!(dropped >= 40, "only {dropped} fences were dropped");
}

/// Without a proof every finite example is decided; what is verified is so because every state was seen, as many as
/// `explore` sees.
#[test]
fn finite_examples_are_decided_without_a_proof() {
    for example in examples::finite() {
        let file = SourceFile::new(&*example.name, &*example.text);
        let checked = cup::load(&file).expect("an example is correct");
        let subject = Subject {
            source: &file,
            program: &checked,
            proof: None,
        };
        for expected in &example.header.expectations {
            let result = decided(&subject, expected);
            let context = format!("{} {expected}", example.name);
            match expected.safe {
                true => assert_exhaustive(&result, &checked, &context),
                false => assert_real(&result),
            }
        }
    }
}

/// What all engines say of a program as its header has it.
fn decided(subject: &Subject<'_>, expected: &Expectation) -> ModelResult {
    let limits = Limits::default();
    let mut engines = Portfolio::of(&Config::default(), &limits);
    let placement = Placement::Named(expected.fences.clone());
    let report = engines.verify(subject, &[expected.model], &placement, &Context::default());
    let report = report.expect("an example can be verified or not");
    report.results.into_iter().next().expect("one model")
}

#[track_caller]
fn assert_exhaustive(result: &ModelResult, checked: &Checked, context: &str) {
    let fences = result.fences.iter().cloned().collect();
    let program = lower(checked, &fences);
    let config = ExploreConfig::default();
    let seen = explore(&program, result.model, &config, &Context::default());
    let seen = seen.expect("an example has no background blocks");
    let Verdict::Verified(evidence) = &result.outcome.verdict else {
        panic!("{context}: {:?}", result.kind());
    };
    let expected = Evidence::Exhaustive {
        states: seen.states,
        max_buffer: seen.max_buffer,
    };
    assert_eq!(*evidence, expected, "{context}");
    let attempt = result.outcome.decisive().expect("there is an attempt");
    assert_eq!(attempt.engine, explore::NAME, "{context}");
    assert_eq!(attempt.stats.states, seen.states, "{context}");
}

/// Violations of infinite examples are found, and none is found where none is expected.
#[test]
fn expectations_of_infinite_examples_are_never_contradicted() {
    for example in examples::infinite() {
        let proved = proved(&example);
        for expected in &example.header.expectations {
            let placement = Placement::Named(expected.fences.to_vec());
            let report = proved.verify(&[expected.model], ONE_TRY, placement);
            let verdict = report.results[0].kind();
            let name = &example.name;
            match expected.safe {
                true => assert_ne!(verdict, VerdictKind::Violated, "{name} {expected}"),
                false => assert_real(&report.results[0]),
            }
        }
    }
}

/// The algorithms are verified with the search as without it.
#[test]
fn the_search_does_not_change_what_is_verified() {
    for name in ALGORITHMS.into_iter().filter(|name| *name != "bakery") {
        let mut proved = Proved::example(name);
        let auto = || (Bound::Auto(4), MethodChoice::Auto);
        let without = proved.verify(&[Model::Pso], auto(), Placement::Declared);
        proved.explore_states = FIRST_STATES;
        let with = proved.verify(&[Model::Pso], auto(), Placement::Declared);
        assert_eq!(without.kind(), VerdictKind::Verified, "{name}");
        assert_eq!(with.kind(), VerdictKind::Verified, "{name}");
    }
}

#[test]
fn what_breaks_under_sc_breaks_everywhere() {
    // Under TSO and PSO the buffers of the third thread hide the violation from a search this short.
    let program = "shared x, y, z;
        thread P { x = 1; }
        thread Q { y = 1; y = 2; y = 3; y = 4; }
        thread R { z = 1; z = 2; z = 3; z = 4; }
        finally zero: x == 0;";
    let mut proved = Proved::new("fails", program, Some("predicates { x == 0; }"));
    proved.explore_states = 60;
    let report = proved.verify(&Model::ALL, ONE_TRY, Placement::Declared);
    let found: Vec<&str> = report
        .results
        .iter()
        .map(|result| {
            assert_real(result);
            let violation = result.outcome.verdict.violation();
            violation.expect("it is violated").found_by().word()
        })
        .collect();
    assert_eq!(found, ["exploration", "sc", "sc"]);
    assert_eq!(report.kind(), VerdictKind::Violated);
}

/// Also where a relaxed model alone is asked for, the report says that SC is enough to break the program.
#[test]
fn what_breaks_under_sc_is_told_so_under_a_relaxed_model() {
    let program = "shared x; thread P { x = 1; x = 2; } invariant x < 2;";
    let mut proved = Proved::new("broken.cup", program, None);
    proved.explore_states = FIRST_STATES;
    for model in RELAXED {
        let report = proved.verify(&[model], ONE_TRY, Placement::Declared);
        let result = &report.results[0];
        let found_by = result
            .outcome
            .verdict
            .violation()
            .map(|violation| violation.found_by());
        assert!(
            matches!(found_by, Some(FoundBy::Sc)),
            "{model}: {found_by:?}"
        );
        assert_real(result);
    }
}

#[test]
fn a_buffer_that_overflows_is_no_violation() {
    let program = "shared x; thread P { loop { x = 1; } } invariant small: x <= 1;";
    let mut proved = Proved::new("loops", program, Some("predicates { x <= 1; }"));
    // The predicate engine alone: the backward search verifies the program.
    proved.explore_states = 0;
    let report = proved.verify(&RELAXED, ONE_TRY, Placement::Declared);
    assert!(
        report
            .results
            .iter()
            .all(|result| result.kind() == VerdictKind::Unknown)
    );
}

#[test]
fn no_search_is_made_where_none_is_wanted() {
    let program = "shared x; thread P { x = 1; } invariant zero: x == 0;";
    let mut proved = Proved::new("fails", program, Some("predicates { x == 0; }"));
    let found = |proved: &Proved| {
        let report = proved.verify(&[Model::Sc], ONE_TRY, Placement::Declared);
        let violation = report.results[0].outcome.verdict.violation();
        violation.map(|violation| violation.found_by())
    };
    assert_eq!(found(&proved), Some(FoundBy::Replay));
    proved.explore_states = 10;
    assert_eq!(found(&proved), Some(FoundBy::Exploration));
}

/// An engine that decides nothing.
struct Undecided;

impl Undecided {
    const NAME: &'static str = "undecided";

    fn verdict() -> Verdict {
        Verdict::Unknown(Unknown::Unsupported(vec![Unsupported {
            engine: Self::NAME,
            reason: "it decides nothing".to_owned(),
        }]))
    }
}

impl Engine for Undecided {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn run(&mut self, _: &Task<'_>, _: &Context) -> Result<Outcome, EngineError> {
        let attempt = Attempt {
            engine: self.name(),
            settings: Settings::default(),
            stats: Stats::default(),
            verdict: Self::verdict(),
        };
        Ok(Outcome::new(Self::verdict(), vec![attempt]))
    }
}

/// Programs that the engines decide in all ways: by exploration, by a proof, by a violation under SC or not, and not at all.
fn subjects() -> Vec<(Proved, Placement)> {
    let new = |text: &str| Proved::new("test.cup", text, Some("predicates { x <= 1; }"));
    vec![
        (Proved::example("litmus_sb"), Placement::Declared),
        (Proved::example("litmus_sb"), Placement::None),
        (Proved::example("ticket"), Placement::Declared),
        (
            new("shared x; thread P { x = 1; x = 2; } invariant x < 2;"),
            Placement::Declared,
        ),
        (
            new("shared x; thread P { loop { x = 1; } } invariant x <= 1;"),
            Placement::Declared,
        ),
        (
            new(
                "shared x; thread P { local p; loop { p = p + 1; x = p; fence; } } invariant x >= 0;",
            ),
            Placement::Declared,
        ),
        (
            new("shared x = *; thread P { local r; r = x; x = r; } invariant x == 0 || x < 9;"),
            Placement::Declared,
        ),
    ]
}

fn verified_by(
    engines: Vec<Box<dyn Engine>>,
    (proved, placement): &(Proved, Placement),
    models: &[Model],
) -> Report {
    let context = Context {
        limits: LIMITS,
        ..Context::default()
    };
    let report = Portfolio::new(engines).verify(&proved.subject(), models, placement, &context);
    report.expect("the program can be verified or not")
}

const LIMITS: Limits = Limits {
    explore_states: 500,
    abstract_states: 20_000,
};

/// A log as far as it is the same in every run.
fn told(log: &[Attempt]) -> Vec<String> {
    let attempts = log.iter().map(|tried| {
        let Attempt {
            engine,
            settings,
            stats,
            verdict,
        } = tried;
        let kind = verdict.kind();
        format!("{engine} {settings:?} {} {kind:?}", stats.states)
    });
    attempts.collect()
}

/// A verdict as far as it is the same in every run.
fn shown(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Unknown(Unknown::NotVerifiedUnderSc(sc)) => {
            format!("under SC: {} {:?}", shown(&sc.verdict), told(&sc.log))
        }
        other => format!("{other:?}"),
    }
}

/// Wherever it stands in the list, an engine that decides nothing changes nothing but the log.
#[test]
fn an_engine_that_decides_nothing_changes_nothing_but_the_log() {
    let engines = || portfolio::engines(&Config::default(), &LIMITS);
    for subject in subjects() {
        for models in [&Model::ALL[..], &[Model::Tso]] {
            let without = verified_by(engines(), &subject, models);
            for place in 0..=engines().len() {
                let mut more = engines();
                more.insert(place, Box::new(Undecided));
                let with = verified_by(more, &subject, models);
                assert_same_but_for_it(&without, &with, place);
            }
        }
    }
}

#[track_caller]
fn assert_same_but_for_it(without: &Report, with: &Report, place: usize) {
    assert_eq!(without.results.len(), with.results.len());
    for (without, with) in without.results.iter().zip(&with.results) {
        let [ours, theirs] = [&without.outcome, &with.outcome];
        assert_eq!(shown(&ours.verdict), shown(&theirs.verdict));
        let (its, others): (Vec<Attempt>, Vec<Attempt>) = theirs
            .log
            .iter()
            .cloned()
            .partition(|attempt| attempt.engine == Undecided::NAME);
        assert_eq!(told(&ours.log), told(&others));
        // What a violation under SC decides is asked of no engine.
        let asked = !ours.log.is_empty() && (place == 0 || ours.verdict.is_unknown());
        let fewest = usize::from(asked);
        assert!((fewest..=1).contains(&its.len()), "{its:?}");
    }
}

#[test]
fn alone_it_gives_its_reason() {
    for subject in subjects() {
        let report = verified_by(vec![Box::new(Undecided)], &subject, &Model::ALL);
        assert_eq!(report.kind(), VerdictKind::Unknown);
        for result in &report.results {
            let verdict = &result.outcome.verdict;
            assert_eq!(shown(verdict), shown(&Undecided::verdict()));
            assert_eq!(result.outcome.log.len(), 1);
        }
    }
}

/// An engine that writes down when it is asked, and decides nothing.
struct Noted {
    name: &'static str,
    asked: Rc<RefCell<Vec<String>>>,
}

impl Engine for Noted {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, task: &Task<'_>, _: &Context) -> Result<Outcome, EngineError> {
        let asked = format!("{} {}", self.name, task.model);
        self.asked.borrow_mut().push(asked);
        Ok(Outcome::new(Undecided::verdict(), Vec::new()))
    }
}

/// What the first engine finds is told even where the others take long: it is asked about every model before they are asked
/// about one, and only once.
#[test]
fn the_first_engine_looks_at_all_models_before_the_others_begin() {
    let asked = Rc::new(RefCell::new(Vec::new()));
    let file = SourceFile::new("test.cup", "shared x; thread P { x = 1; }");
    let checked = cup::load(&file).expect("it is a program");
    let subject = Subject {
        source: &file,
        program: &checked,
        proof: None,
    };
    let order = |models: &[Model]| {
        let noted = |name| -> Box<dyn Engine> {
            let asked = Rc::clone(&asked);
            Box::new(Noted { name, asked })
        };
        let mut engines = Portfolio::new(vec![noted("look"), noted("prove")]);
        let report = engines.verify(&subject, models, &Placement::None, &Context::default());
        report.expect("there is an answer");
        asked.take()
    };
    let all = [
        "look sc",
        "look tso",
        "look pso",
        "prove sc",
        "prove tso",
        "prove pso",
    ];
    assert_eq!(order(&Model::ALL), all);
    assert_eq!(order(&[Model::Tso]), ["look tso", "prove tso"]);
}
