//! Names for readers: steps, specs and location vectors in terms of the source.

use std::collections::BTreeSet;

use crate::front::cup::ast::Span;
use crate::program::{LocId, Program, Property, PropertyKind, Thread};
use crate::source::SourceFile;

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
pub(super) fn spec(source: &SourceFile, property: &Property) -> String {
    let kind = property.kind.words();
    match &property.name {
        Some(name) => format!("{kind} {name}"),
        None => format!("{kind} at line {}", source.line(property.span.start)),
    }
}

/// What it means that a statement breaks a property.
pub(super) fn broken(property: &Property) -> String {
    match (property.kind, &property.name) {
        (PropertyKind::Bounds, _) => "an index is out of range".to_owned(),
        (PropertyKind::Overflow, _) => "a buffer overflows".to_owned(),
        (_, None) => "the assertion fails".to_owned(),
        (_, Some(message)) => format!("the assertion \"{message}\" fails"),
    }
}

/// What a program says must hold, in the order of the text: `line 40: forbid mutex: P0@cs && P1@cs;`
pub(super) fn properties(source: &SourceFile, program: &Program) -> Vec<String> {
    let stated = program.properties.iter();
    let stated = stated.filter(|property| property.kind.is_stated());
    let spans: BTreeSet<Span> = stated.map(|property| property.span).collect();
    let told = |span: Span| format!("line {}: {}", source.line(span.start), quote(source, span));
    spans.into_iter().map(told).collect()
}

/// `P0 at line 12, P1 at the end`
pub(super) fn vector(source: &SourceFile, program: &Program, at: &[LocId]) -> String {
    let threads = program.threads.iter().zip(at);
    let places = threads.map(|(thread, &at)| {
        let place = location(source, thread, at);
        format!("{} {place}", thread.display_name)
    });
    places.collect::<Vec<_>>().join(", ")
}

/// `at line 12`, `inside line 12` or `at the end`
pub(super) fn location(source: &SourceFile, thread: &Thread, at: LocId) -> String {
    let location = thread.location(at);
    match location.edges.first() {
        None => "at the end".to_owned(),
        Some(edge) => {
            let inside = if location.held { "inside" } else { "at" };
            format!("{inside} line {}", source.line(edge.span.start))
        }
    }
}

/// The source at `span` on one line, shortened; nothing in it can pass for a line of the report.
fn quote(source: &SourceFile, span: Span) -> String {
    short(source.text().get(span.range()).unwrap_or_default())
}

/// A text on one line, shortened.
pub(super) fn short(text: &str) -> String {
    let text: Vec<&str> = text.split_whitespace().collect();
    let text = text.join(" ").replace(char::is_control, "?");
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}
