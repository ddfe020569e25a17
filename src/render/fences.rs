//! The answer of a search for fences, as text for readers and as JSON for programs.
//!
//! Input: the program, its candidates and the [`Answer`]. Executions are shown by the report of an
//! exploration.

mod json;
mod text;

use itertools::Itertools;

use super::warnings::Warnings;
use super::{Execution, words};
use crate::fences::{Answer, Candidates, Costs, FenceSet, Finding, PlaceId, Tried, names};
use crate::memory::Model;
use crate::program;
use crate::source::SourceFile;
use crate::verdict::{Unknown, Violation};

/// An answer together with what it is about.
#[derive(Clone, Copy)]
pub struct FencesReport<'a> {
    /// The source of the program.
    pub source: &'a SourceFile,
    /// Its candidates.
    pub candidates: &'a Candidates,
    /// The memory model.
    pub model: Model,
    /// What was found.
    pub answer: &'a Answer,
    /// The place to explain.
    pub explain: Option<PlaceId>,
    /// What places cost, if that is asked for.
    pub costs: Option<&'a Costs>,
    /// Whether the candidates are the fences that the program has.
    pub existing: bool,
}

/// The execution that needs a fence.
pub(super) struct Explanation {
    /// The fences that are in force all the same.
    pub(super) fences: FenceSet,
    /// The execution, of the program with these fences.
    pub(super) violation: Violation,
}

impl FencesReport<'_> {
    fn warned(&self) -> Warnings<'_> {
        Warnings {
            source: self.source,
            all: &self.answer.warnings,
        }
    }

    /// Why a place needs its fence.
    pub(super) fn explanation(&self, place: PlaceId) -> Option<Explanation> {
        let (fences, refutation) = self.answer.needs(place)?;
        let found = &refutation.violation;
        let program = program::lower(&self.candidates.checked, &names(self.candidates, &fences));
        let violation = Violation::confirm(program.into(), found.trace().clone(), found.found_by());
        Some(Explanation {
            fences,
            violation: violation
                .expect("an execution is one of every placement without a place of its clause"),
        })
    }

    pub(super) fn execution<'a>(&'a self, violation: &'a Violation) -> Execution<'a> {
        Execution {
            source: self.source,
            program: violation.program(),
            trace: violation.trace(),
        }
    }

    /// The fences that a placement leaves out.
    fn left_out(&self, fences: &FenceSet) -> FenceSet {
        let places = self.candidates.ids();
        places.filter(|place| !fences.contains(*place)).collect()
    }

    /// The first of the cheapest placements, if costs are asked for.
    fn cheapest(&self) -> Option<&FenceSet> {
        let proved = || self.answer.proved.iter().map(|proved| &proved.fences);
        let cheapest = self.costs?.cheapest(proved())?;
        proved().nth(cheapest)
    }

    /// The number of placements that there are, unless it is out of reach.
    fn placements(&self) -> Option<u64> {
        let places = u32::try_from(self.candidates.places.len()).ok()?;
        1u64.checked_shl(places)
    }

    fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for tried in &self.answer.tried {
            counts.solver_calls += tried.solver_calls;
            match tried.finding {
                Finding::Proved => counts.proved += 1,
                Finding::Refuted(_) => counts.refuted += 1,
                Finding::Undecided(_) => counts.undecided += 1,
            }
        }
        counts
    }
}

#[derive(Default)]
struct Counts {
    proved: usize,
    refuted: usize,
    undecided: usize,
    solver_calls: u64,
}

/// One line about a turn of a search.
pub fn turn(candidates: &Candidates, tried: &Tried) -> String {
    let fences = set(candidates, tried.fences.places());
    let finding = match &tried.finding {
        Finding::Proved => "proved".to_owned(),
        Finding::Refuted(clause) if clause.is_empty() => "refuted, and no fence helps".to_owned(),
        Finding::Refuted(clause) => {
            let needed = set(candidates, clause.iter().copied());
            format!("refuted, one of {needed} is needed")
        }
        Finding::Undecided(reason) => format!("undecided, {}", undecided(reason)),
    };
    let calls = match tried.solver_calls {
        0 => String::new(),
        calls => format!(", {calls} solver calls"),
    };
    let (engine, states) = (tried.engine, tried.states);
    format!("{fences}: {finding} ({engine}, {states} states{calls})")
}

/// Why a placement is not decided.
fn undecided(reason: &Unknown) -> String {
    match reason {
        Unknown::Incomplete {
            growth: Some(_), ..
        }
        | Unknown::Overflow {
            growth: Some(_), ..
        } => "a buffer grows without bound".to_owned(),
        Unknown::Incomplete { limits, .. } => {
            let mut limits = limits.iter().map(|limit| words::reason(*limit));
            limits.join(", ")
        }
        Unknown::Stopped(limit) => words::reason(*limit).to_owned(),
        Unknown::TooCoarse { .. } | Unknown::TooIncoherent { .. } => {
            "the abstraction is too coarse".to_owned()
        }
        Unknown::Overflow { growth: None, .. } => {
            "a buffer overflows at every bound that was tried".to_owned()
        }
        Unknown::NotVerifiedUnderSc(_) => "the proof fails under sc".to_owned(),
        Unknown::Unsupported(engines) => engines.iter().join("; "),
    }
}

/// `{a, b}`
pub(super) fn set(candidates: &Candidates, places: impl Iterator<Item = PlaceId>) -> String {
    let mut names = places.map(|place| candidates.name(place));
    format!("{{{}}}", names.join(", "))
}
