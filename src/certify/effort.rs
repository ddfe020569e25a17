//! What a check has at run time.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;
use std::str::FromStr;

use crate::run::progress::Progress;
use crate::run::stop::Stop;

/// A solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solver {
    /// Z3, linked to this program.
    Library,
    /// A program that is given the name of an SMT-LIB file and prints an answer a line.
    Process(PathBuf),
}

/// What a check has at run time.
#[derive(Clone, Debug)]
pub struct Effort {
    /// What refutes the claims of an invariant; a list of states needs none.
    pub solver: Solver,
    /// When to give up.
    pub stop: Stop,
    /// How many claims or states there are, and how many of them are checked.
    pub progress: Progress,
}

impl From<Solver> for Effort {
    /// As long as it takes, without a record of progress.
    fn from(solver: Solver) -> Self {
        Effort {
            solver,
            stop: Stop::default(),
            progress: Progress::default(),
        }
    }
}

impl FromStr for Solver {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "z3" => Solver::Library,
            path => Solver::Process(PathBuf::from(path)),
        })
    }
}

impl Display for Solver {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Solver::Library => f.write_str("z3"),
            Solver::Process(path) => write!(f, "{}", path.display()),
        }
    }
}
