//! Changes to certificates, and whether they make one wrong.
//!
//! A changed certificate is wrong for sure if its reduced program is not the reduction of its source, if
//! its program breaks a property, or if its program reaches a state, with the atomic section free, that
//! is not in its invariant. [`is_wrong`] finds that out by enumeration, apart from what is under
//! test. What it does not call wrong may be right, so nothing is said about it.

use cupola::certificate::{
    Kind, Literal, Pair, StateTable, Stored, StoredBody, StoredInvariant, Subject,
};
use cupola::memory::Model;
use cupola::program::{LocId, Program};
use cupola::reduce::{Flush, Reduction};
use cupola::source::SourceFile;
use indexmap::IndexSet;
use itertools::Itertools;

use crate::bases::Base;
use crate::enumerate::{self, State};
use crate::support::entries;
use crate::support::random::Random;

/// What part of a certificate is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The source, its reduction with it.
    Program,
    /// The source alone.
    SourceAlone,
    /// The reduced program alone.
    Reduced,
    /// Model, bound, fences or flush form, the reduction with them.
    Config,
    /// A pair.
    Pair,
    /// A predicate.
    Predicate,
    /// A listed state, which is dropped.
    State,
    /// A value of a listed state.
    Value,
    /// A location of a listed state.
    Location,
    /// Whether a listed state has a value for a variable.
    Entry,
}

impl Part {
    /// The parts of certificates of a kind.
    pub fn of(kind: Kind) -> [Part; 6] {
        match kind {
            Kind::Invariant => [
                Part::Program,
                Part::SourceAlone,
                Part::Reduced,
                Part::Config,
                Part::Pair,
                Part::Predicate,
            ],
            // Sources and reductions are compared before the kinds part.
            Kind::Basis | Kind::Facts => unreachable!("they have tests of their own"),
            Kind::States => [
                Part::Program,
                Part::Config,
                Part::State,
                Part::Value,
                Part::Location,
                Part::Entry,
            ],
        }
    }
}

/// A changed certificate and what was done, if the change makes it wrong for sure.
pub fn mutate(base: &Base, part: Part, random: &mut Random) -> Option<(Stored, String)> {
    let mut stored = base.stored.clone();
    let what = match part {
        Part::Program | Part::SourceAlone => {
            let text = edit(stored.source.text(), random);
            stored.source = SourceFile::new(stored.source.name(), text);
            "source edited".to_owned()
        }
        Part::Reduced => {
            stored.reduced = edit(&stored.reduced, random);
            "reduced program edited".to_owned()
        }
        Part::Config => change_config(&mut stored, random),
        Part::Pair => change_pair(base.program(), invariant(&mut stored)?, random),
        Part::Predicate => change_predicate(invariant(&mut stored)?, random),
        Part::State => drop_state(table(&mut stored)?, random),
        Part::Value => change_value(table(&mut stored)?, random),
        Part::Location => change_location(base.program(), table(&mut stored)?, random),
        Part::Entry => change_entry(table(&mut stored)?, random),
    };
    if matches!(part, Part::Program | Part::Config) {
        stored.reduced = reduced_text(&stored)?;
    }
    is_wrong(base, &stored).then_some((stored, what))
}

/// The invariant of a certificate, if it has one.
pub fn invariant(stored: &mut Stored) -> Option<&mut StoredInvariant> {
    match &mut stored.body {
        StoredBody::Invariant(invariant) => Some(invariant),
        StoredBody::States(_) | StoredBody::Basis(_) | StoredBody::Facts(_) => None,
    }
}

/// The states of a certificate, if it lists some.
pub fn table(stored: &mut Stored) -> Option<&mut StateTable> {
    match &mut stored.body {
        StoredBody::Invariant(_) | StoredBody::Basis(_) | StoredBody::Facts(_) => None,
        StoredBody::States(table) => Some(table),
    }
}

