//! The search for all minimal placements.
//!
//! Input: a [`Search`], the engine that decides, and the context of the run. Output: [`Answer`]. One turn takes the next
//! placement from the frontier, has the engine decide it, and records the answer in the frontier. An observer sees every
//! turn.

use std::sync::Arc;

use indexmap::IndexSet;

use super::clause::{Clause, tighten};
use super::frontier::{FenceSet, Frontier};
use super::places::{Candidates, PlaceId};
use crate::engine::{Context, Engine, EngineError, Task};
use crate::memory::Model;
use crate::proof::Proof;
use crate::source::SourceFile;
use crate::verdict::{Outcome, Unknown, Verdict, Violation, Warning};

/// What to search.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// The source of the program.
    pub source: &'a SourceFile,
    /// The program and its places.
    pub candidates: &'a Candidates,
    /// Its proof under SC, if there is one.
    pub proof: Option<&'a Proof>,
    /// The memory model.
    pub model: Model,
    /// The number of proved placements that are enough.
    pub max_sets: Option<usize>,
}

/// What is known at the end of a search.
#[derive(Clone, Debug)]
pub struct Answer {
    /// How the search ended.
    pub end: End,
    /// The minimal placements that are proved, smallest first.
    pub proved: Vec<Proved>,
    /// The placements that are neither proved nor refuted, and why.
    pub undecided: Vec<(FenceSet, Unknown)>,
    /// The executions that refute placements, in the order in which they were found.
    pub refutations: Vec<Refutation>,
    /// Every placement that was judged, in order.
    pub tried: Vec<Tried>,
    /// What to know beside the proofs: what holds in all of them.
    pub warnings: Vec<Warning>,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub enum End {
    /// All placements were considered.
    Complete,
    /// The program is broken under SC, so no fence helps.
    BrokenUnderSc(Arc<Violation>),
    /// The last refutation has an empty clause: no placement of the candidates helps.
    Unfixable,
    /// As many placements as asked for were proved.
    Enough,
    /// The time was up.
    Timeout,
    /// The user has stopped it.
    Interrupted,
    /// There was no memory left.
    Memory,
}

/// A placement that is proved sufficient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proved {
    /// The placement.
    pub fences: FenceSet,
    /// In which sense it is minimal.
    pub minimality: Minimality,
    /// The engine that proved it.
    pub engine: &'static str,
}

/// In which sense a proved placement is minimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Minimality {
    /// Every placement with one fence less is refuted by an execution.
    Exact,
    /// No placement below it is proved.
    AmongProved,
}

/// An execution that refutes every placement without a place of its clause.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// The placement under which it was found.
    pub fences: FenceSet,
    /// The places of which one must hold a fence.
    pub clause: Clause,
    /// The execution.
    pub violation: Arc<Violation>,
}

/// One turn of the search.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The placement.
    pub fences: FenceSet,
    /// What was found.
    pub finding: Finding,
    /// The engine that found it.
    pub engine: &'static str,
    /// The number of states that were seen.
    pub states: usize,
    /// The number of questions to the solver.
    pub solver_calls: u64,
}

/// What a turn found.
#[derive(Clone, Debug)]
pub enum Finding {
    /// The placement is sufficient.
    Proved,
    /// It is not; one of these places must hold a fence.
    Refuted(Clause),
    /// It was set aside.
    Undecided(Unknown),
}

/// Finds all minimal placements. `observe` sees every turn as it is over.
pub fn search(
    search: &Search<'_>,
    engine: &mut dyn Engine,
    context: &Context,
    observe: &mut dyn FnMut(&Tried),
) -> Result<Answer, EngineError> {
    let mut state = State {
        search,
        engine,
        context,
        frontier: Frontier::default(),
        answer: Answer {
            end: End::Complete,
            proved: Vec::new(),
            undecided: Vec::new(),
            refutations: Vec::new(),
            tried: Vec::new(),
            warnings: Vec::new(),
        },
    };
    let sc = state.decide(Model::Sc, &FenceSet::default())?;
    state.answer.end = match sc.verdict {
        Verdict::Violated(violation) => End::BrokenUnderSc(violation),
        Verdict::Verified(_) | Verdict::Unknown(_) => state.run(observe)?,
    };
    Ok(state.conclude())
}

impl Answer {
    /// The execution that needs a fence at this place, and the placement that it refutes: the first
    /// proved one that has the place, without it.
    pub fn needs(&self, place: PlaceId) -> Option<(FenceSet, &Refutation)> {
        let having = self.proved.iter().map(|proved| &proved.fences);
        having
            .filter(|fences| fences.contains(place))
            .map(|fences| fences.without(place))
            .find_map(|fences| {
                let refutation = self.refutation_of(&fences)?;
                Some((fences, refutation))
            })
    }

    /// An execution that breaks a property with these fences, if one is known.
    pub fn refutation_of(&self, fences: &FenceSet) -> Option<&Refutation> {
        let mut refutations = self.refutations.iter();
        refutations.find(|refutation| !fences.meets(&refutation.clause))
    }

    /// Whether every placement was considered.
    pub fn is_complete(&self) -> bool {
        match self.end {
            End::Complete | End::BrokenUnderSc(_) | End::Unfixable => true,
            End::Enough | End::Timeout | End::Interrupted | End::Memory => false,
        }
    }

