//! Placements written into the program: `--emit`, `--emit-all` and `--diff` of `cupola fences`.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use cupola::fences::{self, Candidates, FenceSet, PlaceKind};
use cupola::front::{Loaded, cup};
use cupola::memory::Model;
use cupola::render::diff;

use crate::cli::input::stem;
use crate::cli::{Console, Failure, Input, OutputArgs};

/// The options that say where placements are written.
#[derive(Debug, Args)]
pub struct PatchArgs {
    /// Write the program with the placement, its fences as `fence;`, to this file.
    #[arg(long, value_name = "FILE")]
    emit: Option<PathBuf>,

    /// Write the program with every placement to a file of its own in this folder, `NAME.MODEL.N.cup`.
    #[arg(long, value_name = "DIR")]
    emit_all: Option<PathBuf>,

    /// Print, in place of the answer, how the placement changes the program: a unified diff for `patch`.
    #[arg(long, conflicts_with_all = ["json", "html"])]
    diff: bool,

    /// The number of the placement that is written, from 1 on; by default the cheapest, or the first.
    #[arg(long, value_name = "N")]
    placement: Option<NonZeroUsize>,

    /// Write a placement of optional fences as a line `fences tso: a, b;`, and let `fence? a;` stay.
    #[arg(long)]
    lines: bool,
}

/// Placements of one program.
pub struct Placements<'a> {
    /// The program.
    pub input: &'a Input,
    /// The same, loaded.
    pub loaded: &'a Loaded,
    /// Its places.
    pub candidates: &'a Candidates,
    /// The model.
    pub model: Model,
    /// The placements.
    pub all: Vec<&'a FenceSet>,
    /// The one that is written unless another one is asked for.
    pub best: usize,
}

impl PatchArgs {
    /// That what is asked for can be done, before any work is.
    pub fn check(&self, several: bool, force: bool) -> Result<(), Failure> {
        if several && (self.emit.is_some() || self.diff) {
            return Err(Failure::with_hint(
                "several programs do not go to one file",
                "give `--emit` or `--diff` one program and one model at a time",
            ));
        }
        match &self.emit {
            Some(path) => OutputArgs::to_file(path, force).check_file(),
            None => Ok(()),
        }
    }

    /// That fences can be written as a line.
    pub fn check_places(&self, kind: Option<PlaceKind>, has_optional: bool) -> Result<(), Failure> {
        let optional = match kind {
            Some(kind) => kind == PlaceKind::Optional,
            None => has_optional,
        };
        match self.lines && !optional {
            true => Err(Failure::with_hint(
                "only optional fences can be put in force by a line",
                "mark places with `fence? a;`, or leave out `--lines`",
            )),
            false => Ok(()),
        }
    }

    /// Writes what is asked for; the text that stands in place of the answer, if that is asked for.
    pub fn write(
        &self,
        placements: &Placements<'_>,
        force: bool,
        console: &Console,
    ) -> Result<Option<String>, Failure> {
        if let Some(folder) = &self.emit_all {
            self.write_all(placements, folder, force)?;
        }
        let Some(chosen) = self.chosen(placements, console)? else {
            return Ok(self.diff.then(String::new));
        };
        let text = self.text(placements, chosen);
        if let Some(path) = &self.emit {
            OutputArgs::to_file(path, force).write(&text)?;
        }
        match self.diff {
            true => placements.diff(&text).map(Some),
            false => Ok(None),
        }
    }

    /// The placement that is to be written; none if there is none, which is said.
    fn chosen<'a>(
        &self,
        placements: &Placements<'a>,
        console: &Console,
    ) -> Result<Option<&'a FenceSet>, Failure> {
        if self.emit.is_none() && !self.diff {
            return Ok(None);
        }
        let number = self
            .placement
            .map_or(placements.best, |number| number.get() - 1);
        match placements.all.get(number) {
            Some(chosen) => Ok(Some(chosen)),
            None if placements.all.is_empty() => {
                let what = match &self.emit {
                    Some(path) => format!("`{}` is not written", path.display()),
                    None => "there is no difference to show".to_owned(),
                };
                console.note(&format!("no placement is proved: {what}"));
                Ok(None)
            }
            None => Err(Failure::message(format!(
                "there is no placement {}, but {}",
                number + 1,
                placements.all.len()
            ))),
        }
    }

    fn write_all(
        &self,
        placements: &Placements<'_>,
        folder: &Path,
        force: bool,
    ) -> Result<(), Failure> {
        std::fs::create_dir_all(folder).map_err(|error| {
            Failure::message(format!("cannot make `{}`: {error}", folder.display()))
        })?;
        let (name, model) = (stem(&placements.input.file), placements.model);
        for (number, fences) in (1..).zip(&placements.all) {
            let path = folder.join(format!("{name}.{model}.{number}.cup"));
            OutputArgs::to_file(&path, force).write(&self.text(placements, fences))?;
        }
        Ok(())
    }

    fn text(&self, placements: &Placements<'_>, fences: &FenceSet) -> String {
        let Placements {
            candidates, model, ..
        } = *placements;
        cup::print(&match self.lines {
            true => fences::emit_line(candidates, fences, model),
            false => fences::emit(candidates, fences),
        })
    }
}

impl Placements<'_> {
    /// How the program changes, with a head that names its file.
    fn diff(&self, text: &str) -> Result<String, Failure> {
        if !self.input.has_own_lines()? {
            return Err(Failure::with_hint(
                "the program is not in the format of Cupola",
                "convert it first: `cupola convert`",
            ));
        }
        let lines = diff::unified(self.loaded.source.text(), text);
        let name = self.loaded.source.name();
        Ok(match lines.is_empty() {
            true => String::new(),
            false => format!("--- {name}\n+++ {name}\n{}\n", lines.join("\n")),
        })
    }
}
