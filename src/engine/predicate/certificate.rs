//! The certificate of a verified result: its inductive invariant, found again without reductions.
//!
//! Input: a task and the settings of the attempt that verified it. Output: a [`Certificate`].
//! That attempt is built once more, its solver calls answered from the memo, and searched
//! without the reductions of the search; each state is a pair. Inside atomic sections, which the
//! search runs as one step, there are pairs where `certify` would not get through otherwise: at the
//! heads of loops and, in threads whose sections have very many paths, at every location.
//!
//! Why the pairs are inductive: the search over-approximates every step of the program from every state
//! that a three-valued state stands for, whatever was learned on the way. Nothing here is trusted:
//! `certify` does not know how the pairs were found.

use boolprog_checker::{AbstractState, inductive_states};

use super::attempt::{Slice, Try, Tuning, limit_of};
use super::facts;
use super::no_certificate::{NoCertificate, cube};
use super::prove::prove;
use super::stage::{harvested, stage_with, too_large};
use super::totalize::totalize;
use super::{Input, PredicateConfig, PredicateError};
use crate::abstraction::Abstraction;
use crate::abstraction::lazy::LazyFinding;
use crate::certificate::{Body, Certificate, Pair};
use crate::engine::{Context, Task};
use crate::logic::Predicate;
use crate::memory::{BufferSizes, Buffers};
use crate::program::{Cond, LocId, Program, Thread};
use crate::proof::Proof;
use crate::reduce::{Reduction, Storage};
use crate::source::Span;
use crate::verdict::{Found, Limit, Method, Settings};

/// How many paths of a thread's atomic sections are followed whole.
const MAX_PATHS: usize = 200;

/// The certificate of a task that an attempt with these settings verified.
pub fn certificate(
    task: &Task<'_>,
    settings: &Settings,
    config: &PredicateConfig,
    context: &Context,
) -> Result<Certificate, NoCertificate> {
    let found = invariant(task, (settings, Slice::ALL), config, context)?;
    Ok(Certificate {
        source: task.source.clone(),
        config: found.stage.config,
        body: found.body,
    })
}

/// An inductive invariant.
pub(super) struct Invariant {
    /// The program that it is about.
    pub stage: Reduction,
    /// Where threads are, and what holds there; not everywhere inside atomic sections.
    pub body: Body,
}

/// The invariant of a task that an attempt with these settings verified, if it is found with this part of the effort.
pub(super) fn invariant(
    task: &Task<'_>,
    (settings, slice): (&Settings, Slice),
    config: &PredicateConfig,
    context: &Context,
) -> Result<Invariant, NoCertificate> {
    let proof = match &settings.found {
        Some(found) => proof_of(found)?,
        None => task.proof.cloned().unwrap_or_else(|| harvested(task)),
    };
    let input = Input {
        source: task.source,
        program: task.program,
        proof: &proof,
    };
    let tuning = Tuning {
        slice,
        ..Tuning::of(settings)
    };
    let completed = match (tuning.method, &proof.cubes) {
        (Method::Ce, None) => prove(&input, config, context)?.proof,
        _ => None,
    };
    let input = &Input {
        proof: completed.as_ref().unwrap_or(&proof),
        ..input
    };
    let one = Buffers::Slots(BufferSizes::ONE);
    let buffers = settings.buffers.as_ref().unwrap_or(&one);
    let stage = stage_with(input, (task.model, buffers), task.fences, &context.stop)?;
    let this = Try {
        input,
        stage: &stage,
        tuning,
        config,
        context,
    };
    if stage.storage == Storage::Fifos {
        let body = facts::body(&this)?;
        return Ok(Invariant { stage, body });
    }
    let (predicates, pairs) = match tuning.method {
        Method::Lazy => lazily(&this)?,
        Method::Trad | Method::Pe | Method::Ce => from_boolean_program(&this)?,
    };
    let body = Body::Invariant { predicates, pairs };
    Ok(Invariant { stage, body })
}

impl Invariant {
    /// Where threads can be, in the order of threads.
    pub fn locations(&self) -> Vec<&[LocId]> {
        match &self.body {
            Body::Invariant { pairs, .. } => pairs.iter().map(|pair| pair.at.as_slice()).collect(),
            Body::Facts(table) => {
                let states = table.states.iter();
                states.map(|state| state.at.as_slice()).collect()
            }
            Body::States(_) | Body::Basis(_) => Vec::new(),
        }
    }
}

/// The proof that an engine found.
pub fn proof_of(found: &Found) -> Result<Proof, PredicateError> {
    let conds = found.predicates.iter().cloned();
    let predicates = conds.map(Predicate::new).collect::<Result<_, _>>();
    Ok(Proof {
        predicates: predicates.map_err(|error| too_large(error, Span::default()))?,
        cubes: None,
    })
}

impl Tuning {
    /// What was varied to come to these settings.
    fn of(settings: &Settings) -> Self {
        Tuning {
            method: settings.method.unwrap_or(Method::Trad),
            sizes: settings.cube_sizes.unwrap_or_default(),
            split: match settings.split {
                true => boolprog_checker::Split::All,
                false => boolprog_checker::Split::None,
            },
            slice: Slice::ALL,
        }
    }
}

