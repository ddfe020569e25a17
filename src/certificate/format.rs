//! `certificate.json`: what a certificate is about and, of an invariant, the predicates and pairs.
//!
//! The file names the format, its version and the kind of certificate; these are looked at first, so that a
//! file of another version or kind is said to be one. One pair stands on a line. In a cube `3` is the third
//! predicate and `-3` its negation. The writer is deterministic; the reader refuses what the format does not
//! have.

use indexmap::IndexSet;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::store::{Stored, StoredBody};
use super::{Kind, Literal, Pair};
use crate::memory::{BufferSizes, Model};
use crate::program::LocId;
use crate::reduce::{Flush, ReduceConfig};

const FORMAT: &str = "cupola-certificate";
const VERSION: u64 = 2;

/// Why `certificate.json` cannot be understood.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// It is not JSON of the expected form.
    #[error("`certificate.json` is not of the expected form: {0}")]
    Json(#[from] serde_json::Error),
    /// It is something else.
    #[error("`certificate.json` has the format `{0}`, not `{FORMAT}`")]
    Format(String),
    /// It is of another version.
    #[error("the certificate is of version {0}; this program reads version {VERSION}")]
    Version(u64),
    /// It is of a kind that this version does not have.
    #[error(
        "the certificate is of the kind `{0}`; this program knows `invariant`, `states`, `basis` and `facts`"
    )]
    Kind(String),
    /// Predicates and pairs are there for another kind, or missing for `invariant`.
    #[error(
        "a certificate of the kind `{0}` has other fields: `predicates` and `pairs` are for `invariant`"
    )]
    Body(&'static str),
    /// `k` or `flush` is missing for a model with buffers, or there for SC.
    #[error(
        "`flush` is for reduced programs under TSO and PSO, `k` for those of them with slots, and for all of these"
    )]
    Buffers,
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

/// What `certificate.json` says.
pub(super) struct Parsed {
    /// The name of the program.
    pub program: String,
    /// Model, bound, fences in force and flush form of the reduction.
    pub config: ReduceConfig,
    /// What is left to be known by the kind.
    pub body: ParsedBody,
}

/// The part of a certificate's body that stands in `certificate.json`.
pub(super) enum ParsedBody {
    /// Predicates and pairs.
    Invariant {
        /// The predicates, in the syntax of conditions.
        predicates: Vec<String>,
        /// The pairs; cubes name existing predicates, each at most once.
        pairs: Vec<Pair>,
    },
    /// Nothing: the states have a file of their own.
    States,
    /// Nothing: the basis has a file of its own.
    Basis,
    /// Nothing: the proof has a file of its own.
    Facts,
}

/// What every certificate has, of whatever version and kind.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u64,
    kind: Option<String>,
}

/// A certificate of this version; which of the last two fields it has depends on its kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "format")]
    _format: IgnoredAny,
    #[serde(rename = "version")]
    _version: IgnoredAny,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    program: String,
    model: Model,
    k: Option<BufferSizes>,
    flush: Option<Flush>,
    fences: Vec<String>,
    predicates: Option<Vec<String>>,
    pairs: Option<Vec<PairText>>,
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
    let mut fields = vec![
        ("format", json(&FORMAT)),
        ("version", json(&VERSION)),
        ("kind", json(&stored.kind().name())),
        ("program", json(&stored.source.name())),
        ("model", json(&config.model)),
    ];
    if stored.kind().has_sizes(config.model) {
        fields.push(("k", json(&config.sizes)));
    }
    if stored.kind().has_flushes(config.model) {
        fields.push(("flush", json(&config.flush)));
    }
    fields.push(("fences", json(&config.fences.iter().collect::<Vec<_>>())));
    if let StoredBody::Invariant(invariant) = &stored.body {
        let pairs = invariant.pairs.iter().map(|pair| json(&pair_text(pair)));
        fields.push(("predicates", lines(invariant.predicates.iter().map(json))));
        fields.push(("pairs", lines(pairs)));
    }
    let fields = fields
        .into_iter()
        .map(|(name, value)| format!("  \"{name}\": {value}"));
    format!("{{\n{}\n}}\n", fields.collect::<Vec<_>>().join(",\n"))
}

/// Reads `certificate.json`.
pub(super) fn parse(text: &str) -> Result<Parsed, FormatError> {
    let kind = parse_kind(text)?;
    let file: File = serde_json::from_str(text)?;
    let body = match (kind, file.predicates, file.pairs) {
        (Kind::Invariant, Some(predicates), Some(pairs)) => ParsedBody::Invariant {
            pairs: parse_pairs(&pairs, predicates.len())?,
            predicates,
        },
        (Kind::States, None, None) => ParsedBody::States,
        (Kind::Basis, None, None) => ParsedBody::Basis,
        (Kind::Facts, None, None) => ParsedBody::Facts,
        (Kind::Invariant | Kind::States | Kind::Basis | Kind::Facts, ..) => {
            return Err(FormatError::Body(kind.name()));
        }
    };
    Ok(Parsed {
        config: config((kind, file.model), (file.k, file.flush), file.fences)?,
        program: file.program,
        body,
    })
}

/// Makes sure that this is a certificate that can be read, and says of which kind it is.
fn parse_kind(text: &str) -> Result<Kind, FormatError> {
    let head: Head = serde_json::from_str(text)?;
    if head.format != FORMAT {
        return Err(FormatError::Format(head.format));
    }
    if head.version != VERSION {
        return Err(FormatError::Version(head.version));
    }
    let kind = head.kind.unwrap_or_default();
    Kind::named(&kind).ok_or(FormatError::Kind(kind))
}

fn config(
    (kind, model): (Kind, Model),
    buffers: (Option<BufferSizes>, Option<Flush>),
    named: Vec<String>,
) -> Result<ReduceConfig, FormatError> {
    let (sizes, flush) = buffers;
    if sizes.is_some() != kind.has_sizes(model) || flush.is_some() != kind.has_flushes(model) {
        return Err(FormatError::Buffers);
    }
    let mut fences = IndexSet::new();
    for fence in named {
        if let (index, false) = fences.insert_full(fence) {
            return Err(FormatError::Fence(fences[index].clone()));
        }
    }
    Ok(ReduceConfig {
        model,
        sizes: sizes.unwrap_or(BufferSizes::ONE),
        fences,
        flush: flush.unwrap_or_default(),
    })
}

fn parse_pairs(texts: &[PairText], predicates: usize) -> Result<Vec<Pair>, FormatError> {
    let pairs = texts.iter().enumerate();
    let pairs = pairs.map(|(index, text)| parse_pair(index + 1, text, predicates));
    pairs.collect()
}

fn parse_pair(number: usize, text: &PairText, predicates: usize) -> Result<Pair, FormatError> {
    let cube = Literal::parse_cube(&text.cube, predicates);
    let cube = cube.map_err(|(literal, reason)| FormatError::Literal {
        pair: number,
        literal,
        reason,
    })?;
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
    PairText {
        at: pair.at.iter().map(|at| at.index() as u64).collect(),
        cube: pair.cube.iter().map(|literal| literal.number()).collect(),
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
