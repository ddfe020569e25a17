//! The explorer as an engine.
//!
//! A search that saw every state is a proof; a violation comes with a shortest execution. Where a store met a full FIFO,
//! the execution that fills it may show that the buffer grows without bound.

use std::sync::Arc;

use super::{Exploration, ExploreConfig, ExploreError, explore};
use crate::engine::{Context, Engine, EngineError, Task};
use crate::program;
use crate::verdict::{
    Attempt, Evidence, Limit, Outcome, Settings, Stats, Unknown, Unsupported, Verdict,
};

/// The name of the engine.
pub const NAME: &str = "explore";

/// The explorer with a limit on states.
#[derive(Clone, Debug)]
pub struct Explore {
    config: ExploreConfig,
}

impl Explore {
    /// The explorer with a configuration; with 0 states it does nothing.
    pub fn new(config: ExploreConfig) -> Self {
        Explore { config }
    }
}

impl Engine for Explore {
    fn name(&self) -> &'static str {
        NAME
    }

    /// After another exploration it is worth trying only if that ended for want of states.
    fn is_worth_trying(&self, earlier: &[Attempt]) -> bool {
        let before = earlier.iter().rfind(|tried| tried.engine == NAME);
        let more = before.is_none_or(|tried| {
            met_state_limit(&tried.verdict) && tried.stats.states < self.config.max_states
        });
        more && self.config.max_states > 0
    }

    fn run(&mut self, task: &Task<'_>, context: &Context) -> Result<Outcome, EngineError> {
        let program = program::lower(task.program, task.fences);
        context.progress.begin(format!("{}, exploring", task.model));
        let exploration = explore(&program, task.model, &self.config, context);
        let exploration = exploration.map_err(|error| match error {
            ExploreError::Background(_) | ExploreError::Fifo(_) => Unsupported {
                engine: NAME,
                reason: error.to_string(),
            },
        })?;
        let verdict = exploration.verdict(&self.config);
        let attempt = Attempt {
            engine: NAME,
            settings: Settings::default(),
            stats: exploration.stats(),
            verdict: verdict.clone(),
        };
        Ok(Outcome {
            verdict,
            log: vec![attempt],
            warnings: exploration.warnings(task.program, &program),
        })
    }
}

impl Exploration {
    /// What the exploration says of the program.
    pub fn verdict(&self, config: &ExploreConfig) -> Verdict {
        if let Some(violation) = &self.violation {
            return Verdict::Violated(Arc::clone(violation));
        }
        if self.limits.is_empty() {
            return Verdict::Verified(Evidence::Exhaustive {
                states: self.states,
                max_buffer: self.max_buffer,
            });
        }
        let only_buffers = self.limits.iter().all(|limit| *limit == Limit::Buffer);
        Verdict::Unknown(Unknown::Incomplete {
            limits: self.limits.clone(),
            safe_up_to: only_buffers.then_some(config.buffer),
            growth: self.growth.clone(),
        })
    }

    fn stats(&self) -> Stats {
        Stats {
            states: self.states,
            memory_bytes: self.bytes,
            time: self.time,
            max_buffer: Some(self.max_buffer),
            solver: None,
            abstraction: None,
        }
    }
}

fn met_state_limit(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Unknown(Unknown::Incomplete { limits, .. }) => limits.contains(&Limit::States),
        Verdict::Unknown(_) | Verdict::Verified(_) | Verdict::Violated(_) => false,
    }
}
