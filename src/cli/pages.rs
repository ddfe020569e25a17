//! `--html` and `--svg`: pages and drawings beside the answer.

use std::path::PathBuf;

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
    html: Option<&'a HtmlArg>,
    svg: Option<&'a SvgArg>,
    page: Html,
    drawing: Option<String>,
}

impl<'a> Pages<'a> {
    /// Nothing to show yet.
    pub fn new(title: &str, html: &'a HtmlArg, svg: Option<&'a SvgArg>) -> Self {
        Pages {
            html: Some(html).filter(|arg| arg.html.is_some()),
            svg: svg.filter(|arg| arg.svg.is_some()),
            page: Html::new(title),
            drawing: None,
        }
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

    /// Writes what is asked for; what exists is replaced only if that is allowed.
    pub fn write(self, force: bool, console: &Console) -> Result<(), Failure> {
        let to = |path: &PathBuf| OutputArgs::to_file(path, force);
        if let Some(path) = self.html.and_then(|arg| arg.html.as_ref()) {
            to(path).write(&self.page.finish())?;
        }
        if let Some(path) = self.svg.and_then(|arg| arg.svg.as_ref()) {
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
