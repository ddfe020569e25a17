//! `--html` and `--svg`: pages and drawings beside the answer.

use std::path::{Path, PathBuf};

use clap::Args;
use cupola::render::Execution;
use cupola::render::html::{Html, Section};

use super::{Console, Failure, OutputArgs};

/// `--html`.
#[derive(Clone, Debug, Default, Args)]
pub struct HtmlArg {
    /// Also write a page to look at to this file: one HTML file with everything in it.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// `--svg`.
#[derive(Clone, Debug, Default, Args)]
pub struct SvgArg {
    /// Also draw the execution that is shown, the first if there are several, to this SVG file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// The pages of a command, which are written when it has its answer.
pub struct Pages<'a> {
    html: Option<&'a Path>,
    svg: Option<&'a Path>,
    force: bool,
    page: Html,
    drawing: Option<String>,
}

impl<'a> Pages<'a> {
    /// Nothing to show yet. Makes sure, before any work is done, that what is asked for can be written; what exists is
    /// replaced only if `force` allows that.
    pub fn new(
        title: &str,
        (html, svg): (&'a HtmlArg, Option<&'a SvgArg>),
        force: bool,
    ) -> Result<Self, Failure> {
        let html = html.html.as_deref();
        let svg = svg.and_then(|arg| arg.svg.as_deref());
        for path in html.into_iter().chain(svg) {
            OutputArgs::to_file(path, force).check_file()?;
        }
        Ok(Pages {
            html,
            svg,
            force,
            page: Html::new(title),
            drawing: None,
        })
    }

    /// Whether a page is asked for.
    pub fn has_page(&self) -> bool {
        self.html.is_some()
    }

    /// Adds sections to the page, if one is asked for.
    pub fn show<S: IntoIterator<Item = Section>>(&mut self, sections: impl FnOnce() -> S) {
        if self.has_page() {
            sections()
                .into_iter()
                .for_each(|section| self.page.push(section));
        }
    }

    /// Draws an execution, if a drawing is asked for and there is none yet.
    pub fn draw(&mut self, execution: Option<Execution<'_>>) {
        if self.svg.is_some() && self.drawing.is_none() {
            self.drawing = execution.map(|execution| execution.svg());
        }
    }

    /// Writes what is asked for.
    pub fn write(self, console: &Console) -> Result<(), Failure> {
        let to = |path: &Path| OutputArgs::to_file(path, self.force);
        if let Some(path) = self.html {
            to(path).write(&self.page.finish())?;
        }
        if let Some(path) = self.svg {
            match &self.drawing {
                Some(drawing) => to(path).write(drawing)?,
                None => console.note(&format!(
                    "there is no execution to draw: `{}` is not written",
                    path.display()
                )),
            }
        }
        Ok(())
    }
}
