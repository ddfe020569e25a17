//! The counter-models of a goal seen so far.
//!
//! A cube that some model of the negated goal satisfies does not imply the goal. So the models that
//! the solver gave before answer most questions without it.

use super::literals::LiteralSet;

/// Models of the negated goal, each as the set of literals that hold in it.
#[derive(Default)]
pub struct Pool {
    models: Vec<LiteralSet>,
}

impl Pool {
    /// Adds a model.
    pub fn add(&mut self, model: LiteralSet) {
        self.models.push(model);
    }

    /// The models that satisfy a cube.
    pub fn satisfying<'a>(&'a self, cube: &'a [usize]) -> impl Iterator<Item = &'a LiteralSet> {
        self.models
            .iter()
            .filter(|model| cube.iter().all(|&literal| model.contains(literal)))
    }
}
