//! An execution as swim lanes, one for each thread, with the state at each step.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};

use super::{escape, listing, script_json};
use crate::program::ThreadId;
use crate::render::Execution;
use crate::semantics::{Access, MoveKind, Snapshot, Step, snapshots};

/// The execution: controls, lanes, the state, and the source beside them.
pub(super) fn lanes(execution: &Execution<'_>) -> String {
    let states = snapshots(execution.program, execution.trace);
    let count = execution.trace.steps.len();
    let source = listing::source(execution.source, &BTreeMap::new(), &[]);
    let data = script_json(&data(execution, &states));
    format!(
        "<div class=\"trace\">\n\
         <div class=\"controls\" role=\"group\" aria-label=\"Steps of the execution\">\
         <button type=\"button\" data-go=\"first\" aria-label=\"to the start\">|◀</button>\
         <button type=\"button\" data-go=\"back\" aria-label=\"one step back\">◀</button>\
         <input type=\"range\" min=\"0\" max=\"{count}\" value=\"0\" aria-label=\"step\">\
         <button type=\"button\" data-go=\"on\" aria-label=\"one step on\">▶</button>\
         <button type=\"button\" data-go=\"last\" aria-label=\"to the end\">▶|</button>\
         <output aria-live=\"polite\">start</output>\
         <span class=\"hint\">arrow keys, Home, End</span></div>\n\
         <div class=\"trace-body\">\n{}<div class=\"state\" aria-label=\"State\"></div>\n{source}</div>\n\
         {}<script type=\"application/json\" class=\"states\">{data}</script>\n</div>\n",
        table(execution, &states),
        ending(execution),
    )
}

/// What is broken at the end.
fn ending(execution: &Execution<'_>) -> String {
    match execution.ending().trim() {
        "" => String::new(),
        ending => format!("<p class=\"ending bad\">{}</p>\n", escape(ending)),
    }
}

/// One row per step: the statement in the lane of its thread, with what it reads and writes and the buffers behind it, then
/// what changes in memory.
fn table(execution: &Execution<'_>, states: &[Snapshot]) -> String {
    let threads: Vec<ThreadId> = execution.program.thread_ids().collect();
    let mut heads = String::from("<th scope=\"col\">step</th>");
    for &thread in &threads {
        let _ = write!(
            heads,
            "<th scope=\"col\">{}</th>",
            escape(execution.thread(thread))
        );
    }
    heads += "<th scope=\"col\">memory</th>";
    let mut rows = String::new();
    for (index, step) in execution.trace.steps.iter().enumerate() {
        let number = index + 1;
        let _ = write!(
            rows,
            "<tr data-step=\"{number}\"><th scope=\"row\">{number}</th>"
        );
        for &thread in &threads {
            match thread == step.action.thread {
                true => rows += &format!("<td class=\"own\">{}</td>", cell(execution, step)),
                false => rows += "<td></td>",
            }
        }
        let memory = changes(execution, &states[index], &states[index + 1]);
        let _ = writeln!(rows, "<td class=\"memory\">{memory}</td></tr>");
    }
    format!(
        "<div class=\"lanes scroll\" tabindex=\"0\"><table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

fn cell(execution: &Execution<'_>, step: &Step) -> String {
    let thread = step.action.thread;
    let (line, statement) = execution.statement(step);
    let class = match step.action.kind {
        MoveKind::Statement => "statement",
        MoveKind::Flush(_) => "flush",
        MoveKind::Background(_) => "background",
    };
    let mut html = format!("<code class=\"{class}\">{}</code>", escape(&statement));
    if let Some(line) = line {
        let _ = write!(html, " <small>line {line}</small>");
    }
    let listed = |word: &str, accesses: &[Access]| {
        let texts = accesses
            .iter()
            .map(|&access| execution.access(thread, access));
        let texts: Vec<String> = texts.collect();
        match texts.is_empty() {
            true => String::new(),
            false => format!("<small>{word} {}</small>", escape(&texts.join(", "))),
        }
    };
    html += &listed("reads", &step.reads);
    if line.is_some() {
        html += &listed("writes", &step.writes);
    }
    let buffers = execution.buffers_text(step, thread);
    if !buffers.is_empty() {
        let _ = write!(
            html,
            "<small class=\"buffer\">buffer {}</small>",
            escape(&buffers)
        );
    }
    html
}

/// The shared variables whose values in memory change.
fn changes(execution: &Execution<'_>, before: &Snapshot, after: &Snapshot) -> String {
    let changed = execution.changed_memory(before, after).into_iter();
    let cells = changed.map(|text| format!("<span class=\"cell\">{}</span>", escape(&text)));
    cells.collect()
}

/// What the script shows for each step.
fn data(execution: &Execution<'_>, states: &[Snapshot]) -> Value {
    let program = execution.program;
    let vars = program.var_ids().map(|var| {
        let declared = &program.vars[var.index()];
        json!([declared.owner.map(ThreadId::index), declared.display_name])
    });
    let threads = program
        .thread_ids()
        .map(|thread| json!(execution.thread(thread)));
    let points = states.iter().enumerate().map(|(number, state)| {
        let step = number
            .checked_sub(1)
            .map(|index| &execution.trace.steps[index]);
        let said = step.map(|step| {
            let (line, statement) = execution.statement(step);
            json!({ "thread": step.action.thread.index(), "line": line, "text": statement })
        });
        let at = program
            .thread_ids()
            .map(|thread| line_of(execution, state, thread));
        json!({
            "step": said,
            "values": state.values,
            "at": at.collect::<Vec<_>>(),
            "buffers": buffers(execution, state),
        })
    });
    json!({
        "vars": vars.collect::<Value>(),
        "threads": threads.collect::<Value>(),
        "buffered": execution.has_buffers(),
        "points": points.collect::<Value>(),
    })
}

/// The line of the statement that a thread comes to next.
fn line_of(execution: &Execution<'_>, state: &Snapshot, thread: ThreadId) -> Option<usize> {
    let graph = &execution.program.threads[thread.index()];
    let edge = graph.location(state.at[thread.index()]).edges.first()?;
    let span = execution.program.statement(edge.stmt).span;
    Some(execution.source.line(span.start))
}

/// The FIFOs that are not empty: the thread, and its entries, the oldest first.
fn buffers(execution: &Execution<'_>, state: &Snapshot) -> Value {
    let fifos = state.buffers.iter().map(|fifo| {
        let entries = fifo.entries.iter();
        let entries = entries.map(|&entry| execution.access(fifo.thread, entry));
        json!([fifo.thread.index(), entries.collect::<Vec<String>>()])
    });
    fifos.collect()
}
