//! Commands with several inputs or several models: one result each, told together.
//!
//! A command adds its results one by one; what fails is told at once and does not keep the others from
//! being added. At the end the results are one text, with an empty line between two of them, or one JSON
//! array; with `-o` and a folder each is a file of its own. The command ends as the gravest of its results:
//! bad input before violated before unknown.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use super::{Answer, Console, Exit, Failure, OutputArgs, ReportArgs, memory};

/// One result.
#[derive(Debug)]
pub struct Part {
    /// What its file is called in a folder, without an extension.
    pub name: String,
    /// The result.
    pub body: Body,
    /// How a command with this result alone ends.
    pub exit: Exit,
}

/// A result in the form that is asked for.
#[derive(Debug)]
pub enum Body {
    /// Text, and the extension of files that hold it.
    Text(String, &'static str),
    /// A JSON object.
    Json(Value),
}

/// The results of a command.
pub struct Parts<'a> {
    output: &'a OutputArgs,
    console: &'a Console,
    several: bool,
    parts: Vec<Part>,
    exit: Exit,
    /// The failures that were told.
    told: Vec<String>,
}

impl ReportArgs {
    /// A result called `name`: JSON if that is asked for, else text, which files with the extension `ending`
    /// hold.
    pub fn part(
        &self,
        (name, ending): (String, &'static str),
        text: impl FnOnce() -> String,
        json: impl FnOnce() -> Value,
        exit: Exit,
    ) -> Part {
        let body = match self.json {
            true => Body::Json(json()),
            false => Body::Text(text(), ending),
        };
        Part { name, body, exit }
    }
}

impl<'a> Parts<'a> {
    /// No results yet, of which there will be several or just one. Several do not fit one file.
    pub fn new(
        output: &'a OutputArgs,
        several: bool,
        console: &'a Console,
    ) -> Result<Self, Failure> {
        if several && output.output.as_deref().is_some_and(|path| !path.is_dir()) {
            return Err(Failure::with_hint(
                "several results do not go to one file",
                "give `-o` a folder that exists, or run the command once for each result",
            ));
        }
        output.check()?;
        Ok(Parts {
            output,
            console,
            several,
            parts: Vec::new(),
            exit: Exit::Done,
            told: Vec::new(),
        })
    }

    /// Adds a result, or tells why there is none.
    pub fn add(&mut self, part: Result<Part, Failure>) {
        match part {
            Ok(part) => {
                let part = part.signed(self.console);
                self.exit = self.exit.max(part.exit);
                self.parts.push(part);
            }
            Err(failure) => {
                self.tell(&failure);
                if self.console.json() {
                    self.parts.push(Part {
                        name: format!("error-{}", self.parts.len() + 1),
                        body: Body::Json(self.console.signed(failure.json())),
                        exit: failure.exit(),
                    });
                }
            }
        }
    }

    /// Adds what was written beside the results: where that failed, the results stay.
    pub fn beside(&mut self, written: Result<(), Failure>) {
        if let Err(failure) = written {
            self.tell(&failure);
        }
    }

    /// Tells a failure, unless it was told.
    fn tell(&mut self, failure: &Failure) {
        self.exit = self.exit.max(failure.exit());
        if let Failure::Message(message, _) = failure {
            if self.told.contains(message) {
                return;
            }
            self.told.push(message.clone());
        }
        failure.show(self.console);
    }

    /// Whether to go on with what is called `name`: not after an interrupt, which makes it unknown.
    pub fn goes_on(&mut self, name: &dyn Display, cancel: &AtomicBool) -> bool {
        let cancelled = cancel.load(Ordering::Relaxed);
        if cancelled {
            self.exit = self.exit.max(Exit::Unknown);
            let why = match memory::is_full() {
                true => "the memory is full",
                false => "the work was interrupted",
            };
            self.console.note(&format!("{name}: left out, since {why}"));
        }
        !cancelled
    }

    /// The answer of the command.
    pub fn answer(mut self) -> Result<Answer, Failure> {
        let exit = self.exit;
        match self.output.output.as_deref().filter(|path| path.is_dir()) {
            _ if self.parts.is_empty() => Ok(nothing(exit)),
            Some(folder) => match self.write_to(folder) {
                Ok(()) => Ok(nothing(exit)),
                // The results are not lost.
                Err(failure) => {
                    self.tell(&failure);
                    Ok(Answer {
                        text: together(self.parts, self.several),
                        output: OutputArgs::default(),
                        exit: self.exit,
                    })
                }
            },
            None => Ok(Answer {
                text: together(self.parts, self.several),
                output: self.output.clone(),
                exit,
            }),
        }
    }

    /// Writes each result to a file of its own.
    fn write_to(&self, folder: &Path) -> Result<(), Failure> {
        let mut names = BTreeSet::new();
        for part in &self.parts {
            if !names.insert(part.file_name()) {
                return Err(Failure::with_hint(
                    format!("two results would be called `{}`", part.file_name()),
                    "run the command once for each, with folders of their own",
                ));
            }
        }
        let output = |part: &Part| OutputArgs {
            output: Some(folder.join(part.file_name())),
            ..self.output.clone()
        };
        let mut parts = self.parts.iter();
        parts.try_for_each(|part| output(part).check())?;
        let mut parts = self.parts.iter();
        parts.try_for_each(|part| output(part).write(&part.body.text()))
    }
}

impl Part {
    /// The result with a line before its text that says what it is of, where there are several.
    pub fn with_heading(self, several: bool, what: &dyn Display) -> Self {
        let body = match self.body {
            Body::Text(text, ending) if several => Body::Text(format!("{what}:\n{text}"), ending),
            body => body,
        };
        Part { body, ..self }
    }

    /// The result with what made it, in JSON.
    fn signed(self, console: &Console) -> Self {
        let body = match self.body {
            Body::Json(value) => Body::Json(console.signed(value)),
            text => text,
        };
        Part { body, ..self }
    }

    fn file_name(&self) -> String {
        let ending = match self.body {
            Body::Text(_, ending) => ending,
            Body::Json(_) => "json",
        };
        format!("{}.{ending}", self.name)
    }
}

impl Body {
    fn text(&self) -> String {
        match self {
            Body::Text(text, _) => text.clone(),
            Body::Json(value) => format!("{value:#}\n"),
        }
    }
}

/// The answer of a command that has written its results, or has none.
fn nothing(exit: Exit) -> Answer {
    Answer {
        text: String::new(),
        output: OutputArgs::default(),
        exit,
    }
}

/// All results as one text. Where there may be several, or something failed beside a result, JSON is an array.
fn together(parts: Vec<Part>, several: bool) -> String {
    let mut texts = Vec::new();
    let mut values = Vec::new();
    for part in parts {
        match part.body {
            Body::Json(value) => values.push(value),
            Body::Text(text, _) => texts.push(text),
        }
    }
    match values.as_slice() {
        [] => texts.join("\n"),
        [one] if !several => format!("{one:#}\n"),
        _ => format!("{:#}\n", Value::Array(values)),
    }
}
