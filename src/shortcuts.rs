//! Ways to save work, each of which can be turned off.
//!
//! None of them changes a verdict, a predicate or a boolean program; tests compare runs with and
//! without each. `--without` names those to turn off.

use std::str::FromStr;

/// A way to save work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortcut {
    /// Questions about differences of variables are decided without Z3.
    Differences,
    /// Models that were made up, or met in the search for inconsistent cubes, are tried first.
    Models,
}

/// The shortcuts in use; all of them by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortcuts {
    off: [bool; Shortcut::ALL.len()],
}

/// There is no shortcut of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no shortcut `{0}`; there are: {names}", names = Shortcut::names())]
pub struct UnknownShortcut(String);

impl Shortcut {
    /// All of them.
    pub const ALL: [Shortcut; 2] = [Shortcut::Differences, Shortcut::Models];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Shortcut::Differences => "differences",
            Shortcut::Models => "models",
        }
    }

    fn names() -> String {
        Shortcut::ALL.map(Shortcut::name).join(", ")
    }
}

impl Shortcuts {
    /// All shortcuts.
    pub const ALL: Shortcuts = Shortcuts {
        off: [false; Shortcut::ALL.len()],
    };

    /// None of them.
    pub const NONE: Shortcuts = Shortcuts {
        off: [true; Shortcut::ALL.len()],
    };

    /// These but one.
    #[must_use]
    pub fn without(mut self, shortcut: Shortcut) -> Shortcuts {
        self.off[shortcut as usize] = true;
        self
    }

    /// Whether a shortcut is in use.
    pub fn has(self, shortcut: Shortcut) -> bool {
        !self.off[shortcut as usize]
    }
}

impl Default for Shortcuts {
    fn default() -> Self {
        Shortcuts::ALL
    }
}

impl FromStr for Shortcut {
    type Err = UnknownShortcut;

    fn from_str(text: &str) -> Result<Self, UnknownShortcut> {
        let found = Shortcut::ALL.into_iter().find(|s| s.name() == text);
        found.ok_or_else(|| UnknownShortcut(text.to_owned()))
    }
}
