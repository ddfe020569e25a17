//! An abstract path as data for reports: every step with what the buffers of its thread hold behind it.

use itertools::Itertools;

use super::buffer::entries;
use super::layout::{Layout, Waits};
use super::search::Path;
use super::state::State;
use super::steps::{Step, System};
use crate::program::{Program, ThreadId};
use crate::source::SourceFile;
use crate::verdict::{CoherencePath, CoherenceStep};

/// The path for reports.
pub(super) fn path<R>(source: &SourceFile, system: &System<'_, R>, path: &Path) -> CoherencePath {
    let steps = path.steps.iter().map(|(step, state)| {
        let (line, text) = words(source, system.program, step);
        let thread = step.thread();
        CoherenceStep {
            thread: system.program.threads[thread.index()].display_name.clone(),
            line,
            text,
            buffers: buffers(system.program, &system.layout, state, thread),
        }
    });
    CoherencePath {
        steps: steps.collect(),
    }
}

/// The line of the source, and what happens.
fn words(source: &SourceFile, program: &Program, step: &Step) -> (Option<usize>, String) {
    match step {
        Step::Statement { edge, .. } => {
            let statement = program.statement(program.edge(*edge).stmt);
            let line = source.line(statement.span.start);
            (Some(line), statement.text.clone())
        }
        Step::Flush {
            var, value, rule, ..
        } => {
            let name = program.var_display_name(*var);
            let rule = rule.name();
            (None, format!("{rule}: {name} = {value} reaches memory"))
        }
    }
}

/// What the buffers of a thread hold: ⟨l, S, H⟩ for each variable with a store, H oldest first.
fn buffers(program: &Program, layout: &Layout, state: &State, thread: ThreadId) -> Vec<String> {
    let mut texts = Vec::new();
    for buffer in layout.of_thread(thread) {
        let held = &state.buffers[buffer];
        let value = |slot, entry| layout.entry(Waits { buffer, slot }, entry).value;
        for (slot, &set) in held.sets.iter().enumerate() {
            if held.holds_none(slot) {
                continue;
            }
            let name = program.var_display_name(layout.var(Waits { buffer, slot }));
            let head = held.head.iter().filter(|(of, _)| *of == slot);
            let head = head.map(|&(slot, entry)| value(slot, entry)).join(" ");
            let set = entries(set).map(|entry| value(slot, entry)).join(", ");
            let last =
                held.last[slot].map_or("?".to_owned(), |entry| value(slot, entry).to_string());
            texts.push(format!(
                "{name}: last {last}, set {{{set}}}, oldest [{head}]"
            ));
        }
    }
    texts
}
