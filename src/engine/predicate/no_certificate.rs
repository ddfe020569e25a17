//! What all certificates of the predicate engine share: why there may be none, and how a state is written.

use super::PredicateError;
use crate::certificate::Literal;
use crate::verdict::Limit;

/// Why a proof has no certificate.
#[derive(Debug, thiserror::Error)]
pub enum NoCertificate {
    /// A stage fails.
    #[error(transparent)]
    Stage(#[from] PredicateError),
    /// The states of a proof with FIFOs cannot be listed.
    #[error("the states of the proof with facts about the entries of buffers cannot be listed")]
    Facts,
    /// The search without reductions reached a limit.
    #[error("the search for the invariant met the limit `{}`", .0.word())]
    Limit(Limit),
}

/// The literals of a state, those apart that are unknown.
pub(super) fn cube(values: &[Option<bool>]) -> Vec<Literal> {
    let literals = values.iter().enumerate();
    let literals = literals.filter_map(|(predicate, value)| {
        Some(Literal {
            predicate,
            holds: (*value)?,
        })
    });
    literals.collect()
}
