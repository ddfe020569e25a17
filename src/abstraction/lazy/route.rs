//! One path instead of all: whether some of the predicates exclude it, whatever the sizes of cubes.

use super::{
    AbstractionError, EdgeId, Effect, Flag, Lazy, LazyLimits, Predicate, Program, PropertyId,
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
        let mut number = lazy.start();
        let mut position = lazy.states[number].position.0.clone();
        for &step in self.route.steps {
            lazy.broken = None;
            let Some(values) = lazy.post(number, step) else {
                // Behind an index that is never in its bounds nothing goes on, but the property is broken there.
                let noted = lazy.broken.as_ref().map(|(property, _)| *property);
                return noted.is_none() || noted != self.route.property;
            };
            // A background block starts where its thread never is.
            let location = &mut position[step.thread.index()];
            if *location == step.at {
                *location = lazy.program.edge(step).target;
            }
            number = lazy.push((position.clone(), None), values, None);
        }
        match self.route.property {
            None => false,
            Some(property) => !lazy.may_break(number, property),
        }
    }

    /// What the solver was asked so far.
    pub fn effort(&self) -> Effort {
        self.lazy.oracle.effort()
    }
}

impl Lazy<'_> {
    /// Whether a property may be broken: by the step that led to a state, or, if it is a spec, there.
    fn may_break(&mut self, number: usize, property: PropertyId) -> bool {
        let noted = self.broken.as_ref();
        if noted.is_some_and(|(broken, _)| *broken == property) {
            return true;
        }
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
