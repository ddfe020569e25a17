//! Why a certificate makes no sense.

use super::facts::StateError;
use super::invariant::PairError;
use super::smt::solver::SolverError;
use super::states::ListError;
use crate::certificate::PredicateError;
use crate::front::cup::placement::UnknownPlace;
use crate::reduce::ReduceError;
use crate::source::{Diagnostic, SourceFile};

/// Why a certificate makes no sense.
#[derive(Debug, thiserror::Error)]
pub enum CertifyError {
    /// The source is no program.
    #[error("the source of the certificate is no correct program")]
    Source(SourceFile, Vec<Diagnostic>),
    /// The source cannot be reduced as the certificate says.
    #[error(transparent)]
    Reduce(#[from] ReduceError),
    /// A fence in force is unknown.
    #[error(transparent)]
    Fence(#[from] UnknownPlace),
    /// A predicate is not understood.
    #[error(transparent)]
    Predicate(#[from] PredicateError),
    /// A predicate to be written names a control location; its number, from 1.
    #[error("predicate {0} names a control location")]
    Location(usize),
    /// A pair is not understood.
    #[error(transparent)]
    Pair(#[from] PairError),
    /// A state with facts is not understood.
    #[error(transparent)]
    State(#[from] StateError),
    /// A list of states is not understood.
    #[error(transparent)]
    List(#[from] ListError),
    /// The solver cannot be used.
    #[error(transparent)]
    Solver(#[from] SolverError),
}
