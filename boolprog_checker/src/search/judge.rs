//! Combines the searches into a verdict for each assertion and each error label.
//!
//! `Auto` runs the three-valued search; a possible violation is confirmed along its trace; what is
//! still open is decided by a search with [`Splitting::All`], which is exact in its verdicts. The
//! two-valued search of `Exact` stores every combination of values and is the plainest of all.
//!
//! What is violated is searched once more, exactly and with only those reductions that keep
//! distances, so that its trace is a shortest one.

use std::time::Duration;

use indexmap::IndexMap;

use super::budget::Budget;
use super::confirm::confirm;
use super::explore::{Cover, Exploration, Found, Strategy, explore};
use super::fired::Fired;
use super::path::{Path, path_to};
use super::split::{Context, Splitting};
use crate::machine::fuse::fuse;
use crate::machine::{LocId, Machine, liveness, visibility};
use crate::options::{Limits, Mode, Options, Reductions, Split};
use crate::outcome::{AssertId, AssertionReport, Finding, Limit, Outcome, Reason, Stats, Verdict};
use crate::program::Program;

/// Judges every assertion of a program.
pub(crate) fn judge(program: &Program, options: &Options) -> Outcome {
    let budget = Budget::new(&options.limits);
    let machine = prepare(program.machine(), options.reductions);
    let mut judge = Judge::new(&machine, &budget, options);
    let all: Vec<_> = judge.findings.keys().copied().collect();
    match options.mode {
        Mode::Exact => judge.search(Splitting::Eager, &all),
        Mode::ThreeValued => judge.search(splitting(options.split), &all),
        Mode::Auto => {
            judge.search(splitting(options.split), &all);
            judge.resolve();
        }
    }
    if options.shortest {
        judge.shorten();
    }
    judge.outcome()
}

/// The machine with the chosen reductions built in.
fn prepare(machine: &Machine, reductions: Reductions) -> Machine {
    let mut machine = if reductions.fuse {
        fuse(machine)
    } else {
        machine.clone()
    };
    if reductions.invisible && machine.main != LocId::ENDED {
        visibility::mark_reducible(&mut machine);
    }
    if reductions.dead && machine.main != LocId::ENDED {
        liveness::mark_forgotten(&mut machine);
    }
    machine
}

pub(super) fn splitting(split: Split) -> Splitting {
    match split {
        Split::None => Splitting::None,
        Split::Needed => Splitting::Needed,
        Split::All => Splitting::All,
    }
}

/// Most states that are stored in search of shorter traces: about a second.
const SHORTENING_STATES: usize = 1_000_000;

/// How long the way to failures may be looked for after a search was stopped.
const GRACE_PERIOD: Duration = Duration::from_secs(1);

/// A search whose failures are looked at again, and the budget for that.
#[derive(Clone, Copy)]
struct Again<'e> {
    strategy: Strategy,
    exploration: &'e Exploration,
    budget: &'e Budget<'e>,
}

struct Judge<'a> {
    machine: &'a Machine,
    budget: &'a Budget<'a>,
    options: &'a Options,
    findings: IndexMap<AssertId, Finding>,
    stats: Stats,
    fired: Fired,
}

impl<'a> Judge<'a> {
    fn new(machine: &'a Machine, budget: &'a Budget<'a>, options: &'a Options) -> Self {
        let asserts = (0..machine.asserts.len() as u32).map(AssertId);
        let findings = asserts.map(|id| (id, Finding::Verified)).collect();
        Self {
            machine,
            budget,
            options,
            findings,
            stats: Stats::default(),
            fired: Fired::default(),
        }
    }

    /// Whether the search of this kind finds only real violations.
    fn is_exact(splitting: Splitting) -> bool {
        matches!(splitting, Splitting::All | Splitting::Eager)
    }

