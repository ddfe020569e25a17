//! Habits from other languages: `x++`, `:=`, `for`, `return`, `int x`, `lock(x)`.
//!
//! A [`Habit`] is recognised by its words, said in one message with the way to write it here, and skipped as a whole, so
//! that it has no further messages.

use super::messages::{STATEMENT_WORDS, is_keyword};
use super::recovery::Mistake;
use super::scan::{Token, TokenKind, next_proper_token};
use super::{Parser, Rule, span};
use crate::front::cup::suggest::closest;
use crate::source::Diagnostic;

/// Words that are types elsewhere.
const TYPES: [&str; 16] = [
    "int",
    "bool",
    "long",
    "short",
    "char",
    "unsigned",
    "signed",
    "uint",
    "volatile",
    "static",
    "atomic_int",
    "var",
    "let",
    "auto",
    "integer",
    "byte",
];

/// Something that is written so in other languages.
pub(super) struct Habit {
    /// What to say.
    pub diagnostic: Diagnostic,
    /// Where reading goes on.
    pub end: usize,
}

impl Parser<'_> {
    /// The habit that a broken piece is, if it is one.
    pub(super) fn habit(&self, mistake: &Mistake) -> Option<Habit> {
        let first = next_proper_token(self.text, mistake.start)?;
        if let Some(habit) = self.update_before(first) {
            return Some(habit);
        }
        if first.kind != TokenKind::Word || mistake.rule == Rule::do_tail {
            return None;
        }
        if let Some(at) = self.colon_equals(mistake) {
            let message = "`:=` is no operator";
            return Some(self.habit_of(at, message, "expected `=`", "`=` assigns"));
        }
        let second = next_proper_token(self.text, first.end)?;
        let (name, next) = (self.token_text(first), self.token_text(second));
        match (name, next) {
            ("shared" | "local" | "const", kind) if TYPES.contains(&kind) => {
                let rest = next_proper_token(self.text, second.end)?;
                (rest.kind == TokenKind::Word).then(|| self.typed(second, name, rest))
            }
            (kind, _) if TYPES.contains(&kind) && second.kind == TokenKind::Word => {
                Some(self.typed(first, "local", second))
            }
            ("for", "(") => Some(self.for_loop(first, second)),
            ("return", _) => Some(self.habit_of(
                first,
                "there is no `return`",
                "a thread ends behind its last statement",
                "label the last statement, such as `end: skip;`, and write `goto end;`",
            )),
            ("cas" | "swap" | "fetch_add" | "choose", "(") => Some(self.call(first, second)),
            ("append" | "pop", "(") => None,
            (_, "(") if !is_keyword(name) && !is_misspelt(name) => Some(self.call(first, second)),
            (_, "+" | "-" | "*" | "/" | "%") => self.update(first, second),
            _ => None,
        }
    }

    /// The `:=` where a piece is broken.
    fn colon_equals(&self, mistake: &Mistake) -> Option<Token> {
        let found = next_proper_token(self.text, mistake.at)?;
        let before = found.start.checked_sub(1)?;
        match self.token_text(found) {
            ":" if self.text[found.end..].starts_with('=') => Some(joined(found)),
            "=" if self.text[before..].starts_with(':') => Some(Token {
                start: before,
                ..found
            }),
            _ => None,
        }
    }

    /// The same outside threads, where a variable begins with its type.
    pub(super) fn habit_outside(&self, first: Token) -> Option<Habit> {
        let second = next_proper_token(self.text, first.end)?;
        let typed = TYPES.contains(&self.token_text(first)) && second.kind == TokenKind::Word;
        typed.then(|| self.typed(first, "shared", second))
    }

    fn typed(&self, kind: Token, keyword: &str, variable: Token) -> Habit {
        let variable = self.token_text(variable);
        self.habit_of(
            kind,
            "variables have no types",
            "this is no name of a variable",
            &format!("all values are integers: write `{keyword} {variable};`"),
        )
    }

    /// `for (a; b; c) { … }`, which is skipped with its block.
    fn for_loop(&self, first: Token, open: Token) -> Habit {
        let head = self.after_closing(open);
        let body =
            next_proper_token(self.text, head).filter(|token| self.token_text(*token) == "{");
        let diagnostic = Diagnostic::error(
            "there is no `for`",
            span(first.start, first.end),
            "no statement begins like this",
        );
        Habit {
            diagnostic: diagnostic.with_note("write `i = 0; while (i < 3) { …; i = i + 1; }`"),
            end: body.map_or(head, |brace| self.after_closing(brace)),
        }
    }

    /// `f(x);`
    fn call(&self, first: Token, open: Token) -> Habit {
        let name = self.token_text(first);
        let argument = next_proper_token(self.text, open.end);
        let argument = argument.filter(|token| token.kind == TokenKind::Word);
        let argument = argument.map_or("x", |token| self.token_text(token));
        let lower = name.to_ascii_lowercase();
        let note = match lower.as_str() {
            word if ["unlock", "release"]
                .iter()
                .any(|other| word.contains(other)) =>
            {
                format!("give a lock back with a store: `{argument} = 0;`")
            }
            word if ["lock", "acquire"].iter().any(|other| word.contains(other)) => format!(
                "take a lock with `do {{ r = cas({argument}, 0, 1); }} while (r == 0);`, where `r` is a local"
            ),
            "mfence" | "membar" | "barrier" => "write `fence;`".to_owned(),
            "cas" | "swap" | "fetch_add" | "choose" => {
                format!("its result goes into a local: `r = {name}(…);`")
            }
            "wait" | "await" => {
                "wait in a loop: `do { r = x; } while (r == 0);`, where `r` is a local".to_owned()
            }
            _ => "write out what it does".to_owned(),
        };
        self.habit_of(
            first,
            "there are no procedures",
            "this is no statement",
            &note,
        )
    }

    /// `x++;`, `x += e;` and the like.
    fn update(&self, first: Token, operator: Token) -> Option<Habit> {
        let (name, sign) = (self.token_text(first), self.token_text(operator));
        let twice = self.text[operator.end..].starts_with(sign) && matches!(sign, "+" | "-");
        let assigns = self.text[operator.end..].starts_with('=');
        if !twice && !assigns {
            return None;
        }
        let by = if twice { "1" } else { "…" };
        let added = match (sign, twice) {
            ("+", _) => by,
            ("-", true) => "-1",
            _ => "-…",
        };
        let local = if name == "r" { "s" } else { "r" };
        let shared = match sign {
            "+" | "-" => format!(
                "`{local} = fetch_add({name}, {added});` with a local `{local}`, which is one atomic step"
            ),
            _ => {
                format!("`{local} = {name}; {name} = {local} {sign} {by};` with a local `{local}`")
            }
        };
        let operator = joined(operator);
        let written = &self.text[operator.start..operator.end];
        Some(self.habit_of(
            operator,
            &format!("`{written}` is no operator"),
            "expected `=`",
            &format!(
                "for a local write `{name} = {name} {sign} {by};`, for a shared variable {shared}"
            ),
        ))
    }

    /// `++x;`
    fn update_before(&self, first: Token) -> Option<Habit> {
        let second = next_proper_token(self.text, first.end)?;
        let name = next_proper_token(self.text, second.end)?;
        let signs = (self.token_text(first), self.token_text(second));
        let is_update = matches!(signs, ("+", "+") | ("-", "-"));
        let updates = is_update && first.end == second.start && name.kind == TokenKind::Word;
        updates.then(|| self.update(name, first)).flatten()
    }

    /// A habit at a token, which lasts until its statement ends.
    fn habit_of(&self, at: Token, message: &str, label: &str, note: &str) -> Habit {
        let diagnostic = Diagnostic::error(message, span(at.start, at.end), label);
        Habit {
            diagnostic: diagnostic.with_note(note),
            end: self.statement_end(at.end),
        }
    }

    /// Behind the next `;`, or before the next brace.
    fn statement_end(&self, mut at: usize) -> usize {
        while let Some(token) = next_proper_token(self.text, at) {
            match self.token_text(token) {
                ";" => return token.end,
                "{" | "}" => return token.start,
                _ => at = token.end,
            }
        }
        self.text.len()
    }

    /// Behind the bracket that closes this one.
    fn after_closing(&self, open: Token) -> usize {
        let (mut depth, mut at) = (0_usize, open.start);
        while let Some(token) = next_proper_token(self.text, at) {
            match self.token_text(token) {
                "(" | "{" => depth += 1,
                ")" | "}" if depth <= 1 => return token.end,
                ")" | "}" => depth -= 1,
                _ => {}
            }
            at = token.end;
        }
        self.text.len()
    }
}

/// A sign together with the one behind it.
fn joined(token: Token) -> Token {
    Token {
        end: token.end + 1,
        ..token
    }
}

/// Whether a word looks like a statement with a slip of the keyboard.
fn is_misspelt(word: &str) -> bool {
    let locks = ["lock", "unlock"].contains(&word.to_ascii_lowercase().as_str());
    word.len() > 3 && !locks && closest(word, STATEMENT_WORDS).is_some()
}
