//! What the caller can choose about a search.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Duration;

/// How a program is checked. [`Options::default`] is what the command line does without options.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which search answers.
    pub mode: Mode,
    /// What the three-valued search does with unknowns that decide something.
    pub split: Split,
    /// Which reductions are on.
    pub reductions: Reductions,
    /// Join states that differ in one variable: fewer states, less precision. Never in exact search.
    pub join: bool,
    /// Look for a shortest trace of what is violated, where the reductions may have made it longer.
    pub shortest: bool,
    /// When to give up.
    pub limits: Limits,
    /// Record which disjuncts of `schoose` made a choice definite ([`crate::Outcome::fired`]), and
    /// which clauses of conditions decided or taught something ([`crate::Outcome::fired_clauses`]).
    pub record_fired: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            mode: Mode::Auto,
            split: Split::None,
            reductions: Reductions::ALL,
            join: false,
            shortest: true,
            limits: Limits::default(),
            record_fired: false,
        }
    }
}

/// Which search answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Three-valued first; possible violations are confirmed exactly along their traces, and what
    /// is still open is decided by a search that splits every unknown.
    #[default]
    Auto,
    /// Three-valued only: `verified`, or `unknown` with an abstract trace.
    ThreeValued,
    /// Two-valued only.
    Exact,
}

/// What the three-valued search does with unknowns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Split {
    /// They stay unknown.
    #[default]
    None,
    /// Those that decide a condition are split where the condition stays unknown.
    Needed,
    /// All that a step depends on are split before it; the verdict is then exact.
    All,
}

/// The reductions of the search; none of them changes a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    /// Drop states that a more general one covers.
    pub cover: bool,
    /// Fuse edges without effect (`skip`, `goto`) with what follows them.
    pub fuse: bool,
    /// Do not interleave steps that no other thread and no assertion can notice.
    pub invisible: bool,
    /// Forget variables that no step reads before they are written, in three-valued search.
    pub dead: bool,
}

impl Reductions {
    /// All reductions on.
    pub const ALL: Self = Self {
        cover: true,
        fuse: true,
        invisible: true,
        dead: true,
    };
    /// All reductions off.
    pub const NONE: Self = Self {
        cover: false,
        fuse: false,
        invisible: false,
        dead: false,
    };
}

/// When a search gives up; its answer is then `unknown`.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Most states stored.
    pub max_states: usize,
    /// Most threads alive at the same time, those not counted that no loop starts; `main` counts.
    pub max_threads: usize,
    /// Longest time for the whole check.
    pub timeout: Option<Duration>,
    /// Set by another thread to stop the search.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Where the number of states is told, now and then.
    pub progress: Option<Arc<AtomicUsize>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_states: 20_000_000,
            max_threads: 8,
            timeout: None,
            cancel: None,
            progress: None,
        }
    }
}
