//! Fences inferred from the whole abstract transition system (section 5 of the PLDI 2011 paper).
//!
//! Input: a program with candidate places, a model, and a partial-coherence abstraction ([`Inference`]). Output: [`Inferred`]:
//! the smallest placements that enforce enough ordering constraints. A constraint [l ≺ l'] says that what l stores has
//! reached memory before l' runs; a placement enforces it if a fence stands on every way from l to l' ([`order`]). A step may
//! be prevented by enforcing one of the constraints that it violates ([`prevent`]); a property holds if every abstract path to
//! where it is broken has a step that is prevented.
//!
//! The paper labels every state with a formula, the greatest fixpoint of `avoid`, and takes the conjunction ψ for the states
//! that are bad. Here ψ is not written down. A set of enforced constraints satisfies it if and only if no bad state can be
//! reached without the steps that it prevents, which a search decides; a path that it finds is a clause of ψ that the
//! placement misses: one of the constraints on it must be enforced. So the smallest placements are found as in `search`, by
//! the [`Frontier`], and no formula gets larger than the clauses that were needed. Tests compare
//! with the fixpoint itself.

#[cfg(test)]
mod mutants;
pub mod order;
mod prevent;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use indexmap::IndexSet;

use super::clause::{Clause, tighten};
use super::frontier::{FenceSet, Frontier};
use super::places::Candidates;
use super::search::names;
use crate::engine::Context;
use crate::engine::coherence::buffer::Semantics;
use crate::engine::coherence::layout::Layout;
use crate::engine::coherence::search::{self, End, Way};
use crate::engine::coherence::steps::System;
use crate::engine::coherence::{confirmed, supported};
use crate::memory::Model;
use crate::program::{self, Program};
use crate::verdict::{Limit, PartialCoherence, Unsupported, Violation};

use order::{Constraint, Order};
use prevent::{Prevent, Rule};

/// What to infer.
#[derive(Clone, Copy)]
pub struct Inference<'a> {
    /// The program and its places.
    pub candidates: &'a Candidates,
    /// Places that hold a fence already.
    pub given: &'a FenceSet,
    /// The memory model.
    pub model: Model,
    /// The abstraction.
    pub abstraction: PartialCoherence,
}

/// What was inferred.
#[derive(Clone, Debug)]
pub struct Inferred {
    /// The abstraction.
    pub abstraction: PartialCoherence,
    /// How the search ended.
    pub end: InferenceEnd,
    /// The placements that enforce a satisfying assignment, all of the same size and none smaller; those that are given are
    /// left out.
    pub placements: Vec<Placed>,
    /// The number of placements that were tried.
    pub tried: usize,
    /// The most abstract states of a search.
    pub states: usize,
}

/// A placement that is sufficient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The placement.
    pub fences: FenceSet,
    /// The constraints that it enforces, of those that were needed.
    pub enforces: Vec<Constraint>,
}

/// How an inference ended.
#[derive(Clone, Debug)]
pub enum InferenceEnd {
    /// The smallest placements are known.
    Complete,
    /// A property is broken whatever candidate places hold a fence; this is an execution of the program without.
    Broken(Arc<Violation>),
    /// Under the abstraction no placement helps, which says nothing of the program. If the path that cannot be excluded is an
    /// execution, it comes with it: a fence on its own way may help, where a constraint asks for one on every way.
    Unfixable(Option<Arc<Violation>>),
    /// A limit was met.
    Limit(Limit),
}

/// Infers the smallest placements. `observe` sees each that is tried, with the places of which one is needed if it is not
/// sufficient.
pub fn infer(
    inference: &Inference<'_>,
    context: &Context,
    observe: &mut dyn FnMut(&FenceSet, Option<&Clause>),
) -> Result<Inferred, Unsupported> {
    infer_by(inference, &Rule, context, observe)
}

/// The same with a way to prevent steps that may be wrong.
fn infer_by(
    inference: &Inference<'_>,
    prevent: &impl Prevent,
    context: &Context,
    observe: &mut dyn FnMut(&FenceSet, Option<&Clause>),
) -> Result<Inferred, Unsupported> {
    let given: IndexSet<String> = names(inference.candidates, inference.given);
    let program = program::lower(&inference.candidates.checked, &given);
    supported(&program)?;
    let mut work = Work {
        inference,
        prevent,
        context,
        program: &program,
        needed: IndexSet::new(),
        found: Inferred {
            abstraction: inference.abstraction,
            end: InferenceEnd::Complete,
            placements: Vec::new(),
            tried: 0,
            states: 0,
        },
    };
    work.run(observe);
    Ok(work.found)
}

