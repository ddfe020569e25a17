//! Changes to certificates that make them wrong.
//!
//! A certificate of these tests lists the states of its program and no others. So it stays right only
//! if every state of the changed program is a state that it lists, which [`is_broken`] finds out by
//! enumeration; and every change to a pair or to a predicate in use makes some state that the program
//! reaches go missing.

use cupola::certificate::Stored;
use cupola::lang::source::SourceFile;
use cupola::model::Model;
use cupola::program::{LocId, VarId};
use cupola::reduce::Flush;
use indexmap::{IndexMap, IndexSet};

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

/// A changed certificate and what was done, if the change makes it wrong.
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
    let wrong = match part {
        Part::Program | Part::Config => {
            stored.reduced = reduced_text(&stored)?;
            is_broken(base, &stored)
        }
        Part::SourceAlone => reduced_text(&stored)? != stored.reduced,
        Part::Reduced => stored.reduced != base.stored.reduced,
        Part::Pair => stored.pairs != base.stored.pairs,
        Part::Predicate => stored.predicates != base.stored.predicates,
    };
    wrong.then_some((stored, what))
}

/// Whether the program of `stored` breaks a property, or reaches a state that `base` does not list as
/// far as the variables of `base` go.
fn is_broken(base: &Base, stored: &Stored) -> bool {
    let Some(program) = enumerate::reduced(&stored.source, &stored.config) else {
        return false;
    };
    let ids: IndexMap<String, VarId> = program
        .var_ids()
        .map(|var| (program.var_name(var), var))
        .collect();
    let vars = base.program.var_ids();
    let vars: Option<Vec<VarId>> = vars
        .map(|var| ids.get(&base.program.var_name(var)).copied())
        .collect();
    let (Some(vars), Some(reached)) = (vars, enumerate::reach(&program)) else {
        return true;
    };
    let listed = |state: &State| {
        let values = vars.iter().map(|var| state.values[var.index()]);
        base.reached.states.contains(&State {
            at: state.at.clone(),
            values: values.collect(),
        })
    };
    let free = |state: &&State| enumerate::is_free(&program, &state.at);
    reached.broken || !reached.states.iter().filter(free).all(listed)
}

/// The text of the reduced program, if there is one.
fn reduced_text(stored: &Stored) -> Option<String> {
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
    let pair = &mut stored.pairs[index];
    // A location in an atomic section need not be listed at all.
    let kinds = if enumerate::is_free(&base.program, &pair.at) {
        4
    } else {
        2
    };
    let what = match random.below(kinds) {
        2 => {
            stored.pairs.remove(index);
            "dropped"
        }
        0 => {
            let at = random.below(pair.cube.len());
            pair.cube[at].holds ^= true;
            "literal negated"
        }
        1 => {
            let at = random.below(pair.cube.len());
            let others: Vec<usize> = (0..stored.predicates.len())
                .filter(|&other| pair.cube.iter().all(|literal| literal.predicate != other))
                .collect();
            if !others.is_empty() {
                pair.cube[at].predicate = random.pick(&others);
            }
            "literal of another predicate"
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

fn change_predicate(stored: &mut Stored, random: &mut Random) -> String {
    let index = random.below(stored.predicates.len());
    let old = stored.predicates[index].clone();
    let (variable, value) = old.split_once(" == ").expect("predicates are equations");
    let value: i64 = value.parse().expect("of a variable and a number");
    stored.predicates[index] = match random.below(4) {
        0 => format!("{variable} == {}", value + 1),
        1 => format!("{variable} == {}", value - 1),
        2 => format!("{variable} != {value}"),
        _ => format!("{variable} < {value}"),
    };
    format!(
        "predicate {} `{old}`: now `{}`",
        index + 1,
        stored.predicates[index]
    )
}
