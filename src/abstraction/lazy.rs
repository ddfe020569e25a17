//! Lazy abstraction: abstract steps asked of the solver one by one.
//!
//! Input: the same as for a boolean program. No cubes are searched: a state of the search is a
//! location per thread and, per predicate, true, false or unknown, and each step asks the solver what
//! the known predicates together imply about the next state. So it tells whether the *predicates*
//! suffice, apart from the sizes of cubes. Answers are kept, and a state that a more general one
//! covers is dropped. A background block is one step (`block`) where it can be. Where that is too coarse, what a step makes
//! unknown is split (`split`).
//!
//! Invariant: the states reached stand for all states of the program. Called by the pipeline for
//! `--method lazy`.

mod oracle;
mod pause;
mod route;
mod split;
mod steps;

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::effects::{EdgeCase, Effect, Effects, learned_goal};
use super::forget;
use super::{AbstractionError, Initial, go_on};
use crate::logic::{Flag, Formula, Meaning, Predicate};
use crate::program::{EdgeId, LocId, Program, PropertyId, PropertyKind, ThreadId};
use crate::reduce::BufferVars;
use crate::run::stop::Stop;
use crate::smt::Effort;
use crate::verdict::CubeSizes;
use oracle::Oracle;
pub use pause::Pausing;
pub use route::{Route, Walker};
pub use split::Unknowns;
use steps::Block;
pub use steps::{Listed, ListedStep};

/// The values of the predicates; `None` is unknown.
pub type Values = Vec<Option<bool>>;

/// The answer of a lazy search.
#[derive(Debug)]
pub struct LazyOutcome {
    /// What was found.
    pub finding: LazyFinding,
    /// The values before the first step.
    pub initial: Values,
    /// The states, those apart that a more general one covers or in which a background block runs.
    pub invariant: Vec<(Vec<LocId>, Values)>,
    /// The number of states.
    pub states: usize,
    /// What the solver was asked.
    pub effort: Effort,
}

/// What a lazy search found.
#[derive(Debug)]
pub enum LazyFinding {
    /// No property can be broken.
    Verified,
    /// A property may be broken, along this path; overflows come last.
    Broken(PropertyId, Vec<LazyStep>),
    /// The limit on states, or on questions to the solver, was reached.
    States,
    /// The time was over.
    Timeout,
}

/// One step of a path: an edge, and the values after it.
#[derive(Clone, Debug)]
pub struct LazyStep {
    /// The edge.
    pub edge: EdgeId,
    /// The values after the step.
    pub values: Values,
}

/// How many questions take as long as one that the solver is asked.
const QUESTIONS_PER_CALL: u64 = 4;

/// When a lazy search gives up.
#[derive(Clone, Debug)]
pub struct LazyLimits {
    /// The most states.
    pub max_states: usize,
    /// The most questions to the solver.
    pub max_calls: u64,
    /// What ends the search early.
    pub stop: Stop,
    /// Whether questions about differences are decided without Z3.
    pub differences: bool,
}

/// Searches the abstract states of a program.
pub fn search(
    program: &Program,
    predicates: &[Predicate],
    buffers: &[BufferVars],
    unknowns: Unknowns,
    limits: LazyLimits,
) -> Result<LazyOutcome, AbstractionError> {
    let mut search = Lazy::new(program, predicates, buffers, &limits, program.edge_ids())?;
    search.unknowns = unknowns;
    let finding = search.run(&limits);
    Ok(search.outcome(finding))
}

/// Searches the abstract states of a program, and lists them with all steps between them. `None` if a property may be
/// broken, a limit is reached, or a background block is no single step.
pub fn list(
    program: &Program,
    predicates: &[Predicate],
    unknowns: Unknowns,
    limits: LazyLimits,
) -> Result<Option<Listed>, AbstractionError> {
    let mut search = Lazy::new(program, predicates, &[], &limits, program.edge_ids())?;
    search.unknowns = unknowns;
    Ok(match search.run(&limits) {
        LazyFinding::Verified => search.listed(),
        LazyFinding::Broken(..) | LazyFinding::States | LazyFinding::Timeout => None,
    })
}

