//! Counterexample-guided refinement: the loop of Fig. 1 of the SAS 2012 paper.
//!
//! Input: a program under a model, and the predicates to begin with. Abstract, check, ask whether the path is real,
//! refine: until there is a verdict, or nothing more to do. A path that an abstraction cannot exclude is one of
//! four (section 7 of the paper): real under SC, or real under the model, which ends the loop with a violation;
//! impossible with larger buffers, so that the bound goes up; or impossible in data, so that predicates are added
//! that exclude it. Buffered values are called by their variable, so every predicate is one of an SC proof.

use std::sync::Arc;

use boolprog_checker::Split;
use indexmap::IndexSet;

use super::attempt::{Slice, Try, Tuning};
use super::explain::{Explain, steps};
use super::stage::{harvested, stage_with};
use super::{Input, PredicateConfig, PredicateError};
use crate::engine::{Context, Task};
use crate::logic::Predicate;
use crate::memory::{Buffers, Model};
use crate::program;
use crate::proof::Proof;
use crate::reduce::Reduction;
use crate::refine::symmetry::{self, Orbit, Swap};
use crate::refine::{self, Chosen, Pool};
use crate::verdict::{
    AbstractPath, Attempt, Case, Evidence, Feasibility, Found, Method, Round, Unknown, Verdict,
};

/// The most questions to the solver for the choice of the predicates of a round.
const CHOICE_CALLS: u64 = 500_000;

/// What candidates are made of, computed once for a program.
pub(super) struct Material {
    /// What the program itself names.
    named: Vec<Predicate>,
    /// What the shapes of its statements suggest.
    pool: Pool,
    /// Swaps of alike threads.
    swaps: Vec<Swap>,
    /// The number of threads.
    threads: usize,
}

impl Material {
    pub(super) fn of(task: &Task<'_>) -> Self {
        let program = program::lower(task.program, &IndexSet::new());
        Material {
            named: harvested(task).predicates,
            pool: Pool::of(&program),
            swaps: symmetry::swaps(&program),
            threads: program.threads.len(),
        }
    }
}

/// The refinement of a proof for a program under a model.
pub(super) struct Refinement<'a> {
    pub task: &'a Task<'a>,
    pub model: Model,
    pub bounds: &'a [Buffers],
    pub config: &'a PredicateConfig,
    pub context: &'a Context,
    pub material: &'a Material,
    /// The proof so far.
    pub proof: Proof,
    /// The rounds so far.
    pub rounds: Vec<Round>,
    /// How many of them were before.
    pub before: usize,
}

/// How it goes on.
enum Next {
    Verified,
    End,
    OtherMethod,
    LargerBound,
    NewPredicates,
}

