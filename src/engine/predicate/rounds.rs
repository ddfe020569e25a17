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

use super::attempt::{Slice, Try, Tuning, retries};
use super::explain::{Explain, steps};
use super::stage::stage_with;
use super::{Input, PredicateConfig, PredicateError};
use crate::engine::{Context, Task};
use crate::logic::Predicate;
use crate::memory::{Buffers, Model};
use crate::program::{self, Property, ThreadId};
use crate::proof::{self, Proof};
use crate::reduce::Reduction;
use crate::refine::symmetry::{self, Orbit, Swap};
use crate::refine::{self, Chosen, Pool, fewer};
use crate::verdict::{
    AbstractPath, Attempt, Case, Evidence, Feasibility, Found, Limit, Method, Round, Unknown,
    Verdict,
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
    /// The threads that are left out.
    without: Vec<ThreadId>,
    /// The number of the others.
    pub threads: usize,
    /// What the statements say, where there are or were more than two alike threads.
    pub definitions: Vec<Predicate>,
}

impl Material {
    pub(super) fn of(task: &Task<'_>) -> Self {
        Self::without(task, Vec::new())
    }

    /// The material of a program without some threads.
    pub(super) fn without(task: &Task<'_>, threads: Vec<ThreadId>) -> Self {
        let mut program = program::lower(task.program, &IndexSet::new());
        fewer::hold(&mut program, &threads);
        let definitions = match threads.is_empty() {
            true => Vec::new(),
            false => refine::definitions(&program),
        };
        Material {
            definitions,
            named: proof::harvest(&program).0.predicates,
            pool: Pool::of(&program),
            swaps: symmetry::swaps(&program),
            threads: program.threads.len() - threads.len(),
            without: threads,
        }
    }

