//! Inference against the greatest fixpoint of `avoid`, written from its definition; programs made by hand; and wrong ways to
//! prevent steps.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use indexmap::{IndexMap, IndexSet};

use super::mutants::{COUNT, Mutant, UNSOUND};
use super::order::{Constraint, Order};
use super::prevent::{Prevent, Rule};
use super::{Inference, InferenceEnd, Inferred, infer_by};
use crate::engine::Context;
use crate::engine::coherence::buffer::Semantics;
use crate::engine::coherence::layout::Layout;
use crate::engine::coherence::search::initial_values;
use crate::engine::coherence::state::State;
use crate::engine::coherence::steps::{Event, System};
use crate::engine::explore::{ExploreConfig, explore};
use crate::fences::frontier::FenceSet;
use crate::fences::places::{Candidates, PlaceId};
use crate::fences::search::names;
use crate::front::cup;
use crate::memory::Model;
use crate::program::{self, Action, Program};
use crate::semantics::spec::{self, SpecStatus};
use crate::source::SourceFile;
use crate::verdict::{Domain, PartialCoherence, VerdictKind};

/// Programs with optional fences, and what they are about.
const PROGRAMS: [&str; 10] = [
    // Store buffering.
    "shared x, y; thread P { local r; x = 1; fence? a; r = y; } thread Q { local s; y = 1; fence? b; s = x; } finally !(P.r == 0 && Q.s == 0);",
    // Message passing.
    "shared x, y; thread P { x = 1; fence? a; y = 1; fence? b; } thread Q { local r, s; r = y; fence? c; s = x; } finally !(Q.r == 1 && Q.s == 0);",
    // One fence for two stores, or one for each.
    "shared x, y, z; thread P { local r; x = 1; fence? a; y = 1; fence? b; r = z; } thread Q { local s, t; z = 1; fence? c; s = x; t = y; } finally !(P.r == 0 && Q.s == 0); finally !(P.r == 0 && Q.t == 0);",
    // Two values of one variable.
    "shared x, y; thread P { x = 1; fence? a; x = 2; fence? b; y = 1; } thread Q { local r, s; r = y; s = x; } finally !(Q.r == 1 && Q.s != 2);",
    // A branch in which nothing matters.
    BRANCH,
    TWICE,
    // A lock, with a loop.
    "shared f, g; thread P { local r; loop { f = 1; fence? a; r = g; if (r == 0) { cs: skip; } f = 0; fence? b; } } thread Q { local s; loop { g = 1; fence? a; s = f; if (s == 0) { cs: skip; } g = 0; fence? b; } } forbid P@cs && Q@cs;",
    // An atomic operation that waits for its own variable.
    "shared x, y; thread P { local r; x = 1; fence? a; r = cas(y, 0, 1); } thread Q { local s, t; s = y; t = x; } finally !(Q.s == 1 && Q.t == 0);",
    // A section that ends while its store waits.
    "shared x, y; thread P { local r, c; atomic { r = y; x = 1; fence? a; c = 1; } } thread Q { local s; y = 1; fence? b; s = x; } finally !(P.r == 0 && Q.s == 0);",
    // A spec that looks at memory.
    "shared x; thread P { x = 1; fence? a; e: skip; } thread Q { local r; r = x; } forbid P@e && x == 0;",
];

/// An ordering constraint on all ways is more than is needed here: only the way with c = 1 needs a fence.
const BRANCH: &str = "shared x, y; thread P { local r, c; x = 1; if (*) { c = 1; fence? a; } else { c = 0; fence? b; } r = y; } thread Q { local s; y = 1; fence; s = x; } finally !(P.c == 1 && P.r == 0 && Q.s == 0);";

/// With k = 0 a store of `pd` may reach memory twice, before and behind that of another thread.
const TWICE: &str = "shared x; thread P { x = 1; fence? a; } thread Q { local r, s, t; r = x; assume(r == 1); x = 2; fence; s = x; assume(s == 2); t = x; assert(t == 2); }";

const ABSTRACTIONS: [(Domain, usize); 6] = [
    (Domain::Set, 0),
    (Domain::Fd, 0),
    (Domain::Fd, 1),
    (Domain::Fd, 2),
    (Domain::Pd, 0),
    (Domain::Pd, 1),
];

fn candidates(text: &str) -> Candidates {
    let file = SourceFile::new("test.cup", text.to_owned());
    let checked = cup::load(&file).expect("it is a program");
    Candidates::new(&file, &checked, None).expect("it has places")
}

