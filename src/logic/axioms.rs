//! What holds of FIFOs, their facts and their named entries in every state.
//!
//! A state of the program with a choice of entries for the names of [`Entries`] (any entry, any two in their order,
//! or none) gives values to all variables and facts. Each formula here is true of all such values, so it may be
//! assumed in every question; and what follows for a named entry holds for every entry.
//!
//! Invariant: a fact about two entries is only ever used where the first is strictly older than the second.

use std::sync::Arc;

use indexmap::IndexSet;

use super::fact::{Entries, Fact, Quantifier};
use super::formula::{Formula, Symbol};
use super::linear::Linear;
use super::predicate::Predicate;
use super::wp::fresh_var;
use crate::program::{Fifo, Program, VarId};
#[cfg(test)]
use crate::run::wrong::{self, Wrong};

/// What holds in every state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Axioms {
    /// About variables of the program.
    pub about_views: Vec<Formula>,
    /// About named entries and facts.
    pub about_names: Vec<Formula>,
    /// The first of the variables that stand for entries.
    pub first_name: usize,
}

impl Axioms {
    /// The axioms about the FIFOs of a program and their named entries, where facts are known by what they say.
    pub fn without_facts(program: &Program) -> Self {
        let names = program
            .fifos
            .iter()
            .flat_map(|fifo| of_names(fifo, Entries::of(program, fifo)));
        Axioms {
            about_views: program.fifos.iter().flat_map(of_views).collect(),
            about_names: names.collect(),
            first_name: fresh_var(program).index() + 1,
        }
    }

    /// The axioms of a program's FIFOs and of the facts among some predicates.
    pub fn of(program: &Program, predicates: &[Predicate]) -> Self {
        Axioms {
            about_names: about_facts(program, predicates),
            ..Axioms::without_facts(program)
        }
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Formula> {
        self.about_views.iter().chain(&self.about_names)
    }

    /// Whether a formula mentions no entry and no fact, so that nothing about those matters to it.
    pub fn is_plain(&self, formula: &Formula) -> bool {
        let mut symbols = formula.symbols().into_iter();
        symbols.all(|symbol| match symbol {
            Symbol::Var(var) => var.index() < self.first_name,
            Symbol::Flag(_) => true,
            Symbol::Fact(_) => false,
        })
    }
}

fn about_facts(program: &Program, predicates: &[Predicate]) -> Vec<Formula> {
    let facts = predicates.iter().filter_map(Predicate::fact);
    let facts: IndexSet<&Arc<Fact>> = facts.collect();
    let mut axioms = Vec::new();
    for fifo in &program.fifos {
        let own: Vec<&Fact> = facts
            .iter()
            .filter(|fact| fact.fifo.id == fifo.id)
            .map(|fact| fact.as_ref())
            .collect();
        if !own.is_empty() {
            axioms.extend(of_names(fifo, Entries::of(program, fifo)));
            axioms.extend(own.into_iter().flat_map(of_fact));
        }
    }
    axioms
}

/// What a fact that holds says of the ends of its FIFO, and then of the entries with names: a formula for each
/// way of naming entries, which matters only to questions that use such names.
pub fn instances(fact: &Fact) -> Vec<Formula> {
    let said = said(fact);
    let about = |wanted: Named| {
        let about = said.iter().filter(|(named, ..)| *named == wanted);
        Formula::and(about.map(|(_, when, what)| implies([when.clone()], what.clone())))
    };
    [Named::Ends, Named::Any, Named::Two, Named::Next]
        .map(about)
        .into()
}

fn said(fact: &Fact) -> Vec<Instance> {
    match fact.quantifier {
        Quantifier::Every => every(fact),
        Quantifier::Before => before(fact),
    }
}

/// The views of a FIFO: both ends of one with a single entry are the same, those of an empty one are 0.
fn of_views(fifo: &Fifo) -> Vec<Formula> {
    let pairs = fifo.oldest.iter().zip(&fifo.newest);
    let same = equal_entries(&fifo.oldest, &fifo.newest);
    let zero = pairs.flat_map(|(oldest, newest)| [oldest, newest]);
    let zero = Formula::and(zero.map(|view| Formula::equal_zero(&Linear::var(*view))));
    vec![
        at_least(fifo, 0),
        implies([length_is(fifo, 1)], same),
        implies([length_is(fifo, 0)], zero),
    ]
}

/// What the names of entries mean.
fn of_names(fifo: &Fifo, names: Entries) -> Vec<Formula> {
    let (any, older, younger, next) = (names.any(), names.older(), names.younger(), names.next());
    let ends = Formula::and([names.is_oldest(), names.is_newest()]);
    vec![
        implies([names.here()], at_least(fifo, 1)),
        implies(
            [names.here(), names.is_oldest()],
            equal_entries(&any, &fifo.oldest),
        ),
        implies(
            [names.here(), names.is_newest()],
            equal_entries(&any, &fifo.newest),
        ),
        implies([names.here(), length_is(fifo, 1)], ends.clone()),
        implies([names.here(), ends], length_is(fifo, 1)),
        implies([names.both()], at_least(fifo, 2)),
        implies(
            [names.both(), names.older_is_oldest()],
            equal_entries(&older, &fifo.oldest),
        ),
        implies(
            [names.both(), names.younger_is_newest()],
            equal_entries(&younger, &fifo.newest),
        ),
        implies([length_is(fifo, 2)], equal_entries(&next, &fifo.newest)),
    ]
}

/// What a fact says of the entries with names.
fn of_fact(fact: &Fact) -> Vec<Formula> {
    let holds = Formula::fact(fact);
    let vacuous = implies([length_is(&fact.fifo, 0)], holds.clone());
    let said = said(fact)
        .into_iter()
        .map(|(_, when, what)| implies([holds.clone(), when], what));
    std::iter::once(vacuous).chain(said).collect()
}

/// The ways of naming entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    /// Only the oldest and the newest one, which views of the FIFO show.
    Ends,
    /// An arbitrary one.
    Any,
    /// Two arbitrary ones, in their order.
    Two,
    /// The one behind the oldest.
    Next,
}

