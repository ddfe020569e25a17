//! Files that commands write: whole or not at all, and never over an input.
//!
//! Input: a path, a text, and whether a file that exists may be replaced. What becomes of the path depends on
//! what is there:
//!
//! - nothing: the text is written to a temporary file beside it, which then gets the name;
//! - a file: the same, and the new file has the mode and the owner of the old one. A file with several names
//!   (hard links), or in a folder that cannot be written, is written in place, and restored if that fails;
//! - a symbolic link: what it leads to is written, the link stays;
//! - a device or a FIFO: the text is written into it; nothing is made or removed.
//!
//! [`check`] finds out before any work is done what would keep a file from being written; [`inputs`] knows the
//! files that were read.

pub mod inputs;

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Seek, Write, stderr, stdout};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use tempfile::NamedTempFile;

use super::Failure;

/// How many links may stand one behind the other.
const MOST_LINKS: usize = 40;

/// What may be written over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Over {
    /// A file that exists.
    pub existing: bool,
    /// A file that was read.
    pub inputs: bool,
}

/// What a path leads to.
enum Target {
    /// Nothing: a file of this name can be made.
    New(PathBuf),
    /// A file, by its name behind all links.
    File(PathBuf, Metadata),
    /// A stream of this process.
    Stream(Stream),
    /// A device or a FIFO, and whether it keeps what is written to it.
    Special { keeps: bool },
    /// A folder.
    Folder,
}

/// A stream that is open already.
enum Stream {
    Output,
    Error,
}

/// Makes sure, before any work is done, that a path can be written as far as can be told; from now on the
/// file is refused as an input.
pub fn check(path: &Path, over: Over) -> Result<(), Failure> {
    let target = target(path).map_err(|error| unwritable(path, &error))?;
    admit(path, &target, over)?;
    match target {
        Target::New(real) => match fs::canonicalize(parent(&real)) {
            Ok(folder) => {
                // Whether a file can be made in a folder only trying tells.
                temporary(&real).map_err(|error| unwritable(path, &error))?;
                let name = real.file_name().unwrap_or_default();
                inputs::claim(path, folder.join(name), None)
            }
            Err(_) => Err(no_folder(path)),
        },
        Target::File(real, found) if !over.inputs => inputs::claim(path, real, Some(&found)),
        _ => Ok(()),
    }
}

/// Held while a result is written.
static WRITING: Mutex<()> = Mutex::new(());

/// Makes sure that no result is written for as long as this lives; nothing where one is being written.
pub fn idle() -> Option<MutexGuard<'static, ()>> {
    match WRITING.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

fn writing() -> MutexGuard<'static, ()> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a text to a path.
pub fn write(path: &Path, text: &str, over: Over) -> Result<(), Failure> {
    let _writing = writing();
    let target = target(path).map_err(|error| unwritable(path, &error))?;
    admit(path, &target, over)?;
    let bytes = text.as_bytes();
    let written = match target {
        Target::New(real) => create(&real, bytes),
        Target::File(real, found) => replace(&real, &found, bytes),
        Target::Stream(Stream::Output) => write_through(stdout().lock(), bytes),
        Target::Stream(Stream::Error) => write_through(stderr().lock(), bytes),
        Target::Special { .. } => {
            let opened = OpenOptions::new().write(true).open(path);
            opened.and_then(|file| write_through(file, bytes))
        }
        Target::Folder => unreachable!("a folder is not admitted"),
    };
    match written {
        Ok(()) => Ok(()),
        Err(_) if !parent(path).is_dir() => Err(no_folder(path)),
        Err(error) => Err(unwritable(path, &error)),
    }
}

/// Whether a target may be written.
fn admit(path: &Path, target: &Target, over: Over) -> Result<(), Failure> {
    let shown = path.display();
    match target {
        Target::New(_) | Target::Stream(_) | Target::Special { keeps: false } => Ok(()),
        Target::Folder => Err(Failure::with_hint(
            format!("`{shown}` is a folder"),
            "name a file",
        )),
        Target::File(_, found) if !over.inputs && inputs::was_read(found) => {
            Err(inputs::refusal(path))
        }
        Target::File(..) | Target::Special { keeps: true } if !over.existing => {
            Err(Failure::with_hint(
                format!("`{shown}` exists already"),
                "pass `--force` to replace it",
            ))
        }
        Target::File(real, found) => {
            let opened = OpenOptions::new().write(true).open(real);
            match found.permissions().readonly() || opened.is_err() {
                true => Err(Failure::with_hint(
                    format!("`{shown}` is read-only"),
                    "make it writable, or name another file",
                )),
                false => Ok(()),
            }
        }
        Target::Special { keeps: true } => Ok(()),
    }
}

