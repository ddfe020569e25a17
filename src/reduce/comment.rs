//! The comments of a reduced program: which source line and statement a group comes from.
//!
//! The user's own comments are about the source (its `expect:` line even speaks of its verdicts), so
//! they stay there and the line numbers lead back to them.

use codespan_reporting::files::Files;
use indexmap::IndexSet;

use super::{Flush, ReduceConfig};
use crate::lang::ast::{Span, Stmt, StmtKind};
use crate::lang::source::SourceFile;
use crate::model::Model;

/// `// line 12: flag0 = 1;`
pub(super) fn of_stmt(file: &SourceFile, stmt: &Stmt) -> String {
    let start = match &stmt.kind {
        StmtKind::Assign(place, _) => place.span.start,
        _ => stmt
            .labels
            .last()
            .map_or(stmt.span.start, |label| label.span.end),
    };
    let span = Span { start, ..stmt.span };
    let text = file.text().get(span.range()).unwrap_or_default();
    let words: Vec<&str> = text.trim_start_matches(':').split_whitespace().collect();
    let line = line(file, span).map_or(String::new(), |line| format!("line {line}: "));
    format!("// {line}{}", words.join(" "))
}

/// The comment at the top: what this is a reduction of.
pub(super) fn header(file: &SourceFile, config: &ReduceConfig) -> Vec<String> {
    let name = file.name();
    let fences = fences(&config.fences);
    match config.model {
        Model::Sc => vec![
            format!("// {name} under SC, its copies and optional fences resolved."),
            format!("// {fences}"),
        ],
        Model::Tso | Model::Pso => {
            let model = config.model.to_string().to_uppercase();
            let k = config.k;
            let entries = if k == 1 { "entry" } else { "entries" };
            let flush = match config.flush {
                Flush::Background => "background blocks",
                Flush::Inline => "loops after each statement",
            };
            vec![
                format!("// {name} under {model} as a program under SC."),
                format!("// Store buffers of k = {k} {entries} are locals, flushes are {flush}."),
                format!("// {fences}"),
            ]
        }
    }
}

fn fences(in_force: &IndexSet<String>) -> String {
    if in_force.is_empty() {
        return "Optional fences in force: none.".to_owned();
    }
    let names: Vec<&str> = in_force.iter().map(String::as_str).collect();
    format!("Optional fences in force: {}.", names.join(", "))
}

/// The number of the line that a span starts on.
fn line(file: &SourceFile, span: Span) -> Option<usize> {
    let index = file.codespan().line_index((), span.start as usize).ok()?;
    file.codespan().line_number((), index).ok()
}
