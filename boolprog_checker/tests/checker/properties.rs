//! Random programs: the searches agree with a naive interpreter, with each other, and with
//! themselves when reductions are switched off.
//!
//! The programs are the same in every run. `BOOLPROG_TEST_FACTOR=n` makes it n times as many, others
//! for every n.

#![expect(
    clippy::print_stdout,
    reason = "the figures are the report of the test"
)]

use std::cell::Cell;
use std::collections::BTreeSet;

use crate::support::generate::{program, rivals, visitors};
use crate::support::peers;
use crate::support::reference::Reference;
use boolprog_checker::ast::Tree;
use boolprog_checker::{
    AssertionReport, Finding, Limits, Mode, Options, Outcome, Program, Reductions, Split, Verdict,
    check, parse, reachable_states,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

/// Most states of the reference interpreter; larger programs are left out.
const LIMIT: usize = 1_500;

fn run(cases: u32, seed: u64, test: impl Fn(&Tree, &Program) -> Result<(), TestCaseError>) {
    run_on(program(), cases, seed, test);
}

fn run_on(
    programs: impl Strategy<Value = Tree>,
    cases: u32,
    seed: u64,
    test: impl Fn(&Tree, &Program) -> Result<(), TestCaseError>,
) {
    let factor = std::env::var("BOOLPROG_TEST_FACTOR")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    let config = Config {
        cases: cases * factor,
        rng_seed: RngSeed::Fixed(seed + 100 * u64::from(factor)),
        failure_persistence: None,
        ..Config::default()
    };
    let checked = |tree: Tree| {
        // A program that is made smaller may lose its sense.
        let program = Program::new(tree.clone())
            .map_err(|errors| TestCaseError::reject(errors.to_string()))?;
        test(&tree, &program)
    };
    match TestRunner::new(config).run(&programs, checked) {
        Ok(()) => {}
        Err(TestError::Fail(reason, tree)) => panic!("{reason}\n{tree}"),
        Err(TestError::Abort(reason)) => panic!("{reason}"),
    }
}

/// Counts what fulfils a condition.
#[derive(Default)]
struct Count(Cell<usize>);

impl Count {
    fn add(&self, fulfilled: bool) {
        self.0.set(self.0.get() + usize::from(fulfilled));
    }

    /// Asserts that there were at least so many, and says how many.
    #[track_caller]
    fn assert_least(&self, least: usize, what: &str) {
        let count = self.0.get();
        println!("{what}: {count}");
        assert!(count >= least, "{what}: {count}, less than {least}");
    }
}

fn options(mode: Mode, split: Split) -> Options {
    Options {
        mode,
        split,
        ..Options::default()
    }
}

/// The numbers of the statements with this verdict.
fn with_verdict(outcome: &Outcome, verdict: Verdict) -> BTreeSet<usize> {
    let reports = outcome
        .assertions
        .iter()
        .filter(|report| report.finding.verdict() == verdict);
    reports.map(|report| report.stmt.index()).collect()
}

fn verdicts(outcome: &Outcome) -> Vec<Verdict> {
    outcome
        .assertions
        .iter()
        .map(|report| report.finding.verdict())
        .collect()
}

#[test]
fn exact_search_agrees_with_the_reference() {
    let (compared, violated) = (Cell::new(0), Cell::new(0));
    run(250, 1, |tree, program| {
        let reference = Reference::new(tree);
        let Some(expected) = reference.violations(LIMIT, |_| {}) else {
            return Ok(());
        };
        compared.set(compared.get() + 1);
        violated.set(violated.get() + usize::from(!expected.is_empty()));
        for options in [
            options(Mode::Exact, Split::None),
            Options::default(),
            options(Mode::Auto, Split::Needed),
        ] {
            let outcome = check(program, &options);
            prop_assert_eq!(
                &with_verdict(&outcome, Verdict::Violated),
                &expected,
                "{:?}",
                options.mode
            );
            prop_assert!(with_verdict(&outcome, Verdict::Unknown).is_empty());
            for report in &outcome.assertions {
                if let Finding::Violated(trace) = &report.finding {
                    prop_assert!(reference.replays(trace), "{:?} {trace:#?}", options.mode);
                }
            }
        }
        Ok(())
    });
    println!(
        "compared {} programs, {} of them violated",
        compared.get(),
        violated.get()
    );
    assert!(compared.get() > 200 && violated.get() > 50 && violated.get() < compared.get());
}

/// The labels that the generator puts on statements.
fn error_labels(tree: &Tree) -> Vec<String> {
    let names = ["L0", "L1", "L2", "T"].map(str::to_owned);
    let statements = tree.statements();
    let has = |name: &String| {
        statements
            .iter()
            .any(|stmt| stmt.labels.iter().any(|label| label.name == *name))
    };
    names.into_iter().filter(has).collect()
}

/// Printed as the peers print programs, a thousand of them have the same labels that can be reached, and the same
/// assertions that can fail, as the reference finds in the tree; and every path to a label is one of the tree.
#[test]
fn labels_in_the_peers_style_are_reached_as_in_the_reference() {
    let (compared, reached, unreached) = (Count::default(), Count::default(), Count::default());
    run(1100, 10, |tree, program| {
        let reference = Reference::new(tree);
        let names = error_labels(tree);
        let places = reference.labels(&names);
        let mut expected = vec![false; places.len()];
        let failing = reference.violations(LIMIT, |state| {
            for (place, reached) in places.iter().zip(&mut expected) {
                *reached = *reached || reference.reaches(state, place);
            }
        });
        let Some(failing) = failing else {
            return Ok(());
        };
        compared.add(true);
        let text = peers::text(tree);
        let parsed = parse(&text).and_then(|program| program.with_error_labels(&names));
        let parsed = parsed.map_err(|errors| TestCaseError::fail(format!("{errors}\n{text}")))?;
        let outcome = check(&parsed, &Options::default());
        let (labels, asserts): (Vec<_>, Vec<_>) = outcome
            .assertions
            .iter()
            .partition(|report| report.label.is_some());
        let found: Vec<_> = labels
            .iter()
            .map(|report| report.finding.verdict() == Verdict::Violated)
            .collect();
        prop_assert_eq!(&found, &expected, "{:?}\n{}", places, text);
        prop_assert!(
            labels
                .iter()
                .all(|report| report.finding.verdict() != Verdict::Unknown)
        );
        let violated = asserts
            .iter()
            .filter(|report| report.finding.verdict() == Verdict::Violated);
        prop_assert_eq!(violated.count(), failing.len(), "{}", text);
        let plain = program
            .clone()
            .with_error_labels(&names)
            .expect("the labels are there");
        for report in check(&plain, &options(Mode::Exact, Split::None)).assertions {
            if let (Some(_), Finding::Violated(trace)) = (&report.label, &report.finding) {
                prop_assert!(reference.replays(trace), "{trace:#?}");
            }
        }
        expected.iter().for_each(|one| {
            if *one {
                reached.add(true)
            } else {
                unreached.add(true)
            }
        });
        Ok(())
    });
    compared.assert_least(1000, "programs compared with the reference");
    reached.assert_least(2000, "labels reached");
    unreached.assert_least(200, "labels not reached");
}

#[test]
fn three_valued_search_is_sound_and_its_share_is_reported() {
    let settings = [Split::None, Split::Needed, Split::All];
    let safe = Cell::new(0usize);
    let verified = [const { Cell::new(0usize) }; 3];
    run(300, 2, |_, program| {
        let exact = check(program, &options(Mode::Exact, Split::None));
        let exactly_safe = exact.verdict() == Verdict::Verified;
        safe.set(safe.get() + usize::from(exactly_safe));
        for (split, count) in settings.into_iter().zip(&verified) {
            let outcome = check(program, &options(Mode::ThreeValued, split));
            for (abstract_one, exact_one) in verdicts(&outcome).into_iter().zip(verdicts(&exact)) {
                prop_assert!(
                    abstract_one != Verdict::Verified || exact_one == Verdict::Verified,
                    "{split:?}"
                );
                prop_assert!(
                    split != Split::All || abstract_one == exact_one,
                    "{split:?}"
                );
            }
            count.set(count.get() + usize::from(outcome.verdict() == Verdict::Verified));
        }
        Ok(())
    });
    for (split, count) in settings.into_iter().zip(&verified) {
        println!(
            "--split {split:?}: {} of {} safe programs verified",
            count.get(),
            safe.get()
        );
    }
    assert_eq!(verified[2].get(), safe.get());
    assert!(verified[0].get() > 0 && verified[0].get() <= verified[1].get());
}

#[test]
fn reductions_do_not_change_verdicts() {
    let violated = Count::default();
    run(150, 3, |_, program| {
        verdicts_without_reductions(program, &violated)
    });
    violated.assert_least(40, "violated programs");
}

/// The same where nothing but an `enforce` connects the threads.
#[test]
fn reductions_do_not_change_verdicts_of_rivals() {
    let violated = Count::default();
    run_on(rivals(), 400, 6, |_, program| {
        verdicts_without_reductions(program, &violated)
    });
    violated.assert_least(150, "violated programs");
}

/// The same where a thread comes into the text of another `enforce`.
#[test]
fn reductions_do_not_change_verdicts_of_visitors() {
    let (compared, violated) = (Count::default(), Count::default());
    run_on(visitors(), 600, 9, |tree, program| {
        let reference = Reference::new(tree);
        let expected = reference.violations(LIMIT, |_| {});
        compared.add(expected.is_some());
        if let Some(expected) = expected {
            let outcome = check(program, &Options::default());
            prop_assert_eq!(with_verdict(&outcome, Verdict::Violated), expected);
        }
        verdicts_without_reductions(program, &violated)
    });
    compared.assert_least(500, "programs compared with the reference");
    violated.assert_least(250, "violated programs");
}

/// Whether each reduction, on and off, gives the same verdicts; counts the programs that are violated.
fn verdicts_without_reductions(program: &Program, violated: &Count) -> Result<(), TestCaseError> {
    let all = Reductions::ALL;
    let settings = [
        Reductions::NONE,
        Reductions {
            cover: false,
            ..all
        },
        Reductions { fuse: false, ..all },
        Reductions {
            invisible: false,
            ..all
        },
        Reductions {
            invisible: true,
            ..Reductions::NONE
        },
        Reductions { dead: false, ..all },
        Reductions {
            dead: true,
            ..Reductions::NONE
        },
    ];
    for (mode, split) in [
        (Mode::ThreeValued, Split::None),
        (Mode::ThreeValued, Split::Needed),
        (Mode::ThreeValued, Split::All),
        (Mode::Exact, Split::None),
    ] {
        let expected = verdicts(&check(program, &options(mode, split)));
        violated.add(mode == Mode::Exact && expected.contains(&Verdict::Violated));
        for reductions in settings {
            let outcome = check(
                program,
                &Options {
                    reductions,
                    ..options(mode, split)
                },
            );
            prop_assert_eq!(
                &verdicts(&outcome),
                &expected,
                "{:?} {:?} {:?}",
                mode,
                split,
                reductions
            );
        }
    }
    Ok(())
}

#[test]
fn joining_states_is_sound() {
    let verified = Count::default();
    run(150, 4, |_, program| {
        let exact = check(program, &options(Mode::Exact, Split::None));
        for split in [Split::None, Split::Needed, Split::All] {
            let joined = check(
                program,
                &Options {
                    join: true,
                    ..options(Mode::ThreeValued, split)
                },
            );
            for (abstract_one, exact_one) in verdicts(&joined).into_iter().zip(verdicts(&exact)) {
                prop_assert!(abstract_one != Verdict::Verified || exact_one == Verdict::Verified);
            }
            verified.add(joined.verdict() == Verdict::Verified);
        }
        Ok(())
    });
    verified.assert_least(150, "verified with joined states");
}

#[test]
fn reachable_states_cover_the_reference() {
    let compared = Count::default();
    run(100, 5, |tree, program| {
        let reference = Reference::new(tree);
        let mut concrete = Vec::new();
        let visited = reference.violations(LIMIT, |state| {
            concrete.extend(
                reference
                    .positions(state)
                    .map(|positions| (positions, state.globals.clone())),
            );
        });
        compared.add(visited.is_some() && !concrete.is_empty());
        if visited.is_none() {
            return Ok(());
        }
        let states = reachable_states(program, &Options::default()).expect("no limit is hit");
        let sorted = |mut positions: Vec<Option<usize>>| {
            positions.sort_unstable();
            positions
        };
        let states: Vec<_> = states
            .into_iter()
            .map(|state| {
                let positions = state
                    .threads
                    .iter()
                    .map(|thread| thread.next.map(|next| next.index()));
                (sorted(positions.collect()), state.globals)
            })
            .collect();
        for (positions, globals) in concrete {
            let positions = sorted(positions);
            let values: Vec<bool> = tree
                .globals
                .iter()
                .map(|decl| globals[&decl.name.name])
                .collect();
            let fits = |general: &[Option<bool>]| {
                general
                    .iter()
                    .zip(&values)
                    .all(|(general, value)| general.is_none_or(|general| general == *value))
            };
            let covered = states
                .iter()
                .any(|(at, general)| *at == positions && fits(general));
            prop_assert!(covered, "{positions:?} {values:?}");
        }
        Ok(())
    });
    compared.assert_least(80, "programs compared with the reference");
}

#[test]
fn printed_programs_parse_back() {
    run(300, 6, |tree, program| {
        let text = tree.to_string();
        let again = parse(&text).map_err(|errors| TestCaseError::fail(errors.to_string()))?;
        prop_assert_eq!(&again, program);
        prop_assert_eq!(again.to_string(), text);
        Ok(())
    });
}

#[test]
fn limits_never_lead_to_a_wrong_verified() {
    let (decided, stopped) = (Count::default(), Count::default());
    run(100, 7, |_, program| {
        let exact = check(program, &options(Mode::Exact, Split::None));
        for max_states in [0, 1, 3, 10] {
            let limits = Limits {
                max_states,
                ..Limits::default()
            };
            for mode in [Mode::Auto, Mode::ThreeValued, Mode::Exact] {
                let outcome = check(
                    program,
                    &Options {
                        limits: limits.clone(),
                        mode,
                        ..Options::default()
                    },
                );
                for (limited, exact_one) in verdicts(&outcome).into_iter().zip(verdicts(&exact)) {
                    prop_assert!(
                        limited == Verdict::Unknown || limited == exact_one,
                        "{max_states} {mode:?}"
                    );
                }
                decided.add(outcome.verdict() != Verdict::Unknown);
                stopped.add(outcome.verdict() == Verdict::Unknown);
            }
        }
        Ok(())
    });
    decided.assert_least(300, "decided in spite of a limit");
    stopped.assert_least(400, "stopped by a limit");
}

#[test]
fn traces_are_shortest() {
    let violated = Cell::new(0);
    run(250, 8, |_, program| {
        let plain = Options {
            reductions: Reductions {
                fuse: true,
                ..Reductions::NONE
            },
            ..options(Mode::Exact, Split::None)
        };
        let lengths = |options: &Options| -> Vec<Option<(usize, bool)>> {
            let outcome = check(program, options);
            let length = |report: &AssertionReport| match &report.finding {
                Finding::Violated(trace) => Some((trace.length, trace.shortest)),
                Finding::Verified | Finding::Unknown(_) => None,
            };
            outcome.assertions.iter().map(length).collect()
        };
        let expected = lengths(&plain);
        for options in [
            Options::default(),
            options(Mode::Exact, Split::None),
            options(Mode::ThreeValued, Split::All),
        ] {
            prop_assert_eq!(&lengths(&options), &expected, "{:?}", options.mode);
        }
        violated.set(violated.get() + usize::from(expected.iter().any(Option::is_some)));
        Ok(())
    });
    assert!(violated.get() > 50);
}
