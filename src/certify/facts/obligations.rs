//! What must hold of the states of a certificate with facts.
//!
//! Input: the program, the listed states, and the [steps](super::steps) of the program. Output: [`Group`]s of claims,
//! each to be refuted by a solver. The module comment of `certify::facts` says what they are and why they are enough.

use indexmap::IndexMap;

use super::steps::{End, Steps, TooMany, Walk};
use super::{Proof, StateError};
use crate::certificate::{FactsState, Predicate, Way};
use crate::certify::describe;
use crate::certify::locations::{Locations, holders};
use crate::certify::smt::path::{Path, Queue, Run};
use crate::certify::smt::smtlib;
use crate::certify::specs::{applies, broken_spec};
use crate::program::{Cond, FifoId, LocId, Spec, ThreadId};

/// How many statements may be followed, and how many claims made, before a certificate counts as too large.
const BUDGET: usize = 1_000_000;

/// Claims about the same run.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// What is done: a step, or nothing.
    pub title: String,
    /// What happens, if that is not to happen.
    pub failure: String,
    /// The line of the source that it is about.
    pub line: Option<usize>,
    /// What is done, in SMT-LIB.
    pub run: Run,
    /// The names of the variables after it.
    pub after: Vec<String>,
    /// The entries of the FIFOs after it.
    pub queues: Vec<Queue>,
    /// The claims.
    pub claims: Vec<Claim>,
}

/// That no state of the group's run satisfies this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    /// The state is one of this listed state, if there is one.
    pub from: Option<usize>,
    /// What must not be so afterwards.
    pub goal: Goal,
}

/// What must not be so after a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// Anything: the run must not be possible.
    Never,
    /// Each of these listed states has a literal, no fact, that does not hold.
    Outside(Vec<usize>),
    /// A literal, no fact, of a listed state does not hold.
    Literal {
        /// The listed state.
        target: usize,
        /// The place of the literal in the cube.
        place: usize,
    },
    /// Without facts, no listed state of `earlier` holds, `target` does, and one of these facts does not hold.
    Facts {
        /// The targets that come first.
        earlier: Vec<usize>,
        /// The listed state.
        target: usize,
        /// The FIFO that the facts are about.
        fifo: FifoId,
        /// The facts, by their places among the predicates; all are about one entry, or all about two.
        facts: Vec<usize>,
    },
}

/// Why there are no obligations.
#[derive(Debug)]
pub(super) enum NoObligations {
    /// There are too many.
    TooMany,
    /// A listed state makes no sense.
    Misfit(StateError),
}

impl From<TooMany> for NoObligations {
    fn from(_: TooMany) -> Self {
        NoObligations::TooMany
    }
}

impl From<StateError> for NoObligations {
    fn from(error: StateError) -> Self {
        NoObligations::Misfit(error)
    }
}

/// The obligations, in a fixed order.
pub(super) fn derive(proof: &Proof<'_>) -> Result<Vec<Group>, NoObligations> {
    let states = &proof.table.states;
    let locations = Locations::of(proof.program);
    for (index, state) in states.iter().enumerate() {
        let error = |reason| StateError {
            state: index + 1,
            reason,
        };
        locations.check(&state.at).map_err(error)?;
        proof.check_cube(state).map_err(error)?;
    }
    let mut derivation = Derivation {
        proof,
        listed: states
            .iter()
            .enumerate()
            .map(listed_steps)
            .collect::<Result<_, _>>()?,
        groups: Vec::new(),
        made: 0,
    };
    derivation.initial()?;
    let listed = states.iter().map(|state| state.at.as_slice());
    let mut steps = Steps::new(proof.program, listed, BUDGET);
    for thread in proof.program.thread_ids() {
        derivation.steps(&mut steps, thread)?;
        derivation.blocks(&mut steps, thread)?;
    }
    for spec in &proof.program.specs {
        derivation.spec(spec)?;
    }
    match derivation.unused() {
        Some(error) => Err(error.into()),
        None => Ok(derivation.groups),
    }
}

/// The steps of a listed state by their ways; the number tells whether there is such a way.
type Listed<'a> = IndexMap<&'a Way, (&'a [usize], bool)>;

fn listed_steps((index, state): (usize, &FactsState)) -> Result<Listed<'_>, StateError> {
    let mut listed = IndexMap::new();
    for step in &state.steps {
        if listed
            .insert(&step.way, (step.to.as_slice(), false))
            .is_some()
        {
            return Err(StateError {
                state: index + 1,
                reason: format!("has a step twice: {:?}", step.way.path),
            });
        }
    }
    Ok(listed)
}

