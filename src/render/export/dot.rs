//! The control-flow graphs of a program, for Graphviz: a cluster for each thread and each `background` block.

use std::fmt::Write;

use crate::program::{EdgeId, LocId, Thread, ThreadId, action_text, cond_text};

use super::Exported;

/// The graph of the program.
pub(super) fn text(exported: Exported<'_>) -> String {
    let mut out = String::from("digraph program {\n");
    for line in exported.header() {
        let _ = writeln!(out, "  // {line}");
    }
    out.push_str("  node [shape=circle, fontname=\"monospace\"];\n  edge [fontname=\"monospace\", fontsize=10];\n");
    let program = exported.program();
    for (id, thread) in program.thread_ids().zip(&program.threads) {
        cluster(exported, id, thread, &mut out);
    }
    for spec in &program.specs {
        let property = quoted(&exported.property(spec.property));
        let _ = writeln!(
            out,
            "  \"spec {}\" [shape=note, label={property}];",
            spec.property.index()
        );
    }
    out.push_str("}\n");
    out
}

fn cluster(exported: Exported<'_>, id: ThreadId, thread: &Thread, out: &mut String) {
    let name = &thread.name;
    let _ = writeln!(
        out,
        "  subgraph \"cluster_{name}\" {{\n    label={};",
        quoted(&thread.display_name)
    );
    let entries = thread.backgrounds.iter().map(|block| block.entry);
    let entries: Vec<LocId> = std::iter::once(thread.entry).chain(entries).collect();
    for (index, location) in thread.locations.iter().enumerate() {
        let at = LocId::new(index);
        let mut look = Vec::new();
        if location.held {
            look.push("style=filled, fillcolor=lightgrey".to_owned());
        }
        if at == thread.end {
            look.push("shape=doublecircle".to_owned());
        } else if entries.contains(&at) {
            look.push("penwidth=2".to_owned());
        }
        let labels = std::iter::once(index.to_string()).chain(location.labels.iter().cloned());
        look.push(format!(
            "label={}",
            quoted(&labels.collect::<Vec<_>>().join("\n"))
        ));
        let _ = writeln!(out, "    \"{name} {index}\" [{}];", look.join(", "));
    }
    for (index, location) in thread.locations.iter().enumerate() {
        for (number, edge) in location.edges.iter().enumerate() {
            let at = LocId::new(index);
            let id = EdgeId {
                thread: id,
                at,
                number,
            };
            let mut label = action_text(exported.program(), &edge.action);
            if let Some(bounds) = &edge.bounds {
                label = format!("[{}] {label}", cond_text(exported.program(), &bounds.cond));
            }
            let label = quoted(&format!("{label}\n{}", exported.comment(id)));
            let target = edge.target.index();
            let _ = writeln!(
                out,
                "    \"{name} {index}\" -> \"{name} {target}\" [label={label}];"
            );
        }
    }
    out.push_str("  }\n");
}

/// A string of Graphviz.
pub(super) fn quoted(text: &str) -> String {
    let text = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{text}\"")
}
