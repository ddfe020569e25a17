//! Replay: whether a path that an abstraction cannot exclude is real.
//!
//! Input: a reduced program with its source, and a [`Path`] through it that may break a property. Output:
//! [`Replay`]. First the path is followed symbolically: initial values and arbitrary choices are unknowns
//! of a formula, and Z3 finds values, made as small as possible, or the first step that cannot be taken. Then
//! the path is told in terms of the source, each group of steps as the statement or the flush that it stands
//! for, and run on the exact semantics with real, unbounded buffers. A path that is not real is asked what the
//! predicates miss on it.
//!
//! Invariant: what is real has been run by `explore::replay`. Called by the pipeline.

mod atoms;
mod complete;
mod missing;
mod path;
mod schedule;
mod symbolic;

use crate::explore::{Followed, PropertyKind, Trace, follow};
use crate::logic::TooLarge;
use crate::model::Model;
use crate::program::Program;
use crate::stop::Stop;

pub use complete::{Completed, complete};
pub use missing::{Missing, Search, missing};
pub use path::{EdgeId, Path};
use symbolic::Walk;

/// A reduced program and what it was made from.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The model.
    pub model: Model,
    /// The source program, with the fences in force.
    pub source: &'a Program,
    /// The reduced program.
    pub reduced: &'a Program,
}

/// What became of a path.
#[derive(Clone, Debug)]
pub enum Replay {
    /// It is real and breaks a property.
    Violated(Trace),
    /// It is real and breaks nothing but the check for a full buffer, if the program has that itself.
    Real(Trace),
    /// The step with this number cannot be taken; one behind the last is the property itself.
    Impossible(usize),
    /// The solver has no answer, or numbers are too large to run.
    Undecided,
}

/// Replays a path.
pub fn replay(setting: Setting<'_>, path: &Path, stop: Stop) -> Replay {
    replayed(setting, path, stop).unwrap_or(Replay::Undecided)
}

fn replayed(setting: Setting<'_>, path: &Path, stop: Stop) -> Result<Replay, TooLarge> {
    if !path.is_connected(setting.reduced) {
        return Ok(Replay::Undecided);
    }
    let walk = Walk::new(setting.reduced, path)?;
    let values = match walk.solve(stop) {
        symbolic::Answer::Values(values) => values,
        symbolic::Answer::Impossible(step) => return Ok(Replay::Impossible(step)),
        symbolic::Answer::Unknown => return Ok(Replay::Undecided),
    };
    let (initial, directives) = schedule::schedule(setting, path, &values);
    Ok(
        match follow(setting.source, setting.model, &initial, &directives) {
            Followed::Broken(trace) if trace.property.kind == PropertyKind::Overflow => {
                Replay::Real(trace)
            }
            Followed::Broken(trace) => Replay::Violated(trace),
            Followed::Ran(trace) => Replay::Real(trace),
            Followed::Impossible => Replay::Undecided,
        },
    )
}
