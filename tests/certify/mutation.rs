//! Changes to certificates, and whether they make one wrong.
//!
//! A changed certificate is wrong for sure if its reduced program is not the reduction of its source, if
//! its program breaks a property, or if its program reaches a state, with the atomic section free, that
//! is not in its invariant. [`is_wrong`] finds that out by enumeration, apart from what is under
//! test. What it does not call wrong may be right, so nothing is said about it.

use cupola::certificate::{Literal, Pair, Stored, Subject};
use cupola::lang::source::SourceFile;
use cupola::model::Model;
use cupola::program::LocId;
use cupola::reduce::Flush;
use indexmap::IndexSet;

use crate::bases::Base;
use crate::enumerate::{self, State};
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
}

impl Part {
    pub const ALL: [Part; 6] = [
        Part::Program,
        Part::SourceAlone,
        Part::Reduced,
        Part::Config,
        Part::Pair,
        Part::Predicate,
    ];
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
        Part::Pair => change_pair(base, &mut stored, random),
        Part::Predicate => change_predicate(&mut stored, random),
    };
    if matches!(part, Part::Program | Part::Config) {
        stored.reduced = reduced_text(&stored)?;
    }
    is_wrong(base, &stored).then_some((stored, what))
}

/// Whether a certificate is wrong for sure; `base` is the one that it was made from.
fn is_wrong(base: &Base, stored: &Stored) -> bool {
    if reduced_text(stored).as_ref() != Some(&stored.reduced) {
        return true;
    }
    let checked = cupola::lang::load(&stored.source).expect("it can be reduced");
    let tree = cupola::reduce::reduce(&stored.source, &checked, &stored.config);
    let checked = cupola::lang::check(tree.expect("it can be reduced")).expect("it is a program");
    // What cannot be read is rejected as such.
    let Ok(subject) = Subject::new(&checked, &stored.predicates) else {
        return true;
    };
    let own;
    let reached = match stored.reduced == base.stored.reduced {
        true => &base.reached,
        false => match enumerate::reach(&subject.program) {
            Some(reached) => {
                own = reached;
                &own
            }
            None => return false,
        },
    };
    let free = |state: &&State| enumerate::is_free(&subject.program, &state.at);
    let mut states = reached.states.iter().filter(free);
    reached.broken || !states.all(|state| is_listed(state, &subject, &stored.pairs))
}

/// Whether some pair stands for the state.
fn is_listed(state: &State, subject: &Subject, pairs: &[Pair]) -> bool {
    let mut here = pairs.iter().filter(|pair| pair.at == state.at);
    here.any(|pair| {
        let mut literals = pair.cube.iter();
        literals.all(|literal| state.cond(&subject.predicates[literal.predicate]) == literal.holds)
    })
}

/// The text of the reduced program, if there is one.
pub fn reduced_text(stored: &Stored) -> Option<String> {
    let checked = cupola::lang::load(&stored.source).ok()?;
    let tree = cupola::reduce::reduce(&stored.source, &checked, &stored.config).ok()?;
    Some(cupola::lang::print(&tree))
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
        1 => config.k = 1 + random.below(3),
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

fn change_pair(base: &Base, stored: &mut Stored, random: &mut Random) -> String {
    let index = random.below(stored.pairs.len());
    let predicates = stored.predicates.len();
    let pair = &mut stored.pairs[index];
    let at = random.below(pair.cube.len().max(1));
    let what = match random.below(5) {
        0 => {
            stored.pairs.remove(index);
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
            let locations = base.program.threads[thread].locations.len();
            pair.at[thread] = LocId::new(random.below(locations));
            "moved"
        }
    };
    format!("pair {}: {what}", index + 1)
}

/// Gives a predicate another operator, or another number.
fn change_predicate(stored: &mut Stored, random: &mut Random) -> String {
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
