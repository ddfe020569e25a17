//! One attempt: extrapolate, abstract, check, and say what came out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use boolprog_checker::{
    Finding, Limits, Mode, Options, Outcome, Reason, Reductions, Split, Trace, ast,
};

use super::explain::Explain;
use super::path;
use super::stage::{abstracted_within, extrapolated, forgotten, not_abstracted};
use super::{Input, NAME, PredicateConfig, PredicateError};
use crate::abstraction::cubes::Spent;
use crate::abstraction::lazy::{self, LazyFinding, LazyLimits, LazyOutcome, LazyStep, Unknowns};
use crate::abstraction::{Abstraction, Transformers};
use crate::engine::Context;
use crate::extrapolate::Extrapolation;
use crate::memory::{Buffers, Model};
use crate::optimizations::Optimization;
use crate::program::{PropertyId, PropertyKind};
use crate::reduce::{Reduction, Storage};
use crate::run::stop::Stop;
use crate::smt::Effort;
use crate::verdict::{
    AbstractPath, AbstractionStats, Attempt, CubeSizes, Evidence, Limit, Method, Settings,
    SolverStats, Stats, Unknown, Verdict,
};

/// Most states of a retry that splits unknowns; there is another retry behind it.
const SPLIT_STATES: usize = 1_000_000;

/// What is varied between attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tuning {
    pub method: Method,
    pub sizes: CubeSizes,
    pub split: Split,
    pub slice: Slice,
}

/// The part of the effort that an attempt may take; the limits of the run hold as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slice {
    /// The most states.
    pub states: usize,
    /// The most questions to the solver; with cubes, of the measure of `cubes::Spent`, which is the same for any
    /// number of threads that ask.
    pub calls: u64,
}

impl Slice {
    /// As much as the limits of the run allow.
    pub const ALL: Slice = Slice {
        states: usize::MAX,
        calls: u64::MAX,
    };

    /// What larger cubes may take in a round, where a search without cubes follows.
    pub const LARGER: Slice = Slice {
        states: 1_000_000,
        calls: 20_000,
    };

    /// What a search without cubes that splits may take where refinement follows.
    pub const SPLIT: Slice = Slice {
        states: 20_000,
        calls: 10_000,
    };

    /// What a search without cubes may take: some seconds.
    pub const LAZY: Slice = Slice {
        states: 1_000_000,
        calls: 200_000,
    };
}

/// A method and its retries: unknowns are split, then larger cubes are looked for.
pub(super) fn retries(method: Method, sizes: CubeSizes) -> [Tuning; 3] {
    let plain = Tuning {
        method,
        sizes,
        split: Split::None,
        slice: Slice::ALL,
    };
    let splitting = Tuning {
        split: Split::All,
        ..plain
    };
    let larger = Tuning {
        sizes: CubeSizes {
            updates: sizes.updates + 1,
            conditions: sizes.conditions + 1,
        },
        ..plain
    };
    [plain, splitting, larger]
}

/// Whether another tuning may do better: an abstraction was too coarse, or had too many states.
pub(super) fn is_worth_a_retry(verdict: &Verdict) -> bool {
    matches!(
        verdict,
        Verdict::Unknown(Unknown::TooCoarse { .. } | Unknown::Stopped(Limit::States))
    )
}

/// The attempt that says most about why there is no proof: the last one, unless it is a retry that only reached the limit
/// on states.
pub(super) fn most_informative(attempts: &[Attempt]) -> usize {
    let last = attempts.len() - 1;
    let is_limit = |tried: &Attempt| {
        let verdict = &tried.verdict;
        matches!(verdict, Verdict::Unknown(Unknown::Stopped(Limit::States)))
    };
    let has_path = |tried: &Attempt| {
        let verdict = &tried.verdict;
        matches!(verdict, Verdict::Unknown(Unknown::TooCoarse { .. }))
    };
    match is_limit(&attempts[last]) {
        true => attempts.iter().rposition(has_path).unwrap_or(last),
        false => last,
    }
}

/// One attempt on a stage with a method, as it comes: nothing is verified under SC before, and nothing is tried after.
pub fn attempt(
    input: &Input<'_>,
    stage: &Reduction,
    method: Method,
    config: &PredicateConfig,
    context: &Context,
) -> Result<Attempt, PredicateError> {
    let this = Try {
        input,
        stage,
        tuning: Tuning {
            method,
            sizes: config.sizes,
            split: Split::None,
            slice: Slice::ALL,
        },
        config,
        context,
    };
    this.run()
}