/// An inference under way.
struct Work<'a, P> {
    inference: &'a Inference<'a>,
    prevent: &'a P,
    context: &'a Context,
    program: &'a Program,
    /// All constraints of paths that were found.
    needed: IndexSet<Constraint>,
    found: Inferred,
}

/// What a search says of a placement.
enum Said {
    Sufficient,
    Misses(Clause),
    Ends(InferenceEnd),
}

impl<P: Prevent> Work<'_, P> {
    fn run(&mut self, observe: &mut dyn FnMut(&FenceSet, Option<&Clause>)) {
        let mut frontier = Frontier::default();
        while let Some(fences) = frontier.take() {
            let smallest = self.found.placements.first();
            if smallest.is_some_and(|smallest| smallest.fences.len() < fences.len()) {
                return;
            }
            self.found.tried += 1;
            match self.judge(&fences) {
                Said::Sufficient => {
                    observe(&fences, None);
                    let enforces = self.enforced(&fences);
                    frontier.prove(fences.clone());
                    self.found.placements.push(Placed { fences, enforces });
                }
                Said::Misses(clause) => {
                    observe(&fences, Some(&clause));
                    frontier.refute(&fences, clause);
                }
                Said::Ends(end) => {
                    self.found.end = end;
                    return;
                }
            }
        }
    }

    fn judge(&mut self, fences: &FenceSet) -> Said {
        let Inference {
            candidates,
            model,
            abstraction,
            ..
        } = *self.inference;
        let mut order = Order::new(self.program, candidates, fences, model);
        let mut system = System {
            program: self.program,
            model,
            layout: Layout::new(self.program, model, true),
            rules: Semantics::new(abstraction.domain, abstraction.k),
        };
        let (domain, prevent) = (abstraction.domain, self.prevent);
        let most = self.context.limits.abstract_states;
        let found = search::search(
            &mut system,
            domain,
            most,
            self.context,
            &mut |layout, state, step| {
                let constraints = prevent.prevent(self.program, domain, (layout, state), step);
                let mut each = constraints.iter();
                match each.any(|constraint| order.is_enforced(*constraint)) {
                    true => Way::Closed,
                    false if constraints.is_empty() => Way::Free,
                    false => Way::Delayed,
                }
            },
        );
        self.found.states = self.found.states.max(found.states);
        let path = match found.end {
            End::Safe => return Said::Sufficient,
            End::Limit(limit) => return Said::Ends(InferenceEnd::Limit(limit)),
            End::Broken(path) => path,
        };
        let mut constraints: IndexSet<Constraint> = IndexSet::new();
        for (state, step) in path.sources() {
            let source = (&system.layout, state);
            constraints.extend(prevent.prevent(self.program, domain, source, step));
        }
        let clause: Clause = constraints
            .iter()
            .flat_map(|constraint| order.places_of_a_way(*constraint))
            .collect();
        if !clause.is_empty() {
            self.needed.extend(constraints);
            return Said::Misses(clause);
        }
        // A path that violates no constraint is one of SC but for the order of steps that do not matter. Another real one may
        // pass places that no constraint needs: then a fence there helps against it.
        let is_beyond_fences = |violation: &Violation| {
            constraints.is_empty() || tighten(candidates, violation).1.is_empty()
        };
        let real = confirmed(self.program, model, &path).map(Arc::new);
        Said::Ends(match real {
            Some(violation) if is_beyond_fences(&violation) => InferenceEnd::Broken(violation),
            open => InferenceEnd::Unfixable(open),
        })
    }

    /// The constraints that a placement enforces, of those that were needed.
    fn enforced(&self, fences: &FenceSet) -> Vec<Constraint> {
        let Inference {
            candidates, model, ..
        } = *self.inference;
        let mut order = Order::new(self.program, candidates, fences, model);
        let none = FenceSet::default();
        let mut without = Order::new(self.program, candidates, &none, model);
        let needed = self.needed.iter().copied();
        needed
            .filter(|constraint| {
                order.is_enforced(*constraint) && !without.is_enforced(*constraint)
            })
            .collect()
    }
}