fn inferred(
    candidates: &Candidates,
    (model, domain, k): (Model, Domain, usize),
    prevent: &impl Prevent,
) -> Inferred {
    let inference = Inference {
        candidates,
        given: &FenceSet::default(),
        model,
        abstraction: PartialCoherence { domain, k },
    };
    let found = infer_by(&inference, prevent, &Context::default(), &mut |_, _| {});
    found.expect("it is supported")
}

/// The placements that were inferred; none if the abstraction cannot be repaired.
fn placements(found: &Inferred) -> Vec<FenceSet> {
    found
        .placements
        .iter()
        .map(|placed| placed.fences.clone())
        .collect()
}

/// A formula: of each of these sets of constraints one must be enforced. No set has another one in it.
type Formula = Vec<BTreeSet<Constraint>>;

/// `left ∧ right`.
fn and(left: Formula, right: impl IntoIterator<Item = BTreeSet<Constraint>>) -> Formula {
    let mut all = left;
    for clause in right {
        if all.iter().any(|known| known.is_subset(&clause)) {
            continue;
        }
        all.retain(|known| !clause.is_subset(known));
        all.push(clause);
    }
    all.sort();
    all
}

/// ψ: the conjunction of the labels of all bad states, with labels as section 5.2 defines them. Without covering, which a state
/// in `pd` may use: every state is kept.
fn avoid(program: &Program, (model, domain, k): (Model, Domain, usize)) -> Formula {
    let mut system = System {
        program,
        model,
        layout: Layout::new(program, model, true),
        rules: Semantics::new(domain, k),
    };
    let mut states: IndexMap<String, State> = IndexMap::new();
    let mut edges: Vec<(usize, usize, BTreeSet<Constraint>)> = Vec::new();
    let mut bad: BTreeSet<usize> = BTreeSet::new();
    // What fails on a step is a bad state of its own.
    let failure = "failure".to_owned();
    for values in initial_values(program) {
        let state = State::initial(program, &system.layout, values);
        states.insert(format!("{state:?}"), state);
    }
    let initial = states.len();
    let mut next = 0;
    while next < states.len() {
        let source = states[next].clone();
        if source.holder(program).is_none() {
            let is_final = source.is_final(program);
            let specs = program.specs.iter();
            let mut statuses = specs.map(|spec| spec::status(spec, source.view(), is_final));
            if statuses.any(|status| matches!(status, SpecStatus::Broken(_))) {
                bad.insert(next);
            }
        }
        let mut state = source.clone();
        let flow = system.expand(&mut state, &mut |layout, after, step, event| {
            let prevent = Rule.prevent(program, domain, (layout, &source), step);
            let key = match event {
                Event::Reached => format!("{after:?}"),
                Event::Failed(_) => failure.clone(),
                Event::TooManyValues => unreachable!("the programs are small"),
            };
            let (target, _) = states.insert_full(key.clone(), after.clone());
            if key == failure {
                bad.insert(target);
            }
            edges.push((next, target, prevent.into_iter().collect()));
            ControlFlow::Continue(())
        });
        assert!(flow.is_continue());
        next += 1;
    }
    // L0: false where a state cannot be avoided, true elsewhere; false is the formula with the empty clause.
    let mut labels: Vec<Formula> = vec![Vec::new(); states.len()];
    for label in &mut labels[..initial] {
        *label = vec![BTreeSet::new()];
    }
    loop {
        let mut changed = false;
        for (source, target, prevent) in &edges {
            let either = labels[*source].iter().map(|clause| clause | prevent);
            let label = and(labels[*target].clone(), either.collect::<Vec<_>>());
            changed |= label != labels[*target];
            labels[*target] = label;
        }
        if !changed {
            break;
        }
    }
    let mut formula = Formula::new();
    for state in bad {
        formula = and(formula, labels[state].clone());
    }
    formula
}

/// Whether every way from one statement to another one passes a fence, or ends at one: with the fences taken out of the graph,
/// the one is not reached from the other.
fn is_enforced(
    candidates: &Candidates,
    fences: &FenceSet,
    model: Model,
    constraint: Constraint,
) -> bool {
    let program = program::lower(&candidates.checked, &names(candidates, fences));
    let none = FenceSet::default();
    let mut order = Order::new(&program, candidates, &none, model);
    matches!(program.edge(constraint.then).action, Action::Fence) || order.is_enforced(constraint)
}