/// One way to verify a program under a model.
#[derive(Clone, Copy)]
pub(super) struct Try<'a> {
    pub input: &'a Input<'a>,
    pub stage: &'a Reduction,
    pub tuning: Tuning,
    pub config: &'a PredicateConfig,
    pub context: &'a Context,
}

/// An abstraction and what it was made from.
pub(super) struct Built {
    pub proof: Extrapolation,
    pub abstraction: Abstraction,
    time: Duration,
}

impl Try<'_> {
    /// Makes the attempt.
    pub fn run(&self) -> Result<Attempt, PredicateError> {
        self.announce();
        if self.stop().should_stop() {
            return Ok(self.ended_early());
        }
        let tried = match self.tuning.method {
            Method::Lazy => self.lazily(),
            Method::Trad | Method::Pe | Method::Ce => self.checked(),
        };
        match tried {
            Err(PredicateError::Stopped) => Ok(self.ended_early()),
            tried => tried,
        }
    }

    /// Builds the abstraction and checks it.
    fn checked(&self) -> Result<Attempt, PredicateError> {
        let proof = self.extrapolated()?;
        Ok(match self.build_within(&proof, self.tuning.slice.calls)? {
            Ok(built) => {
                let outcome = boolprog_checker::check(&built.abstraction.program, &self.options());
                self.judge(&built, &outcome)
            }
            Err(spent) => self.unfinished(Stats {
                solver: Some(solver_stats(spent.effort)),
                ..Stats::default()
            }),
        })
    }

    /// What a try is that was given no more states or questions.
    pub fn unfinished(&self, stats: Stats) -> Attempt {
        self.attempt(stats, Verdict::Unknown(Unknown::Stopped(Limit::States)))
    }

    /// The try where it was to stop.
    pub fn ended_early(&self) -> Attempt {
        self.attempt(Stats::default(), self.stopped())
    }

    fn stop(&self) -> &Stop {
        &self.context.stop
    }

    /// Records what begins.
    pub fn announce(&self) {
        let (model, method) = (self.stage.model(), self.tuning.method.name());
        self.context.progress.begin(match self.bound() {
            None => format!("{model}, {method}"),
            Some(Buffers::Fifos) => format!("{model}, FIFOs, {method}"),
            Some(k) => format!("{model}, k = {k}, {method}"),
        });
    }

    /// How buffers are stored, if there are buffers.
    fn bound(&self) -> Option<Buffers> {
        match (self.stage.model(), self.stage.storage) {
            (Model::Sc, _) => None,
            (Model::Tso | Model::Pso, Storage::Slots) => {
                Some(Buffers::Slots(self.stage.config.sizes.clone()))
            }
            (Model::Tso | Model::Pso, Storage::Fifos) => Some(Buffers::Fifos),
        }
    }

    /// The verdict of what was ended early.
    fn stopped(&self) -> Verdict {
        Verdict::Unknown(Unknown::Stopped(Limit::of_stop(self.stop())))
    }

    /// Builds the abstraction.
    pub fn build(&self) -> Result<Built, PredicateError> {
        let built = self.build_within(&self.extrapolated()?, u64::MAX)?;
        Ok(built.expect("the allowance is enough"))
    }

    /// Builds the abstraction as far as an allowance for new questions goes; else what they took.
    pub fn build_within(
        &self,
        proof: &Extrapolation,
        allowance: u64,
    ) -> Result<Result<Built, Spent>, PredicateError> {
        let start = Instant::now();
        let config = PredicateConfig {
            sizes: self.tuning.sizes,
            ..self.config.clone()
        };
        let (input, stage, context) = (self.input, self.stage, self.context);
        let proof_and_method = (proof, self.tuning.method);
        let built = abstracted_within(input, stage, proof_and_method, &config, context, allowance)?;
        Ok(built.map(|abstraction| Built {
            proof: proof.clone(),
            abstraction,
            time: start.elapsed(),
        }))
    }

    /// The predicates of the abstraction.
    pub fn extrapolated(&self) -> Result<Extrapolation, PredicateError> {
        let rules = &self.config.extrapolate;
        extrapolated(self.input, self.stage, self.tuning.method, rules)
    }

    /// How the boolean program is checked.
    pub fn options(&self) -> Options {
        Options {
            mode: Mode::ThreeValued,
            split: self.tuning.split,
            shortest: false,
            limits: Limits {
                max_states: self.max_states(),
                // The program's threads and the environment.
                max_threads: self.stage.program.threads.len() + 1,
                timeout: self.stop().remaining(),
                cancel: self.stop().cancel.clone(),
                progress: Some(self.context.progress.states()),
            },
            reductions: match self.config.transformers {
                Transformers::Optimized => Reductions::ALL,
                Transformers::AsInPaper => Reductions::NONE,
            },
            ..Options::default()
        }
    }

    /// The most states that it may take.
    pub fn max_states(&self) -> usize {
        let states = self.context.limits.abstract_states;
        let states = states.min(self.tuning.slice.states);
        match self.tuning.split {
            Split::None => states,
            Split::Needed | Split::All => states.min(SPLIT_STATES),
        }
    }

    /// What the check of an abstraction says.
    pub fn judge(&self, built: &Built, outcome: &Outcome) -> Attempt {
        let abstraction = &built.abstraction;
        let path = |trace: &Trace, property: PropertyId| {
            let program = &self.stage.program;
            path::of_trace(trace, (abstraction, property), program, self.input.source)
        };
        let verdict = match self.decisive(abstraction, outcome) {
            Decisive::Verified => self.verified(),
            // Without time for the solver the abstraction says nothing about the predicates.
            _ if self.stop().should_stop() => self.stopped(),
            Decisive::Broken(property, trace) => self.replayed(path(trace, property)),
            Decisive::Limit(limit) if limit.is_stop() => self.stopped(),
            Decisive::Limit(limit) => Verdict::Unknown(Unknown::Stopped(limit)),
            Decisive::Overflow(property, trace) => self.overflow(path(trace, property)),
        };
        let stats = Stats {
            states: outcome.stats.states,
            memory_bytes: outcome.stats.memory_bytes,
            time: Duration::from_secs_f64(outcome.stats.seconds),
            max_buffer: None,
            solver: Some(solver_stats(abstraction.spent.effort)),
            abstraction: Some(AbstractionStats {
                predicates: built.proof.predicates.len(),
                cubes: (self.tuning.method == Method::Ce).then_some(built.proof.cubes.len()),
                build_time: built.time,
                cubes_used: abstraction.cubes.len(),
                largest_cube: abstraction.largest_cube(),
            }),
        };
        self.attempt(stats, verdict)
    }

    /// Whether a check ended for want of states, with nothing that decides.
    pub fn ran_out(&self, built: &Built, outcome: &Outcome) -> bool {
        let decisive = self.decisive(&built.abstraction, outcome);
        matches!(decisive, Decisive::Limit(Limit::States))
    }

    /// Tries the lazy search.
    fn lazily(&self) -> Result<Attempt, PredicateError> {
        let start = Instant::now();
        let (proof, found) = self.lazy_search()?;
        Ok(self.judge_lazy(&proof, &found, start.elapsed()))
    }

    /// What a lazy search says: what takes the place of building and checking is all checking.
    pub fn judge_lazy(
        &self,
        proof: &Extrapolation,
        found: &LazyOutcome,
        time: Duration,
    ) -> Attempt {
        let path = |steps: &[LazyStep], property: PropertyId| {
            let told = (&proof.predicates[..], property);
            let (program, source) = (&self.stage.program, self.input.source);
            path::of_lazy((&found.initial, steps), told, program, source)
        };
        let verdict = match &found.finding {
            LazyFinding::Verified => self.verified(),
            LazyFinding::Timeout => self.stopped(),
            LazyFinding::States => Verdict::Unknown(Unknown::Stopped(Limit::States)),
            LazyFinding::Broken(property, steps) => match self.is_overflow(*property) {
                false => self.replayed(path(steps, *property)),
                true => self.overflow(path(steps, *property)),
            },
        };
        self.attempt(lazy_stats(proof, found.states, found.effort, time), verdict)
    }

    /// What a path that may break a property is: a violation, if it is real.
    fn replayed(&self, path: AbstractPath) -> Verdict {
        let explain = Explain {
            input: self.input,
            stage: self.stage,
            method: self.tuning.method,
            config: self.config,
            context: self.context,
        };
        explain.replayed(path)
    }

    /// Searches the abstract states one by one.
    pub fn lazy_search(&self) -> Result<(Extrapolation, LazyOutcome), PredicateError> {
        let proof = self.extrapolated()?;
        let buffers = forgotten(self.stage, self.config);
        let (program, limits) = (&self.stage.program, self.lazy_limits());
        let unknowns = self.unknowns();
        let found = lazy::search(program, &proof.predicates, &buffers, unknowns, limits);
        Ok((proof, found.map_err(not_abstracted)?))
    }

    /// The limits of a lazy search.
    pub fn lazy_limits(&self) -> LazyLimits {
        LazyLimits {
            max_states: self.max_states(),
            max_calls: self.tuning.slice.calls,
            stop: self.stop().clone(),
            differences: self.config.optimizations.has(Optimization::Differences),
        }
    }

    /// What a lazy search does with unknowns.
    pub fn unknowns(&self) -> Unknowns {
        match self.tuning.split {
            Split::None => Unknowns::Kept,
            Split::Needed | Split::All => Unknowns::Split,
        }
    }

    fn attempt(&self, stats: Stats, verdict: Verdict) -> Attempt {
        Attempt {
            engine: NAME,
            settings: self.settings(),
            stats,
            verdict,
        }
    }

    fn settings(&self) -> Settings {
        Settings {
            method: Some(self.tuning.method),
            buffers: self.bound(),
            cube_sizes: Some(self.tuning.sizes),
            split: self.tuning.split != Split::None,
            found: None,
            coherence: None,
        }
    }

    fn verified(&self) -> Verdict {
        Verdict::Verified(Evidence::Invariant(self.settings()))
    }

    /// What an overflow means that the abstraction cannot exclude. Where the program is a translation itself and
    /// its own check may fail, larger buffers of its reduction do not help.
    fn overflow(&self, path: AbstractPath) -> Verdict {
        let is_own = self.stage.source_property(path.property).is_some();
        Verdict::Unknown(match is_own && self.bound().is_some() {
            true => Unknown::Stopped(Limit::Overflow),
            false => Unknown::Overflow {
                path: Arc::new(path),
                growth: None,
            },
        })
    }

    fn is_overflow(&self, property: PropertyId) -> bool {
        self.stage.program.property(property).kind == PropertyKind::Overflow
    }

    /// A user's property that may be broken comes first, then a limit, then an overflow.
    fn decisive<'a>(&self, abstraction: &Abstraction, outcome: &'a Outcome) -> Decisive<'a> {
        let mut limit = None;
        let mut overflow = None;
        for report in &outcome.assertions {
            match &report.finding {
                Finding::Verified => {}
                Finding::Violated(trace) | Finding::Unknown(Reason::Abstraction(trace)) => {
                    let property = property_of(abstraction, report.stmt);
                    match self.is_overflow(property) {
                        false => return Decisive::Broken(property, trace),
                        true => overflow = overflow.or(Some((property, trace))),
                    }
                }
                Finding::Unknown(Reason::Limit(reached)) => {
                    limit = limit.or(Some(limit_of(*reached)));
                }
            }
        }
        match (limit, overflow) {
            (Some(reason), _) => Decisive::Limit(reason),
            (None, Some((property, trace))) => Decisive::Overflow(property, trace),
            (None, None) => Decisive::Verified,
        }
    }
}

