//! Abstract counterexamples: paths through a reduced program that an abstraction cannot exclude.

use std::sync::Arc;

use super::Run;
use crate::program::{EdgeId, PropertyId};

/// Predicates as text, with their values; `None` is unknown.
pub type Changes = Vec<(String, Option<bool>)>;

/// A path that an abstraction cannot exclude.
#[derive(Clone, Debug)]
pub struct AbstractPath {
    /// What may be broken at its end: a property of the reduced program.
    pub property: PropertyId,
    /// The predicates at the start with their values.
    pub initial: Changes,
    /// The steps; the last one is the check of the property, if that is a spec.
    pub steps: Vec<AbstractStep>,
    /// Whether it is an execution.
    pub feasibility: Feasibility,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractStep {
    /// The edge of the reduced program and the thread that takes it; for a flush the thread whose buffer it is.
    /// `None` for the check of a spec.
    pub taken: Option<(EdgeId, String)>,
    /// The line of the source.
    pub line: usize,
    /// The statement of the reduced program.
    pub text: String,
    /// The predicates that change, with their new values.
    pub changes: Changes,
}

/// Whether a path is an execution.
#[derive(Clone, Debug, Default)]
pub enum Feasibility {
    /// It is not known.
    #[default]
    Undecided,
    /// It is: an execution that puts more stores into a buffer than fit and breaks no property.
    Feasible(Arc<Run>),
    /// It is not.
    Spurious {
        /// The first step that cannot be taken, or the last one, which breaks nothing.
        step: usize,
        /// What would exclude it.
        refinement: Refinement,
    },
}

/// What would exclude a path that is not an execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Refinement {
    /// It was not found.
    #[default]
    None,
    /// Predicates of the source program, as they stand in a proof.
    Predicates(Vec<String>),
    /// Larger cubes over the predicates that the proof has.
    LargerCubes,
}

impl AbstractPath {
    /// The edges of the path.
    pub fn edges(&self) -> Vec<EdgeId> {
        let taken = self.steps.iter().filter_map(|step| step.taken.as_ref());
        taken.map(|(edge, _)| *edge).collect()
    }
}

impl AbstractStep {
    /// The thread that takes the step, if one does.
    pub fn thread(&self) -> Option<&str> {
        self.taken.as_ref().map(|(_, thread)| thread.as_str())
    }
}