/// The smallest placements that satisfy a formula, all of them tried.
fn smallest(candidates: &Candidates, model: Model, formula: &Formula) -> Vec<FenceSet> {
    let places: Vec<PlaceId> = candidates.ids().collect();
    let all = (0..1_usize << places.len()).map(|bits| -> FenceSet {
        let chosen = places.iter().filter(|place| bits >> place.index() & 1 == 1);
        chosen.copied().collect()
    });
    let satisfies = |fences: &FenceSet| {
        formula.iter().all(|clause| {
            let mut each = clause.iter();
            each.any(|constraint| is_enforced(candidates, fences, model, *constraint))
        })
    };
    let mut found: Vec<FenceSet> = all.filter(satisfies).collect();
    found.sort();
    let least = found.first().map_or(0, FenceSet::len);
    found.retain(|fences| fences.len() == least);
    found
}

#[test]
fn placements_are_those_of_the_greatest_fixpoint() {
    let (mut compared, mut unfixable) = (0, 0);
    for text in PROGRAMS {
        let candidates = candidates(text);
        let program = program::lower(&candidates.checked, &IndexSet::new());
        for model in [Model::Tso, Model::Pso] {
            for (domain, k) in ABSTRACTIONS {
                let setting = (model, domain, k);
                let expected = smallest(&candidates, model, &avoid(&program, setting));
                let found = placements(&inferred(&candidates, setting, &Rule));
                assert_eq!(found, expected, "{setting:?}: {text}");
                compared += 1;
                unfixable += usize::from(expected.is_empty());
            }
        }
    }
    assert!(
        compared == 120 && unfixable > 0,
        "{compared}, {unfixable} unfixable"
    );
}

fn named(candidates: &Candidates, found: &[FenceSet]) -> Vec<Vec<String>> {
    let each = found.iter().map(|fences| names(candidates, fences));
    each.map(|names| names.into_iter().collect()).collect()
}

#[test]
fn a_constraint_is_enforced_on_all_ways_though_one_matters() {
    let candidates = candidates(BRANCH);
    let found = inferred(&candidates, (Model::Tso, Domain::Fd, 1), &Rule);
    assert_eq!(named(&candidates, &placements(&found)), [["a", "b"]]);
}

#[test]
fn what_no_fence_helps_against_is_told_from_what_the_abstraction_cannot_exclude() {
    let broken = candidates(
        "shared x; thread P { x = 1; fence? a; } thread Q { local r; r = x; assert(r == 0); }",
    );
    let found = inferred(&broken, (Model::Pso, Domain::Fd, 1), &Rule);
    assert!(
        matches!(found.end, InferenceEnd::Broken(_)),
        "{:?}",
        found.end
    );
    let twice = candidates(TWICE);
    let found = inferred(&twice, (Model::Pso, Domain::Pd, 0), &Rule);
    assert!(
        matches!(found.end, InferenceEnd::Unfixable(None)),
        "{:?}",
        found.end
    );
    for (domain, k) in [(Domain::Fd, 0), (Domain::Fd, 1), (Domain::Pd, 1)] {
        let found = inferred(&twice, (Model::Pso, domain, k), &Rule);
        assert_eq!(placements(&found), [FenceSet::default()]);
    }
}

/// Whether a way to prevent steps is noticed: it infers something else than the right one, and if it says that it found
/// something smaller, that is not enough.
fn is_noticed(number: usize) -> (bool, bool) {
    let (mut other, mut unsound) = (false, false);
    for text in PROGRAMS {
        let candidates = candidates(text);
        for model in [Model::Tso, Model::Pso] {
            for (domain, k) in ABSTRACTIONS {
                let right = placements(&inferred(&candidates, (model, domain, k), &Rule));
                let found = placements(&inferred(&candidates, (model, domain, k), &Mutant(number)));
                other |= found != right;
                unsound |= found
                    .iter()
                    .any(|fences| is_violated(&candidates, fences, model));
            }
        }
    }
    (other, unsound)
}

fn is_violated(candidates: &Candidates, fences: &FenceSet, model: Model) -> bool {
    let program = program::lower(&candidates.checked, &names(candidates, fences));
    let found = explore(
        &program,
        model,
        &ExploreConfig::default(),
        &Context::default(),
    );
    found.expect("it has no background blocks").kind() == VerdictKind::Violated
}

#[test]
fn wrong_ways_to_prevent_are_noticed() {
    assert_eq!(is_noticed(0), (false, false));
    for number in 1..COUNT {
        let (other, unsound) = is_noticed(number);
        assert!(other, "{number} is not noticed");
        if UNSOUND.contains(&number) {
            assert!(unsound, "{number} infers what is enough");
        }
    }
}
