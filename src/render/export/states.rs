//! The states of a small program, for Graphviz.

use std::fmt::Write;

use crate::engine::explore::{Reached, StateGraph, StateNode};
use crate::program::{EdgeId, LocId, Program, Thread, ThreadId};
use crate::semantics::{BufferContents, Move, MoveKind};
use crate::source::SourceFile;

use super::dot::quoted;

/// The graph of the states of a program: initial states are bold, those that break a property red.
pub fn states_text(file: &SourceFile, program: &Program, graph: &StateGraph) -> String {
    let mut out = String::from("digraph states {\n");
    let _ = writeln!(
        out,
        "  // {}, {} states",
        file.file_name(),
        graph.nodes.len()
    );
    if graph.is_cut {
        out.push_str(
            "  // not all of them: there are arbitrary values, or buffers that grow too long\n",
        );
    }
    out.push_str("  node [shape=box, fontname=\"monospace\", fontsize=10];\n");
    out.push_str("  edge [fontname=\"monospace\", fontsize=10];\n");
    for (number, node) in graph.nodes.iter().enumerate() {
        let mut look = vec![format!("label={}", quoted(&node_text(program, node)))];
        if number < graph.initial {
            look.push("penwidth=3".to_owned());
        }
        if !node.broken.is_empty() {
            look.push("color=red".to_owned());
        }
        let _ = writeln!(out, "  s{number} [{}];", look.join(", "));
    }
    for edge in &graph.edges {
        let to = match edge.to {
            Reached::State(to) => format!("s{to}"),
            Reached::Broken(property) => quoted(&format!(
                "broken: {}",
                program.property(property).name_text()
            )),
        };
        let label = quoted(&step_text(file, program, &edge.step));
        let _ = writeln!(out, "  s{} -> {to} [label={label}];", edge.from);
    }
    out.push_str("}\n");
    out
}

fn node_text(program: &Program, node: &StateNode) -> String {
    let threads = program.threads.iter().zip(&node.at);
    let at =
        threads.map(|(thread, at)| format!("{} at {}", thread.display_name, place(thread, *at)));
    let values = program.var_ids().zip(&node.values);
    let values = values.map(|(var, value)| format!("{} = {value}", program.var_display_name(var)));
    let mut lines = vec![
        at.collect::<Vec<_>>().join(", "),
        values.collect::<Vec<_>>().join(", "),
    ];
    lines.extend(
        node.buffers
            .iter()
            .map(|buffer| buffer_text(program, buffer)),
    );
    let broken = node.broken.iter();
    lines.extend(
        broken.map(|property| format!("breaks {}", program.property(*property).name_text())),
    );
    lines.join("\n")
}

/// A location by its labels, or its number.
fn place(thread: &Thread, at: LocId) -> String {
    let labels = &thread.location(at).labels;
    match labels.is_empty() {
        true if at == thread.end => "end".to_owned(),
        true => at.index().to_string(),
        false => labels.join("/"),
    }
}

fn buffer_text(program: &Program, buffer: &BufferContents) -> String {
    let entries = buffer.entries.iter();
    let entries =
        entries.map(|entry| format!("{} = {}", program.var_display_name(entry.var), entry.value));
    let thread = &program.threads[buffer.thread.index()].display_name;
    format!(
        "{thread} buffers {}",
        entries.collect::<Vec<_>>().join(" | ")
    )
}

/// The statements of a step with their lines, or the store that reaches memory.
fn step_text(file: &SourceFile, program: &Program, step: &Move) -> String {
    let thread: ThreadId = step.thread;
    let name = &program.threads[thread.index()].display_name;
    if let MoveKind::Flush(var) = step.kind {
        return format!("{name}: flush {}", program.var_display_name(var));
    }
    let statements = step.path.iter().map(|taken| {
        let id = EdgeId {
            thread,
            at: taken.at,
            number: taken.edge,
        };
        let edge = program.edge(id);
        let statement = program.statement(edge.stmt);
        let way = match edge.branch {
            Some(branch) if branch.taken => " holds",
            Some(_) => " does not hold",
            None => "",
        };
        format!(
            "line {}: {}{way}",
            file.line(statement.span.start),
            statement.text
        )
    });
    format!("{name}: {}", statements.collect::<Vec<_>>().join(" "))
}
