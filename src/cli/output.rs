//! Where a result goes: standard output or a file that is written whole or not at all.

use std::io::{ErrorKind, Write, stdout};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;

use super::{Answer, Exit, Failure};

/// The options that say where the result goes.
#[derive(Clone, Debug, Default, Args)]
pub struct OutputArgs {
    /// Write the result to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Let `-o`, `--html` and `--svg` replace a file that exists.
    #[arg(long)]
    pub force: bool,
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
        exit: Exit,
    ) -> Answer {
        let text = match self.json {
            true => format!("{:#}\n", json()),
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
    /// Delivers the result.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        match &self.output {
            Some(path) => self.write_file(path, text),
            None => write_stdout(text),
        }
    }

    /// Writes a temporary file beside the target and renames it, so that the target is never half
    /// written.
    fn write_file(&self, path: &Path, text: &str) -> Result<(), Failure> {
        if path.exists() && !self.force {
            let message = format!("`{}` exists already", path.display());
            return Err(Failure::with_hint(message, "pass `--force` to replace it"));
        }
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let written = tempfile::Builder::new()
            .permissions(permissions())
            .tempfile_in(folder)
            .and_then(|mut file| {
                file.write_all(text.as_bytes())?;
                file.persist(path).map_err(|error| error.error)
            });
        match written {
            Ok(_) => Ok(()),
            Err(_) if !folder.is_dir() => Err(Failure::with_hint(
                format!(
                    "cannot write `{}`: there is no folder `{}`",
                    path.display(),
                    folder.display()
                ),
                "make the folder first",
            )),
            Err(error) => Err(Failure::message(format!(
                "cannot write `{}`: {error}",
                path.display()
            ))),
        }
    }
}

/// The permissions of a file that a user creates; the process's mask takes its part of them.
fn permissions() -> std::fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o666)
}

/// Writes to standard output; a reader that went away is no failure.
fn write_stdout(text: &str) -> Result<(), Failure> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::message(format!(
            "cannot write to standard output: {error}"
        ))),
        Ok(()) | Err(_) => Ok(()),
    }
}
