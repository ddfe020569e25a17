//! Tells the answer of a search, as text for readers and as JSON for programs.
//!
//! Input: the program, its candidates and the [`Answer`]. Called by the command line. Executions are
//! told by the explorer's own report.

mod json;
mod text;

use indexmap::IndexSet;
use itertools::Itertools;

use super::frontier::FenceSet;
use super::places::{Candidates, PlaceId};
use super::prover::names;
use super::search::{Answer, Finding, Refutation, Tried};
use crate::explore::report::Report;
use crate::explore::{Exploration, ExploreConfig, replay};
use crate::lang::source::SourceFile;
use crate::model::Model;
use crate::program::{self, Program};

/// An answer together with what it is about.
#[derive(Clone, Copy)]
pub struct AnswerReport<'a> {
    /// The source of the program.
    pub source: &'a SourceFile,
    /// Its candidates.
    pub candidates: &'a Candidates,
    /// The memory model.
    pub model: Model,
    /// The limits of explorations.
    pub config: &'a ExploreConfig,
    /// What was found.
    pub answer: &'a Answer,
    /// The place to explain.
    pub explain: Option<PlaceId>,
}

/// The execution that needs a fence, ready to be told.
struct Explanation<'a> {
    /// The fences that are in force all the same.
    fences: FenceSet,
    refutation: &'a Refutation,
}

impl<'a> AnswerReport<'a> {
    /// Why a place needs its fence.
    fn explanation(&self, place: PlaceId) -> Option<Explanation<'a>> {
        let (fences, refutation) = self.answer.needs(place)?;
        let program = self.program(&fences);
        replay::replay(&program, self.model, refutation.trace())
            .expect("an execution is one of every placement without a place of its clause");
        Some(Explanation { fences, refutation })
    }

    fn program(&self, fences: &FenceSet) -> Program {
        program::lower(&self.candidates.checked, &names(self.candidates, fences))
    }

    /// Hands the explorer's report on an execution to `tell`.
    fn with_execution<R>(
        &self,
        model: Model,
        fences: &FenceSet,
        exploration: &Exploration,
        tell: impl FnOnce(&Report<'_>) -> R,
    ) -> R {
        let names: IndexSet<String> = names(self.candidates, fences);
        tell(&Report {
            source: self.source,
            program: &self.program(fences),
            model,
            fences: &names,
            config: self.config,
            exploration,
        })
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
        Finding::Undecided(reason) => format!("undecided, {reason}"),
    };
    let calls = match tried.solver_calls {
        0 => String::new(),
        calls => format!(", {calls} solver calls"),
    };
    let (prover, states) = (tried.prover, tried.states);
    format!("{fences}: {finding} ({prover}, {states} states{calls})")
}

/// `{a, b}`
fn set(candidates: &Candidates, places: impl Iterator<Item = PlaceId>) -> String {
    let mut names = places.map(|place| candidates.name(place));
    format!("{{{}}}", names.join(", "))
}
