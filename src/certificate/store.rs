//! The directory of a certificate: files written whole or not at all.
//!
//! Two of them are there for every kind; the others hold the reduced program with the obligations of an invariant, the
//! list of states or the states with facts, or a basis.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::format::{self, FormatError, ParsedBody};
use super::{BasisTable, FactsError, FactsTable, Kind, Pair, StateTable, TableError};
use crate::reduce::ReduceConfig;
use crate::source::SourceFile;

const CERTIFICATE: &str = "certificate.json";
const SOURCE: &str = "source.cup";
const REDUCED: &str = "reduced.cup";
const OBLIGATIONS: &str = "obligations.smt2";
const STATES: &str = "states.txt";
const BASIS: &str = "basis.json";
const FACTS: &str = "facts.json";

/// The files of certificates, of all kinds.
const FILES: [&str; 7] = [
    CERTIFICATE,
    SOURCE,
    REDUCED,
    OBLIGATIONS,
    STATES,
    BASIS,
    FACTS,
];

/// A certificate as it is kept: nothing in it has been checked but its form.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The program, with the name that it had when the certificate was made.
    pub source: SourceFile,
    /// Model, bound, fences in force and flush form of the reduction.
    pub config: ReduceConfig,
    /// The text of the reduced program; empty for a basis, which is about the source.
    pub reduced: String,
    /// Why the reduced program breaks no property.
    pub body: StoredBody,
}

/// Why a reduced program breaks no property, as it is kept.
#[derive(Clone, Debug)]
pub enum StoredBody {
    /// It has an inductive invariant.
    Invariant(StoredInvariant),
    /// These are its states between atomic groups.
    States(StateTable),
    /// The basis of the states of the source from which a bad one can be reached.
    Basis(BasisTable),
    /// It has an inductive invariant with facts about the entries of FIFOs.
    Facts(StoredFacts),
}

/// An inductive invariant, as it is kept.
#[derive(Clone, Debug)]
pub struct StoredInvariant {
    /// The predicates, in the syntax of conditions.
    pub predicates: Vec<String>,
    /// The pairs; cubes name existing predicates, each at most once.
    pub pairs: Vec<Pair>,
    /// The proof obligations, in SMT-LIB.
    pub obligations: String,
}

/// An inductive invariant with facts, as it is kept.
#[derive(Clone, Debug)]
pub struct StoredFacts {
    /// Predicates, states and steps.
    pub table: FactsTable,
    /// The proof obligations, in SMT-LIB.
    pub obligations: String,
}

/// What to do with a directory that exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Refuse to write, unless it is empty.
    Refuse,
    /// Replace it, if it holds a certificate and nothing else.
    Replace,
}

