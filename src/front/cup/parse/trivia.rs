//! Comments and blank lines, handed to the nodes that they belong to.
//!
//! A comment on the line where a node ends trails it; one behind a `{` on its line belongs to the
//! brace; other comments lead the next node, or end the block. A comment inside a simple statement
//! or declaration joins its leading ones, a comment in a head (`while (c) /* … */ {`) moves into the
//! block, one in the tail of a `do` to the block's end: behind formatting every comment stands where
//! formatting again finds it.

use super::{Parser, span};
use crate::front::cup::ast::{Span, Trivia};

/// The comments of a file, handed out in order.
pub(super) struct Comments {
    spans: Vec<Span>,
    next: usize,
    /// The end of the last comment or piece that was passed.
    passed: usize,
}

impl Comments {
    pub(super) fn new(spans: Vec<Span>) -> Self {
        Comments {
            spans,
            next: 0,
            passed: 0,
        }
    }

    /// Takes the next comment if it begins before `limit`.
    fn take_before(&mut self, limit: usize) -> Option<Span> {
        let comment = *self.spans.get(self.next)?;
        (comment.range().start < limit).then(|| self.take(comment))
    }

    /// Takes the next comment if it begins on the line where the last piece or comment ended.
    fn take_on_line(&mut self, text: &str) -> Option<Span> {
        let comment = *self.spans.get(self.next)?;
        let gap = text.get(self.passed..comment.range().start)?;
        let adjacent = gap.chars().all(|c| c == ' ' || c == '\t');
        adjacent.then(|| self.take(comment))
    }

    fn take(&mut self, comment: Span) -> Span {
        self.next += 1;
        self.passed = self.passed.max(comment.range().end);
        comment
    }
}

impl Parser<'_> {
    /// The comments before a node that begins at `start`; `first` in its block it has no blank line
    /// before it.
    pub(super) fn leading(&mut self, start: usize, first: bool) -> Trivia {
        let mut lines = self.lines_before(start);
        let blank = lines.first().is_some_and(String::is_empty);
        if blank {
            lines.remove(0);
        }
        Trivia {
            blank_before: blank && !first,
            leading: lines,
            trailing: Vec::new(),
        }
    }

    /// Completes a node that ends at the current position with the comments inside and behind it.
    pub(super) fn finish_simple(&mut self, trivia: &mut Trivia) {
        trivia.leading.extend(self.inside());
        trivia.trailing = self.behind();
    }

    /// The comments up to the current position.
    pub(super) fn inside(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        while let Some(comment) = self.comments.take_before(self.pos) {
            found.push(self.comment_text(comment));
        }
        found
    }

    /// The comments behind the current position on the same line.
    pub(super) fn behind(&mut self) -> Vec<String> {
        self.comments.passed = self.pos;
        let mut found = Vec::new();
        while let Some(comment) = self.comments.take_on_line(self.text) {
            found.push(self.comment_text(comment));
        }
        found
    }

    /// The comments behind an opening brace on its line. If comments inside the head wait for the
    /// block's first node, these wait as well, so that they stay in order.
    pub(super) fn behind_brace(&mut self) -> Vec<String> {
        let waiting = self.comments.spans.get(self.comments.next);
        if waiting.is_some_and(|comment| comment.range().start < self.pos) {
            self.comments.passed = self.pos;
            return Vec::new();
        }
        self.behind()
    }

    /// The comments before the end of a block, or of the file, at `end`.
    pub(super) fn closing(&mut self, end: usize, first: bool) -> Vec<String> {
        let mut lines = self.lines_before(end);
        if lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        if first && lines.first().is_some_and(String::is_empty) {
            lines.remove(0);
        }
        lines
    }

    /// The comments before `limit`, with an empty text for the blank lines before each and behind
    /// the last.
    fn lines_before(&mut self, limit: usize) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let from = self.comments.passed;
            let comment = self.comments.take_before(limit);
            let to = comment.map_or(limit, |comment| comment.range().start);
            if self.has_blank_line(from, to) {
                lines.push(String::new());
            }
            match comment {
                Some(comment) => lines.push(self.comment_text(comment)),
                None => return lines,
            }
        }
    }

    fn has_blank_line(&self, from: usize, to: usize) -> bool {
        let gap = self.text.get(from..to).unwrap_or_default();
        gap.bytes().filter(|&byte| byte == b'\n').count() > 1
    }

    /// A comment's text without spaces at the ends of its lines.
    fn comment_text(&self, comment: Span) -> String {
        let lines = self.text[comment.range()].split('\n').map(str::trim_end);
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The position as an empty span.
    pub(super) fn here(&self) -> Span {
        span(self.pos, self.pos)
    }
}
