//! Ways to save work, each of which can be turned off.
//!
//! None of them changes a verdict, a predicate or a boolean program; tests compare runs with and
//! without each. `--without` names those to turn off.

use std::str::FromStr;

/// A way to save work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimization {
    /// Questions about differences of variables are decided without Z3.
    Differences,
    /// Models that were made up, or met in the search for inconsistent cubes, are tried first.
    Models,
}

/// The optimizations in use; all of them by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Optimizations {
    off: [bool; Optimization::ALL.len()],
}

/// There is no optimization of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no optimization `{0}`; there are: {names}", names = Optimization::names())]
pub struct UnknownOptimization(String);

impl Optimization {
    /// All of them.
    pub const ALL: [Optimization; 2] = [Optimization::Differences, Optimization::Models];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Optimization::Differences => "differences",
            Optimization::Models => "models",
        }
    }

    fn names() -> String {
        Optimization::ALL.map(Optimization::name).join(", ")
    }
}

impl Optimizations {
    /// All optimizations.
    pub const ALL: Optimizations = Optimizations {
        off: [false; Optimization::ALL.len()],
    };

    /// None of them.
    pub const NONE: Optimizations = Optimizations {
        off: [true; Optimization::ALL.len()],
    };

    /// These but one.
    #[must_use]
    pub fn without(mut self, optimization: Optimization) -> Optimizations {
        self.off[optimization as usize] = true;
        self
    }

    /// Whether a optimization is in use.
    pub fn has(self, optimization: Optimization) -> bool {
        !self.off[optimization as usize]
    }
}

impl Default for Optimizations {
    fn default() -> Self {
        Optimizations::ALL
    }
}

impl FromStr for Optimization {
    type Err = UnknownOptimization;

    fn from_str(text: &str) -> Result<Self, UnknownOptimization> {
        let found = Optimization::ALL.into_iter().find(|s| s.name() == text);
        found.ok_or_else(|| UnknownOptimization(text.to_owned()))
    }
}
