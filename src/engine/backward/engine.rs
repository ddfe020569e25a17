//! The searches as an engine.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use super::forward::{self, Bounds, Way};
use super::graph::System;
use super::pso::StoreBuffers;
use super::search::{self, End};
use super::seen::Seen;
use super::tso::LoadBuffer;
use super::unfold::Place;
use super::{bad, invariant, sections, seen, shrink, unfold};
use crate::engine::{Context, Engine, EngineError, Task};
use crate::memory::Model;
use crate::program::{self, Init, Program, VarId};
use crate::semantics::{Followed, follow};
use crate::verdict::{
    Attempt, Evidence, FoundBy, Limit, Outcome, Settings, Stats, Unknown, Unsupported, Verdict,
    Violation,
};

/// The name of the engine.
pub const NAME: &str = "backward";

/// How the engine works. All settings give the same verdicts, as long as no limit is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackwardConfig {
    /// Whether the threads' graphs are made smaller.
    pub shrink: bool,
    /// The longest buffers of the forward searches; 0 for none.
    pub forward_buffer: usize,
    /// The most states of a forward search; more if the limits of the run allow for it.
    pub forward_states: usize,
    /// The most combinations of nodes and memory of the forward invariant; 0 for none.
    pub invariant: usize,
    /// The most sets of states of the backward search; likewise.
    pub configs: usize,
}

impl Default for BackwardConfig {
    fn default() -> Self {
        BackwardConfig {
            shrink: true,
            forward_buffer: 3,
            forward_states: 1_000_000,
            invariant: 100_000,
            configs: 200_000,
        }
    }
}

/// The most states of the forward search that comes first.
const SHORT_STATES: usize = 400_000;

/// The most sets of states of the backward search that comes then.
const SHORT_CONFIGS: usize = 10_000;

/// Where more states are asked for than usual, this part of them is the most states of a forward search.
const FORWARD_SHARE: usize = 2;

/// Likewise, the most sets of states of the backward search.
const CONFIGS_SHARE: usize = 10;

/// The backward engine.
#[derive(Clone, Debug, Default)]
pub struct Backward {
    config: BackwardConfig,
}

impl Backward {
    /// The engine with these settings.
    pub fn new(config: BackwardConfig) -> Self {
        Backward { config }
    }
}

impl Engine for Backward {
    fn name(&self) -> &'static str {
        NAME
    }

    /// A second time it finds nothing else.
    fn is_worth_trying(&self, earlier: &[Attempt]) -> bool {
        earlier.iter().all(|tried| tried.engine != NAME)
    }

    fn run(&mut self, task: &Task<'_>, context: &Context) -> Result<Outcome, EngineError> {
        let start = Instant::now();
        let program = program::lower(task.program, task.fences);
        context
            .progress
            .begin(format!("{}, searching backwards", task.model));
        let (verdict, stats) = self.decide(&program, task.model, context)?;
        let stats = Stats {
            time: start.elapsed(),
            ..stats
        };
        let attempt = Attempt {
            engine: NAME,
            settings: Settings::default(),
            stats,
            verdict: verdict.clone(),
        };
        Ok(Outcome::new(verdict, vec![attempt]))
    }
}

/// The lengths of buffers with which values are looked for where they seem to have no bound.
const LENGTHS: std::ops::RangeInclusive<usize> = 1..=3;

impl Backward {
    /// Decides a program: with all values that threads may make of one another's or, if these have no bound, with those
    /// that are seen with short buffers, which must then be all.
    fn decide(
        &self,
        program: &Program,
        model: Model,
        context: &Context,
    ) -> Result<(Verdict, Stats), Unsupported> {
        let mut stats = Stats::default();
        let reason = match Graphs::new(program, model, self.config.shrink, None) {
            Ok(graphs) => {
                let said = self.on(program, &graphs, context, &mut stats);
                return Ok((said.unwrap_or_else(|| incomplete(Limit::States)), stats));
            }
            Err(reason) => reason,
        };
        if !reason.unbounded {
            return Err(reason.error);
        }
        for buffer in LENGTHS {
            let Some(seen) = seen::seen(program, model, buffer, &context.stop) else {
                break;
            };
            let graphs = Graphs::new(program, model, self.config.shrink, Some(&seen));
            let graphs = graphs.map_err(|reason| reason.error)?;
            if let Some(verdict) = self.on(program, &graphs, context, &mut stats) {
                return Ok((verdict, stats));
            }
        }
        Err(reason.error)
    }

