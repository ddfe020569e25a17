//! Programs line by line, and a source beside its translation.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::escape;
use crate::render::lines::{LineKind, LineMap};
use crate::source::SourceFile;

/// A line that a page puts into a program: before the line with this number or behind it.
pub(super) struct Inserted {
    /// The line.
    pub line: usize,
    /// Whether it stands behind the line.
    pub behind: bool,
    /// HTML.
    pub html: String,
}

/// A program in a pane of its own.
pub(super) fn source(
    file: &SourceFile,
    marks: &BTreeMap<usize, String>,
    inserted: &[Inserted],
) -> String {
    let mut body = String::new();
    for (index, text) in file.text().lines().enumerate() {
        let number = index + 1;
        let here = |behind: bool| {
            inserted
                .iter()
                .filter(move |row| row.line == number && row.behind == behind)
                .map(|row| row.html.as_str())
                .collect::<String>()
        };
        body += &here(false);
        let mark = marks.get(&number).map_or("", String::as_str);
        line(&mut body, number, text, ("", mark));
        body += &here(true);
    }
    pane("source", "Source", file.name(), &body)
}

/// A source beside its translation, with linked lines.
pub(super) fn pair(file: &SourceFile, map: &LineMap, title: &str) -> String {
    let left = source(file, &BTreeMap::new(), &[]);
    let mut body = String::new();
    let lines = map.text.text().lines().zip(&map.lines).enumerate();
    for (index, (text, origin)) in lines {
        let attributes = origin.kind.map_or_else(String::new, |kind| {
            let sources: Vec<String> = origin.sources.iter().map(usize::to_string).collect();
            let kind = match kind {
                LineKind::Statement => "statement",
                LineKind::Flush => "flush",
                LineKind::Declaration => "declaration",
            };
            format!(" data-kind=\"{kind}\" data-src=\"{}\"", sources.join(" "))
        });
        line(&mut body, index + 1, text, (&attributes, ""));
    }
    let right = pane("made", "Translation", title, &body);
    format!("<div class=\"pair\">\n{left}{right}</div>\n")
}

/// Code of another language, with numbered lines.
pub(super) fn code(label: &str, text: &str) -> String {
    let mut body = String::new();
    for (index, text) in text.lines().enumerate() {
        line(&mut body, index + 1, text, ("", ""));
    }
    pane("code", label, "", &body)
}

fn pane(class: &str, label: &str, title: &str, body: &str) -> String {
    let (label, title) = (escape(label), escape(title));
    format!(
        "<figure class=\"pane {class}\">\n<figcaption>{label} <b>{title}</b></figcaption>\n\
         <div class=\"lines\" tabindex=\"0\" role=\"group\" aria-label=\"{label} {title}\">\n{body}</div>\n</figure>\n"
    )
}

fn line(body: &mut String, number: usize, text: &str, (attributes, mark): (&str, &str)) {
    let text = escape(text);
    let (code, comment) = match text.find("//") {
        Some(at) => text.split_at(at),
        None => (text.as_str(), ""),
    };
    let comment = match comment {
        "" => String::new(),
        comment => format!("<i>{comment}</i>"),
    };
    let _ = writeln!(
        body,
        "<div class=\"line\" data-line=\"{number}\"{attributes}><span class=\"no\">{number}</span><code>{code}{comment}</code>{mark}</div>"
    );
}
