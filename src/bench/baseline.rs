//! The paper's own algorithm, for an honest ratio.
//!
//! In the same process, with the same solver and the same checker: reductions with a loop of flushes
//! after each statement (Fig. 5 and 12), transformers as Fig. 6 prints them, no sharing between
//! statements, no covering and no other reduction of the search. What the paper leaves open is settled
//! in its favour: see [`crate::abstraction::cubes::AsInPaper`].

use std::time::{Duration, Instant};

use super::Case;
use super::run::Loaded;
use crate::abstraction::Transformers;
use crate::bench::Figures;
use crate::engine::predicate::{PredicateConfig, PredicateError};
use crate::engine::{Context, Limits};
use crate::front::cup::placement::Placement;
use crate::run::stop::Stop;

/// The most states of the paper's search, which keeps all of them.
const STATES: usize = 20_000_000;

/// Runs a case in the paper's way, up to a limit. The cubes of cube extrapolation are in `loaded`
/// already.
pub(super) fn run(
    case: &Case,
    loaded: &Loaded,
    limit: Duration,
    context: &Context,
) -> Result<Figures, PredicateError> {
    let start = Instant::now();
    let end = start + limit;
    let config = PredicateConfig {
        transformers: Transformers::AsInPaper,
        sizes: case.algorithm.paper_sizes,
        keep_slots: true,
        ..PredicateConfig::default()
    };
    let context = Context {
        stop: Stop {
            deadline: Some(
                context
                    .stop
                    .deadline
                    .map_or(end, |deadline| deadline.min(end)),
            ),
            ..context.stop.clone()
        },
        limits: Limits {
            abstract_states: STATES,
            ..Limits::default()
        },
        ..Context::default()
    };
    let bound = (case.model, 1);
    let tried = loaded.attempt(bound, &Placement::All, case.method, &config, &context)?;
    Ok(Figures::new(&tried, start.elapsed()))
}