impl Refinement<'_> {
    /// Runs the loop; the last attempt.
    pub(super) fn run(&mut self) -> Result<Attempt, PredicateError> {
        let (mut bound, mut method) = (0, 0);
        let mut stage = self.stage(bound)?;
        let methods = self.methods();
        let kept = self.proof.predicates.len();
        loop {
            let mut attempt = self.attempt(&stage, methods[method], &self.proof)?;
            match self.next(&stage, &mut attempt) {
                Next::Verified => {
                    let attempt = self.minimized(&stage, methods[method], kept, attempt)?;
                    return Ok(with_found(attempt, self.found()));
                }
                Next::LargerBound if bound + 1 < self.bounds.len() => {
                    let round = self.round(&attempt, Case::Buffers, path_length(&attempt));
                    self.rounds.push(round);
                    bound += 1;
                    stage = self.stage(bound)?;
                }
                Next::OtherMethod if method + 1 < methods.len() => method += 1,
                Next::NewPredicates => method = 0,
                Next::End | Next::LargerBound | Next::OtherMethod => {
                    return Ok(with_found(attempt, self.found()));
                }
            }
        }
    }

    /// What to do about an attempt.
    fn next(&mut self, stage: &Reduction, attempt: &mut Attempt) -> Next {
        let proof = self.proof.clone();
        let input = input(self.task, &proof);
        let explain = Explain {
            input: &input,
            stage,
            method: attempt.settings.method.unwrap_or(Method::Trad),
            config: self.config,
            context: self.context,
        };
        if let Verdict::Unknown(Unknown::Overflow { .. }) = attempt.verdict {
            attempt.verdict = explain.replayed_overflow(attempt.verdict.clone());
        }
        let unknown = match &attempt.verdict {
            Verdict::Verified(_) => return Next::Verified,
            Verdict::Violated(_) => return Next::End,
            Verdict::Unknown(unknown) => unknown,
        };
        let Some(path) = unknown.path().cloned() else {
            return match unknown.is_stop() {
                true => Next::End,
                false => Next::OtherMethod,
            };
        };
        let is_overflow = matches!(unknown, Unknown::Overflow { .. });
        let next = match path.feasibility {
            Feasibility::Spurious { step, .. } => self.exclude(&explain, attempt, (&path, step)),
            Feasibility::Feasible(_) => Next::LargerBound,
            Feasibility::Undecided => Next::OtherMethod,
        };
        match next {
            Next::OtherMethod if is_overflow => Next::LargerBound,
            next => next,
        }
    }

    /// Adds predicates that exclude a path at a step.
    fn exclude(
        &mut self,
        explain: &Explain<'_>,
        attempt: &Attempt,
        (path, step): (&AbstractPath, usize),
    ) -> Next {
        if self.rounds.len() - self.before >= self.config.refine {
            return Next::End;
        }
        let steps = steps(path);
        let weakest = refine::weakest(explain.stage, &steps, step);
        let weakest = refine::without_marches(&self.proof, weakest);
        let tiers = self.tiers(weakest);
        let (chosen, effort) = explain.choose(&steps, &tiers, CHOICE_CALLS);
        let Chosen::Candidates(chosen) = chosen else {
            return Next::OtherMethod;
        };
        let new = refine::unknown_to(&self.proof, chosen);
        let source = &explain.stage.source;
        let lines = new.iter().map(|predicate| predicate.text(source));
        let round = Round {
            predicates: lines.collect(),
            calls: attempt.stats.solver_calls() + effort.calls,
            ..self.round(attempt, Case::Data, steps.steps.len())
        };
        self.rounds.push(round);
        self.proof.predicates.extend(new);
        Next::NewPredicates
    }

    /// A round that begins with an attempt.
    fn round(&self, attempt: &Attempt, case: Case, steps: usize) -> Round {
        Round {
            model: self.model,
            buffers: attempt.settings.buffers.clone(),
            case,
            steps,
            predicates: Vec::new(),
            states: attempt.stats.states,
            calls: attempt.stats.solver_calls(),
        }
    }

    /// The candidates of a round, the better ones first.
    fn tiers(&self, weakest: Vec<Predicate>) -> Vec<Vec<Orbit>> {
        let Pool {
            constants,
            pairs,
            offsets,
            orders,
            shifted,
            bounds,
        } = &self.material.pool;
        let named = &self.material.named;
        let shapes = [named, constants, bounds, offsets, shifted];
        let tiers = [
            [pairs, orders].into_iter().flatten().cloned().collect(),
            shapes.into_iter().flatten().cloned().collect(),
            weakest,
        ];
        let unknown = |candidates: Vec<Predicate>| refine::unknown_to(&self.proof, candidates);
        let orbits = |candidates| self.orbits(&unknown(candidates));
        tiers.into_iter().map(orbits).collect()
    }

    /// Predicates with their images under swaps of threads.
    pub(super) fn orbits(&self, predicates: &[Predicate]) -> Vec<Orbit> {
        symmetry::orbits(predicates, &self.material.swaps)
    }

    /// An attempt with a proof.
    pub(super) fn attempt(
        &self,
        stage: &Reduction,
        method: Method,
        proof: &Proof,
    ) -> Result<Attempt, PredicateError> {
        let tuning = Tuning {
            method,
            sizes: self.config.sizes,
            split: Split::None,
            slice: Slice::LAZY,
        };
        let this = Try {
            input: &input(self.task, proof),
            stage,
            tuning,
            config: self.config,
            context: self.context,
        };
        this.run()
    }

    /// The methods of a round: first the one that is quick, then the one that uses all that the predicates say.
    fn methods(&self) -> Vec<Method> {
        match (self.model, self.material.threads) {
            (Model::Sc, 0..=2) => vec![Method::Lazy],
            (Model::Sc, _) => vec![Method::Trad, Method::Lazy],
            (Model::Tso | Model::Pso, _) => match self.bounds {
                // Facts need many literals at once, more than cubes have.
                [Buffers::Fifos] => vec![Method::Lazy],
                _ => vec![Method::Pe, Method::Lazy],
            },
        }
    }

    fn found(&self) -> Found {
        let program = program::lower(self.task.program, &IndexSet::new());
        let predicates = self.proof.predicates.iter();
        Found {
            predicates: predicates.filter_map(|p| p.cond().cloned()).collect(),
            lines: self.proof.lines(&program).0,
            rounds: self.rounds.clone(),
        }
    }

    fn stage(&self, bound: usize) -> Result<Reduction, PredicateError> {
        let bound = (self.model, &self.bounds[bound]);
        let input = input(self.task, &self.proof);
        stage_with(&input, bound, self.task.fences)
    }
}

fn input<'a>(task: &'a Task<'a>, proof: &'a Proof) -> Input<'a> {
    Input {
        source: task.source,
        program: task.program,
        proof,
    }
}

/// The number of steps of the path that an attempt cannot exclude.
fn path_length(attempt: &Attempt) -> usize {
    match &attempt.verdict {
        Verdict::Unknown(unknown) => unknown.path().map_or(0, |path| path.edges().len()),
        Verdict::Verified(_) | Verdict::Violated(_) => 0,
    }
}

/// The attempt with the proof that it was made with.
fn with_found(mut attempt: Attempt, found: Found) -> Attempt {
    attempt.settings.found = Some(Arc::new(found));
    if let Verdict::Verified(Evidence::Invariant(settings)) = &mut attempt.verdict {
        settings.found.clone_from(&attempt.settings.found);
    }
    attempt
}
