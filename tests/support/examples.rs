//! The programs of `examples/` and what their header comments say of them.
//!
//! A header is the comment at the start of the file, as `docs/examples.md` describes it: what the
//! program is, an empty line, then `source:`, `property:`, `expect:` and perhaps `explore:`.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use cupola::memory::Model;

/// A program of `examples/`.
pub struct Example {
    /// The file's name without its extension.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// What its header says.
    pub header: Header,
}

/// What a header comment says.
#[derive(Debug, PartialEq, Eq)]
pub struct Header {
    /// The first sentence of the description.
    pub title: String,
    /// Where the program comes from.
    pub source: String,
    /// What must hold, in words.
    pub property: String,
    /// What is expected, in the order of the line.
    pub expectations: Vec<Expectation>,
    /// Whether it has infinitely many states already under SC.
    pub infinite: bool,
}

/// What is expected of a program under a model with some optional fences in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The model.
    pub model: Model,
    /// The optional fences in force, in source order.
    pub fences: Vec<String>,
    /// Whether it is safe; else it is violated.
    pub safe: bool,
}

/// All programs of `examples/`, by name.
pub fn all() -> Vec<Example> {
    files("cup").iter().map(|path| read(path)).collect()
}

/// The programs of the folder `pldi`, for a table.
pub fn of_pldi() -> Vec<Example> {
    let folder = directory().join("pldi");
    files_in(&folder, "cup")
        .iter()
        .map(|path| read(path))
        .collect()
}

/// The programs that are safe under SC.
pub fn correct() -> impl Iterator<Item = Example> {
    all().into_iter().filter(is_correct)
}

/// Whether a program is expected to be safe under SC.
pub fn is_correct(example: &Example) -> bool {
    !example.header.minimal_placements(Model::Sc).is_empty()
}

/// The programs with finitely many states.
pub fn finite() -> impl Iterator<Item = Example> {
    all().into_iter().filter(|example| !example.header.infinite)
}

/// The programs with infinitely many states already under SC.
pub fn infinite() -> impl Iterator<Item = Example> {
    all().into_iter().filter(|example| example.header.infinite)
}

/// The files of all proofs.
pub fn proofs() -> Vec<PathBuf> {
    files("proof")
}

/// The directory of the examples.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")
}

fn files(extension: &str) -> Vec<PathBuf> {
    files_in(&directory(), extension)
}

fn files_in(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("examples/ can be read")
        .map(|entry| entry.expect("examples/ can be read").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> Example {
    let text = fs::read_to_string(path).expect("an example can be read");
    let header = text
        .parse()
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Example {
        name: path
            .file_stem()
            .expect("a file has a name")
            .to_string_lossy()
            .into_owned(),
        text,
        header,
    }
}

impl Header {
    /// The smallest placements under `model` that are expected to be safe, in the order of the line.
    pub fn minimal_placements(&self, model: Model) -> Vec<&[String]> {
        let safe: Vec<&[String]> = self
            .expectations
            .iter()
            .filter(|expectation| expectation.model == model && expectation.safe)
            .map(|expectation| expectation.fences.as_slice())
            .collect();
        let is_minimal = |fences: &&[String]| !safe.iter().any(|other| is_below(other, fences));
        safe.iter().copied().filter(is_minimal).collect()
    }
}

/// Whether `smaller` is a proper subset of `larger`.
fn is_below(smaller: &[String], larger: &[String]) -> bool {
    smaller.len() < larger.len() && smaller.iter().all(|place| larger.contains(place))
}

impl std::str::FromStr for Header {
    type Err = String;

    /// Reads the header of a program's text.
    fn from_str(text: &str) -> Result<Header, String> {
        let mut lines = text
            .lines()
            .map_while(|line| line.strip_prefix("//"))
            .map(str::trim);
        let description: Vec<&str> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
        let source = field(lines.next(), "source")?;
        let property = field(lines.next(), "property")?;
        let expect = field(lines.next(), "expect")?;
        let infinite = match lines.next() {
            None => false,
            line => match field(line, "explore")?.as_str() {
                "infinite" => true,
                other => return Err(format!("`explore: {other}` is not known")),
            },
        };
        match lines.next() {
            Some(line) => Err(format!("`{line}` is one line too many in the header")),
            None => Ok(Header {
                title: first_sentence(&description.join(" "))?,
                source,
                property,
                expectations: expect
                    .split_whitespace()
                    .map(str::parse)
                    .collect::<Result<_, _>>()?,
                infinite,
            }),
        }
    }
}

fn field(line: Option<&str>, name: &str) -> Result<String, String> {
    line.and_then(|line| line.strip_prefix(name)?.strip_prefix(": "))
        .map(str::to_owned)
        .ok_or_else(|| {
            format!(
                "the header has `{}` where `{name}: …` belongs",
                line.unwrap_or("")
            )
        })
}

fn first_sentence(description: &str) -> Result<String, String> {
    let end = format!("{description} ").find(". ");
    end.map(|end| description[..end].to_owned())
        .ok_or_else(|| "the header starts with no sentence".to_owned())
}

impl std::str::FromStr for Expectation {
    type Err = String;

    /// Reads `model=verdict` or `model{place,…}=verdict`.
    fn from_str(text: &str) -> Result<Expectation, String> {
        let malformed =
            || format!("`{text}` is not of the form `model=verdict` or `model{{a,b}}=verdict`");
        let (configuration, verdict) = text.split_once('=').ok_or_else(malformed)?;
        let (model, fences) = match configuration.strip_suffix('}') {
            Some(open) => {
                let (model, places) = open.split_once('{').ok_or_else(malformed)?;
                (model, places.split(',').map(str::to_owned).collect())
            }
            None => (configuration, Vec::new()),
        };
        Ok(Expectation {
            model: *Model::ALL
                .iter()
                .find(|known| known.to_string() == model)
                .ok_or_else(malformed)?,
            fences,
            // With a mark, no proof is demanded of the tool.
            safe: match verdict.strip_suffix('?').unwrap_or(verdict) {
                "safe" => true,
                "violated" => false,
                _ => return Err(malformed()),
            },
        })
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.model)?;
        if !self.fences.is_empty() {
            write!(f, "{{{}}}", self.fences.join(","))?;
        }
        f.write_str(if self.safe { "=safe" } else { "=violated" })
    }
}
