//! Which programs are tested, and which golden files are kept of each.
//!
//! A folder is searched with the folders in it; names that begin with a dot, links to folders, and folders of golden
//! files are left out. Golden files are in `golden` beside a program: a folder, or a text file with the path of one.
//! With `--golden DIR` they are in DIR, in the same folders as below the path that is given.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use cupola::front::Format;
use cupola::regression::Kind;

use super::super::Failure;

/// What golden files are beside programs.
const GOLDEN: &str = "golden";

/// Something to test.
#[derive(Clone, Debug)]
pub enum Item {
    /// A program.
    Program(Program),
    /// A golden file that belongs to no program, and why it does not.
    LeftOver(PathBuf, String),
}

/// A program in a file.
#[derive(Clone, Debug)]
pub struct Program {
    /// The file.
    pub path: PathBuf,
    /// Its format.
    pub format: Format,
    /// The folder of its golden files, which need not be there.
    pub golden: PathBuf,
    /// Its golden files, by name.
    pub kept: Vec<(String, Kind)>,
}

/// All programs in one folder.
struct Folder {
    programs: Vec<PathBuf>,
    golden: PathBuf,
    /// Whether all of them are here, so that golden files of others are left over.
    whole: bool,
}

impl Item {
    /// The path of the file that it is about, as it is shown.
    pub fn path(&self) -> &Path {
        match self {
            Item::Program(program) => &program.path,
            Item::LeftOver(path, _) => path,
        }
    }
}

impl Program {
    /// What the names of its golden files begin with.
    pub fn stem(path: &Path) -> String {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.strip_suffix(".cup").unwrap_or(&name).to_owned()
    }
}

/// All that is to be tested, in the order of paths.
pub fn items(paths: &[PathBuf], golden: Option<&Path>) -> Result<Vec<Item>, Failure> {
    let mut folders: BTreeMap<PathBuf, Folder> = BTreeMap::new();
    for path in paths {
        let path = tidy(path);
        match path.is_dir() {
            true => walk(&path, golden, &mut folders)?,
            false => add_file(&path, golden, &mut folders)?,
        }
    }
    let real = |path: &Path| fs::canonicalize(path).ok();
    let golden: Vec<PathBuf> = folders
        .values()
        .filter_map(|one| real(&one.golden))
        .collect();
    folders.retain(|path, _| {
        let path = real(path).unwrap_or_default();
        !golden.iter().any(|golden| path.starts_with(golden))
    });
    let mut items = Vec::new();
    for folder in folders.values() {
        folder.items(&mut items)?;
    }
    items.sort_by(|one, other| one.path().cmp(other.path()));
    match items.is_empty() {
        true => Err(Failure::with_hint(
            "there is no program to test",
            "programs are files `*.cup`, `*.litmus` and `*.rmm`",
        )),
        false => Ok(items),
    }
}

/// Adds the programs of a folder and of those in it.
fn walk(
    root: &Path,
    golden: Option<&Path>,
    folders: &mut BTreeMap<PathBuf, Folder>,
) -> Result<(), Failure> {
    let mut open = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        let below = path.strip_prefix(root).unwrap_or(Path::new(""));
        let golden = match golden {
            Some(golden) => tidy(&golden.join(below)),
            None => beside(&path)?,
        };
        let mut programs = Vec::new();
        for entry in fs::read_dir(&path).map_err(|error| unreadable(&path, &error))? {
            let entry = entry.map_err(|error| unreadable(&path, &error))?;
            let (name, found) = (entry.file_name(), path.join(entry.file_name()));
            // A link to a folder is not followed: it may lead in a circle.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let hidden = name.to_string_lossy().starts_with('.');
            match (hidden, is_folder) {
                (false, true) if name != GOLDEN => open.push(tidy(&found)),
                (false, false) if Format::of(&found).is_some() => programs.push(tidy(&found)),
                _ => {}
            }
        }
        let folder = Folder {
            programs,
            golden,
            whole: true,
        };
        folders.insert(path, folder);
    }
    Ok(())
}

