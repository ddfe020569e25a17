//! What refutes claims: Z3 as a library, or any SMT-LIB solver as a process.
//!
//! Both are given the same formulas as text. A claim counts as refuted only by the answer `unsat`.

mod library;
mod process;
mod values;

use std::path::PathBuf;

use super::Claims;
use crate::certify::effort::{Effort, Solver};

/// The first claim that was not refuted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::certify) struct Unrefuted {
    /// Its number.
    pub claim: usize,
    /// What the solver said.
    pub answer: Answer,
}

/// What a solver says if not `unsat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::certify) enum Answer {
    /// The claim has a model.
    Sat,
    /// It does not know, or said something else; in its words.
    Unknown(String),
    /// It was told to end.
    Stopped,
}

/// A solver that cannot be used at all.
#[derive(Debug, thiserror::Error)]
#[error("cannot run the solver `{}`: {error}", .path.display())]
pub struct SolverError {
    /// The program.
    pub path: PathBuf,
    /// Why not.
    pub error: std::io::Error,
}

impl Effort {
    /// Has all claims refuted, in order, up to the first for which this fails.
    pub(in crate::certify) fn refute(
        &self,
        claims: &impl Claims,
    ) -> Result<Option<Unrefuted>, SolverError> {
        match &self.solver {
            Solver::Library => Ok(library::refute(self, claims)),
            Solver::Process(path) => process::refute(path, self, claims),
        }
    }

    /// The values of the variables in a model of the only claim, if the solver gives them.
    pub(in crate::certify) fn values(
        &self,
        claims: &impl Claims,
    ) -> Result<Option<Vec<String>>, SolverError> {
        match &self.solver {
            Solver::Library => Ok(library::values(claims)),
            Solver::Process(path) => process::values(path, &self.stop, claims),
        }
    }
}
