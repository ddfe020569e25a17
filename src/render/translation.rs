//! A translation: its text, its lines beside those of the source, and as JSON with the map of lines.

use serde_json::{Value, json};

use super::lines::LineMap;
use super::wrap::width_of;
use super::{Page, SCHEMA, Tone, diff};
use crate::memory::Model;
use crate::reduce::Reduction;
use crate::source::SourceFile;

/// What stands between the two columns.
const BETWEEN: &str = " │ ";

/// A translation together with what it is of.
#[derive(Clone, Debug)]
pub struct TranslationReport<'a> {
    /// The source of the program.
    pub source: &'a SourceFile,
    /// The translation.
    pub reduction: &'a Reduction,
    /// Its lines.
    pub map: LineMap,
}

/// One row: a line of the source, a line of the translation, or both.
type Row = (Option<usize>, Option<usize>);

impl<'a> TranslationReport<'a> {
    /// The report of a translation.
    pub fn new(source: &'a SourceFile, reduction: &'a Reduction) -> Self {
        let map = LineMap::of(reduction, source);
        TranslationReport {
            source,
            reduction,
            map,
        }
    }

    /// The program.
    pub fn text(&self) -> String {
        self.map.text.text().to_owned()
    }

    /// The model and the bound, such as `pso:2`.
    pub fn name(&self) -> String {
        name_of(self.reduction)
    }

    /// The program as one JSON object, with the lines of the source that its lines come from.
    pub fn json(&self) -> Value {
        let config = &self.reduction.config;
        json!({
            "schema": SCHEMA,
            "program": self.source.name(),
            "model": config.model,
            "k": config.sizes,
            "fences": config.fences.iter().collect::<Vec<_>>(),
            "flush": config.flush,
            "text": self.text(),
            "lines": self.lines_json(),
        })
    }

    /// The lines that come from the source.
    fn lines_json(&self) -> Value {
        let lines = self.map.lines.iter().enumerate();
        let linked = lines.filter_map(|(index, origin)| {
            let kind = origin.kind?.word();
            Some(json!({ "line": index + 1, "kind": kind, "source": origin.sources }))
        });
        linked.collect()
    }

    /// The source on the left, the translation on the right, on a page of any width.
    pub fn side_by_side(&self, page: &Page) -> String {
        let left: Vec<&str> = self.source.text().lines().collect();
        let right: Vec<&str> = self.map.text.text().lines().collect();
        let numbers = [left.len(), right.len()].map(|count| count.to_string().len());
        let widest = left.iter().map(|line| width_of(line)).max().unwrap_or(0);
        let (left_width, right_width) = match page.width() {
            Some(width) => {
                let fixed = numbers[0] + numbers[1] + 2 + width_of(BETWEEN);
                let room = width.saturating_sub(fixed).max(2);
                (room / 2, room - room / 2)
            }
            None => (widest, usize::MAX),
        };
        let mut text = String::new();
        for (source, made) in self.rows(left.len()) {
            let cell = |number: Option<usize>, lines: &[&str], width: usize| {
                number.map_or_else(Vec::new, |number| pieces(lines[number - 1], width))
            };
            let left = cell(source, &left, left_width);
            let right = cell(made, &right, right_width);
            for at in 0..left.len().max(right.len()).max(1) {
                let number = |number: Option<usize>, width: usize| match number.filter(|_| at == 0)
                {
                    Some(number) => format!("{number:width$}"),
                    None => " ".repeat(width),
                };
                let part = |pieces: &[String]| pieces.get(at).cloned().unwrap_or_default();
                let shown = part(&left);
                let blanks = " ".repeat(left_width.saturating_sub(width_of(&shown)));
                let line = format!(
                    "{} {shown}{blanks}{BETWEEN}{} {}",
                    number(source, numbers[0]),
                    number(made, numbers[1]),
                    part(&right),
                );
                text += line.trim_end_matches(' ');
                text.push('\n');
            }
        }
        text
    }

    /// The rows: each line of the translation once, each line of the source where its translation begins, and where a copy of
    /// it begins again.
    fn rows(&self, source_lines: usize) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        let mut next = 1;
        let mut before = None;
        for (index, origin) in self.map.lines.iter().enumerate() {
            let first = origin.kind.and_then(|kind| {
                let is_flush = kind == super::lines::LineKind::Flush;
                origin.sources.first().copied().filter(|_| !is_flush)
            });
            let begins = first.filter(|_| first != before);
            if let Some(line) = begins {
                rows.extend((next..line).map(|line| (Some(line), None)));
                next = next.max(line + 1);
            }
            rows.push((begins, Some(index + 1)));
            before = first;
        }
        rows.extend((next..=source_lines).map(|line| (Some(line), None)));
        rows
    }

    /// How another translation differs, as a unified diff.
    pub fn difference(&self, other: &TranslationReport<'_>, page: &Page) -> String {
        let (old, new) = (self.text(), other.text());
        let heads = [("---", self), ("+++", other)];
        let heads = heads
            .map(|(mark, report)| format!("{mark} {} {}\n", report.source.name(), report.name()));
        let body = diff::unified(&old, &new);
        let lines = body.iter().map(|line| {
            let tone = match line.as_bytes().first() {
                Some(b'+') => Tone::Good,
                Some(b'-') => Tone::Bad,
                Some(b'@') => Tone::Open,
                _ => Tone::Plain,
            };
            page.paint(tone, line) + "\n"
        });
        heads.concat() + &lines.collect::<String>()
    }
}

/// The model of a translation and the bound, such as `pso:2`; under SC there are no buffers.
pub(super) fn name_of(reduction: &Reduction) -> String {
    let config = &reduction.config;
    match config.model {
        Model::Sc => config.model.to_string(),
        Model::Tso | Model::Pso => format!("{}:{}", config.model, config.sizes),
    }
}

/// A line in pieces of at most this width, broken at blanks where that is possible; the pieces behind the first are indented
/// a little more than the line.
fn pieces(line: &str, width: usize) -> Vec<String> {
    let own = line.len() - line.trim_start_matches(' ').len();
    let indent = (own + 2).min(width / 2);
    let text = line.trim_start_matches(' ').chars().map(shown);
    let mut rest: String = " ".repeat(own.min(width / 2)) + &text.collect::<String>();
    let mut pieces = Vec::new();
    while width_of(&rest) > width {
        let before = rest.len() - rest.trim_start_matches(' ').len();
        let end = fitting(&rest, width);
        let blank = rest[..end].rfind(' ').filter(|&blank| blank > before);
        let (piece, next) = rest.split_at(blank.unwrap_or(end));
        let next = format!("{}{}", " ".repeat(indent), next.trim_start_matches(' '));
        pieces.push(piece.to_owned());
        rest = next;
    }
    pieces.push(rest);
    pieces
}

/// The number of bytes that fit a width, at least those of one character that is no blank.
fn fitting(text: &str, width: usize) -> usize {
    let mut room = width;
    let mut seen = false;
    for (at, letter) in text.char_indices() {
        let wide = width_of(letter.encode_utf8(&mut [0; 4]));
        if wide > room && seen {
            return at;
        }
        seen |= letter != ' ';
        room = room.saturating_sub(wide);
    }
    text.len()
}

/// Tabs and the like are blanks.
fn shown(letter: char) -> char {
    if letter.is_control() { ' ' } else { letter }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_and_indented() {
        assert_eq!(pieces("  abcdefgh", 6), ["  abcd", "   efg", "   h"]);
        assert_eq!(pieces("ab cd ef", 6), ["ab cd", "  ef"]);
        assert_eq!(pieces("", 6), [""]);
    }
}
