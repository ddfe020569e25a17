//! Programs and placements named on the command line.

use std::io::Read;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, Instant};

use clap::Args;
use cupola::lang::placement::Placement;
use cupola::lang::source::SourceFile;

use super::Failure;

/// The program to work on.
#[derive(Clone, Debug, Args)]
pub struct Input {
    /// The program, a `.cup` file; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// The value of `--fences`: `none`, `all`, or names separated by commas.
#[derive(Clone, Debug)]
pub struct PlacementArg(pub Placement);

impl Input {
    /// Reads the file.
    pub fn read(&self) -> Result<SourceFile, Failure> {
        let name = self.file.display().to_string();
        let bytes = self.bytes().map_err(|error| {
            Failure::with_way_out(
                format!("cannot read `{name}`: {error}"),
                "give the path of a file, or `-` for standard input",
            )
        })?;
        let shown = if name == "-" { "<stdin>" } else { &name };
        SourceFile::from_bytes(shown, bytes).map_err(|error| {
            Failure::with_way_out(format!("`{shown}` is {error}"), "save the file as UTF-8")
        })
    }

    fn bytes(&self) -> std::io::Result<Vec<u8>> {
        if self.file.as_os_str() == "-" {
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes)?;
            Ok(bytes)
        } else {
            std::fs::read(&self.file)
        }
    }
}

impl FromStr for PlacementArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(PlacementArg(match text {
            "none" => Placement::None,
            "all" => Placement::All,
            names => Placement::Named(
                names
                    .split(',')
                    .map(|name| name.trim().to_owned())
                    .collect(),
            ),
        }))
    }
}

/// The value of `--timeout`: a number of seconds, fractions allowed.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| "write a number of seconds, such as 10 or 0.5")?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}

/// When a timeout that begins now is over; nothing if that is later than the clock can say.
pub fn deadline(timeout: Duration) -> Option<Instant> {
    Instant::now().checked_add(timeout)
}
