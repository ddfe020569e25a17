//! One path instead of all: whether some of the predicates exclude it, whatever the sizes of cubes.

use super::{
    AbstractionError, Block, EdgeId, Effect, Flag, Lazy, LazyLimits, Predicate, Program, PropertyId,
};
use crate::reduce::BufferVars;
use crate::smt::Effort;

/// A path, and the property that it may break.
#[derive(Clone, Copy, Debug)]
pub struct Route<'a> {
    /// The steps.
    pub steps: &'a [EdgeId],
    /// The property; without one it is only asked whether the steps can be taken.
    pub property: Option<PropertyId>,
}

/// Walks one path with different choices of predicates; what the solver has answered once is known for all of them.
pub struct Walker<'a> {
    lazy: Lazy<'a>,
    route: Route<'a>,
}

impl<'a> Walker<'a> {
    /// A walker for a path, with all predicates that may be chosen; unused slots of the buffers are forgotten.
    pub fn new(
        program: &'a Program,
        predicates: &'a [Predicate],
        buffers: &'a [BufferVars],
        route: Route<'a>,
        limits: &LazyLimits,
    ) -> Result<Self, AbstractionError> {
        let steps = route.steps.iter().copied();
        let lazy = Lazy::new(program, predicates, buffers, limits, steps)?;
        Ok(Walker { lazy, route })
    }

    /// Whether the strongest abstract steps over the chosen predicates exclude the path.
    pub fn excludes(&mut self, chosen: Vec<bool>) -> bool {
        let lazy = &mut self.lazy;
        lazy.chosen = chosen;
        lazy.states.clear();
        lazy.by_position.clear();
        lazy.broken = None;
        let mut reached = vec![lazy.start()];
        let mut steps = self.route.steps;
        let mut broken = false;
        while let [step, rest @ ..] = steps {
            lazy.broken = None;
            let block = lazy.blocks.get(&(step.thread, step.at)).cloned();
            (reached, steps) = match block {
                Some(block) => lazy.follow_block(&reached, &block, steps),
                None => (lazy.follow(&reached, *step), rest),
            };
            broken = match (&lazy.broken, self.route.property) {
                (Some((broken, _)), Some(property)) => *broken == property,
                (Some(_), None) | (None, _) => false,
            };
            if reached.is_empty() && !(broken && steps.is_empty()) {
                return true;
            }
        }
        match self.route.property {
            None => false,
            Some(property) => {
                !broken
                    && !reached
                        .iter()
                        .any(|&number| lazy.may_break(number, property))
            }
        }
    }

    /// What the solver was asked so far.
    pub fn effort(&self) -> Effort {
        self.lazy.oracle.effort()
    }
}

impl Lazy<'_> {
    /// The states behind a step from some states.
    fn follow(&mut self, from: &[usize], step: EdgeId) -> Vec<usize> {
        let mut reached = Vec::new();
        for &number in from {
            // A background block starts where its thread never is.
            let mut position = self.states[number].position.0.clone();
            let location = &mut position[step.thread.index()];
            if *location == step.at {
                *location = self.program.edge(step).target;
            }
            for (values, _) in self.post(number, step) {
                reached.push(self.push((position.clone(), None), values, None));
            }
        }
        reached
    }

    /// The states behind a background block from some states, and the steps behind it.
    fn follow_block<'s>(
        &mut self,
        from: &[usize],
        block: &Block,
        steps: &'s [EdgeId],
    ) -> (Vec<usize>, &'s [EdgeId]) {
        let mut reached = Vec::new();
        let mut rest = &steps[1..];
        for (case, effects) in block.iter() {
            let Some(behind) = steps.strip_prefix(&case.edges[..]) else {
                continue;
            };
            rest = behind;
            for &number in from {
                let before = self.states[number].values.clone();
                let position = self.states[number].position.clone();
                for values in self.after(before, effects, None) {
                    reached.push(self.push(position.clone(), values, None));
                }
            }
        }
        (reached, rest)
    }

    /// Whether a spec may be broken in a state.
    fn may_break(&mut self, number: usize, property: PropertyId) -> bool {
        let (locations, _) = self.states[number].position.clone();
        let holds = |flag: &Flag| flag.locations.contains(&locations[flag.thread.index()]);
        let values = self.states[number].values.clone();
        let specs = self.specs.clone();
        specs.iter().flatten().any(|effect| match effect {
            Effect::Assert(questions, asserted) if *asserted == property => {
                let mut goals = questions.iter().map(|q| q.goal.decide_flags(&holds));
                !goals.all(|goal| self.oracle.implies(&values, &goal))
            }
            Effect::Assert(..) | Effect::Assume(_) | Effect::Update(_) | Effect::Forget(_) => false,
        })
    }
}
