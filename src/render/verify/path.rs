//! An abstract path as a table, one row per step.

use crate::render::{Column, Page, Table};
use crate::verdict::{AbstractPath, AbstractStep, Changes, CoherencePath};

/// The steps of a path.
pub(super) fn text(path: &AbstractPath, page: &Page) -> String {
    let mut table = Table::new([
        Column::numbers("step"),
        Column::words("thread"),
        Column::numbers("line"),
        Column::words("statement").wrapped(),
        Column::words("predicates that change").optional().wrapped(),
    ]);
    for (index, step) in path.steps.iter().enumerate() {
        table.push(row(index + 1, step));
    }
    table.text(page)
}

/// The steps of a path of abstract store buffers.
pub(super) fn coherence_text(path: &CoherencePath, page: &Page) -> String {
    let mut table = Table::new([
        Column::numbers("step"),
        Column::words("thread"),
        Column::numbers("line"),
        Column::words("statement").wrapped(),
        Column::words("buffers").optional().wrapped(),
    ]);
    for (index, step) in path.steps.iter().enumerate() {
        table.push([
            (index + 1).to_string(),
            step.thread.clone(),
            step.line.map_or("-".to_owned(), |line| line.to_string()),
            step.text.clone(),
            step.buffers.join("; "),
        ]);
    }
    table.text(page)
}

fn row(number: usize, step: &AbstractStep) -> [String; 5] {
    [
        number.to_string(),
        step.thread().unwrap_or("-").to_owned(),
        step.line.to_string(),
        step.text.clone(),
        values(&step.changes),
    ]
}

fn values(changes: &Changes) -> String {
    let values = changes.iter().map(|(predicate, value)| match value {
        Some(true) => predicate.clone(),
        Some(false) => format!("!({predicate})"),
        None => format!("{predicate}?"),
    });
    values.collect::<Vec<_>>().join(", ")
}
