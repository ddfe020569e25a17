//! The names of golden files, which say what they hold.
//!
//! | name | text |
//! | --- | --- |
//! | `NAME.tso.k2.cup` | the reduced program, with buffers of 2 entries |
//! | `NAME.pso.fifo.cup` | the reduced program with FIFOs |
//! | `NAME.tso.k1.predicates`, `NAME.sc.predicates` | the extrapolated predicates and cubes |
//! | `NAME.tso.k1.bp`, `NAME.sc.bp` | the boolean program |
//! | `NAME.verdicts` | the answers under all configurations |
//!
//! `NAME` is the name of the program's file, without `.cup`.

use std::fmt;

use crate::memory::{BufferSizes, Model};

/// What a golden file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The reduced program.
    Translation(Model, Entries),
    /// The predicates and cubes for a model; under SC the number of entries has no meaning.
    Predicates(Model, usize),
    /// The boolean program.
    BooleanProgram(Model, usize),
    /// The answers.
    Verdicts,
}

/// What holds the entries of buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entries {
    /// So many slots.
    Slots(usize),
    /// FIFOs.
    Fifos,
}

const TRANSLATION: &str = "cup";
const PREDICATES: &str = "predicates";
const BOOLEAN_PROGRAM: &str = "bp";
const VERDICTS: &str = "verdicts";
const FIFO: &str = "fifo";

impl Kind {
    /// The program that a golden file is kept of, and what it holds.
    pub fn of(name: &str) -> Option<(&str, Kind)> {
        let (rest, ending) = name.rsplit_once('.')?;
        if ending == VERDICTS {
            return Some((rest, Kind::Verdicts));
        }
        let (rest, last) = rest.rsplit_once('.')?;
        if last == Model::Sc.name() {
            let kind = match ending {
                PREDICATES => Kind::Predicates(Model::Sc, 1),
                BOOLEAN_PROGRAM => Kind::BooleanProgram(Model::Sc, 1),
                TRANSLATION => Kind::Translation(Model::Sc, Entries::Slots(1)),
                _ => return None,
            };
            return Some((rest, kind));
        }
        let (rest, model) = rest.rsplit_once('.')?;
        let mut relaxed = [Model::Tso, Model::Pso].into_iter();
        let model = relaxed.find(|known| known.name() == model)?;
        let kind = match (ending, last) {
            (TRANSLATION, FIFO) => Kind::Translation(model, Entries::Fifos),
            (TRANSLATION, slots) => Kind::Translation(model, Entries::Slots(entries(slots)?)),
            (PREDICATES, slots) => Kind::Predicates(model, entries(slots)?),
            (BOOLEAN_PROGRAM, slots) => Kind::BooleanProgram(model, entries(slots)?),
            _ => return None,
        };
        Some((rest, kind))
    }

    /// What is kept of a program if nothing else is said: its translations with two entries and its answers, and
    /// from a proof the predicates and boolean programs with one entry.
    pub fn usual(has_proof: bool) -> Vec<Kind> {
        let relaxed = [Model::Tso, Model::Pso];
        let translations = relaxed.map(|model| Kind::Translation(model, Entries::Slots(2)));
        let proofs = Model::ALL.into_iter().filter(|_| has_proof);
        let proofs =
            proofs.flat_map(|model| [Kind::Predicates(model, 1), Kind::BooleanProgram(model, 1)]);
        let kinds = translations.into_iter().chain(proofs);
        kinds.chain([Kind::Verdicts]).collect()
    }
}

/// The number of entries that `k2` names.
fn entries(text: &str) -> Option<usize> {
    let text = text.strip_prefix('k')?;
    let k: usize = text.parse().ok()?;
    (k.to_string() == text && BufferSizes::uniform(k).is_ok()).then_some(k)
}

impl fmt::Display for Kind {
    /// The end of the name of such a file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (model, entries, ending) = match self {
            Kind::Verdicts => return f.write_str(VERDICTS),
            Kind::Translation(model, entries) => (model, *entries, TRANSLATION),
            Kind::Predicates(model, k) => (model, Entries::Slots(*k), PREDICATES),
            Kind::BooleanProgram(model, k) => (model, Entries::Slots(*k), BOOLEAN_PROGRAM),
        };
        match entries {
            _ if *model == Model::Sc => write!(f, "{model}.{ending}"),
            Entries::Slots(k) => write!(f, "{model}.k{k}.{ending}"),
            Entries::Fifos => write!(f, "{model}.{FIFO}.{ending}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_files_hold() {
        for (name, program) in [
            ("queue.tso.k2.cup", "queue"),
            ("a.b.pso.fifo.cup", "a.b"),
            ("queue.pso.k64.predicates", "queue"),
            ("queue.sc.bp", "queue"),
            ("queue.sc.cup", "queue"),
            ("sb.litmus.verdicts", "sb.litmus"),
        ] {
            let (found, kind) = Kind::of(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(found, program);
            assert_eq!(format!("{program}.{kind}"), name);
        }
    }

    #[test]
    fn other_names_say_nothing() {
        for name in [
            "queue.cup",
            "queue.tso.cup",
            "queue.sc.k1.cup",
            "queue.tso.k0.cup",
            "queue.tso.k02.cup",
            "queue.tso.k65.bp",
            "queue.tso.fifo.bp",
            "queue.rmo.k1.cup",
            "queue.tso.k1.txt",
            "verdicts",
        ] {
            assert_eq!(Kind::of(name), None, "{name}");
        }
    }
}