/// What a path leads to.
fn target(path: &Path) -> io::Result<Target> {
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return end_of_links(path).map(Target::New);
        }
        Err(error) => return Err(error),
    };
    let kind = found.file_type();
    if kind.is_dir() {
        Ok(Target::Folder)
    } else if let Some(stream) = stream(&found) {
        Ok(Target::Stream(stream))
    } else if kind.is_file() {
        Ok(Target::File(fs::canonicalize(path)?, found))
    } else {
        Ok(Target::Special {
            keeps: kind.is_block_device(),
        })
    }
}

/// The stream that a path such as `/dev/stdout` leads to: it may be a file, which is not to be replaced while
/// it is written to.
fn stream(found: &Metadata) -> Option<Stream> {
    let is = |stream: &dyn AsFdOf| {
        let open = stream.copy().and_then(|file| file.metadata());
        open.is_ok_and(|open| inputs::id(&open) == inputs::id(found))
    };
    match (is(&stdout()), is(&stderr())) {
        (true, _) => Some(Stream::Output),
        (false, true) => Some(Stream::Error),
        (false, false) => None,
    }
}

/// What has a descriptor.
trait AsFdOf {
    /// Another descriptor for the same.
    fn copy(&self) -> io::Result<File>;
}

impl<T: AsFd> AsFdOf for T {
    fn copy(&self) -> io::Result<File> {
        self.as_fd().try_clone_to_owned().map(File::from)
    }
}

/// The name behind links that lead to nothing.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = parent(&path).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links"))
}

/// Makes a file that is there as a whole or not at all; one that has come up meanwhile is kept.
fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = temporary(path)?;
    fill(file.as_file_mut(), bytes)?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(())
}

/// Replaces a file; mode, owner and names stay.
fn replace(path: &Path, found: &Metadata, bytes: &[u8]) -> io::Result<()> {
    let alike = match found.nlink() {
        0 | 1 => temporary_like(path, found),
        _ => Err(ErrorKind::Unsupported.into()),
    };
    match alike {
        Ok(mut file) => {
            fill(file.as_file_mut(), bytes)?;
            file.persist(path).map_err(|error| error.error)?;
            Ok(())
        }
        Err(_) => write_in_place(path, bytes),
    }
}

/// A temporary file beside a path with the mode and the owner of another.
fn temporary_like(path: &Path, found: &Metadata) -> io::Result<NamedTempFile> {
    let file = temporary(path)?;
    let made = file.as_file().metadata()?;
    if (made.uid(), made.gid()) != (found.uid(), found.gid()) {
        fchown(file.as_file(), Some(found.uid()), Some(found.gid()))?;
    }
    file.as_file().set_permissions(found.permissions())?;
    Ok(file)
}

/// A temporary file beside a path. The process's mask takes its part of the permissions.
fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new()
        .permissions(fs::Permissions::from_mode(0o666))
        .tempfile_in(parent(path))
}

/// Writes over the contents of a file, and restores them if that fails. The old contents are not cut off
/// before the new ones are there, so that there is room for them.
fn write_in_place(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let old = fs::read(path)?;
    let mut file = OpenOptions::new().write(true).open(path)?;
    let written = fill(&mut file, bytes);
    if written.is_err() {
        fill(&mut file, &old)?;
    }
    written
}

/// Makes bytes the contents of a file, and waits until they are stored.
fn fill(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.rewind()?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

/// Writes to a device, a FIFO or a stream; a reader that went away is no failure.
fn write_through(mut file: impl Write, bytes: &[u8]) -> io::Result<()> {
    match file.write_all(bytes).and_then(|()| file.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// The folder of a file.
fn parent(path: &Path) -> &Path {
    let folder = path.parent();
    let named = folder.filter(|folder| !folder.as_os_str().is_empty());
    named.unwrap_or(Path::new("."))
}

fn no_folder(path: &Path) -> Failure {
    let (path, folder) = (path.display(), parent(path).display());
    Failure::with_hint(
        format!("cannot write `{path}`: there is no folder `{folder}`"),
        "make the folder first",
    )
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    // What went wrong with a temporary file is told without its name.
    let why = error.to_string();
    let why = why.split_once(" at path ").map_or(&*why, |(why, _)| why);
    Failure::message(format!("cannot write `{}`: {why}", path.display()))
}

/// Writes to standard output; a reader that went away is no failure.
pub fn write_stdout(text: &str) -> Result<(), Failure> {
    let _writing = writing();
    write_through(stdout().lock(), text.as_bytes())
        .map_err(|error| Failure::message(format!("cannot write to standard output: {error}")))
}
