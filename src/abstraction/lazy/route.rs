//! One path instead of all: whether the predicates exclude it, whatever the sizes of cubes.

use super::{
    AbstractionError, EdgeId, Effect, Flag, Lazy, LazyLimits, Predicate, Program, PropertyId, Stop,
};

/// A path, and the property that it may break.
#[derive(Clone, Copy, Debug)]
pub struct Route<'a> {
    /// The steps.
    pub steps: &'a [EdgeId],
    /// The property; without one it is only asked whether the steps can be taken.
    pub property: Option<PropertyId>,
}

/// Whether the strongest abstract steps exclude a path.
pub fn excludes(
    program: &Program,
    predicates: &[Predicate],
    route: Route<'_>,
    stop: Stop,
) -> Result<bool, AbstractionError> {
    let limits = LazyLimits {
        max_states: usize::MAX,
        stop,
        differences: true,
    };
    let mut search = Lazy::new(program, predicates, &[], &limits)?;
    let mut number = search.start();
    let mut position = search.states[number].position.0.clone();
    for &step in route.steps {
        search.broken = None;
        let Some(values) = search.post(number, step) else {
            return Ok(true);
        };
        // A background block starts where its thread never is.
        let location = &mut position[step.thread.index()];
        if *location == step.at {
            *location = program.edge(step).target;
        }
        number = search.push((position.clone(), None), values, None);
    }
    Ok(match route.property {
        None => false,
        Some(property) => !search.may_break(number, property),
    })
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
