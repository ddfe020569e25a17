//! Broken pieces: where reading goes on behind them.
//!
//! That is at the next `;`, `{` or `}`, or at a word that begins a statement or an item; where a brace
//! is missing or one too many, indentation helps to guess which. So one mistake is one message.

use pest::error::{Error, ErrorVariant, InputLocation};

use super::blocks::is_item_word;
use super::habits::Habit;
use super::messages::{STATEMENT_WORDS, stray_brace};
use super::scan::{Token, TokenKind, next_proper_token};
use super::{MAX_MISTAKES, Parser, Rule, span};
use crate::front::cup::ast::Span;
use crate::source::Diagnostic;

/// A piece that the grammar could not read.
pub(super) struct Mistake {
    /// What was expected as a whole.
    pub rule: Rule,
    /// Where the piece begins.
    pub start: usize,
    /// How far it could be read.
    pub at: usize,
    /// What could have stood there.
    pub expected: Vec<Rule>,
}

impl Mistake {
    pub(super) fn new(rule: Rule, base: usize, error: &Error<Rule>) -> Self {
        let at = match error.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
        };
        let expected = match &error.variant {
            ErrorVariant::ParsingError { positives, .. } => positives.clone(),
            ErrorVariant::CustomError { .. } => Vec::new(),
        };
        Mistake {
            rule,
            start: base,
            at: base + at,
            expected,
        }
    }

    pub(super) fn expects(&self, rule: Rule) -> bool {
        self.expected.contains(&rule)
    }
}

