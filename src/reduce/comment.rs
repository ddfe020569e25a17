//! The comments of a reduced program: which source line and statement a group comes from.
//!
//! The user's own comments are about the source (its `expect:` line even speaks of its verdicts), so
//! they stay there and the line numbers lead back to them.

use indexmap::IndexSet;

use super::{Flush, ReduceConfig};
use crate::lang::ast::{Span, Stmt, StmtKind};
use crate::lang::source::SourceFile;
use crate::model::Model;

/// `// line 12: flag0 = 1;`, the statement without its labels.
pub(super) fn of_stmt(file: &SourceFile, stmt: &Stmt) -> String {
    let (start, text) = match &stmt.kind {
        StmtKind::OptionalFence(name) => (name.span.start, format!("fence? {};", name.text)),
        StmtKind::Fence => (stmt.span.end.saturating_sub(1), "fence;".to_owned()),
        StmtKind::Assign(place, _) => (place.span.start, words(file, place.span.to(stmt.span))),
        StmtKind::Skip
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Goto(_)
        | StmtKind::Assume(_)
        | StmtKind::Assert(..)
        | StmtKind::If(..)
        | StmtKind::While(..)
        | StmtKind::DoWhile(..)
        | StmtKind::Loop(_)
        | StmtKind::Atomic(_) => (stmt.span.start, words(file, stmt.span)),
    };
    format!("// line {}: {text}", file.line(start))
}

/// The source at `span` on one line.
fn words(file: &SourceFile, span: Span) -> String {
    let text = file.text().get(span.range()).unwrap_or_default();
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// The comment at the top: what this is a reduction of.
pub(super) fn header(file: &SourceFile, config: &ReduceConfig) -> Vec<String> {
    let name = file.name().replace(char::is_control, "?");
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