/// What decides a check.
enum Decisive<'a> {
    Verified,
    Broken(PropertyId, &'a Trace),
    Limit(Limit),
    Overflow(PropertyId, &'a Trace),
}

/// The limit that the checker met.
pub(super) fn limit_of(limit: boolprog_checker::Limit) -> Limit {
    match limit {
        boolprog_checker::Limit::States | boolprog_checker::Limit::Threads => Limit::States,
        boolprog_checker::Limit::Timeout => Limit::Timeout,
        boolprog_checker::Limit::Cancelled => Limit::Interrupted,
    }
}

fn property_of(abstraction: &Abstraction, stmt: ast::StmtId) -> PropertyId {
    let tag = abstraction.program.stmt(stmt).origin.tag;
    let origin = tag.and_then(|tag| abstraction.origins.get(tag as usize));
    let property = origin.and_then(|origin| origin.property);
    property.expect("every assertion is made for a property")
}

/// The figures of a lazy search.
pub(super) fn lazy_stats(
    proof: &Extrapolation,
    states: usize,
    effort: Effort,
    time: Duration,
) -> Stats {
    Stats {
        states,
        time,
        solver: Some(solver_stats(effort)),
        abstraction: Some(AbstractionStats {
            predicates: proof.predicates.len(),
            ..AbstractionStats::default()
        }),
        ..Stats::default()
    }
}

pub(super) fn solver_stats(effort: Effort) -> SolverStats {
    SolverStats {
        calls: effort.calls,
        z3_calls: effort.z3_calls,
        unanswered: effort.unknown,
        time: effort.time,
    }
}