/// Adds a program that is named.
fn add_file(
    path: &Path,
    golden: Option<&Path>,
    folders: &mut BTreeMap<PathBuf, Folder>,
) -> Result<(), Failure> {
    if !path.exists() {
        return Err(Failure::with_hint(
            format!("there is no `{}`", path.display()),
            "give files or folders",
        ));
    }
    if Format::of(path).is_none() {
        return Err(Failure::with_hint(
            format!("`{}` is no program", path.display()),
            "programs are files `*.cup`, `*.litmus` and `*.rmm`",
        ));
    }
    let parent = path.parent().unwrap_or(Path::new("")).to_owned();
    if !folders.contains_key(&parent) {
        let golden = match golden {
            Some(golden) => golden.to_owned(),
            None => beside(&parent)?,
        };
        let folder = Folder {
            programs: Vec::new(),
            golden,
            whole: false,
        };
        folders.insert(parent.clone(), folder);
    }
    if let Some(folder) = folders.get_mut(&parent) {
        let known = folder.programs.iter().any(|known| known == path);
        folder.programs.extend((!known).then(|| path.to_owned()));
    }
    Ok(())
}

/// The folder of the golden files of the programs in a folder.
fn beside(folder: &Path) -> Result<PathBuf, Failure> {
    let path = tidy(&folder.join(GOLDEN));
    if !path.is_file() {
        return Ok(path);
    }
    let text = fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))?;
    let named = tidy(&folder.join(text.trim()));
    match named.is_dir() {
        true => Ok(named),
        false => Err(Failure::with_hint(
            format!(
                "`{}` names the folder `{}`, which is not there",
                path.display(),
                named.display()
            ),
            "make the folder, or correct the path, which begins beside the file that names it",
        )),
    }
}

impl Folder {
    /// The programs with their golden files, and the golden files that belong to none.
    fn items(&self, items: &mut Vec<Item>) -> Result<(), Failure> {
        let mut kept: BTreeMap<String, Vec<(String, Kind)>> = BTreeMap::new();
        for name in self.names()? {
            match Kind::of(&name) {
                Some((program, kind)) => {
                    let program = program.to_owned();
                    kept.entry(program).or_default().push((name, kind));
                }
                None if self.whole => items.push(Item::LeftOver(
                    self.golden.join(&name),
                    "its name does not say what it holds, as `NAME.tso.k2.cup` does".to_owned(),
                )),
                None => {}
            }
        }
        for path in &self.programs {
            items.push(Item::Program(Program {
                path: path.clone(),
                format: Format::of(path).unwrap_or(Format::Cup),
                golden: self.golden.clone(),
                kept: kept.remove(&Program::stem(path)).unwrap_or_default(),
            }));
        }
        let rest = kept.into_values().flatten().filter(|_| self.whole);
        items.extend(rest.map(|(name, _)| {
            let reason = "there is no program of which it is kept: remove it".to_owned();
            Item::LeftOver(self.golden.join(name), reason)
        }));
        Ok(())
    }

    /// The names of the golden files; hidden files, folders and pages (`*.md`) are none.
    fn names(&self) -> Result<Vec<String>, Failure> {
        if !self.golden.is_dir() {
            return Ok(Vec::new());
        }
        let entries = fs::read_dir(&self.golden);
        let mut names = Vec::new();
        for entry in entries.map_err(|error| unreadable(&self.golden, &error))? {
            let entry = entry.map_err(|error| unreadable(&self.golden, &error))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let other = name.starts_with('.') || name.ends_with(".md");
            if !other && entry.path().is_file() {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }
}

/// A path without `.`, and without a folder that `..` leaves again.
fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for component in path.components() {
        let last = tidy.components().next_back();
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(last, Some(Component::Normal(_))) => {
                tidy.pop();
            }
            other => tidy.push(other),
        }
    }
    match tidy.as_os_str().is_empty() {
        true => PathBuf::from("."),
        false => tidy,
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::message(format!("cannot read `{}`: {error}", path.display()))
}
