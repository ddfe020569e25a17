//! The two streams: how a result is shown on standard output, and standard error with diagnostics, warnings
//! and notes.

use std::io::{IsTerminal, Write, stderr, stdout};

use codespan_reporting::term;
use codespan_reporting::term::termcolor::{ColorChoice as Termcolor, StandardStream};
use cupola::render::Page;
use cupola::source::{Diagnostic, Severity, SourceFile};
use serde_json::{Map, Value, json};

use super::{OutputArgs, advice};

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

/// How results are shown, and where everything goes that is not the result.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    color: ColorChoice,
    width: Option<usize>,
    quiet: bool,
    json: bool,
    command: &'static str,
}

impl Console {
    /// A console with these colours, this width instead of the terminal's, and errors alone on standard error
    /// if it is quiet.
    pub fn new(color: ColorChoice, width: Option<usize>, quiet: bool) -> Self {
        Console {
            color,
            width,
            quiet,
            json: false,
            command: "",
        }
    }

    /// The same for a command that is asked for JSON, or is not.
    #[must_use]
    pub fn with_json(self, json: bool) -> Self {
        Console { json, ..self }
    }

    /// Whether the command is asked for JSON.
    pub fn json(&self) -> bool {
        self.json
    }

    /// The same console for a command of this name.
    #[must_use]
    pub fn for_command(self, command: &'static str) -> Self {
        Console { command, ..self }
    }

    /// A JSON report with what made it behind its schema: `command` and `version`.
    pub fn signed(&self, report: Value) -> Value {
        let Value::Object(fields) = report else {
            return report;
        };
        let mut signed = Map::new();
        for (name, value) in fields {
            let is_schema = name == "schema";
            signed.insert(name, value);
            if is_schema {
                signed.insert("command".to_owned(), json!(self.command));
                signed.insert("version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
            }
        }
        Value::Object(signed)
    }

    /// Whether a result is shown on a terminal.
    pub fn is_read_here(&self, output: &OutputArgs) -> bool {
        output.output.is_none() && stdout().is_terminal()
    }

    /// The page that a result goes to. A terminal has a width; a file or a pipe has one only if it is asked
    /// for. A file has no colours.
    pub fn page(&self, output: &OutputArgs) -> Page {
        let on_terminal = self.is_read_here(output);
        let colors = match self.color {
            ColorChoice::Always => output.output.is_none(),
            ColorChoice::Never => false,
            ColorChoice::Auto => on_terminal && !forbids_colors(),
        };
        let width = self
            .width
            .or_else(|| terminal_width().filter(|_| on_terminal));
        Page::unlimited()
            .with_width(width)
            .with_colors(colors)
            .with_advice(advice::text)
    }

    /// Shows diagnostics at their places; with `--quiet` only errors.
    pub fn diagnostics(&self, file: &SourceFile, diagnostics: &[Diagnostic]) {
        let mut stream = StandardStream::stderr(self.termcolor());
        let shown = diagnostics
            .iter()
            .filter(|diagnostic| !self.quiet || diagnostic.severity == Severity::Error);
        for diagnostic in shown {
            // Where standard error is closed the message cannot be shown.
            let _ = term::emit_to_write_style(
                &mut stream,
                &diagnostic.style(file),
                file.codespan(),
                &diagnostic.to_codespan(),
            );
        }
    }

    /// Shows an error that is not about a place of the source.
    pub fn error(&self, message: &str, hint: Option<&str>) {
        let mut stream = stderr().lock();
        let _ = writeln!(stream, "error: {message}");
        if let Some(hint) = hint {
            let _ = writeln!(stream, " = {hint}");
        }
    }

    /// Shows a remark, unless `--quiet` asks for silence.
    pub fn note(&self, message: &str) {
        if !self.quiet {
            let _ = writeln!(stderr().lock(), "{message}");
        }
    }

    /// Whether progress is shown: on a terminal, unless `--quiet` is given.
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

/// Whether the environment asks for text without colours.
fn forbids_colors() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// The width of the terminal that standard output is; where it does not say, that of the environment.
fn terminal_width() -> Option<usize> {
    let asked = terminal_size::terminal_size_of(stdout());
    let asked = asked.map(|(terminal_size::Width(columns), _)| usize::from(columns));
    let told = || std::env::var("COLUMNS").ok()?.parse().ok();
    asked.or_else(told).filter(|&columns| columns > 0)
}
