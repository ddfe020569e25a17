//! Files named on the command line: read, and made checked programs.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use clap::Args;
use cupola::front::cup::check::Checked;
use cupola::front::cup::placement::Placement;
use cupola::front::{self, Format, Loaded};
use cupola::program;
use cupola::source::SourceFile;
use indexmap::IndexSet;

use super::file::inputs;
use super::{Console, Failure};

/// The program to work on.
#[derive(Clone, Debug, Args)]
pub struct Input {
    /// The program: a file of the input language (`.cup`), a litmus test (`.litmus`) or a program of
    /// Memorax (`.rmm`); `-` is standard input.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    #[command(flatten)]
    format: FormatArg,
}

/// The programs to work on.
#[derive(Clone, Debug, Args)]
pub struct Inputs {
    /// The programs: files of the input language (`.cup`), litmus tests (`.litmus`) or programs of
    /// Memorax (`.rmm`); `-` is standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    format: FormatArg,
}

/// `--format`.
#[derive(Clone, Copy, Debug, Args)]
struct FormatArg {
    /// The format of the input, instead of that of the file's extension.
    #[arg(long, value_name = "cup|litmus|rmm", value_parser = format)]
    format: Option<Format>,
}

/// The value of `--fences`: `none`, `all`, or names separated by commas.
#[derive(Clone, Debug)]
pub struct PlacementArg(pub Placement);

impl Input {
    /// The program in a file, whose extension says its format.
    pub fn of(file: &Path) -> Self {
        Input {
            file: file.to_owned(),
            format: FormatArg { format: None },
        }
    }

    /// Reads and checks the program; shows warnings.
    pub fn load_quietly(&self, console: &Console) -> Result<Loaded, Failure> {
        let loaded = front::load(read(&self.file)?, self.format()?)
            .map_err(|rejected| Failure::Source(rejected.file, rejected.diagnostics))?;
        console.diagnostics(&loaded.source, &loaded.checked.warnings);
        Ok(loaded)
    }

    /// The same, and says where lines that reports name can be seen.
    pub fn load(&self, console: &Console) -> Result<Loaded, Failure> {
        let loaded = self.load_quietly(console)?;
        let name = self.file.display();
        let printed = match self.format()? {
            Format::Cup => None,
            Format::Litmus => Some(format!("cupola litmus {name} --to-cup")),
            Format::Rmm => Some(format!("cupola convert {name} --to cup")),
        };
        if let Some(command) = printed {
            console.note(&format!(
                "lines are those of the program that `{command}` prints"
            ));
        }
        Ok(loaded)
    }

    /// Whether lines that reports name are those of the file, and not of a program that stands for it.
    pub fn has_own_lines(&self) -> Result<bool, Failure> {
        Ok(self.format()? == Format::Cup)
    }

    /// The format that is asked for, else that of the file's extension.
    fn format(&self) -> Result<Format, Failure> {
        match self.format.format {
            Some(format) => Ok(format),
            None => format_of(&self.file),
        }
    }
}

impl Inputs {
    /// The files one by one, in order.
    pub fn each(&self) -> Result<Vec<Input>, Failure> {
        once_from_stdin(&self.files)?;
        let input = |file: &PathBuf| Input {
            file: file.clone(),
            format: self.format,
        };
        Ok(self.files.iter().map(input).collect())
    }

    /// Makes sure that a proof that is named is for one program.
    pub fn one_proof(&self, proof: Option<&Path>) -> Result<(), Failure> {
        match proof {
            Some(_) if self.files.len() > 1 => Err(Failure::with_hint(
                "a proof is for one program",
                "put each proof beside its program, as `NAME.proof`",
            )),
            _ => Ok(()),
        }
    }
}

/// Tells that a verdict says little: there is nothing that an execution could break.
pub fn tell_missing_property(checked: &Checked, console: &Console) {
    if !program::lower(checked, &IndexSet::new()).has_property() {
        console.note("the program has no property: only an index out of range could break it");
    }
}

/// Reads a file; `-` is standard input.
pub fn read(path: &Path) -> Result<SourceFile, Failure> {
    let name = path.display().to_string();
    inputs::note(path)?;
    let bytes = bytes(path).map_err(|error| {
        Failure::with_hint(
            format!("cannot read `{name}`: {error}"),
            "give the path of a file, or `-` for standard input",
        )
    })?;
    let shown = if name == "-" { "<stdin>" } else { &name };
    SourceFile::from_bytes(shown, bytes).map_err(|error| {
        Failure::with_hint(format!("`{shown}` is {error}"), "save the file as UTF-8")
    })
}

fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    if is_stdin(path) {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes)?;
        Ok(bytes)
    } else {
        std::fs::read(path)
    }
}

/// Whether a path stands for standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Makes sure that standard input is named at most once: it can be read once.
pub fn once_from_stdin(paths: &[PathBuf]) -> Result<(), Failure> {
    match paths.iter().filter(|path| is_stdin(path)).count() {
        0 | 1 => Ok(()),
        _ => Err(Failure::with_hint(
            "standard input can be read only once",
            "give `-` once",
        )),
    }
}

/// What the results for a file are called: its name without its extension.
pub fn stem(path: &Path) -> String {
    match is_stdin(path) {
        true => "stdin".to_owned(),
        false => path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
    }
}

/// The format of a file that should be a program: what has no other extension is in the input language.
fn format_of(path: &Path) -> Result<Format, Failure> {
    let other = |what: &str, hint: &str| {
        let message = format!("`{}` is {what}, not a program", path.display());
        Err(Failure::with_hint(message, hint))
    };
    match path.extension().and_then(OsStr::to_str) {
        Some("bp") => other("a boolean program", "check it with `cupola check`"),
        Some("proof") => other("a proof", "give the program, and its proof with `--proof`"),
        _ => Ok(Format::of(path).unwrap_or(Format::Cup)),
    }
}

/// The value of `--format`.
fn format(text: &str) -> Result<Format, String> {
    Format::named(text).ok_or_else(|| format!("`{text}` is none of cup, litmus and rmm"))
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
