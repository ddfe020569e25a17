//! Where a result goes: standard output or a file.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;

use super::file::{self, Over};
use super::{Answer, Console, Exit, Failure};

/// The options that say where the result goes.
#[derive(Clone, Debug, Default, Args)]
pub struct OutputArgs {
    /// Write the result to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Let a result replace a file that exists.
    #[arg(long)]
    pub force: bool,

    /// Whether the file may be an input.
    #[arg(skip)]
    pub over_inputs: bool,
}

/// The options that say how a result is told, and where it goes.
#[derive(Clone, Debug, Default, Args)]
pub struct ReportArgs {
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub output: OutputArgs,
}

impl ReportArgs {
    /// The answer of a command: as JSON if that is asked for, else as text.
    pub fn answer(
        &self,
        text: impl FnOnce() -> String,
        json: impl FnOnce() -> Value,
        (exit, console): (Exit, &Console),
    ) -> Answer {
        let text = match self.json {
            true => format!("{:#}\n", console.signed(json())),
            false => text(),
        };
        Answer {
            text,
            output: self.output.clone(),
            exit,
        }
    }
}

impl OutputArgs {
    /// A file that may be replaced if it exists.
    pub fn to_file(path: &Path, force: bool) -> Self {
        OutputArgs {
            output: Some(path.to_owned()),
            force,
            over_inputs: false,
        }
    }

    /// Makes sure, before any work is done, that the file can be written; a folder is left to its user.
    pub fn check(&self) -> Result<(), Failure> {
        match &self.output {
            Some(path) if !path.is_dir() => file::check(path, self.over()),
            _ => Ok(()),
        }
    }

    /// The same for what is one file, which a folder cannot take.
    pub fn check_file(&self) -> Result<(), Failure> {
        match &self.output {
            Some(path) => file::check(path, self.over()),
            None => Ok(()),
        }
    }

    /// Delivers the result.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        match &self.output {
            Some(path) => file::write(path, text, self.over()),
            None => file::write_stdout(text),
        }
    }

    fn over(&self) -> Over {
        Over {
            existing: self.force,
            inputs: self.over_inputs,
        }
    }
}