/// Whether a certificate is wrong for sure; `base` is the one that it was made from.
pub fn is_wrong(base: &Base, stored: &Stored) -> bool {
    if reduced_text(stored).as_ref() != Some(&stored.reduced) {
        return true;
    }
    let reduction = enumerate::reduced(&stored.source, &stored.config).expect("it can be reduced");
    let program = &reduction.program;
    let own;
    let reached = match stored.reduced == base.stored.reduced {
        true => &base.reached,
        false => match enumerate::reach(program) {
            Some(reached) => {
                own = reached;
                &own
            }
            None => return false,
        },
    };
    let free = |state: &&State| enumerate::is_free(program, &state.at);
    let states: Vec<&State> = reached.states.iter().filter(free).collect();
    reached.broken || !all_listed(&states, &reduction, &stored.body)
}

/// Whether each state is one that a certificate is about; what cannot be read is about none.
fn all_listed(states: &[&State], reduction: &Reduction, body: &StoredBody) -> bool {
    match body {
        StoredBody::Invariant(invariant) => {
            let subject = Subject::new(&reduction.checked, &invariant.predicates);
            subject.is_ok_and(|subject| {
                let mut states = states.iter();
                states.all(|state| is_in_invariant(state, &subject, &invariant.pairs))
            })
        }
        StoredBody::Basis(_) | StoredBody::Facts(_) => unreachable!("they have tests of their own"),
        StoredBody::States(table) => {
            let program = &reduction.program;
            let names: IndexSet<String> =
                program.var_ids().map(|var| program.var_name(var)).collect();
            let columns = table.variables.iter().map(|name| names.get_index_of(name));
            let columns: Option<Vec<usize>> = columns.collect();
            columns.is_some_and(|columns| {
                let mut states = states.iter();
                states.all(|state| is_in_table(state, table, &columns))
            })
        }
    }
}

/// Whether some pair stands for the state.
fn is_in_invariant(state: &State, subject: &Subject, pairs: &[Pair]) -> bool {
    let mut here = pairs.iter().filter(|pair| pair.at == state.at);
    here.any(|pair| {
        let mut literals = pair.cube.iter();
        literals.all(|literal| state.cond(&subject.predicates[literal.predicate]) == literal.holds)
    })
}

/// Whether some listed state stands for the state.
fn is_in_table(state: &State, table: &StateTable, columns: &[usize]) -> bool {
    let mut here = table.states.iter().filter(|listed| listed.at == state.at);
    here.any(|listed| {
        let mut values = listed.values.iter().zip(columns);
        values.all(|(value, &column)| value.is_none_or(|value| value == state.values[column]))
    })
}

/// The text of the reduced program, if there is one.
pub fn reduced_text(stored: &Stored) -> Option<String> {
    let checked = cupola::front::cup::load(&stored.source).ok()?;
    let reduction = cupola::reduce::reduce(&stored.source, &checked, &stored.config).ok()?;
    Some(cupola::front::cup::print(reduction.tree()))
}

/// Changes a number, an operator or a whole simple statement behind the first declaration.
fn edit(text: &str, random: &mut Random) -> String {
    let start = text.find("shared").expect("a program has shared variables");
    let starts: Vec<(usize, &str, &str)> = EDITS
        .iter()
        .flat_map(|&(old, new)| {
            let found = text[start..].match_indices(old);
            found.map(move |(at, _)| (start + at, old, new))
        })
        .collect();
    let (at, old, new) = random.pick(&starts);
    format!("{}{new}{}", &text[..at], &text[at + old.len()..])
}

/// What [`edit`] replaces by what.
const EDITS: [(&str, &str); 14] = [
    ("== 0", "== 1"),
    ("== 1", "== 0"),
    ("= 1;", "= 2;"),
    ("= 1;", "= 0;"),
    ("= 0;", "= 1;"),
    ("= 2;", "= 3;"),
    ("+ 1", "+ 2"),
    ("+ 1", "- 1"),
    ("< 3", "< 4"),
    ("< 2", "< 1"),
    (" != ", " == "),
    (" == ", " <= "),
    ("&&", "||"),
    ("fence? ", "fence? z"),
];

fn change_config(stored: &mut Stored, random: &mut Random) -> String {
    let config = &mut stored.config;
    match random.below(4) {
        0 => config.model = random.pick(&Model::ALL),
        1 => config.sizes = entries(1 + random.below(3)),
        2 => {
            let kept = config.fences.iter().filter(|_| random.below(2) == 0);
            config.fences = kept.cloned().collect::<IndexSet<String>>();
        }
        _ => {
            config.flush = match config.flush {
                Flush::Background => Flush::Inline,
                Flush::Inline => Flush::Background,
            };
        }
    }
    format!("{config:?}")
}