/// Obligations under construction.
struct Derivation<'a> {
    proof: &'a Proof<'a>,
    /// The steps of each listed state.
    listed: Vec<Listed<'a>>,
    groups: Vec<Group>,
    made: usize,
}

impl Derivation<'_> {
    /// That every initial state is in one of its targets.
    fn initial(&mut self) -> Result<(), NoObligations> {
        let program = self.proof.program;
        let path = Path::new(program);
        let names = path.names().to_vec();
        let entries: Vec<LocId> = program.threads.iter().map(|thread| thread.entry).collect();
        let start = &self.proof.table.start;
        if let Some(&target) = start
            .iter()
            .find(|&&target| self.proof.table.states[target].at != entries)
        {
            return Err(NoObligations::Misfit(StateError {
                state: target + 1,
                reason: "is a target of the initial states, but threads do not start there"
                    .to_owned(),
            }));
        }
        let group = Group {
            title: "the initial states".to_owned(),
            failure: "there is an initial state".to_owned(),
            line: None,
            run: Run {
                definitions: Vec::new(),
                conditions: smtlib::initial(program, &names),
            },
            queues: self.queues(&path),
            after: names,
            claims: self.goals(None, start),
        };
        self.add(group)
    }

    /// The steps of a thread itself.
    fn steps(&mut self, steps: &mut Steps<'_>, thread: ThreadId) -> Result<(), NoObligations> {
        let program = self.proof.program;
        let count = program.threads[thread.index()].locations.len();
        for location in (0..count).map(LocId::new) {
            let from = self.states(|state| {
                let mut holders = holders(program, &state.at);
                let may_step = holders.next().is_none_or(|holder| holder == thread);
                may_step && state.at[thread.index()] == location
            });
            if !from.is_empty() {
                for walk in steps.of_thread(thread, location)? {
                    self.walk(&walk, &from)?;
                }
            }
        }
        Ok(())
    }

    /// The steps of a thread's background blocks, which run where no thread holds the atomic section.
    fn blocks(&mut self, steps: &mut Steps<'_>, thread: ThreadId) -> Result<(), NoObligations> {
        let program = self.proof.program;
        let from = self.states(|state| holders(program, &state.at).next().is_none());
        for block in 0..program.threads[thread.index()].backgrounds.len() {
            for walk in steps.of_block(thread, block)? {
                self.walk(&walk, &from)?;
            }
        }
        Ok(())
    }

    fn states(&self, wanted: impl Fn(&FactsState) -> bool) -> Vec<usize> {
        let states = self.proof.table.states.iter().enumerate();
        let states = states.filter(|(_, state)| wanted(state));
        states.map(|(index, _)| index).collect()
    }

    /// What is claimed of a run of statements from listed states.
    fn walk(&mut self, walk: &Walk, from: &[usize]) -> Result<(), NoObligations> {
        let (claims, failure) = match &walk.end {
            End::Failure(failure) => {
                let never = |&from: &usize| Claim {
                    from: Some(from),
                    goal: Goal::Never,
                };
                (from.iter().map(never).collect(), failure.clone())
            }
            End::Stop(location) => {
                let mut claims = Vec::new();
                for &from in from {
                    claims.extend(self.arrive(walk, from, *location)?);
                }
                (claims, "the step is possible".to_owned())
            }
        };
        if walk.path.is_blocked() {
            return Ok(());
        }
        let thread = &self.proof.program.threads[walk.way.thread.index()];
        let source = self.proof.source;
        let group = Group {
            title: describe::step(source, thread, walk.way.block, walk.trail()),
            failure,
            line: walk.trail().last().map(|span| source.line(span.start)),
            run: walk.path.so_far().clone(),
            after: walk.path.names().to_vec(),
            queues: self.queues(&walk.path),
            claims,
        };
        self.add(group)
    }

    /// What is claimed of a step from a listed state that ends at a location of its thread, or leaves it where it is.
    fn arrive(
        &mut self,
        walk: &Walk,
        from: usize,
        location: Option<LocId>,
    ) -> Result<Vec<Claim>, StateError> {
        let targets = match self.listed[from].get_mut(&walk.way) {
            Some((targets, exists)) => {
                *exists = true;
                *targets
            }
            None => &[],
        };
        let states = &self.proof.table.states;
        let mut at = states[from].at.clone();
        if let Some(location) = location {
            at[walk.way.thread.index()] = location;
        }
        match targets.iter().find(|&&target| states[target].at != at) {
            Some(target) => Err(StateError {
                state: from + 1,
                reason: format!(
                    "has a step {} to state {}, which is somewhere else",
                    self.proof.way(&walk.way),
                    target + 1
                ),
            }),
            None => Ok(self.goals(Some(from), targets)),
        }
    }

    /// What must hold where a step leads to one of these targets.
    fn goals(&self, from: Option<usize>, targets: &[usize]) -> Vec<Claim> {
        let claim = |goal| Claim { from, goal };
        let mut claims = vec![claim(match targets {
            [] => Goal::Never,
            targets => Goal::Outside(targets.to_vec()),
        })];
        for (place, &target) in targets.iter().enumerate() {
            for ((fifo, _), facts) in self.proof.facts_of(target) {
                claims.push(claim(Goal::Facts {
                    earlier: targets[..place].to_vec(),
                    target,
                    fifo,
                    facts,
                }));
            }
        }
        claims
    }

    /// Claims that a spec holds wherever it must.
    fn spec(&mut self, spec: &Spec) -> Result<(), NoObligations> {
        let program = self.proof.program;
        let states = &self.proof.table.states;
        let wanted = self.states(|state| {
            holders(program, &state.at).next().is_none() && applies(program, spec, &state.at)
        });
        // States that make the same of the spec's control locations share a group.
        let mut failures: IndexMap<(Cond, &str), Vec<Claim>> = IndexMap::new();
        for from in wanted {
            for failure in broken_spec(spec, &states[from].at) {
                failures.entry(failure).or_default().push(Claim {
                    from: Some(from),
                    goal: Goal::Never,
                });
            }
        }
        let path = Path::new(program);
        for ((failure, reason), claims) in failures {
            let property = program.property(spec.property);
            let name = describe::spec(self.proof.source, property);
            let group = Group {
                title: name.clone(),
                failure: format!("{name} {reason}"),
                line: Some(self.proof.source.line(property.span.start)),
                run: Run {
                    definitions: Vec::new(),
                    conditions: vec![smtlib::cond(&failure, path.names())],
                },
                after: path.names().to_vec(),
                queues: self.queues(&path),
                claims,
            };
            self.add(group)?;
        }
        Ok(())
    }

    fn queues(&self, path: &Path) -> Vec<Queue> {
        let fifos = self.proof.program.fifos.iter();
        fifos.map(|fifo| path.queue(fifo.id).clone()).collect()
    }

    fn add(&mut self, group: Group) -> Result<(), NoObligations> {
        self.made += group.claims.len();
        if self.made > BUDGET {
            return Err(NoObligations::TooMany);
        }
        if !group.claims.is_empty() {
            self.groups.push(group);
        }
        Ok(())
    }

    /// A listed step that the program does not have.
    fn unused(&self) -> Option<StateError> {
        self.listed.iter().enumerate().find_map(|(state, listed)| {
            let mut ways = listed.iter().filter(|(_, (_, exists))| !exists);
            let (way, _) = ways.next()?;
            Some(StateError {
                state: state + 1,
                reason: format!("has a step {}, which there is not", self.proof.way(way)),
            })
        })
    }
}