/// Where the threads and the background blocks are; a background block that does not run is nowhere.
type Position = (Vec<LocId>, Option<(ThreadId, LocId)>);

struct State {
    position: Position,
    values: Values,
    came_by: Option<CameBy>,
    covered: bool,
}

/// The state before, and the steps from there: one, or those of a background block.
type CameBy = (usize, Vec<LazyStep>);

struct Lazy<'a> {
    program: &'a Program,
    predicates: &'a [Predicate],
    buffers: &'a [BufferVars],
    specs: Vec<Vec<Effect>>,
    /// What the edges do, in cases.
    edges: FxHashMap<EdgeId, Rc<[EdgeCase]>>,
    /// The background blocks that are taken as one step, by their entries.
    blocks: FxHashMap<(ThreadId, LocId), Block>,
    oracle: Oracle,
    /// Which of the predicates are tracked; the others stay unknown.
    chosen: Vec<bool>,
    unknowns: Unknowns,
    states: Vec<State>,
    by_position: FxHashMap<Position, Vec<usize>>,
    /// The states that are still to be expanded.
    work: VecDeque<usize>,
    broken: Option<(PropertyId, Vec<LazyStep>)>,
}

impl<'a> Lazy<'a> {
    fn new(
        program: &'a Program,
        predicates: &'a [Predicate],
        buffers: &'a [BufferVars],
        limits: &LazyLimits,
        steps: impl Iterator<Item = EdgeId>,
    ) -> Result<Self, AbstractionError> {
        let sizes = CubeSizes {
            updates: 0,
            conditions: 0,
        };
        let effects = Effects::new(program, predicates, sizes, buffers);
        let specs = program.specs.iter().map(|spec| effects.of_spec(spec));
        let edges = steps.map(|step| {
            go_on(&limits.stop)?;
            Ok((step, effects.of_edge_in_cases(program.edge(step))?.into()))
        });
        Ok(Lazy {
            program,
            predicates,
            buffers,
            specs: specs.collect::<Result<Vec<_>, _>>()?,
            edges: edges.collect::<Result<_, _>>()?,
            blocks: steps::blocks(program, &effects)?,
            oracle: Oracle::new(program, predicates, limits.stop.clone(), limits.differences),
            chosen: vec![true; predicates.len()],
            unknowns: Unknowns::Kept,
            states: Vec::new(),
            by_position: FxHashMap::default(),
            work: VecDeque::new(),
            broken: None,
        })
    }

    /// The state before the first step.
    fn start(&mut self) -> usize {
        let entries = self.program.threads.iter().map(|thread| thread.entry);
        let position = (entries.collect(), None);
        let values = self.initial_values();
        self.push(position, values, None)
    }

    /// Breadth first; ends at the first user's property that may be broken.
    fn run(&mut self, limits: &LazyLimits) -> LazyFinding {
        let finding = self.run_until(limits, u64::MAX);
        finding.expect("there are fewer states and questions")
    }

    /// Goes on with the search; `None` where states and questions together are more than `pause`.
    fn run_until(&mut self, limits: &LazyLimits, pause: u64) -> Option<LazyFinding> {
        if self.states.is_empty() {
            let start = self.start();
            self.work.push_back(start);
        }
        while let Some(&number) = self.work.front() {
            let calls = self.oracle.effort().calls;
            if self.states.len() > limits.max_states || calls > limits.max_calls {
                return Some(LazyFinding::States);
            }
            if limits.stop.should_stop() {
                return Some(LazyFinding::Timeout);
            }
            if self.spent() > pause {
                return None;
            }
            self.work.pop_front();
            if !self.states[number].covered {
                let new = self.expand(number);
                self.work.extend(new);
            }
            let broken = self.broken.as_ref();
            if broken.is_some_and(|&(property, _)| !self.is_overflow(property)) {
                break;
            }
        }
        Some(match self.broken.take() {
            Some((property, path)) => LazyFinding::Broken(property, path),
            None => LazyFinding::Verified,
        })
    }

