//! The search for all minimal placements.
//!
//! Input: the candidates, a prover and a [`SearchConfig`]. Output: [`Answer`]. One turn takes the next
//! placement from the frontier, has it judged, and tells the frontier. An observer sees every turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::clause::{Clause, tighten};
use super::frontier::{FenceSet, Frontier};
use super::places::{Candidates, PlaceId};
use super::prover::{Judgement, Opinion, Prover, names};
use crate::explore::{Exploration, Trace};
use crate::model::Model;
use crate::program;

/// What the search is for, and when it stops.
#[derive(Clone, Debug)]
pub struct SearchConfig {
    /// The memory model.
    pub model: Model,
    /// The number of proved placements that are enough.
    pub max_sets: Option<usize>,
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Set from outside to give up.
    pub cancel: Option<Arc<AtomicBool>>,
}

/// What is known at the end of a search.
#[derive(Clone, Debug)]
pub struct Answer {
    /// How the search ended.
    pub outcome: Outcome,
    /// The minimal placements that are proved, smallest first.
    pub proved: Vec<Proved>,
    /// The placements that are neither proved nor refuted, and why.
    pub undecided: Vec<(FenceSet, String)>,
    /// The executions that refute placements, in the order in which they were found.
    pub refutations: Vec<Refutation>,
    /// Every placement that was judged, in order.
    pub tried: Vec<Tried>,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// All placements were considered.
    Complete,
    /// The program is broken under SC, so no fence helps.
    BrokenUnderSc(Box<Exploration>),
    /// The last refutation has an empty clause: no placement of the candidates helps.
    Hopeless,
    /// As many placements as asked for were proved.
    Enough,
    /// The time was up.
    Timeout,
    /// The user has stopped it.
    Interrupted,
}

/// A placement that is proved sufficient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proved {
    /// The placement.
    pub fences: FenceSet,
    /// In which sense it is minimal.
    pub minimality: Minimality,
    /// Who proved it.
    pub prover: &'static str,
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
    /// The exploration that found it.
    pub exploration: Exploration,
}

/// One turn of the search.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The placement.
    pub fences: FenceSet,
    /// What was found.
    pub finding: Finding,
    /// Who found it.
    pub prover: &'static str,
    /// The number of states that were seen.
    pub states: usize,
    /// The number of questions to the solver.
    pub solver_calls: u64,
}

/// What a turn found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The placement is sufficient.
    Proved,
    /// It is not; one of these places must hold a fence.
    Refuted(Clause),
    /// It was set aside.
    Undecided(String),
}

/// Finds all minimal placements. `observe` sees every turn as it is over.
pub fn search(
    candidates: &Candidates,
    prover: &mut dyn Prover,
    config: &SearchConfig,
    observe: &mut dyn FnMut(&Tried),
) -> Answer {
    let mut state = State {
        candidates,
        model: config.model,
        frontier: Frontier::default(),
        answer: Answer {
            outcome: Outcome::Complete,
            proved: Vec::new(),
            undecided: Vec::new(),
            refutations: Vec::new(),
            tried: Vec::new(),
        },
    };
    state.answer.outcome = match prover.broken_under_sc() {
        Some(exploration) => Outcome::BrokenUnderSc(Box::new(exploration)),
        None => state.run(prover, config, observe),
    };
    state.conclude()
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
        match self.outcome {
            Outcome::Complete | Outcome::BrokenUnderSc(_) | Outcome::Hopeless => true,
            Outcome::Enough | Outcome::Timeout | Outcome::Interrupted => false,
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

impl Refutation {
    /// The execution.
    pub fn trace(&self) -> &Trace {
        let trace = self.exploration.trace.as_ref();
        trace.expect("a violation comes with an execution")
    }
}

/// A search under way.
struct State<'a> {
    candidates: &'a Candidates,
    model: Model,
    frontier: Frontier,
    answer: Answer,
}

impl State<'_> {
    fn run(
        &mut self,
        prover: &mut dyn Prover,
        config: &SearchConfig,
        observe: &mut dyn FnMut(&Tried),
    ) -> Outcome {
        while let Some(fences) = self.frontier.take() {
            let opinion = prover.judge(&fences);
            let is_unknown = matches!(opinion.judgement, Judgement::Unknown(_));
            if let Some(cut) = config.cut().filter(|_| is_unknown) {
                return cut;
            }
            let tried = self.record(fences, opinion);
            observe(&tried);
            self.answer.tried.push(tried);
            if self.is_hopeless() {
                return Outcome::Hopeless;
            }
            if config.max_sets == Some(self.answer.proved.len()) {
                return Outcome::Enough;
            }
            if let Some(cut) = config.cut() {
                return cut;
            }
        }
        Outcome::Complete
    }

    fn record(&mut self, fences: FenceSet, opinion: Opinion) -> Tried {
        let finding = match opinion.judgement {
            Judgement::Safe => {
                self.prove(fences.clone(), opinion.prover);
                Finding::Proved
            }
            Judgement::Violated(exploration) => {
                Finding::Refuted(self.refute(fences.clone(), *exploration))
            }
            Judgement::Unknown(reason) => {
                self.frontier.set_aside(&fences, self.candidates.ids());
                let aside = (fences.clone(), reason.clone());
                self.answer.undecided.push(aside);
                Finding::Undecided(reason)
            }
        };
        Tried {
            fences,
            finding,
            prover: opinion.prover,
            states: opinion.states,
            solver_calls: opinion.solver_calls,
        }
    }

    fn prove(&mut self, fences: FenceSet, prover: &'static str) {
        self.frontier.prove(fences.clone());
        self.answer.proved.push(Proved {
            minimality: self.answer.minimality(&fences),
            fences,
            prover,
        });
    }

    fn refute(&mut self, fences: FenceSet, mut exploration: Exploration) -> Clause {
        let program = program::lower(&self.candidates.checked, &names(self.candidates, &fences));
        let trace = exploration.trace.take();
        let trace = trace.expect("a violation comes with an execution");
        let (trace, clause) = tighten(self.candidates, &program, self.model, trace);
        exploration.trace = Some(trace);
        self.frontier.refute(&fences, clause.clone());
        self.answer.refutations.push(Refutation {
            fences,
            clause: clause.clone(),
            exploration,
        });
        clause
    }

    fn is_hopeless(&self) -> bool {
        let last = self.answer.refutations.last();
        last.is_some_and(|refutation| refutation.clause.is_empty())
    }

    /// Later executions may have refuted what was set aside, and proved placements may turn out to
    /// be exactly minimal.
    fn conclude(self) -> Answer {
        let mut answer = self.answer;
        let undecided = std::mem::take(&mut answer.undecided);
        let open = |(fences, _): &(FenceSet, String)| answer.refutation_of(fences).is_none();
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

impl SearchConfig {
    /// Why the search must end now.
    fn cut(&self) -> Option<Outcome> {
        let cancelled = self.cancel.as_ref();
        if cancelled.is_some_and(|cancelled| cancelled.load(Ordering::Relaxed)) {
            return Some(Outcome::Interrupted);
        }
        let late = self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline);
        late.then_some(Outcome::Timeout)
    }
}
