//! Replay: whether a path that an abstraction cannot exclude is real.
//!
//! Input: a reduction, and a [`Path`] through its program that may break a property. Output:
//! [`Replay`]. First the path is followed symbolically: initial values and arbitrary choices are unknowns
//! of a formula, and Z3 finds values, made as small as possible, or the first step that cannot be taken. Then
//! the path is written in terms of the source, each group of steps as the statement or the flush that it stands
//! for, and run on the exact semantics with real, unbounded buffers. A path that is not real is asked what the
//! predicates miss on it.
//!
//! Invariant: what is real has been run by `semantics::interpreter`. Called by `engine::predicate`.

mod atoms;
mod complete;
mod missing;
mod path;
mod schedule;
mod symbolic;

use crate::logic::TooLarge;
use crate::program::PropertyKind;
use crate::reduce::Reduction;
use crate::run::stop::Stop;
use crate::semantics::{Followed, Trace, follow};

pub use complete::complete;
pub use missing::{Missing, Search, missing};
pub use path::Path;
use symbolic::Walk;

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
