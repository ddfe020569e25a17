//! `certificate.json`: everything of a certificate but the texts of the programs.
//!
//! One pair stands on a line. In a cube `3` is the third predicate and `-3` its negation. The writer is
//! deterministic; the reader refuses what the format does not have.

use indexmap::IndexSet;
use serde::{Deserialize, Serialize};

use super::store::Stored;
use super::{Literal, Pair};
use crate::lang::source::SourceFile;
use crate::model::Model;
use crate::program::LocId;
use crate::reduce::{Flush, ReduceConfig};

const FORMAT: &str = "cupola-certificate";
const VERSION: u32 = 1;

/// The largest bound that a certificate may name.
const MAX_K: usize = 64;

/// Why `certificate.json` cannot be understood.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// It is not JSON of the expected form.
    #[error("`certificate.json` is not of the expected form: {0}")]
    Json(#[from] serde_json::Error),
    /// It is something else, or of another version.
    #[error(
        "`certificate.json` has format `{format}`, version {version}; this is `{FORMAT}`, version {VERSION}"
    )]
    Version {
        /// The format that it names.
        format: String,
        /// The version that it names.
        version: u32,
    },
    /// The bound is out of range.
    #[error("k is {0}, but it must be between 1 and {MAX_K}")]
    Bound(usize),
    /// A fence is named twice.
    #[error("the fence `{0}` is named twice")]
    Fence(String),
    /// A cube names a predicate that is not there, or one of them twice.
    #[error("the cube of pair {pair} has the literal {literal}, but {reason}")]
    Literal {
        /// The number of the pair, from 1.
        pair: usize,
        /// The literal as written.
        literal: i64,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A location is not a number that any program could have.
    #[error("pair {pair} has the location {location}, which no thread has")]
    Location {
        /// The number of the pair, from 1.
        pair: usize,
        /// The location as written.
        location: u64,
    },
}

/// What stands before the pairs.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    version: u32,
    program: String,
    model: Model,
    k: usize,
    fences: Vec<String>,
    flush: Flush,
    predicates: Vec<String>,
    pairs: Vec<PairText>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PairText {
    at: Vec<u64>,
    cube: Vec<i64>,
}

/// The text of `certificate.json`.
pub(super) fn print(stored: &Stored) -> String {
    let config = &stored.config;
    let fields = [
        ("format", json(&FORMAT)),
        ("version", json(&VERSION)),
        ("program", json(&stored.source.name())),
        ("model", json(&config.model)),
        ("k", json(&config.k)),
        ("fences", json(&config.fences.iter().collect::<Vec<_>>())),
        ("flush", json(&config.flush)),
        ("predicates", lines(stored.predicates.iter().map(json))),
        (
            "pairs",
            lines(stored.pairs.iter().map(|pair| json(&pair_text(pair)))),
        ),
    ];
    let fields = fields.map(|(name, value)| format!("  \"{name}\": {value}"));
    format!("{{\n{}\n}}\n", fields.join(",\n"))
}

/// Reads `certificate.json`; `texts` are the source and the reduced program.
pub(super) fn parse(text: &str, source: String, reduced: String) -> Result<Stored, FormatError> {
    let file: File = serde_json::from_str(text)?;
    if file.format != FORMAT || file.version != VERSION {
        let (format, version) = (file.format, file.version);
        return Err(FormatError::Version { format, version });
    }
    if !(1..=MAX_K).contains(&file.k) {
        return Err(FormatError::Bound(file.k));
    }
    let mut fences = IndexSet::new();
    for fence in file.fences {
        if let (index, false) = fences.insert_full(fence) {
            return Err(FormatError::Fence(fences[index].clone()));
        }
    }
    let count = file.predicates.len();
    let pairs = file.pairs.iter().enumerate();
    let pairs = pairs.map(|(index, text)| parse_pair(index + 1, text, count));
    Ok(Stored {
        source: SourceFile::new(file.program, source),
        config: ReduceConfig {
            model: file.model,
            k: file.k,
            fences,
            flush: file.flush,
        },
        reduced,
        pairs: pairs.collect::<Result<_, _>>()?,
        predicates: file.predicates,
    })
}

fn parse_pair(number: usize, text: &PairText, predicates: usize) -> Result<Pair, FormatError> {
    let mut seen = vec![false; predicates];
    let mut literal = |&literal: &i64| {
        let error = |reason| FormatError::Literal {
            pair: number,
            literal,
            reason,
        };
        let index = usize::try_from(literal.unsigned_abs()).ok();
        let index = index.and_then(|number| number.checked_sub(1));
        let predicate = index
            .filter(|&index| index < predicates)
            .ok_or_else(|| error("there is no such predicate"))?;
        if std::mem::replace(&mut seen[predicate], true) {
            return Err(error("it names that predicate twice"));
        }
        Ok(Literal {
            predicate,
            holds: literal > 0,
        })
    };
    let cube = text
        .cube
        .iter()
        .map(&mut literal)
        .collect::<Result<_, _>>()?;
    let location = |&location: &u64| match u32::try_from(location) {
        Ok(index) => Ok(LocId::new(index as usize)),
        Err(_) => Err(FormatError::Location {
            pair: number,
            location,
        }),
    };
    let at = text.at.iter().map(location).collect::<Result<_, _>>()?;
    Ok(Pair { at, cube })
}

fn pair_text(pair: &Pair) -> PairText {
    let literal = |literal: &Literal| {
        let number = i64::try_from(literal.predicate + 1).expect("predicates are fewer than 2^63");
        if literal.holds { number } else { -number }
    };
    PairText {
        at: pair.at.iter().map(|at| at.index() as u64).collect(),
        cube: pair.cube.iter().map(literal).collect(),
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("strings, numbers and lists of them are JSON")
}

/// A JSON list with one item on a line.
fn lines(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.map(|item| format!("    {item}")).collect();
    match items.is_empty() {
        true => "[]".to_owned(),
        false => format!("[\n{}\n  ]", items.join(",\n")),
    }
}