fn change_pair(program: &Program, invariant: &mut StoredInvariant, random: &mut Random) -> String {
    let index = random.below(invariant.pairs.len());
    let predicates = invariant.predicates.len();
    let pair = &mut invariant.pairs[index];
    let at = random.below(pair.cube.len().max(1));
    let what = match random.below(5) {
        0 => {
            invariant.pairs.remove(index);
            "dropped"
        }
        1 if !pair.cube.is_empty() => {
            pair.cube[at].holds ^= true;
            "literal negated"
        }
        2 | 3 => {
            let named = |other: &usize| pair.cube.iter().any(|one| one.predicate == *other);
            let others: Vec<usize> = (0..predicates).filter(|other| !named(other)).collect();
            if !others.is_empty() {
                pair.cube.push(Literal {
                    predicate: random.pick(&others),
                    holds: random.one_in(2),
                });
            }
            "literal added"
        }
        _ => {
            let thread = random.below(pair.at.len());
            let locations = program.threads[thread].locations.len();
            pair.at[thread] = LocId::new(random.below(locations));
            "moved"
        }
    };
    format!("pair {}: {what}", index + 1)
}

fn drop_state(table: &mut StateTable, random: &mut Random) -> String {
    let index = random.below(table.states.len());
    table.states.remove(index);
    format!("state {} dropped", index + 1)
}

/// Gives a variable another value in one state.
fn change_value(table: &mut StateTable, random: &mut Random) -> String {
    let index = random.below(table.states.len());
    let column = random.below(table.variables.len());
    let value = &mut table.states[index].values[column];
    let change = random.pick(&[-1, 1, 2]);
    *value = value.map(|value| value + change);
    let name = &table.variables[column];
    format!("state {}: {name} is now {value:?}", index + 1)
}

fn change_location(program: &Program, table: &mut StateTable, random: &mut Random) -> String {
    let index = random.below(table.states.len());
    let thread = random.below(program.threads.len());
    let location = random.below(program.threads[thread].locations.len());
    table.states[index].at[thread] = LocId::new(location);
    format!("state {}: thread {thread} moved to {location}", index + 1)
}

/// Takes a value out of a state, or gives one where there is none.
fn change_entry(table: &mut StateTable, random: &mut Random) -> String {
    let index = random.below(table.states.len());
    let values = &mut table.states[index].values;
    let missing = values.iter().positions(Option::is_none);
    let missing: Vec<usize> = missing.collect();
    let column = match missing.is_empty() || random.one_in(4) {
        true => random.below(values.len()),
        false => random.pick(&missing),
    };
    values[column] = match values[column] {
        Some(_) => None,
        None => Some(random.pick(&[-1, 0, 1, 2])),
    };
    let (name, value) = (&table.variables[column], values[column]);
    format!("state {}: {name} is now {value:?}", index + 1)
}

/// Gives a predicate another operator, or another number.
fn change_predicate(stored: &mut StoredInvariant, random: &mut Random) -> String {
    let index = random.below(stored.predicates.len());
    let old = stored.predicates[index].clone();
    let edits: Vec<(usize, &str, &str)> = PREDICATE_EDITS
        .iter()
        .flat_map(|&(from, to)| old.match_indices(from).map(move |(at, _)| (at, from, to)))
        .collect();
    if !edits.is_empty() {
        let (at, from, to) = random.pick(&edits);
        stored.predicates[index] = format!("{}{to}{}", &old[..at], &old[at + from.len()..]);
    }
    format!(
        "predicate {} `{old}`: now `{}`",
        index + 1,
        stored.predicates[index]
    )
}

/// What [`change_predicate`] replaces by what.
const PREDICATE_EDITS: [(&str, &str); 9] = [
    (" == ", " != "),
    (" == ", " < "),
    (" <= ", " < "),
    (" < ", " >= "),
    (" 0", " 1"),
    (" 1", " 0"),
    (" 1", " 2"),
    (" 2", " 1"),
    (" 3", " 2"),
];
