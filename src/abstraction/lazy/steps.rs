//! The steps of the lazy search, one state after the other.
//!
//! A step is an edge of a thread, or one way through a background block that is taken as a whole ([`block`]). After a search
//! that breaks nothing, the states and all steps between them are [`Listed`]: an inductive invariant that names the target of each
//! step.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::{AbstractionError, Effect, Effects, Lazy, LazyStep, Position, Values};
use crate::abstraction::block::{self, Case};
use crate::program::{EdgeId, LocId, Program, ThreadId};

/// A background block in cases, each with its effects.
pub(super) type Block = Rc<[(Case, Rc<[Effect]>)]>;

/// What a step leads to.
pub(super) struct Successor {
    pub position: Position,
    pub values: Values,
    /// The edges, with the values behind each of them.
    pub path: Vec<LazyStep>,
    /// For each `pop` of them whether an entry is left behind it.
    pub left: Vec<bool>,
}

/// The abstract states of a program with the steps between them; the first state covers all initial ones.
#[derive(Debug)]
pub struct Listed {
    /// For each state the locations, the values and the steps.
    pub states: Vec<(Vec<LocId>, Values, Vec<ListedStep>)>,
    /// The state that covers the initial ones.
    pub start: usize,
}

/// A step between states that are listed.
#[derive(Debug)]
pub struct ListedStep {
    /// Its edges.
    pub edges: Vec<EdgeId>,
    /// For each `pop` of them whether an entry is left behind it.
    pub left: Vec<bool>,
    /// The numbers of the states that it may lead to, those that say more first.
    pub to: Vec<usize>,
}

impl Lazy<'_> {
    /// All that a step may lead to from a state.
    pub(super) fn successors(&mut self, number: usize) -> Vec<Successor> {
        let (locations, background) = self.states[number].position.clone();
        if let Some((thread, at)) = background {
            return self.edges_from(number, (thread, at), true);
        }
        let mut all = Vec::new();
        let holder = self.holder(&locations);
        for thread in self.program.thread_ids() {
            if holder.is_none_or(|holder| holder == thread) {
                let at = locations[thread.index()];
                all.extend(self.edges_from(number, (thread, at), false));
            }
            if holder.is_none() {
                for background in &self.program.threads[thread.index()].backgrounds {
                    let entry = (thread, background.entry);
                    all.extend(match self.blocks.get(&entry).cloned() {
                        Some(block) => self.ways_through(number, &block),
                        None => self.edges_from(number, entry, true),
                    });
                }
            }
        }
        all
    }

    /// The edges of a thread, or of a background block, from a location.
    fn edges_from(
        &mut self,
        number: usize,
        (thread, at): (ThreadId, LocId),
        background: bool,
    ) -> Vec<Successor> {
        let mut all = Vec::new();
        let graph = &self.program.threads[thread.index()];
        for (place, target) in graph.locations[at.index()].edges.iter().enumerate() {
            let edge = EdgeId {
                thread,
                at,
                number: place,
            };
            let target = target.target;
            let mut position = self.states[number].position.clone();
            if background {
                position.1 = (target != graph.end).then_some((thread, target));
            } else {
                position.0[thread.index()] = target;
            }
            for (values, left) in self.post(number, edge) {
                let step = LazyStep {
                    edge,
                    values: values.clone(),
                };
                all.push(Successor {
                    position: position.clone(),
                    values,
                    path: vec![step],
                    left,
                });
            }
        }
        all
    }

    /// The ways through a background block, each as one step.
    fn ways_through(&mut self, number: usize, block: &Block) -> Vec<Successor> {
        let mut all = Vec::new();
        for (case, effects) in block.iter() {
            let before = self.states[number].values.clone();
            let position = self.states[number].position.clone();
            let (last, others) = case.edges.split_last().expect("a block has steps");
            for values in self.after(before.clone(), effects, None) {
                let others = others.iter().map(|&edge| (edge, before.clone()));
                let path = others.chain([(*last, values.clone())]);
                let path = path.map(|(edge, values)| LazyStep { edge, values });
                all.push(Successor {
                    position: position.clone(),
                    values,
                    path: path.collect(),
                    left: case.left.clone(),
                });
            }
        }
        all
    }

    /// The states that no other one covers, with the steps between them; `None` if one is inside a background block.
    pub(super) fn listed(&mut self) -> Option<Listed> {
        let kept = (0..self.states.len()).filter(|&number| !self.states[number].covered);
        let kept: Vec<usize> = kept.collect();
        let numbers: FxHashMap<usize, usize> =
            kept.iter().enumerate().map(|(n, &k)| (k, n)).collect();
        let start = self.states[0].position.clone();
        let start = self.covering(&start, &self.states[0].values.clone())?;
        let mut states = Vec::new();
        for &number in &kept {
            let (locations, background) = self.states[number].position.clone();
            if background.is_some() {
                return None;
            }
            let mut steps: Vec<ListedStep> = Vec::new();
            for successor in self.successors(number) {
                let to = self.covering(&successor.position, &successor.values)?;
                let edges: Vec<EdgeId> = successor.path.iter().map(|step| step.edge).collect();
                match steps.last_mut() {
                    Some(step) if step.edges == edges && step.left == successor.left => {
                        step.to.push(to);
                    }
                    _ => steps.push(ListedStep {
                        edges,
                        left: successor.left,
                        to: vec![to],
                    }),
                }
            }
            for step in &mut steps {
                step.to.sort_by_key(|&to| (self.unknown_conditions(to), to));
                step.to.dedup();
                step.to.iter_mut().for_each(|to| *to = numbers[to]);
            }
            states.push((locations, self.states[number].values.clone(), steps));
        }
        Some(Listed {
            states,
            start: numbers[&start],
        })
    }

    /// How many conditions are unknown in a state.
    fn unknown_conditions(&self, number: usize) -> usize {
        let values = self.states[number].values.iter().zip(self.predicates);
        let unknown = values.filter(|(value, p)| value.is_none() && p.fact().is_none());
        unknown.count()
    }

    /// A state at a position that covers these values.
    fn covering(&self, position: &Position, values: &Values) -> Option<usize> {
        let mut same_place = self.by_position.get(position)?.iter().copied();
        same_place.find(|&other| super::covers(&self.states[other].values, values))
    }
}

/// The background blocks of a program that can be taken as one step, by their entries.
pub(super) fn blocks(
    program: &Program,
    effects: &Effects<'_>,
) -> Result<FxHashMap<(ThreadId, LocId), Block>, AbstractionError> {
    let mut blocks = FxHashMap::default();
    for (thread, entry, cases) in block::all(program)? {
        let cases = cases.into_iter().map(|case| {
            let effects = effects.of_case(&case);
            (case, effects.into())
        });
        blocks.insert((thread, entry), cases.collect());
    }
    Ok(blocks)
}
