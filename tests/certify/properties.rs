//! Invariants written by hand: every kind of property, and what the invariant must be strong enough for.

use cupola::certificate::{Pair, Stored, StoredBody, StoredInvariant};
use cupola::certify::{FailedObligation, Rejection, Solver, Verdict};
use cupola::memory::{BufferSizes, Model};
use cupola::program::{LocId, Program};
use cupola::reduce::{Flush, ReduceConfig};
use cupola::source::SourceFile;

use crate::bases::base;
use crate::check;
use crate::enumerate::{self, Listing};
use crate::mutation;

/// A certificate for a program with the same cube at every vector of locations outside of
/// atomic sections; literals are numbered from 1.
fn uniform(text: &str, model: Model, predicates: &[&str], cube: &[i64]) -> Stored {
    let source = SourceFile::new("test.cup", text);
    let config = ReduceConfig {
        model,
        sizes: BufferSizes::ONE,
        fences: Default::default(),
        flush: Flush::Background,
    };
    let reduction = enumerate::reduced(&source, &config).expect("a program");
    let literals: Vec<_> = cube
        .iter()
        .map(|literal| cupola::certificate::Literal {
            predicate: literal.unsigned_abs() as usize - 1,
            holds: *literal > 0,
        })
        .collect();
    let pairs = free_vectors(&reduction.program).into_iter().map(|at| Pair {
        at,
        cube: literals.clone(),
    });
    Stored {
        source,
        config,
        reduced: cupola::front::cup::print(reduction.tree()),
        body: StoredBody::Invariant(StoredInvariant {
            predicates: predicates.iter().map(|&text| text.to_owned()).collect(),
            pairs: pairs.collect(),
            obligations: String::new(),
        }),
    }
}

/// The pairs of an invariant.
fn pairs(stored: &mut Stored) -> &mut Vec<Pair> {
    &mut mutation::invariant(stored).expect("an invariant").pairs
}

fn free_vectors(program: &Program) -> Vec<Vec<LocId>> {
    let mut vectors = vec![Vec::new()];
    for thread in &program.threads {
        let locations = 0..thread.locations.len();
        let free = locations
            .map(LocId::new)
            .filter(|&at| !thread.location(at).held);
        let free: Vec<LocId> = free.collect();
        vectors = vectors
            .into_iter()
            .flat_map(|vector: Vec<LocId>| {
                free.iter().map(move |&at| {
                    let mut longer = vector.clone();
                    longer.push(at);
                    longer
                })
            })
            .collect();
    }
    vectors
}

fn accepted(stored: &Stored) {
    let report = check(stored, &Solver::Library).expect("a report");
    assert_eq!(report.verdict, Verdict::Accepted, "{report:?}");
}

fn rejected(stored: &Stored) -> FailedObligation {
    let report = check(stored, &Solver::Library).expect("a report");
    match report.verdict {
        Verdict::Rejected(Rejection::Obligation(weak)) => *weak,
        Verdict::Rejected(_) | Verdict::Accepted | Verdict::Unknown(_) => panic!("{report:?}"),
    }
}

#[test]
fn unbounded_values_are_no_obstacle() {
    let counter =
        "shared x; thread P { local r; loop { r = x; r = r + 1; x = r; } } invariant x >= 0;";
    let predicates = ["x >= 0", "P.r >= 0"];
    accepted(&uniform(counter, Model::Sc, &predicates, &[1, 2]));
    let weak = rejected(&uniform(counter, Model::Sc, &predicates, &[1]));
    assert_eq!(weak.failure, "the step leads out of the invariant");
    assert_eq!(weak.line, Some(1));
    assert!(weak.pair.is_some());
    let r = weak.values.iter().find(|(name, _)| name == "P.r");
    assert!(
        r.is_some_and(|(_, value)| value.starts_with('-')),
        "{weak:?}"
    );
}

#[test]
fn arbitrary_initial_values_are_arbitrary() {
    let any = "shared x = *; thread P { local r; r = x; } invariant positive: x >= 0;";
    let weak = rejected(&uniform(any, Model::Sc, &["x >= 0"], &[1]));
    assert_eq!(weak.failure, "an initial state is not in the invariant");
    let any = "shared x = *; thread P { local r, s; r = x; s = x; assert(r == s); }";
    let predicates = ["P.r == x", "P.s == x", "P.r == 0"];
    let weak = rejected(&uniform(any, Model::Sc, &predicates, &[]));
    assert_eq!(weak.failure, "the assertion fails");
}

#[test]
fn chosen_values_are_arbitrary() {
    let choice = "shared x; thread P { local r; r = *; assume(r > 3); x = r; } invariant x >= 0;";
    let weak = rejected(&uniform(
        choice,
        Model::Sc,
        &["x >= 0", "P.r >= 0"],
        &[1, 2],
    ));
    assert_eq!(weak.step, "P, line 1: r = *;");
    let array = "shared x; thread P { local a[2], i; a[i] = *; assert(a[1] == 0); i = 1; }";
    let predicates = ["P.a_1 == 0", "P.i == 0"];
    let weak = rejected(&uniform(array, Model::Sc, &predicates, &[1, 2]));
    assert_eq!(weak.step, "P, line 1: i = 1;");
}

