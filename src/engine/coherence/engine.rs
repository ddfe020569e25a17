//! The search as an engine.
//!
//! With a domain and a k that are given there is one attempt. By default `fd` comes first, with a growing k, then `pd`, which
//! has fewer states: the first that excludes every failure decides. A path that the abstraction cannot exclude is run with
//! real buffers: if it breaks its property there, it is a violation.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use super::buffer::Semantics;
use super::layout::Layout;
use super::search::{End, Path, Way, search};
use super::steps::{Step, System};
use super::text;
use crate::engine::{Context, Engine, EngineError, Task};
use crate::memory::Model;
use crate::program::{self, Action, Init, Program};
use crate::semantics::{Directive, Followed, follow};
use crate::verdict::{
    Attempt, Domain, Evidence, FoundBy, Limit, Outcome, PartialCoherence, Settings, Stats, Unknown,
    Unsupported, Verdict, Violation,
};

/// The name of the engine.
pub const NAME: &str = "coherence";

/// How the engine works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoherenceConfig {
    /// The domain; all that may help by default.
    pub domain: Option<Domain>,
    /// The number of oldest stores whose order is known; growing by default.
    pub k: Option<usize>,
}

/// The largest k that is tried by default.
const MOST: usize = 2;

/// The engine.
#[derive(Clone, Debug, Default)]
pub struct Coherence {
    config: CoherenceConfig,
    /// The exact engine that is asked before.
    exact: Option<&'static str>,
}

impl Coherence {
    /// The engine with these settings.
    pub fn new(config: CoherenceConfig) -> Self {
        Coherence {
            config,
            exact: None,
        }
    }

    /// The same behind an exact engine.
    #[must_use]
    pub fn behind(self, exact: &'static str) -> Self {
        Coherence {
            exact: Some(exact),
            ..self
        }
    }
}

impl CoherenceConfig {
    /// The abstractions that are tried, in order.
    fn abstractions(&self) -> Vec<PartialCoherence> {
        let domains = match self.domain {
            Some(domain) => vec![domain],
            None => vec![Domain::Fd, Domain::Pd],
        };
        let of = |domain: Domain| match (domain, self.k) {
            (Domain::Set, _) => vec![0],
            (_, Some(k)) => vec![k],
            (_, None) => (0..=MOST).collect(),
        };
        let pairs = domains.into_iter().flat_map(|domain| {
            let each = of(domain).into_iter();
            each.map(move |k| PartialCoherence { domain, k })
        });
        pairs.collect()
    }
}

impl Engine for Coherence {
    fn name(&self) -> &'static str {
        NAME
    }

    /// Behind an exact engine it is for what that one gave up for want of states.
    fn is_worth_trying(&self, earlier: &[Attempt]) -> bool {
        let Some(exact) = self.exact else {
            return true;
        };
        let mut earlier = earlier.iter().filter(|tried| tried.engine == exact);
        earlier.any(|tried| met_state_limit(&tried.verdict))
    }

    fn run(&mut self, task: &Task<'_>, context: &Context) -> Result<Outcome, EngineError> {
        let program = program::lower(task.program, task.fences);
        supported(&program)?;
        let mut log: Vec<Attempt> = Vec::new();
        for abstraction in self.config.abstractions() {
            let PartialCoherence { domain, k } = abstraction;
            // A larger k has more states.
            let is_coarser = |tried: &Attempt| {
                tried.settings.coherence.map(|tried| tried.domain) == Some(domain)
            };
            if log
                .iter()
                .any(|tried| is_coarser(tried) && met_state_limit(&tried.verdict))
            {
                continue;
            }
            context
                .progress
                .begin(format!("{}, {} with k = {k}", task.model, domain.name()));
            let attempt = attempt((&program, task), abstraction, context);
            let verdict = attempt.verdict.clone();
            log.push(attempt);
            let is_stop = matches!(&verdict, Verdict::Unknown(unknown) if unknown.is_stop());
            if !verdict.is_unknown() || is_stop {
                return Ok(Outcome::new(verdict, log));
            }
        }
        let last = log.last().expect("something is tried");
        Ok(Outcome::new(last.verdict.clone(), log))
    }
}

/// That the program has finite data as far as its text says, and only what the rules are for.
pub(crate) fn supported(program: &Program) -> Result<(), Unsupported> {
    let unsupported = |reason: &str| {
        Err(Unsupported {
            engine: NAME,
            reason: reason.to_owned(),
        })
    };
    if program.has_background() {
        return unsupported("background blocks");
    }
    if !program.fifos.is_empty() {
        return unsupported("the program has FIFOs");
    }
    let is_any = |edge| matches!(program.edge(edge).action, Action::Havoc(_));
    let mut inits = program.vars.iter().map(|var| var.init);
    if program.edge_ids().any(is_any) || inits.any(|init| matches!(init, Init::Any)) {
        return unsupported("arbitrary values (`*`): the data is not finite");
    }
    Ok(())
}

fn attempt(
    (program, task): (&Program, &Task<'_>),
    abstraction: PartialCoherence,
    context: &Context,
) -> Attempt {
    let start = Instant::now();
    let PartialCoherence { domain, k } = abstraction;
    let mut system = System {
        program,
        model: task.model,
        layout: Layout::new(program, task.model, false),
        rules: Semantics::new(domain, k),
    };
    let most = context.limits.abstract_states;
    let found = search(&mut system, domain, most, context, &mut |_, _, _| {
        Way::Delayed
    });
    let verdict = match found.end {
        End::Safe => Verdict::Verified(Evidence::PartialCoherence(abstraction)),
        End::Limit(limit) => incomplete(limit),
        End::Broken(path) => match confirmed(program, task.model, &path) {
            Some(violation) => Verdict::Violated(Arc::new(violation)),
            None => Verdict::Unknown(Unknown::TooIncoherent {
                property: path.property,
                path: Arc::new(text::path(task.source, &system, &path)),
            }),
        },
    };
    Attempt {
        engine: NAME,
        settings: Settings {
            coherence: Some(abstraction),
            ..Settings::default()
        },
        stats: Stats {
            states: found.states,
            memory_bytes: found.bytes,
            time: start.elapsed(),
            ..Stats::default()
        },
        verdict,
    }
}

/// The violation that a path is, if it can be run with real buffers.
pub(crate) fn confirmed(program: &Program, model: Model, path: &Path) -> Option<Violation> {
    let schedule: Vec<Directive> = path
        .steps
        .iter()
        .map(|(step, _)| match *step {
            Step::Statement { edge, value } => Directive::Step { edge, value },
            Step::Flush { thread, var, .. } => Directive::Flush { thread, var },
        })
        .collect();
    let Followed::Broken(_, trace) = follow(program, model, &path.initial.values, &schedule) else {
        return None;
    };
    Violation::confirm(Arc::new(program.clone()), trace, FoundBy::Replay).ok()
}

fn met_state_limit(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Unknown(Unknown::Incomplete { limits, .. }) => limits.contains(&Limit::States),
        Verdict::Unknown(_) | Verdict::Verified(_) | Verdict::Violated(_) => false,
    }
}

fn incomplete(limit: Limit) -> Verdict {
    Verdict::Unknown(Unknown::Incomplete {
        limits: BTreeSet::from([limit]),
        safe_up_to: None,
        growth: None,
    })
}