impl Parser<'_> {
    /// Complains about a broken piece of a thread and goes on behind it.
    pub(super) fn broken_entry(&mut self, mistake: &Mistake) {
        if let Some(habit) = self.habit(mistake) {
            return self.skip_habit(habit);
        }
        self.report(self.explain(mistake));
        self.recover(mistake);
    }

    fn skip_habit(&mut self, habit: Habit) {
        self.report(habit.diagnostic);
        self.pos = habit.end;
    }

    /// Complains about a broken item and goes on behind it.
    pub(super) fn broken_item(&mut self, mistake: &Mistake) {
        let Some(first) = next_proper_token(self.text, mistake.start) else {
            return;
        };
        let word = self.token_text(first);
        let outside = || self.habit_outside(first);
        let habit = self.habit(mistake).filter(|_| is_item_word(word));
        if let Some(habit) = habit.or_else(outside) {
            self.skip_habit(habit);
        } else if is_item_word(word) {
            self.report(self.explain(mistake));
            self.recover(mistake);
        } else if word == "}" {
            self.report(stray_brace(first));
            self.pos = first.end;
        } else {
            self.report(self.stray_statements(first));
            self.skip_to_item();
        }
    }

    /// Reports a block that does not end.
    pub(super) fn unclosed(&mut self, open: Span) {
        if self.is_unclosed_at(self.pos) || self.diagnostics.len() >= MAX_MISTAKES {
            return;
        }
        self.unclosed_at = Some(self.pos);
        let end = next_proper_token(self.text, self.pos);
        let found = match end {
            Some(token) => format!("`}}` is missing before this `{}`", self.token_text(token)),
            None => "`}` is missing before the end of the file".to_owned(),
        };
        let at = end.map_or(self.here(), |token| span(token.start, token.end));
        let mut diagnostic =
            Diagnostic::error("this block is not closed", open, "the block begins here")
                .with_secondary(at, found);
        if let Some(suspect) = self
            .suspect
            .take()
            .filter(|suspect| open.start < suspect.start)
        {
            let label = "the `}` that closes this block stands at another indentation";
            diagnostic = diagnostic.with_secondary(suspect, label);
        }
        self.report(diagnostic.with_note("close it with `}`"));
    }

    /// Whether a missing `}` was reported at this place.
    pub(super) fn is_unclosed_at(&self, at: usize) -> bool {
        self.unclosed_at == Some(at)
    }

    /// Remembers a block whose braces stand at different indentations.
    pub(super) fn note_indentation(&mut self, open: Span, close: Token) {
        if self.depth == 1 {
            self.suspect = None;
        } else if let Some((close_column, true)) = self.indentation(close.start)
            && let Some((open_column, _)) = self.indentation(open.range().start)
            && self.suspect.is_none()
            && open_column != close_column
        {
            self.suspect = Some(open);
        }
    }

    /// Whether the next `}` that closes nothing looks like the end of the block of this head, whose
    /// `{` is missing: it stands on the same line, or at the same indentation.
    pub(super) fn closes_later(&self, head: Span) -> bool {
        let mut depth = 0;
        let mut at = self.pos;
        while let Some(token) = next_proper_token(self.text, at) {
            match self.token_text(token) {
                "{" => depth += 1,
                "}" if depth == 0 => {
                    let same_line = !self.text[head.range().start..token.start].contains('\n')
                        && self.closes_too_much();
                    let column = self.indentation(token.start);
                    let own = self.indentation(head.range().start);
                    return same_line
                        || column.is_some_and(|(_, first)| first)
                            && column.map(|(column, _)| column) == own.map(|(column, _)| column);
                }
                "}" => depth -= 1,
                _ => {}
            }
            at = token.end;
        }
        false
    }

    /// Whether more blocks are closed before the next item than are open.
    fn closes_too_much(&self) -> bool {
        let (mut open, mut at) = (self.depth, self.pos);
        while let Some(token) = next_proper_token(self.text, at) {
            match self.token_text(token) {
                "{" => open += 1,
                "}" if open == 0 => return true,
                "}" => open -= 1,
                word if is_item_word(word) => return false,
                _ => {}
            }
            at = token.end;
        }
        false
    }

    /// Whether the current position is where its line begins.
    pub(super) fn begins_line(&self) -> bool {
        self.text[..self.pos].ends_with('\n')
    }

    /// The indentation of the line around `at`, and whether `at` is its first token. Lines that are
    /// too long to be indented by hand have none.
    fn indentation(&self, at: usize) -> Option<(usize, bool)> {
        const LONGEST: usize = 500;
        let before = &self.text.as_bytes()[at.saturating_sub(LONGEST)..at];
        let newline = before.iter().rposition(|&byte| byte == b'\n')?;
        let line = &before[newline + 1..];
        let indentation = line.iter().position(|byte| !b" \t".contains(byte));
        Some(match indentation {
            Some(indentation) => (indentation, false),
            None => (line.len(), true),
        })
    }

    fn skip_to_item(&mut self) {
        while let Some(token) = next_proper_token(self.text, self.pos) {
            if is_item_word(self.token_text(token)) {
                self.pos = token.start;
                return;
            }
            self.pos = token.end;
        }
        self.pos = self.text.len();
    }

    fn recover(&mut self, mistake: &Mistake) {
        let found = next_proper_token(self.text, mistake.at);
        let starts_next = |token: Token| token.kind == TokenKind::Word;
        if mistake.expects(Rule::semi)
            && mistake.at > mistake.start
            && found.is_some_and(starts_next)
        {
            self.pos = mistake.at;
            return;
        }
        let Some(first) = next_proper_token(self.text, mistake.start) else {
            return;
        };
        let has_block = !matches!(
            self.token_text(first),
            "const" | "local" | "shared" | "fences" | "invariant" | "forbid" | "finally"
        );
        let mut token = Some(first);
        while let Some(this) = token {
            match self.token_text(this) {
                ";" => {
                    self.pos = this.end;
                    return;
                }
                "{" if has_block => return self.orphan_block(this),
                "}" if has_block => {
                    self.pos = this.start;
                    return;
                }
                word if this.start > first.start && self.begins_here(word, this, mistake) => {
                    self.pos = this.start;
                    return;
                }
                _ if this.kind == TokenKind::UnclosedText => {
                    self.pos = this.end;
                    return;
                }
                _ => {}
            }
            token = next_proper_token(self.text, this.end);
        }
        self.pos = self.text.len();
    }

    /// Whether a word in or behind a broken piece begins something else. One that stands where a name
    /// is expected, and ends its statement, does not.
    fn begins_here(&self, word: &str, token: Token, mistake: &Mistake) -> bool {
        let misused = || {
            let next = next_proper_token(self.text, token.end);
            token.start == mistake.at
                && mistake.expects(Rule::name)
                && next.is_some_and(|next| self.token_text(next) == ";")
        };
        let is_statement = mistake.rule != Rule::item && STATEMENT_WORDS.contains(&word);
        is_item_word(word) || token.start >= mistake.at && is_statement && !misused()
    }
}
