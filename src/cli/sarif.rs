//! `--sarif FILE`: what a command found, for editors and code hosts.

use std::path::PathBuf;

use clap::Args;
use cupola::render::sarif::{self, Finding};

use super::{Failure, OutputArgs};

/// Where the findings go.
#[derive(Clone, Debug, Args)]
pub struct SarifArg {
    /// Also write what was found, as SARIF 2.1.0, to this file.
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
}

impl SarifArg {
    /// Makes sure, before any work is done, that the file can be written.
    pub fn check(&self, force: bool) -> Result<(), Failure> {
        match &self.sarif {
            Some(path) => OutputArgs::to_file(path, force).check_file(),
            None => Ok(()),
        }
    }

    /// Whether findings are asked for.
    pub fn is_wanted(&self) -> bool {
        self.sarif.is_some()
    }

    /// Writes the findings, if they are asked for.
    pub fn write(&self, findings: &[Finding], force: bool) -> Result<(), Failure> {
        match &self.sarif {
            Some(path) => {
                let log = sarif::log(env!("CARGO_PKG_VERSION"), findings);
                OutputArgs::to_file(path, force).write(&format!("{log:#}\n"))
            }
            None => Ok(()),
        }
    }
}