impl Proof<'_> {
    /// Makes sure that no fact is negated.
    fn check_cube(&self, state: &FactsState) -> Result<(), String> {
        let negated = state.cube.iter().find(|literal| {
            let is_fact = matches!(self.predicates[literal.predicate], Predicate::Fact(_));
            is_fact && !literal.holds
        });
        match negated {
            Some(literal) => Err(format!("has the fact {} negated", literal.predicate + 1)),
            None => Ok(()),
        }
    }

    /// The facts of a listed state by FIFO and by the number of entries that they are about.
    fn facts_of(&self, state: usize) -> IndexMap<(FifoId, usize), Vec<usize>> {
        let mut found: IndexMap<(FifoId, usize), Vec<usize>> = IndexMap::new();
        for literal in &self.table.states[state].cube {
            if let Predicate::Fact(fact) = &self.predicates[literal.predicate] {
                let group = found.entry((fact.fifo.id, fact.entries.len()));
                group.or_default().push(literal.predicate);
            }
        }
        found
    }

    /// A way for readers: the thread, and the places of the edges.
    fn way(&self, way: &Way) -> String {
        let thread = self.program.threads.get(way.thread.index());
        let name = thread.map_or("of no thread", |thread| thread.display_name.as_str());
        let path: Vec<String> = way.path.iter().map(usize::to_string).collect();
        let block = way.block.map(|block| format!(", block {}", block + 1));
        let left: Vec<String> = way.left.iter().map(bool::to_string).collect();
        let left = match left.is_empty() {
            true => String::new(),
            false => format!(", left {}", left.join(" ")),
        };
        format!(
            "({name}{}, path {}{left})",
            block.unwrap_or_default(),
            path.join(" ")
        )
    }
}