    fn minimality(&self, fences: &FenceSet) -> Minimality {
        let refuted = |place| self.refutation_of(&fences.without(place)).is_some();
        match fences.places().all(refuted) {
            true => Minimality::Exact,
            false => Minimality::AmongProved,
        }
    }
}

/// A search under way.
struct State<'a> {
    search: &'a Search<'a>,
    engine: &'a mut dyn Engine,
    context: &'a Context,
    frontier: Frontier,
    answer: Answer,
}

impl State<'_> {
    fn run(&mut self, observe: &mut dyn FnMut(&Tried)) -> Result<End, EngineError> {
        while let Some(fences) = self.frontier.take() {
            let outcome = self.decide(self.search.model, &fences)?;
            if let Some(cut) = self.cut().filter(|_| outcome.verdict.is_unknown()) {
                return Ok(cut);
            }
            let tried = self.record(fences, outcome);
            observe(&tried);
            self.answer.tried.push(tried);
            if self.is_unfixable() {
                return Ok(End::Unfixable);
            }
            if self.search.max_sets == Some(self.answer.proved.len()) {
                return Ok(End::Enough);
            }
            if let Some(cut) = self.cut() {
                return Ok(cut);
            }
        }
        Ok(End::Complete)
    }

    /// Has the engine decide the program with these fences.
    fn decide(&mut self, model: Model, fences: &FenceSet) -> Result<Outcome, EngineError> {
        let task = Task {
            source: self.search.source,
            program: &self.search.candidates.checked,
            model,
            fences: &names(self.search.candidates, fences),
            proof: self.search.proof,
            earlier: &[],
        };
        match self.engine.run(&task, self.context) {
            Err(EngineError::Unsupported(reason)) => Ok(Outcome::new(
                Verdict::Unknown(Unknown::Unsupported(vec![reason])),
                Vec::new(),
            )),
            outcome => outcome,
        }
    }

    fn record(&mut self, fences: FenceSet, outcome: Outcome) -> Tried {
        let decisive = outcome.decisive().map(|attempt| attempt.engine);
        let engine = decisive.unwrap_or(self.engine.name());
        let stats = || outcome.log.iter().map(|attempt| &attempt.stats);
        let (states, solver_calls) = (
            stats().map(|stats| stats.states).sum(),
            stats().map(|stats| stats.solver_calls()).sum(),
        );
        let finding = match outcome.verdict {
            Verdict::Verified(_) => {
                self.warn(outcome.warnings);
                self.prove(fences.clone(), engine);
                Finding::Proved
            }
            Verdict::Violated(violation) => {
                Finding::Refuted(self.refute(fences.clone(), &violation))
            }
            Verdict::Unknown(reason) => {
                let places = self.search.candidates.ids();
                self.frontier.set_aside(&fences, places);
                let aside = (fences.clone(), reason.clone());
                self.answer.undecided.push(aside);
                Finding::Undecided(reason)
            }
        };
        Tried {
            fences,
            finding,
            engine,
            states,
            solver_calls,
        }
    }

    /// Keeps the warnings that hold in all proofs.
    fn warn(&mut self, warnings: Vec<Warning>) {
        if self.answer.proved.is_empty() {
            self.answer.warnings = warnings;
        } else {
            let all = &mut self.answer.warnings;
            all.retain(|known| warnings.iter().any(|other| other.is_same(known)));
        }
    }

    fn prove(&mut self, fences: FenceSet, engine: &'static str) {
        self.frontier.prove(fences.clone());
        self.answer.proved.push(Proved {
            minimality: self.answer.minimality(&fences),
            fences,
            engine,
        });
    }

    fn refute(&mut self, fences: FenceSet, violation: &Violation) -> Clause {
        let (violation, clause) = tighten(self.search.candidates, violation);
        self.frontier.refute(&fences, clause.clone());
        self.answer.refutations.push(Refutation {
            fences,
            clause: clause.clone(),
            violation: Arc::new(violation),
        });
        clause
    }

    fn is_unfixable(&self) -> bool {
        let last = self.answer.refutations.last();
        last.is_some_and(|refutation| refutation.clause.is_empty())
    }

    /// Why the search must end now.
    fn cut(&self) -> Option<End> {
        let stop = &self.context.stop;
        match (stop.should_stop(), stop.is_full(), stop.is_cancelled()) {
            (false, _, _) => None,
            (true, true, _) => Some(End::Memory),
            (true, false, true) => Some(End::Interrupted),
            (true, false, false) => Some(End::Timeout),
        }
    }

    /// Later executions may have refuted what was set aside, and proved placements may turn out to
    /// be exactly minimal.
    fn conclude(self) -> Answer {
        let mut answer = self.answer;
        let undecided = std::mem::take(&mut answer.undecided);
        let open = |(fences, _): &(FenceSet, Unknown)| answer.refutation_of(fences).is_none();
        answer.undecided = undecided.into_iter().filter(open).collect();
        let proved = std::mem::take(&mut answer.proved);
        let settled = proved.into_iter().map(|proved| Proved {
            minimality: answer.minimality(&proved.fences),
            ..proved
        });
        answer.proved = settled.collect();
        answer
    }
}

/// The names of the places of a placement, in source order.
pub fn names(candidates: &Candidates, fences: &FenceSet) -> IndexSet<String> {
    let places = fences.places();
    places
        .map(|place| candidates.name(place).to_owned())
        .collect()
}