fn lazily(this: &Try<'_>) -> Result<(Vec<Cond>, Vec<Pair>), NoCertificate> {
    let (proof, found) = this.lazy_search()?;
    in_time(this)?;
    if matches!(found.finding, LazyFinding::States) {
        return Err(NoCertificate::Limit(Limit::States));
    }
    let program = &this.stage.program;
    let stops = stops(program);
    let wanted = |at: &[LocId]| {
        let mut threads = program.threads.iter().zip(&stops).zip(at);
        threads.all(|((thread, stops), at)| !thread.location(*at).held || stops[at.index()])
    };
    let states = found.invariant.into_iter().filter(|(at, _)| wanted(at));
    let pairs = states.map(|(at, values)| Pair {
        cube: cube(&values),
        at,
    });
    Ok((conditions(&proof.predicates)?, pairs.collect()))
}

fn from_boolean_program(this: &Try<'_>) -> Result<(Vec<Cond>, Vec<Pair>), NoCertificate> {
    let built = this.build()?;
    in_time(this)?;
    let (program, abstraction) = (&this.stage.program, &built.abstraction);
    let stops = stops(program);
    let inside = |stmt| match abstraction.location_of(stmt) {
        Some((thread, at)) => stops[thread.index()][at.index()],
        None => false,
    };
    let states = inductive_states(&abstraction.program, &this.options(), inside);
    let states = states.map_err(|limit| NoCertificate::Limit(limit_of(limit)))?;
    let predicates = built.proof.predicates;
    let pairs = states.iter().filter_map(|state| {
        Some(Pair {
            at: vector(state, program, abstraction)?,
            // Behind the predicates come the flags of locations, which the vector makes superfluous.
            cube: cube(&state.globals[..predicates.len()]),
        })
    });
    let pairs = pairs.collect();
    Ok((conditions(&predicates)?, pairs))
}

/// What predicates say, where none of them is a fact about the entries of a FIFO.
fn conditions(predicates: &[Predicate]) -> Result<Vec<Cond>, NoCertificate> {
    let conditions = predicates.iter().map(|p| p.cond().map(totalize));
    conditions
        .collect::<Option<_>>()
        .ok_or(NoCertificate::Facts)
}

/// Without time for the solver the abstraction says nothing.
fn in_time(this: &Try<'_>) -> Result<(), NoCertificate> {
    let stop = &this.context.stop;
    match stop.should_stop() {
        false => Ok(()),
        true => Err(NoCertificate::Limit(Limit::of_stop(stop))),
    }
}

/// The locations of a state's threads; `None` before they have been started, and in the middle of a
/// background block.
fn vector(
    state: &AbstractState,
    program: &Program,
    abstraction: &Abstraction,
) -> Option<Vec<LocId>> {
    const ENVIRONMENT: usize = 0;
    let mut at: Vec<LocId> = program.threads.iter().map(|thread| thread.end).collect();
    for thread in &state.threads {
        let location = thread.next.and_then(|next| abstraction.location_of(next));
        match (thread.slot, location) {
            (ENVIRONMENT, _) if state.holder == Some(ENVIRONMENT) => return None,
            (ENVIRONMENT, _) if thread.next.is_some_and(|next| next.index() == 0) => return None,
            (ENVIRONMENT, _) => {}
            (_, Some((id, location))) => at[id.index()] = location,
            (_, None) => return None,
        }
    }
    Some(at)
}

/// The held locations, by thread, at which pairs are listed.
fn stops(program: &Program) -> Vec<Vec<bool>> {
    program.threads.iter().map(thread_stops).collect()
}

fn thread_stops(thread: &Thread) -> Vec<bool> {
    let mut walk = Walk {
        thread,
        paths: vec![None; thread.locations.len()],
        open: vec![false; thread.locations.len()],
        stops: vec![false; thread.locations.len()],
    };
    let starts = (0..thread.locations.len()).map(LocId::new);
    starts.for_each(|start| walk.run(start));
    if walk.paths.iter().flatten().any(|paths| *paths > MAX_PATHS) {
        let locations = thread.locations.iter();
        return locations.map(|location| location.held).collect();
    }
    walk.stops
}

/// Counts the paths through a thread's atomic sections, and finds the heads of loops in them.
struct Walk<'a> {
    thread: &'a Thread,
    /// The number of paths from a location to where the section ends, loops cut at their heads.
    paths: Vec<Option<usize>>,
    /// The locations on the path that is being followed.
    open: Vec<bool>,
    stops: Vec<bool>,
}

impl Walk<'_> {
    /// Follows all paths from a location, depth first.
    fn run(&mut self, start: LocId) {
        let mut work = vec![(start, 0)];
        while let Some((here, place)) = work.pop() {
            self.open[here.index()] = true;
            let edges = &self.thread.location(here).edges;
            let Some(edge) = edges.get(place) else {
                let more = edges.iter().map(|edge| self.paths_behind(edge.target));
                self.paths[here.index()] = Some(more.fold(0, usize::saturating_add));
                self.open[here.index()] = false;
                continue;
            };
            work.push((here, place + 1));
            let target = edge.target;
            if self.open[target.index()] {
                self.stops[target.index()] = self.thread.location(target).held;
            } else if self.thread.location(target).held && self.paths[target.index()].is_none() {
                work.push((target, 0));
            }
        }
    }

    fn paths_behind(&self, target: LocId) -> usize {
        let goes_on = self.thread.location(target).held && !self.open[target.index()];
        self.paths[target.index()].filter(|_| goes_on).unwrap_or(1)
    }
}