/// Why a certificate cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system says no.
    #[error("cannot access `{}`: {error}", .path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What it says.
        error: io::Error,
    },
    /// The directory has contents that must not be lost.
    #[error("`{}` exists already{}", .0.display(), .1)]
    Exists(PathBuf, &'static str),
    /// `certificate.json` is malformed.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// `states.txt` is malformed.
    #[error(transparent)]
    Table(#[from] TableError),
    /// `basis.json` is malformed.
    #[error("`basis.json` is not of the expected form: {0}")]
    Basis(serde_json::Error),
    /// `facts.json` is malformed.
    #[error(transparent)]
    Facts(#[from] FactsError),
}

impl Stored {
    /// The kind of certificate.
    pub fn kind(&self) -> Kind {
        match self.body {
            StoredBody::Invariant(_) => Kind::Invariant,
            StoredBody::States(_) => Kind::States,
            StoredBody::Basis(_) => Kind::Basis,
            StoredBody::Facts(_) => Kind::Facts,
        }
    }
}

/// Reads a certificate.
pub fn read(dir: &Path) -> Result<Stored, StoreError> {
    let text = |name: &str| {
        let path = dir.join(name);
        fs::read_to_string(&path).map_err(|error| StoreError::Io { path, error })
    };
    let parsed = format::parse(&text(CERTIFICATE)?)?;
    let body = match parsed.body {
        ParsedBody::Invariant { predicates, pairs } => StoredBody::Invariant(StoredInvariant {
            predicates,
            pairs,
            obligations: text(OBLIGATIONS)?,
        }),
        ParsedBody::States => StoredBody::States(StateTable::parse(&text(STATES)?)?),
        ParsedBody::Basis => {
            let table = BasisTable::parse(&text(BASIS)?);
            StoredBody::Basis(table.map_err(StoreError::Basis)?)
        }
        ParsedBody::Facts => StoredBody::Facts(StoredFacts {
            table: FactsTable::parse(&text(FACTS)?)?,
            obligations: text(OBLIGATIONS)?,
        }),
    };
    let reduced = match body {
        StoredBody::Basis(_) => String::new(),
        StoredBody::Invariant(_) | StoredBody::States(_) | StoredBody::Facts(_) => text(REDUCED)?,
    };
    Ok(Stored {
        source: SourceFile::new(parsed.program, text(SOURCE)?),
        config: parsed.config,
        reduced,
        body,
    })
}

/// Whether a certificate may be written to a directory: nothing is in the way, and the place is
/// writable.
pub fn is_free(dir: &Path, existing: Existing) -> Result<(), StoreError> {
    let here = std::env::current_dir().and_then(fs::canonicalize).ok();
    if here.is_some() && fs::canonicalize(dir).ok() == here {
        let reason = " and is the current directory";
        return Err(StoreError::Exists(dir.to_owned(), reason));
    }
    match (occupied(dir).map_err(access(dir))?, existing) {
        (Occupied::No, _) | (Occupied::ByCertificate, Existing::Replace) => {
            is_writable(dir).map_err(access(dir))
        }
        (Occupied::ByCertificate, Existing::Refuse) => {
            let reason = " and holds a certificate";
            Err(StoreError::Exists(dir.to_owned(), reason))
        }
        (Occupied::ByOthers, _) => {
            let reason = " and holds other things than a certificate";
            Err(StoreError::Exists(dir.to_owned(), reason))
        }
        (Occupied::ByNoDirectory, _) => {
            let reason = " and is no directory";
            Err(StoreError::Exists(dir.to_owned(), reason))
        }
    }
}

/// Writes a certificate to a new directory. Directories above it that are missing are made.
pub fn write(dir: &Path, stored: &Stored, existing: Existing) -> Result<(), StoreError> {
    is_free(dir, existing)?;
    let mut files = vec![
        (CERTIFICATE, format::print(stored)),
        (SOURCE, stored.source.text().to_owned()),
    ];
    let reduced = (REDUCED, stored.reduced.clone());
    match &stored.body {
        StoredBody::Invariant(invariant) => {
            files.extend([reduced, (OBLIGATIONS, invariant.obligations.clone())]);
        }
        StoredBody::States(table) => files.extend([reduced, (STATES, table.print())]),
        StoredBody::Basis(table) => files.push((BASIS, table.print())),
        StoredBody::Facts(facts) => files.extend([
            reduced,
            (FACTS, facts.table.print()),
            (OBLIGATIONS, facts.obligations.clone()),
        ]),
    }
    put(dir, &files).map_err(access(dir))
}

fn access(path: &Path) -> impl Fn(io::Error) -> StoreError {
    move |error| StoreError::Io {
        path: path.to_owned(),
        error,
    }
}

/// Tries to make something where the directory shall be, or as near to it as there is a directory.
fn is_writable(dir: &Path) -> io::Result<()> {
    let mut above = absolute(dir)?;
    while above.pop() {
        if above.exists() {
            return tempfile::tempdir_in(&above)?.close();
        }
    }
    Ok(())
}

/// The directory itself, where a link leads to it.
fn absolute(dir: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => std::path::absolute(dir),
        found => found,
    }
}

/// What stands where a certificate shall go.
enum Occupied {
    No,
    ByCertificate,
    ByOthers,
    ByNoDirectory,
}

fn occupied(dir: &Path) -> io::Result<Occupied> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A link may lead nowhere.
            let nothing = fs::symlink_metadata(dir).is_err();
            return Ok(if nothing {
                Occupied::No
            } else {
                Occupied::ByNoDirectory
            });
        }
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return Ok(Occupied::ByNoDirectory);
        }
        Err(error) => return Err(error),
    };
    let mut occupied = Occupied::No;
    for entry in entries {
        let name = entry?.file_name();
        if !FILES.iter().any(|&file| OsStr::new(file) == name) {
            return Ok(Occupied::ByOthers);
        }
        occupied = Occupied::ByCertificate;
    }
    Ok(occupied)
}

/// Writes the files into a directory beside the target, which then gets its place and its mode, so that the target
/// is never half written.
fn put(dir: &Path, files: &[(&str, String)]) -> io::Result<()> {
    let dir = &absolute(dir)?;
    let parent = dir.parent().unwrap_or(dir);
    fs::create_dir_all(parent)?;
    let scratch = tempfile::Builder::new()
        .prefix(".certificate-")
        .tempdir_in(parent)?;
    let new = scratch.path().join("new");
    fs::create_dir(&new)?;
    for (name, text) in files {
        let mut file = fs::File::create(new.join(name))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
    }
    let old = scratch.path().join("old");
    if let Ok(found) = fs::metadata(dir) {
        fs::set_permissions(&new, found.permissions())?;
        fs::rename(dir, &old)?;
    }
    if let Err(error) = fs::rename(&new, dir) {
        let _ = fs::rename(&old, dir);
        return Err(error);
    }
    scratch.close()
}
