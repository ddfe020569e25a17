//! Warnings in words, and for programs: why a verdict may hold for less than it seems.

use serde_json::{Value, json};

use super::{Execution, Page, words};
use crate::memory::Model;
use crate::source::SourceFile;
use crate::verdict::{Warning, WarningKind};

/// Warnings about one program.
#[derive(Clone, Copy)]
pub(super) struct Warnings<'a> {
    /// The source of the program.
    pub source: &'a SourceFile,
    /// The warnings.
    pub all: &'a [Warning],
}

impl Warnings<'_> {
    /// One line for each.
    pub(super) fn text(&self, page: &Page) -> String {
        let lines = self.all.iter().map(|warning| {
            let said = format!("warning: {}\n", sentence(self.source, warning));
            page.prose(&said)
        });
        lines.collect()
    }

    /// A list of objects.
    pub(super) fn json(&self) -> Value {
        let all = self.all.iter();
        all.map(|warning| {
            json!({
                "kind": warning.kind.word(),
                "threads": warning.threads,
                "name": (!warning.name.is_empty()).then_some(&warning.name),
                "line": warning.span.map(|span| self.source.line(span.start)),
                "message": sentence(self.source, warning),
                "execution": warning.run.as_ref().map(|run| {
                    let (program, trace) = (run.program(), run.trace());
                    Execution { source: self.source, program, trace }.json()
                }),
            })
        })
        .collect()
    }

    /// The executions that lead to blocked threads, each with a line that says so.
    pub(super) fn executions(&self, page: &Page) -> String {
        let runs = self.all.iter().filter_map(|warning| {
            let run = warning.run.as_ref()?;
            let head = format!("\n{}:\n", sentence(self.source, warning));
            let execution = Execution {
                source: self.source,
                program: run.program(),
                trace: run.trace(),
            };
            let shown = match run.trace().steps.is_empty() {
                true => "at the start, before any step\n".to_owned(),
                false => execution.text(page),
            };
            Some(page.prose(&head) + &shown)
        });
        runs.collect()
    }
}

/// Warnings under several models: each is told once, with its models.
pub(super) fn by_model<'a>(
    source: &SourceFile,
    warnings: impl Iterator<Item = (Model, &'a [Warning])>,
    page: &Page,
) -> String {
    let mut told: Vec<(Vec<String>, &Warning)> = Vec::new();
    for (model, warnings) in warnings {
        for warning in warnings {
            let known = told.iter_mut().find(|(_, known)| known.is_same(warning));
            match known {
                Some((models, _)) => models.push(model.to_string()),
                None => told.push((vec![model.to_string()], warning)),
            }
        }
    }
    let lines = told.iter().map(|(models, warning)| {
        let models = models.join(", ");
        let said = format!("{models}: warning: {}\n", sentence(source, warning));
        page.prose(&said)
    });
    lines.collect()
}

/// A warning in words, in lower case and without a final dot.
pub(super) fn sentence(source: &SourceFile, warning: &Warning) -> String {
    let threads = words::listed(&warning.threads);
    let name = &warning.name;
    let line = warning.span.map(|span| source.line(span.start));
    let line = line.map(|line| format!("line {line}")).unwrap_or_default();
    match warning.kind {
        WarningKind::Empty => "the program is empty: no thread has a statement".to_owned(),
        WarningKind::Label => {
            format!("no execution reaches the label `{name}` of {threads} ({line})")
        }
        WarningKind::Assertion => {
            format!("no execution of {threads} reaches the assertion in {line}")
        }
        WarningKind::Finally => {
            format!("no execution has a final state, so `{name}` ({line}) says nothing")
        }
        WarningKind::Loop => {
            format!(
                "no execution of {threads} leaves the loop with the condition `{name}` ({line})"
            )
        }
        WarningKind::Blocked => format!("{threads} can be blocked for ever at `{name}` ({line})"),
    }
}
