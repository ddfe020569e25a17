//! The files that this process has read, and those that it is about to write: no file is both.
//!
//! A file is known by its device and its number there, so that links and other spellings of its path do not
//! hide it.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::super::Failure;

/// A file: its device and its number there.
type Id = (u64, u64);

/// What is known.
struct Known {
    read: Vec<Id>,
    claimed: Vec<(PathBuf, Option<Id>)>,
}

static KNOWN: Mutex<Known> = Mutex::new(Known {
    read: Vec::new(),
    claimed: Vec::new(),
});

/// What a file is known by.
pub fn id(found: &Metadata) -> Id {
    (found.dev(), found.ino())
}

/// Notes that a file is read; what is about to be written is refused. It is an input all the same: a command that goes
/// on with other inputs must not write it either.
pub fn note(path: &Path) -> Result<(), Failure> {
    let Some(found) = fs::metadata(path).ok().filter(Metadata::is_file) else {
        return Ok(());
    };
    let (mut known, id) = (known(), id(&found));
    known.read.push(id);
    if known
        .claimed
        .iter()
        .any(|(_, claimed)| *claimed == Some(id))
    {
        return Err(refusal(path));
    }
    Ok(())
}

/// Notes that the files of a folder are read.
pub fn note_files(folder: &Path) -> Result<(), Failure> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths = entries.map(|entry| entry.path());
    paths.try_for_each(|path| note(&path))
}

/// Whether a file was read.
pub fn was_read(found: &Metadata) -> bool {
    known().read.contains(&id(found))
}

/// Notes that a file is about to be written, by the path behind all links; two results do not fit one file.
pub fn claim(path: &Path, real: PathBuf, found: Option<&Metadata>) -> Result<(), Failure> {
    let mut known = known();
    if known.claimed.iter().any(|(claimed, _)| *claimed == real) {
        return Err(Failure::with_hint(
            format!("two results would go to `{}`", path.display()),
            "give each a file of its own",
        ));
    }
    known.claimed.push((real, found.map(id)));
    Ok(())
}

/// The failure that writing over an input is.
pub fn refusal(path: &Path) -> Failure {
    Failure::with_hint(
        format!("`{}` is an input, which would be lost", path.display()),
        "write the result to another file",
    )
}

fn known() -> MutexGuard<'static, Known> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}
