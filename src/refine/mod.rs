//! What a path is worth that an abstraction cannot exclude, and what would exclude it.
//!
//! Input: a reduction, and a [`Path`] through its program that may break a property. Output:
//! [`Replay`]. First the path is followed symbolically: initial values and arbitrary choices are unknowns
//! of a formula, and Z3 finds values, made as small as possible, or the first step that cannot be taken. Then
//! the path is written in terms of the source, each group of steps as the statement or the flush that it stands
//! for, and run on the exact semantics with real, unbounded buffers.
//!
//! A path that is not real is excluded by new predicates. Candidates come from the program ([`pool`], [`definitions()`]), from weakest
//! preconditions along the path ([`weakest()`]), and as images under swaps of alike threads ([`symmetry`]);
//! [`Excluding`] chooses those that exclude the path.
//!
//! Invariant: what is real has been run by `semantics::interpreter`. Called by `engine::predicate`.

mod atoms;
mod choose;
mod complete;
mod definitions;
pub mod fewer;
mod march;
mod path;
mod pool;
mod schedule;
mod symbolic;
pub mod symmetry;
#[cfg(test)]
mod tests;
mod walks;
mod weakest;

use indexmap::IndexSet;

use crate::logic::{Formula, Predicate, TooLarge};
use crate::program::PropertyKind;
use crate::proof::Proof;
use crate::reduce::Reduction;
use crate::run::stop::Stop;
use crate::semantics::{Followed, Trace, follow};

pub use choose::{Chosen, Excluding};
pub use complete::complete;
pub use definitions::definitions;
pub use march::without_marches;
pub use path::Path;
pub use pool::Pool;
use symbolic::Walk;
use weakest::Weakest;

/// What became of a path.
#[derive(Clone, Debug)]
pub enum Replay {
    /// It is real and breaks a property.
    Violated(Trace),
    /// It is real and breaks nothing but the check for a full buffer, if the program has that itself.
    Feasible(Trace),
    /// The step with this number cannot be taken; one behind the last is the property itself.
    Spurious(usize),
    /// The solver has no answer, or numbers are too large to run.
    Undecided,
}

/// Replays a path.
pub fn replay(reduction: &Reduction, path: &Path, stop: Stop) -> Replay {
    replayed(reduction, path, stop).unwrap_or(Replay::Undecided)
}

fn replayed(reduction: &Reduction, path: &Path, stop: Stop) -> Result<Replay, TooLarge> {
    if !path.is_connected(&reduction.program) {
        return Ok(Replay::Undecided);
    }
    let walk = Walk::new(&reduction.program, path)?;
    let values = match walk.solve(stop) {
        symbolic::Answer::Values(values) => values,
        symbolic::Answer::Impossible(step) => return Ok(Replay::Spurious(step)),
        symbolic::Answer::Unknown => return Ok(Replay::Undecided),
    };
    let (initial, directives) = schedule::schedule(reduction, path, &values);
    let is_overflow = |id| reduction.source.property(id).kind == PropertyKind::Overflow;
    Ok(
        match follow(&reduction.source, reduction.model(), &initial, &directives) {
            Followed::Broken(property, trace) if is_overflow(property) => Replay::Feasible(trace),
            Followed::Broken(_, trace) => Replay::Violated(trace),
            Followed::Ran(trace) => Replay::Feasible(trace),
            Followed::Impossible => Replay::Undecided,
        },
    )
}

/// Candidates from weakest preconditions along a path of which a step cannot be taken, the closest to it first.
pub fn weakest(reduction: &Reduction, path: &Path, step: usize) -> Vec<Predicate> {
    let weakest = Weakest {
        reduction,
        path,
        step,
    };
    weakest.candidates().unwrap_or_default()
}

/// The candidates that a proof does not have, in either polarity, each once.
pub fn unknown_to(proof: &Proof, candidates: Vec<Predicate>) -> Vec<Predicate> {
    let both = |predicate: &Predicate| [predicate.formula.clone(), predicate.formula.negated()];
    let mut known: IndexSet<Formula> = proof.predicates.iter().flat_map(both).collect();
    let mut candidates = candidates;
    candidates.retain(|candidate| {
        let is_new = !known.contains(&candidate.formula);
        known.extend(both(candidate));
        is_new
    });
    candidates
}