/// What is named; when, and what a fact says then.
type Instance = (Named, Formula, Formula);

fn every(fact: &Fact) -> Vec<Instance> {
    let (fifo, names) = (&fact.fifo, fact.entries);
    let at = |entry: &[VarId]| fact.at(&[entry]);
    let ends = Formula::and([at(&fifo.oldest), at(&fifo.newest)]);
    let pair = Formula::and([at(&names.older()), at(&names.younger())]);
    vec![
        (Named::Ends, at_least(fifo, 1), ends),
        (Named::Any, names.here(), at(&names.any())),
        (Named::Two, names.both(), pair),
        (Named::Next, at_least(fifo, 2), at(&names.next())),
    ]
}

fn before(fact: &Fact) -> Vec<Instance> {
    let (fifo, names) = (&fact.fifo, fact.entries);
    let (any, older, younger, next) = (names.any(), names.older(), names.younger(), names.next());
    let (oldest, newest) = (&fifo.oldest, &fifo.newest);
    let at = |first: &[VarId], second: &[VarId]| fact.at(&[first, second]);
    #[cfg(test)]
    if wrong::is(Wrong::OrderReflexive) {
        return vec![(Named::Ends, at_least(fifo, 1), at(oldest, newest))];
    }
    let ends = [(at_least(fifo, 2), at(oldest, newest))];
    let one = [
        (names.is_oldest(), at(oldest, &any)),
        (names.is_newest(), at(&any, newest)),
    ];
    let one = one.map(|(unless, what)| (Formula::and([names.here(), unless.negated()]), what));
    let two = [
        (Formula::False, at(&older, &younger)),
        (Formula::False, at(oldest, &younger)),
        (Formula::False, at(&older, newest)),
        (names.older_is_oldest(), at(oldest, &older)),
        (names.younger_is_newest(), at(&younger, newest)),
    ];
    let two = two.map(|(unless, what)| (Formula::and([names.both(), unless.negated()]), what));
    let second = [
        (at_least(fifo, 2), at(oldest, &next)),
        (at_least(fifo, 3), at(&next, newest)),
    ];
    let named = |name: Named| move |(when, what): (Formula, Formula)| (name, when, what);
    let ends = ends.into_iter().map(named(Named::Ends));
    let one = one.into_iter().map(named(Named::Any));
    let two = two.into_iter().map(named(Named::Two));
    let second = second.into_iter().map(named(Named::Next));
    ends.chain(one).chain(two).chain(second).collect()
}

fn implies<const N: usize>(conditions: [Formula; N], conclusion: Formula) -> Formula {
    let broken = conditions.into_iter().map(|condition| condition.negated());
    Formula::or(broken.chain([conclusion]))
}

fn at_least(fifo: &Fifo, entries: i128) -> Formula {
    Formula::not_positive(&Linear::constant(entries).plus(-1, &Linear::var(fifo.length)))
}

fn length_is(fifo: &Fifo, entries: i128) -> Formula {
    Formula::equal_zero(&Linear::var(fifo.length).plus(-1, &Linear::constant(entries)))
}

fn equal_entries(left: &[VarId], right: &[VarId]) -> Formula {
    let pairs = left.iter().zip(right);
    let equal = pairs.map(|(left, right)| {
        Formula::equal_zero(&Linear::var(*left).plus(-1, &Linear::var(*right)))
    });
    Formula::and(equal)
}