    /// The verdict over these graphs; `None` if the searches found a way that is no execution, or one to a value that
    /// the graphs do not have.
    fn on(
        &self,
        program: &Program,
        graphs: &Graphs,
        context: &Context,
        stats: &mut Stats,
    ) -> Option<Verdict> {
        let mut run = Run {
            config: self.config,
            program,
            graphs,
            context,
            stats: *stats,
        };
        let verdict = run.decide();
        *stats = run.stats;
        verdict
    }
}

/// The graphs of a program.
pub(super) struct Graphs {
    /// As they are, with the steps of the program; locals that are not live are left out.
    pub(super) whole: System,
    /// By thread: what the nodes of the whole graphs stand for.
    pub(super) places: Vec<Vec<Place>>,
    /// For the searches that decide: atomic sections under TSO are single steps, and all is as small as it gets.
    pub(super) small: System,
}

impl Graphs {
    /// The graphs of a program; with `seen` only for the values that were seen.
    pub(super) fn new(
        program: &Program,
        model: Model,
        smaller: bool,
        seen: Option<&Seen>,
    ) -> Result<Self, NoGraphs> {
        if program.has_background() {
            return Err(unsupported("background blocks"));
        }
        if !program.fifos.is_empty() {
            return Err(unsupported("the program has FIFOs"));
        }
        let unfolded = unfold::unfold(program, model, smaller, seen);
        let unfolded = unfolded.map_err(|reason| NoGraphs {
            unbounded: true,
            ..unsupported(reason)
        })?;
        let places = unfolded.places.clone();
        let whole = bad::system(program, model, unfolded).map_err(unsupported)?;
        let steps = match model {
            Model::Tso => sections::as_steps(&whole).map_err(unsupported)?,
            Model::Sc | Model::Pso => whole.clone(),
        };
        let small = match smaller {
            true => shrink::shrink(&steps),
            false => steps,
        };
        Ok(Graphs {
            whole,
            places,
            small,
        })
    }
}

/// Why there are no graphs.
pub(super) struct NoGraphs {
    /// The reason.
    pub error: Unsupported,
    /// Whether it is the values that have no bound.
    unbounded: bool,
}

fn unsupported(reason: impl ToString) -> NoGraphs {
    NoGraphs {
        error: Unsupported {
            engine: NAME,
            reason: reason.to_string(),
        },
        unbounded: false,
    }
}

/// A task at work.
struct Run<'a> {
    config: BackwardConfig,
    program: &'a Program,
    graphs: &'a Graphs,
    context: &'a Context,
    stats: Stats,
}

/// What the searches say.
enum Said {
    Safe,
    Broken,
    Limit(Limit),
}