    /// States and questions so far. Each question takes some time, but the more if the solver is asked.
    fn spent(&self) -> u64 {
        let asked = self.oracle.effort().calls;
        self.states.len() as u64 + asked + self.oracle.questions() / QUESTIONS_PER_CALL
    }

    fn outcome(&self, finding: LazyFinding) -> LazyOutcome {
        LazyOutcome {
            finding,
            initial: self.states[0].values.clone(),
            states: self.states.len(),
            effort: self.oracle.effort(),
            invariant: self.invariant(),
        }
    }

    fn invariant(&self) -> Vec<(Vec<LocId>, Values)> {
        let settled = self.states.iter().filter_map(|state| {
            let (locations, background) = &state.position;
            let kept = background.is_none() && !state.covered;
            kept.then(|| (locations.clone(), state.values.clone()))
        });
        settled.collect()
    }

    fn initial_values(&mut self) -> Values {
        let initial = Initial::of(self.program);
        let nothing: Values = vec![None; self.predicates.len()];
        let predicates = self.predicates.iter().zip(&self.chosen);
        predicates
            .map(|(predicate, chosen)| {
                if !chosen {
                    return None;
                }
                if let Meaning::Fact(_) = predicate.meaning {
                    // FIFOs are empty in the beginning.
                    return Some(true);
                }
                let unused = forget::is_unused(self.program, self.buffers, predicate);
                let [yes, no] = initial.goals(&predicate.formula);
                let value = self.oracle.value(&nothing, &yes, &no);
                value.filter(|_| !unused)
            })
            .collect()
    }

    /// All steps from a state; the new states.
    fn expand(&mut self, number: usize) -> Vec<usize> {
        let (locations, background) = &self.states[number].position;
        if background.is_none() && self.holder(locations).is_none() {
            self.check_specs(number);
        }
        let mut new = Vec::new();
        for successor in self.successors(number) {
            let came_by = Some((number, successor.path));
            new.extend(self.add(successor.position, successor.values, came_by));
        }
        new
    }

    fn holder(&self, locations: &[LocId]) -> Option<ThreadId> {
        let threads = self.program.thread_ids().zip(&self.program.threads);
        let mut holding = threads
            .zip(locations)
            .filter(|((_, thread), at)| thread.locations[at.index()].held);
        holding.next().map(|((id, _), _)| id)
    }

    /// The values after an edge, for each of its cases; none if it cannot be taken. Broken assertions are noted.
    fn post(&mut self, number: usize, edge: EdgeId) -> Vec<(Values, Vec<bool>)> {
        let cases = Rc::clone(&self.edges[&edge]);
        let mut all = Vec::new();
        for case in cases.iter() {
            let values = self.states[number].values.clone();
            let reached = self.after(values, &case.effects, Some((number, edge)));
            all.extend(
                reached
                    .into_iter()
                    .map(|values| (values, case.left.clone())),
            );
        }
        all
    }

    /// The values after some effects, those of `step` if assertions are among them.
    fn after(
        &mut self,
        values: Values,
        effects: &[Effect],
        step: Option<(usize, EdgeId)>,
    ) -> Vec<Values> {
        let mut reached = vec![values];
        for effect in effects {
            let before = std::mem::take(&mut reached);
            for values in before {
                reached.extend(self.affected(values, effect, step));
            }
        }
        reached
    }

