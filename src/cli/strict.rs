//! `--strict`: warnings count.

use clap::Args;

use super::Exit;

/// Whether warnings count.
#[derive(Clone, Copy, Debug, Args)]
pub struct StrictArg {
    /// End with 5, as if nothing were known, where a warning says that a verdict holds for less than it seems.
    #[arg(long)]
    strict: bool,
}

impl StrictArg {
    /// How a command ends that would end so, if there are warnings.
    pub fn exit(self, exit: Exit, warned: bool) -> Exit {
        match self.strict && warned {
            true => exit.max(Exit::Unknown),
            false => exit,
        }
    }
}