    fn context(&self, splitting: Splitting) -> Context<'a> {
        Context {
            machine: self.machine,
            budget: self.budget,
            splitting,
        }
    }

    /// How the options want a search of this kind to go.
    fn strategy(&self, splitting: Splitting) -> Strategy {
        let reductions = self.options.reductions;
        let strategy = Strategy {
            cover: if reductions.cover {
                Cover::Any
            } else {
                Cover::Never
            },
            reduce: reductions.invisible,
            join: self.options.join,
            record_fired: self.options.record_fired,
        };
        strategy.for_splitting(splitting)
    }

    fn add_stats(&mut self, stats: &Stats) {
        self.stats.states += stats.states;
        self.stats.transitions += stats.transitions;
        self.stats.revisited += stats.revisited;
        self.stats.covered += stats.covered;
        self.stats.merged += stats.merged;
        if stats.memory_bytes > self.stats.memory_bytes {
            self.stats.memory_bytes = stats.memory_bytes;
            self.stats.table_bytes = stats.table_bytes;
        }
    }

    /// Searches for failures of the wanted assertions.
    fn search(&mut self, splitting: Splitting, wanted: &[AssertId]) {
        if wanted.is_empty() && !self.options.record_fired {
            return;
        }
        let strategy = self.strategy(splitting);
        self.budget.restart();
        self.budget.look_at_clock();
        let mut exploration = explore(self.context(splitting), strategy, wanted);
        self.add_stats(&exploration.stats);
        self.fired.extend(std::mem::take(&mut exploration.fired));
        let limits = self.path_limits();
        let again = Again {
            strategy,
            exploration: &exploration,
            budget: &Budget::new(&limits),
        };
        for id in wanted.iter().copied() {
            let finding = match (exploration.found.get(&id), exploration.limit) {
                (Some(found), _) => self.failure(splitting, again, *found),
                (None, Some(limit)) => Finding::Unknown(Reason::Limit(limit)),
                (None, None) => Finding::Verified,
            };
            self.findings.insert(id, finding);
        }
    }

    /// What a failure that a search found means.
    fn failure(&self, splitting: Splitting, again: Again<'_>, found: Found) -> Finding {
        let context = Context {
            budget: again.budget,
            ..self.context(splitting)
        };
        let strategy = again.strategy;
        let Some(path) = path_to(context, again.exploration, strategy.reduce, found) else {
            let limit = again.budget.stopped().unwrap_or(Limit::Timeout);
            return Finding::Unknown(Reason::Limit(limit));
        };
        let trace = |path: &Path| path.trace(self.machine, strategy.keeps_distances());
        let real = match splitting {
            Splitting::Eager => None,
            Splitting::None | Splitting::Needed if self.options.mode == Mode::ThreeValued => None,
            Splitting::None | Splitting::Needed | Splitting::All => {
                confirm(self.context(splitting), &path)
            }
        };
        match real {
            Some(real) => Finding::Violated(trace(&real)),
            None if Self::is_exact(splitting) => Finding::Violated(trace(&path)),
            None => Finding::Unknown(Reason::Abstraction(trace(&path))),
        }
    }

    /// Decides exactly what the three-valued search left open.
    fn resolve(&mut self) {
        let unknown = |finding: &Finding| finding.verdict() == Verdict::Unknown;
        let open: Vec<_> = self
            .findings
            .iter()
            .filter(|(_, f)| unknown(f))
            .map(|(id, _)| *id)
            .collect();
        if splitting(self.options.split) != Splitting::All && !open.is_empty() {
            self.search(Splitting::All, &open);
        }
    }

    /// Looks for shorter runs to what is violated.
    fn shorten(&mut self) {
        let long =
            |finding: &Finding| matches!(finding, Finding::Violated(trace) if !trace.shortest);
        let wanted: Vec<_> = self
            .findings
            .iter()
            .filter(|(_, finding)| long(finding))
            .map(|(id, _)| *id)
            .collect();
        if wanted.is_empty() {
            return;
        }
        let splitting = match self.options.mode {
            Mode::Exact => Splitting::Eager,
            Mode::Auto | Mode::ThreeValued => Splitting::All,
        };
        let strategy = Strategy {
            cover: Cover::Earlier,
            reduce: false,
            join: false,
            record_fired: false,
        };
        let limits = self.shortening_limits();
        let budget = Budget::new(&limits);
        let context = Context {
            budget: &budget,
            ..self.context(splitting)
        };
        let exploration = explore(context, strategy, &wanted);
        self.add_stats(&exploration.stats);
        let limits = self.path_limits();
        let again = Again {
            strategy,
            exploration: &exploration,
            budget: &Budget::new(&limits),
        };
        for id in wanted {
            let found = exploration.found.get(&id);
            let shorter = found.map(|found| self.failure(splitting, again, *found));
            if let Some(shorter @ Finding::Violated(_)) = shorter {
                self.findings.insert(id, shorter);
            }
        }
    }

    /// What is left of the limits, and never more than what a shorter trace is worth.
    fn shortening_limits(&self) -> Limits {
        let limits = self.options.limits.clone();
        Limits {
            max_states: limits.max_states.min(SHORTENING_STATES),
            timeout: self.time_left(),
            ..limits
        }
    }

    /// What is left of the limits for the ways to failures, and a moment if nothing is left. The search has
    /// gone these ways with its number of states, so there is no limit to that.
    fn path_limits(&self) -> Limits {
        self.budget.look_at_clock();
        let limits = &self.options.limits;
        let (timeout, cancel) = match self.budget.stopped() {
            Some(Limit::Timeout | Limit::Cancelled) => (Some(GRACE_PERIOD), None),
            Some(Limit::States | Limit::Threads) | None => {
                (self.time_left(), limits.cancel.clone())
            }
        };
        Limits {
            max_states: usize::MAX,
            max_threads: limits.max_threads,
            timeout,
            cancel,
            progress: None,
        }
    }

    fn time_left(&self) -> Option<Duration> {
        let spent = Duration::from_secs_f64(self.budget.seconds());
        let timeout = self.options.limits.timeout;
        timeout.map(|timeout| timeout.saturating_sub(spent))
    }

    fn outcome(mut self) -> Outcome {
        self.stats.seconds = self.budget.seconds();
        let report = |(id, finding): (AssertId, Finding)| AssertionReport {
            id,
            stmt: self.machine.asserts[id.index()].stmt,
            label: self.machine.asserts[id.index()].label.clone(),
            finding,
        };
        Outcome {
            assertions: self.findings.into_iter().map(report).collect(),
            stats: self.stats,
            fired: self.fired.disjuncts(),
            fired_clauses: self.fired.clauses(self.machine),
        }
    }
}