impl Run<'_> {
    /// The verdict; `None` if a way to a bad state was found that breaks no property.
    fn decide(&mut self) -> Option<Verdict> {
        let said = self.searched();
        Some(match said {
            Said::Safe => Verdict::Verified(Evidence::Basis),
            Said::Limit(limit) => incomplete(limit),
            Said::Broken => match self.execution() {
                Ok(violation) => Verdict::Violated(Arc::new(violation?)),
                Err(limit) => incomplete(limit),
            },
        })
    }

    /// What the searches say: short ones first, both ways, then both as far as the limits go.
    fn searched(&mut self) -> Said {
        let short = self.forwards(self.config.forward_states.min(SHORT_STATES));
        if let Some(said) = short {
            return said;
        }
        match self.backwards(self.config.configs.min(SHORT_CONFIGS)) {
            Said::Limit(Limit::States) => {}
            said => return said,
        }
        let asked = self.context.limits.explore_states;
        let long = self.forwards(self.config.forward_states.max(asked / FORWARD_SHARE));
        long.unwrap_or_else(|| self.backwards(self.config.configs.max(asked / CONFIGS_SHARE)))
    }

    /// Searches forwards with growing buffers.
    fn forwards(&mut self, states: usize) -> Option<Said> {
        for buffer in 1..=self.config.forward_buffer {
            let bounds = Bounds { buffer, states };
            let found = self.forward(&self.graphs.small, bounds);
            match found.end {
                forward::End::Safe => return Some(Said::Safe),
                forward::End::Bad(_) => return Some(Said::Broken),
                forward::End::Stopped => return Some(Said::Limit(self.stopped())),
                forward::End::States => return None,
                forward::End::Refused => {}
            }
        }
        None
    }

    fn forward(&mut self, system: &System, bounds: Bounds) -> forward::Found {
        let found = forward::search(system, bounds, &self.context.stop);
        self.stats.states += found.states;
        self.stats.memory_bytes = self.stats.memory_bytes.max(found.bytes);
        let longest = self.stats.max_buffer.unwrap_or(0).max(found.longest);
        self.stats.max_buffer = Some(longest);
        found
    }

    fn backwards(&mut self, configs: usize) -> Said {
        match self.graphs.small.model {
            Model::Tso => self.backwards_with::<LoadBuffer>(configs),
            Model::Sc | Model::Pso => self.backwards_with::<StoreBuffers>(configs),
        }
    }

    fn backwards_with<B: super::buffers::Buffers>(&mut self, configs: usize) -> Said {
        let (system, stop) = (&self.graphs.small, &self.context.stop);
        let invariant = invariant::invariant(system, self.config.invariant, stop);
        let found = search::search::<B>(system, invariant.as_ref(), configs, stop);
        self.stats.states += found.configs;
        match found.end {
            End::Safe(_) => Said::Safe,
            End::Reached => Said::Broken,
            End::TooMany => Said::Limit(Limit::States),
            End::Stopped => Said::Limit(self.stopped()),
        }
    }

    /// The execution of a violation that is known to exist: with real buffers as long as it needs. Lengths grow by
    /// half, so that all searches together see few more states than the last one.
    fn execution(&mut self) -> Result<Option<Violation>, Limit> {
        let mut states = self.context.limits.explore_states;
        let longer = |buffer: &usize| Some(buffer + buffer.div_ceil(2));
        let lengths = std::iter::successors(Some(1), longer);
        for buffer in lengths.take_while(|&buffer| buffer <= forward::MAX_BUFFER) {
            let found = self.forward(&self.graphs.whole, Bounds { buffer, states });
            match found.end {
                forward::End::Bad(way) => return Ok(self.confirmed(&way)),
                forward::End::Stopped => return Err(self.stopped()),
                forward::End::States | forward::End::Safe => return Err(Limit::States),
                forward::End::Refused => states = states.saturating_sub(found.states),
            }
        }
        Err(Limit::Buffer)
    }

    /// The violation that a way to a bad state is.
    fn confirmed(&self, way: &Way) -> Option<Violation> {
        let model = self.graphs.whole.model;
        let initial = self.initial_values(way);
        let followed = follow(self.program, model, &initial, &way.steps);
        let Followed::Broken(_, trace) = followed else {
            return None;
        };
        let program = Arc::new(self.program.clone());
        Violation::confirm(program, trace, FoundBy::Exploration).ok()
    }

    /// The values that a way starts with.
    fn initial_values(&self, way: &Way) -> Vec<i64> {
        let program = self.program;
        let mut initial: Vec<i64> = way.memory.clone();
        initial.resize(program.vars.len(), 0);
        for (thread, &entry) in program.thread_ids().zip(&way.entries) {
            let own = |id: &VarId| program.vars[id.index()].owner == Some(thread);
            let Place::At(_, locals) = &self.graphs.places[thread.index()][entry as usize] else {
                continue;
            };
            for (var, &value) in program.var_ids().filter(own).zip(locals) {
                initial[var.index()] = match program.vars[var.index()].init {
                    Init::Value(value) => value,
                    // A local that is not live is 0 here; any of its first values does as well.
                    Init::Range(range) => {
                        let listed = range.values().find(|listed| *listed == value);
                        listed.or_else(|| range.values().next()).unwrap_or(value)
                    }
                    Init::Any => value,
                };
            }
        }
        initial
    }

    fn stopped(&self) -> Limit {
        Limit::of_stop(&self.context.stop)
    }
}

fn incomplete(limit: Limit) -> Verdict {
    Verdict::Unknown(Unknown::Incomplete {
        limits: BTreeSet::from([limit]),
        safe_up_to: None,
        growth: None,
    })
}