    /// The values after an effect.
    fn affected(
        &mut self,
        mut values: Values,
        effect: &Effect,
        step: Option<(usize, EdgeId)>,
    ) -> Vec<Values> {
        match effect {
            Effect::Assume(question) => {
                if self.oracle.implies(&values, &question.goal) {
                    return Vec::new();
                }
                values = self.learn(values, &question.goal);
            }
            Effect::Assert(questions, property) => {
                let holds = |question| self.oracle.implies(&values, question);
                let holds = questions.iter().map(|question| &question.goal).all(holds);
                if let (false, Some((number, edge))) = (holds, step) {
                    let values = values.clone();
                    let last = LazyStep { edge, values };
                    self.note(number, *property, Some(last));
                }
            }
            Effect::Forget(kept) => {
                for kept in kept {
                    if !self.oracle.implies(&values, &kept.kept_while.goal) {
                        values[kept.predicate.index()] = None;
                    }
                }
            }
            Effect::Update(changes) => return self.updated(values, changes),
        }
        vec![values]
    }

    /// The values when `excluded` is known to be false.
    fn learn(&mut self, values: Values, excluded: &Formula) -> Values {
        let mut learned = values.clone();
        for id in self.oracle.open(&values, excluded) {
            if self.chosen[id.index()] {
                let Predicate { meaning, formula } = &self.predicates[id.index()];
                let [yes, no] = match meaning {
                    Meaning::Fact(fact) => [learned_goal(fact, excluded), Formula::False],
                    Meaning::Cond(_) => [formula.clone(), formula.negated()]
                        .map(|value| Formula::or([excluded.clone(), value])),
                };
                learned[id.index()] = self.oracle.value(&values, &yes, &no);
            }
        }
        learned
    }

    fn check_specs(&mut self, number: usize) {
        let (locations, _) = self.states[number].position.clone();
        let holds = |flag: &Flag| flag.locations.contains(&locations[flag.thread.index()]);
        let specs = std::mem::take(&mut self.specs);
        for effect in specs.iter().flatten() {
            let Effect::Assert(questions, property) = effect else {
                continue;
            };
            let values = self.states[number].values.clone();
            let mut goals = questions.iter().map(|q| q.goal.decide_flags(&holds));
            if !goals.all(|goal| self.oracle.implies(&values, &goal)) {
                self.note(number, *property, None);
            }
        }
        self.specs = specs;
    }

    /// Notes that a property may be broken; a user's property comes before an overflow.
    fn note(&mut self, number: usize, property: PropertyId, last: Option<LazyStep>) {
        let better = match &self.broken {
            None => true,
            Some((known, _)) => self.is_overflow(*known) && !self.is_overflow(property),
        };
        if better {
            let mut path = self.path(number);
            path.extend(last);
            self.broken = Some((property, path));
        }
    }

    fn is_overflow(&self, property: PropertyId) -> bool {
        self.program.property(property).kind == PropertyKind::Overflow
    }

    fn path(&self, mut number: usize) -> Vec<LazyStep> {
        let mut path = Vec::new();
        while let Some((before, steps)) = &self.states[number].came_by {
            path.extend(steps.iter().rev().cloned());
            number = *before;
        }
        path.reverse();
        path
    }

    /// Adds a state unless a more general one is there; states that it covers are dropped.
    fn add(
        &mut self,
        position: Position,
        values: Values,
        came_by: Option<CameBy>,
    ) -> Option<usize> {
        let same_place = self.by_position.entry(position.clone()).or_default();
        let states = &mut self.states;
        if same_place
            .iter()
            .any(|&other| covers(&states[other].values, &values))
        {
            return None;
        }
        same_place.retain(|&other| {
            let covered = covers(&values, &states[other].values);
            states[other].covered |= covered;
            !covered
        });
        Some(self.push(position, values, came_by))
    }

    fn push(&mut self, position: Position, values: Values, came_by: Option<CameBy>) -> usize {
        let number = self.states.len();
        let same_place = self.by_position.entry(position.clone()).or_default();
        same_place.push(number);
        self.states.push(State {
            position,
            values,
            came_by,
            covered: false,
        });
        number
    }
}

/// Whether values are those of a more general state.
fn covers(general: &Values, special: &Values) -> bool {
    let mut pairs = general.iter().zip(special);
    pairs.all(|(general, special)| general.is_none() || general == special)
}
