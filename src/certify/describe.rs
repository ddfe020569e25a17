//! Names for readers: steps, specs and location vectors in terms of the source.

use std::collections::BTreeSet;

use crate::lang::ast::{Span, SpecKind};
use crate::lang::source::SourceFile;
use crate::program::{Action, AssertKind, LocId, Program, Spec, Thread};

/// The longest piece of the source that is quoted.
const WIDTH: usize = 60;

/// `P0, line 12: flag0 = 1;`
pub(super) fn step(
    source: &SourceFile,
    thread: &Thread,
    background: Option<usize>,
    trail: &[Span],
) -> String {
    let name = &thread.display_name;
    if let Some(index) = background {
        return format!("{name}, background block {}", index + 1);
    }
    let mut lines: Vec<usize> = trail.iter().map(|span| source.line(span.start)).collect();
    lines.dedup();
    match (lines.as_slice(), trail.last()) {
        ([line], Some(&span)) => format!("{name}, line {line}: {}", quote(source, span)),
        _ => {
            let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
            format!("{name}, lines {}", lines.join(", "))
        }
    }
}

/// `forbid mutex`, or `finally at line 12`
pub(super) fn spec(source: &SourceFile, spec: &Spec) -> String {
    let kind = match spec.kind {
        SpecKind::Invariant => "invariant",
        SpecKind::Forbid => "forbid",
        SpecKind::Finally => "finally",
    };
    match &spec.name {
        Some(name) => format!("{kind} {name}"),
        None => format!("{kind} at line {}", source.line(spec.span.start)),
    }
}

/// What a program says must hold, in the order of the text: `line 40: forbid mutex: P0@cs && P1@cs;`
pub(super) fn properties(source: &SourceFile, program: &Program) -> Vec<String> {
    let locations = program.threads.iter().flat_map(|thread| &thread.locations);
    let edges = locations.flat_map(|location| &location.edges);
    let asserted =
        edges.filter(|edge| matches!(&edge.action, Action::Assert(_, AssertKind::User(_))));
    let specs = program.specs.iter().map(|spec| spec.span);
    let spans: BTreeSet<Span> = specs.chain(asserted.map(|edge| edge.span)).collect();
    let told = |span: Span| format!("line {}: {}", source.line(span.start), quote(source, span));
    spans.into_iter().map(told).collect()
}

/// `P0 at line 12, P1 at the end`
pub(super) fn vector(source: &SourceFile, program: &Program, at: &[LocId]) -> String {
    let threads = program.threads.iter().zip(at);
    let places = threads.map(|(thread, &location)| {
        let name = &thread.display_name;
        match thread.location(location).edges.first() {
            None => format!("{name} at the end"),
            Some(edge) => {
                let inside = if thread.location(location).held {
                    "inside"
                } else {
                    "at"
                };
                format!("{name} {inside} line {}", source.line(edge.span.start))
            }
        }
    });
    places.collect::<Vec<_>>().join(", ")
}

/// The source at `span` on one line, shortened; nothing in it can pass for a line of the report.
fn quote(source: &SourceFile, span: Span) -> String {
    let text = source.text().get(span.range()).unwrap_or_default();
    let text: Vec<&str> = text.split_whitespace().collect();
    let text = text.join(" ").replace(char::is_control, "?");
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}
