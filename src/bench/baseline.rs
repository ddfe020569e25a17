//! The paper's own algorithm, for an honest ratio.
//!
//! In the same process, with the same solver and the same checker: reductions with a loop of flushes
//! after each statement (Fig. 5 and 12), transformers as Fig. 6 prints them, no sharing between
//! statements, no covering and no other reduction of the search. What the paper leaves open is settled
//! in its favour: see [`crate::abstraction::cubes::Printed`].

use std::time::{Duration, Instant};

use super::Case;
use super::run::Loaded;
use crate::abstraction::Manner;
use crate::bench::Figures;
use crate::lang::placement::Placement;
use crate::pipeline::{self, PipelineConfig, PipelineError};

/// Runs a case in the paper's way, up to a limit. The cubes of cube extrapolation are in `loaded`
/// already.
pub(super) fn run(
    case: &Case,
    loaded: &Loaded,
    limit: Duration,
    config: &PipelineConfig,
) -> Result<Figures, PipelineError> {
    let start = Instant::now();
    let end = start + limit;
    let config = PipelineConfig {
        placement: Placement::All,
        manner: Manner::Printed,
        sizes: case.algorithm.paper_sizes,
        keep_slots: true,
        jobs: 1,
        deadline: Some(config.deadline.map_or(end, |deadline| deadline.min(end))),
        max_states: 20_000_000,
        cancel: config.cancel.clone(),
        ..PipelineConfig::default()
    };
    let tried = pipeline::attempt(&loaded.task(), (case.model, 1), case.method, &config)?;
    Ok(Figures::new(&tried, start.elapsed()))
}
