//! Standard error: diagnostics, warnings and notes.

use std::io::{IsTerminal, Write, stderr};

use codespan_reporting::term;
use codespan_reporting::term::termcolor::{ColorChoice as Termcolor, StandardStream};
use cupola::lang::source::{Diagnostic, Severity, SourceFile};

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Where everything goes that is not the result.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    color: ColorChoice,
    quiet: bool,
}

impl Console {
    /// A console that writes to standard error.
    pub fn new(color: ColorChoice, quiet: bool) -> Self {
        Console { color, quiet }
    }

    /// Shows diagnostics at their places; with `--quiet` only errors.
    pub fn diagnostics(&self, file: &SourceFile, diagnostics: &[Diagnostic]) {
        let mut stream = StandardStream::stderr(self.termcolor());
        let shown = diagnostics
            .iter()
            .filter(|diagnostic| !self.quiet || diagnostic.severity == Severity::Error);
        for diagnostic in shown {
            // Where standard error is closed there is nobody left to tell.
            let _ = term::emit_to_write_style(
                &mut stream,
                &diagnostic.style(file),
                file.codespan(),
                &diagnostic.to_codespan(),
            );
        }
    }

    /// Shows an error that is not about a place of the source.
    pub fn error(&self, message: &str, way_out: Option<&str>) {
        let mut stream = stderr().lock();
        let _ = writeln!(stream, "error: {message}");
        if let Some(way_out) = way_out {
            let _ = writeln!(stream, " = {way_out}");
        }
    }

    /// Shows a remark, unless `--quiet` asks for silence.
    pub fn note(&self, message: &str) {
        if !self.quiet {
            let _ = writeln!(stderr().lock(), "{message}");
        }
    }

    /// Whether somebody watches.
    pub fn shows_progress(&self) -> bool {
        !self.quiet && stderr().is_terminal()
    }

    fn termcolor(&self) -> Termcolor {
        match self.color {
            ColorChoice::Always => Termcolor::Always,
            ColorChoice::Never => Termcolor::Never,
            ColorChoice::Auto if stderr().is_terminal() => Termcolor::Auto,
            ColorChoice::Auto => Termcolor::Never,
        }
    }
}