    /// A proof with the images of its predicates.
    pub(super) fn with_images(&self, proof: &Proof) -> Proof {
        let orbits = symmetry::orbits(&proof.predicates, &self.swaps);
        Proof {
            predicates: orbits.into_iter().flatten().collect(),
            cubes: None,
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
    /// How many predicates, the first ones, stay in any case.
    pub kept: usize,
    /// Whether what is not needed is left out of the proof that is found.
    pub minimizes: bool,
    /// The attempt of the last round in which predicates were added.
    pub open: Option<Attempt>,
}

/// How it goes on.
enum Next {
    Verified,
    Violated(Case),
    End,
    OtherSettings,
    LargerBound,
    NewPredicates,
}

impl Refinement<'_> {
    /// Runs the loop; the last attempt.
    pub(super) fn run(&mut self) -> Result<Attempt, PredicateError> {
        let (mut bound, mut tuning) = (0, 0);
        let mut stage = self.stage(bound)?;
        let tunings = self.tunings();
        loop {
            let mut attempt = self.attempt(&stage, tunings[tuning], &self.proof)?;
            match self.next(&stage, &mut attempt) {
                Next::Verified => {
                    let verified = (tunings[tuning], attempt);
                    let (tuning, attempt) = self.with_cubes(&stage, tunings[0], verified)?;
                    let attempt = match self.minimizes {
                        true => self.minimized(&stage, tuning, attempt)?,
                        false => attempt,
                    };
                    return Ok(with_found(attempt, self.found()));
                }
                Next::Violated(case) => {
                    let round = self.round(&stage, &attempt, case);
                    self.rounds.push(round);
                    return Ok(with_found(attempt, self.found()));
                }
                Next::LargerBound if bound + 1 < self.bounds.len() => {
                    let round = self.round(&stage, &attempt, Case::Buffers);
                    self.rounds.push(round);
                    bound += 1;
                    stage = self.stage(bound)?;
                }
                Next::OtherSettings if tuning + 1 < tunings.len() => tuning += 1,
                Next::NewPredicates => tuning = 0,
                Next::End | Next::LargerBound | Next::OtherSettings => {
                    self.note_stop(&mut attempt);
                    return Ok(with_found(attempt, self.found()));
                }
            }
        }
    }

    /// Where the work was to stop while predicates were chosen, that is the reason, and the path the last one that was to
    /// be excluded.
    fn note_stop(&mut self, attempt: &mut Attempt) {
        let stop = &self.context.stop;
        let has_path = matches!(attempt.verdict, Verdict::Unknown(Unknown::TooCoarse { .. }));
        if has_path && stop.should_stop() {
            self.open = Some(attempt.clone());
            attempt.verdict = Verdict::Unknown(Unknown::Stopped(Limit::of_stop(stop)));
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
            Verdict::Violated(_) => {
                return Next::Violated(match self.model {
                    Model::Sc => Case::Sc,
                    Model::Tso | Model::Pso => Case::Model,
                });
            }
            Verdict::Unknown(unknown) => unknown,
        };
        let Some(path) = unknown.path().cloned() else {
            return match unknown.is_stop() {
                true => Next::End,
                false => Next::OtherSettings,
            };
        };
        let is_overflow = matches!(unknown, Unknown::Overflow { .. });
        let next = match path.feasibility {
            Feasibility::Spurious { step, .. } => self.exclude(&explain, attempt, (&path, step)),
            Feasibility::Feasible(_) => Next::LargerBound,
            Feasibility::Undecided => Next::OtherSettings,
        };
        match next {
            Next::OtherSettings if is_overflow => Next::LargerBound,
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
            return Next::OtherSettings;
        };
        let new = refine::unknown_to(&self.proof, chosen);
        let source = &explain.stage.source;
        let lines = new.iter().map(|predicate| predicate.text(source));
        let round = Round {
            predicates: lines.collect(),
            calls: attempt.stats.solver_calls() + effort.calls,
            ..self.round(explain.stage, attempt, Case::Data)
        };
        self.rounds.push(round);
        self.proof.predicates.extend(new);
        self.open = Some(attempt.clone());
        Next::NewPredicates
    }

    /// A round that begins with an attempt.
    fn round(&self, stage: &Reduction, attempt: &Attempt, case: Case) -> Round {
        let (steps, property) = path_of(stage, attempt);
        Round {
            model: self.model,
            threads: self.material.threads,
            buffers: attempt.settings.buffers.clone(),
            case,
            steps,
            property,
            predicates: Vec::new(),
            states: attempt.stats.states,
            calls: attempt.stats.solver_calls(),
        }
    }

    /// The candidates that relate two variables; between many threads an order says more than an equality: there are fewer
    /// cases to tell apart.
    pub(super) fn relations(&self) -> Vec<Predicate> {
        let Pool { pairs, orders, .. } = &self.material.pool;
        let relations = match self.material.threads {
            0..=2 => [pairs, orders],
            _ => [orders, pairs],
        };
        relations.into_iter().flatten().cloned().collect()
    }

    /// The candidates of a round, the better ones first.
    fn tiers(&self, weakest: Vec<Predicate>) -> Vec<Vec<Orbit>> {
        let Pool {
            constants,
            offsets,
            shifted,
            bounds,
            ..
        } = &self.material.pool;
        let named = &self.material.named;
        let shapes = [named, constants, bounds, offsets, shifted];
        let tiers = [
            self.relations(),
            shapes.into_iter().flatten().cloned().collect(),
            weakest,
        ];
        let unknown = |candidates: Vec<Predicate>| refine::unknown_to(&self.proof, candidates);
        let orbits = |candidates| self.orbits(&unknown(candidates));
        tiers.into_iter().map(orbits).collect()
    }

    /// Whether a candidate compares what two alike threads have at the same place.
    pub(super) fn is_between_alike(&self, orbit: &Orbit) -> bool {
        let mut orbit = orbit.iter();
        orbit.any(|predicate| symmetry::is_between_alike(predicate, &self.material.swaps))
    }

    /// Predicates with their images under swaps of threads.
    pub(super) fn orbits(&self, predicates: &[Predicate]) -> Vec<Orbit> {
        symmetry::orbits(predicates, &self.material.swaps)
    }

    /// An attempt with a proof.
    pub(super) fn attempt(
        &self,
        stage: &Reduction,
        tuning: Tuning,
        proof: &Proof,
    ) -> Result<Attempt, PredicateError> {
        let this = Try {
            input: &input(self.task, proof),
            stage,
            tuning,
            config: self.config,
            context: self.context,
        };
        this.run()
    }

    /// The settings of a round: first what is quick, last what uses all that the predicates say. With three or more
    /// threads the latter has very many states, so larger cubes come before it. Facts about the entries of FIFOs need many
    /// literals at once, more than cubes have; there, what no predicate can tell before a step is split.
    fn tunings(&self) -> Vec<Tuning> {
        let [plain, _, larger] = retries(
            match self.model {
                Model::Sc => Method::Trad,
                Model::Tso | Model::Pso => Method::Pe,
            },
            self.config.sizes,
        );
        let lazy = Tuning {
            method: Method::Lazy,
            ..plain
        };
        let all = match (self.model, self.material.threads) {
            (Model::Sc, 0..=2) => vec![lazy],
            (Model::Sc, _) => vec![plain, larger, lazy],
            (Model::Tso | Model::Pso, _) if *self.bounds == [Buffers::Fifos] => {
                let splitting = Tuning {
                    split: Split::All,
                    ..lazy
                };
                vec![lazy, splitting]
            }
            (Model::Tso | Model::Pso, _) => vec![plain, lazy],
        };
        let sliced = |tuning: Tuning| Tuning {
            slice: match tuning {
                tuning if tuning == larger => Slice::LARGER,
                Tuning {
                    split: Split::None, ..
                } => Slice::LAZY,
                _ => Slice::SPLIT,
            },
            ..tuning
        };
        all.into_iter().map(sliced).collect()
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
        let stop = &self.context.stop;
        let mut stage = stage_with(&input, bound, self.task.fences, stop)?;
        fewer::hold(&mut stage.program, &self.material.without);
        Ok(stage)
    }
}

fn input<'a>(task: &'a Task<'a>, proof: &'a Proof) -> Input<'a> {
    Input {
        source: task.source,
        program: task.program,
        proof,
    }
}

/// The number of steps of the path that an attempt cannot exclude, or of the execution that it is, and the property.
fn path_of(stage: &Reduction, attempt: &Attempt) -> (usize, String) {
    let named = |property: &Property| property.name.clone().unwrap_or(property.text.clone());
    match &attempt.verdict {
        Verdict::Unknown(unknown) => unknown.path().map_or_else(Default::default, |path| {
            let property = stage.program.property(path.property);
            (path.edges().len(), named(property))
        }),
        Verdict::Violated(violation) => {
            let trace = violation.trace();
            let property = trace.property.map(|id| violation.program().property(id));
            (trace.steps.len(), property.map_or_else(String::new, named))
        }
        Verdict::Verified(_) => Default::default(),
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