#[test]
fn indices_must_be_in_range() {
    let text = "shared A[2]; thread P { local i, r; r = A[i]; i = r; }";
    accepted(&uniform(
        text,
        Model::Sc,
        &["A_0 == 0", "P.i == 0", "P.r == 0"],
        &[1, 2, 3],
    ));
    let weak = rejected(&uniform(text, Model::Sc, &["A_0 == 0"], &[1]));
    assert_eq!(weak.failure, "an index is out of range");
    let spec = "shared A[2], i; thread P { i = 1; } invariant filled: A[i] == 0;";
    let predicates = ["A[i] == 0", "i == 0 || i == 1", "A_1 == 0"];
    accepted(&uniform(spec, Model::Sc, &predicates, &[1, 2, 3]));
    let weak = rejected(&uniform(spec, Model::Sc, &predicates, &[1, 3]));
    assert_eq!(weak.failure, "invariant filled has an index out of range");
}

#[test]
fn assertions_inside_sections_are_checked() {
    let text =
        "shared x; thread P { atomic { x = 1; assert(x == 1, \"set\"); x = 2; assume(false); } }";
    accepted(&uniform(text, Model::Sc, &["x == 0"], &[1]));
    let text = text.replace("x == 1, ", "x == 2, ");
    let weak = rejected(&uniform(&text, Model::Sc, &["x == 0"], &[1]));
    assert_eq!(weak.failure, "the assertion \"set\" fails");
}

#[test]
fn overflow_is_excluded_too() {
    let text = "shared x, y; thread P { x = 1; y = 1; }";
    let weak = rejected(&uniform(text, Model::Tso, &[], &[]));
    assert_eq!(weak.failure, "a buffer overflows");
}

#[test]
fn final_states_are_those_with_empty_buffers() {
    let case = |value: i64| {
        let text = format!("shared x; thread P {{ x = 1; }} finally written: x == {value};");
        let source = SourceFile::new("test.cup", text);
        let config = ReduceConfig {
            model: Model::Pso,
            sizes: BufferSizes::ONE,
            fences: Default::default(),
            flush: Flush::Background,
        };
        base("final", &source, &config, Listing::FreePairs).expect("a small program")
    };
    accepted(&case(1).stored);
    let weak = rejected(&case(0).stored);
    assert_eq!(weak.failure, "finally written is broken");
}

#[test]
fn specs_are_checked_at_their_locations() {
    let text = "shared x; thread P { a: x = 1; b: x = 0; } forbid high: P@a && x == 1;";
    let mut stored = uniform(text, Model::Sc, &["x == 0"], &[]);
    let weak = rejected(&stored);
    assert_eq!(weak.failure, "forbid high is broken");
    let entry = LocId::new(0);
    for pair in pairs(&mut stored) {
        if pair.at == [entry] {
            pair.cube.push(cupola::certificate::Literal {
                predicate: 0,
                holds: true,
            });
        }
    }
    accepted(&stored);
}

/// Somebody else's step may be taken only while nobody holds the section.
#[test]
fn only_the_holder_steps() {
    let text = "shared x; thread P { atomic { x = 1; x = 0; } } thread Q { local r; r = x; assert(r == 0); }";
    accepted(&uniform(text, Model::Sc, &["x == 0", "Q.r == 0"], &[1, 2]));
    let text = text.replace("atomic { x = 1; x = 0; }", "x = 1; x = 0;");
    let weak = rejected(&uniform(&text, Model::Sc, &["x == 0", "Q.r == 0"], &[1, 2]));
    assert_eq!(weak.step, "P, line 1: x = 1;");
}

#[test]
fn pairs_that_make_no_sense_are_refused() {
    let text = "shared x; thread P { background { x = 1; } atomic { x = 0; x = 0; } }";
    let good = uniform(text, Model::Sc, &["x >= 0"], &[1]);
    accepted(&good);
    let held = |program: &Program| -> Vec<LocId> {
        let locations = program.threads[0].locations.iter().enumerate();
        let held = locations.filter(|(_, location)| location.held);
        held.map(|(index, _)| LocId::new(index)).collect()
    };
    let reduction = enumerate::reduced(&good.source, &good.config).expect("a program");
    let reasons: Vec<Option<String>> = held(&reduction.program)
        .into_iter()
        .map(|at| {
            let mut stored = good.clone();
            pairs(&mut stored)[0].at = vec![at];
            check(&stored, &Solver::Library)
                .err()
                .map(|error| error.to_string())
        })
        .collect();
    let refused: Vec<&String> = reasons.iter().flatten().collect();
    assert_eq!(refused.len(), 1, "only the background block: {reasons:?}");
    assert!(refused[0].contains("where it never is"), "{refused:?}");

    let mut stored = good.clone();
    pairs(&mut stored)[0].at.push(LocId::new(0));
    let error = check(&stored, &Solver::Library).expect_err("one thread, two locations");
    assert!(error.to_string().contains("has 2 locations"), "{error}");
}

#[test]
fn predicates_that_make_no_sense_are_refused() {
    let text = "shared x; thread P { l: x = 1; }";
    for (predicate, reason) in [
        ("y == 0", "y"),
        ("P@l", "control location"),
        ("x == 0; invariant x == 1", "not a single condition"),
        ("name: x == 0", "no name"),
        ("x ==", ""),
        ("x == 0 // so", ""),
        ("*", ""),
    ] {
        let stored = uniform(text, Model::Sc, &[predicate], &[]);
        let error = check(&stored, &Solver::Library).expect_err(predicate);
        let error = error.to_string();
        assert!(
            error.starts_with("predicate 1") && error.contains(reason),
            "{error}"
        );
    }
}
