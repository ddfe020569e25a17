//! Broken pieces: what to say about them, and where to go on.
//!
//! pest says how far a piece could be read and which rules could have continued it. A message names
//! that place, what is expected there and, where the mistake is a common one, the way out. Reading
//! goes on at the next `;`, `{` or `}`, or at a word that begins a statement or an item, so that one
//! mistake is one message.

use pest::error::{Error, ErrorVariant, InputLocation};

use super::blocks::is_item_word;
use super::scan::{Token, TokenKind, next_proper_token};
use super::{MAX_MISTAKES, Parser, Rule, span};
use crate::lang::ast::Span;
use crate::lang::source::Diagnostic;
use crate::lang::suggest::closest;

/// A piece that the grammar could not read.
pub(super) struct Mistake {
    /// What was expected as a whole.
    rule: Rule,
    /// Where the piece begins.
    start: usize,
    /// How far it could be read.
    at: usize,
    /// What could have stood there.
    expected: Vec<Rule>,
}

const STATEMENT_WORDS: [&str; 15] = [
    "local",
    "background",
    "fence",
    "skip",
    "break",
    "continue",
    "goto",
    "assume",
    "assert",
    "if",
    "while",
    "do",
    "loop",
    "atomic",
    "else",
];

const ITEM_WORDS: [&str; 6] = [
    "shared",
    "thread",
    "fences",
    "invariant",
    "forbid",
    "finally",
];

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

    fn expects(&self, rule: Rule) -> bool {
        self.expected.contains(&rule)
    }
}

impl Parser<'_> {
    /// Complains about a broken piece of a thread and goes on behind it.
    pub(super) fn broken_entry(&mut self, mistake: &Mistake) {
        self.report(self.explain(mistake));
        self.recover(mistake);
    }

    /// Complains about a broken item and goes on behind it.
    pub(super) fn broken_item(&mut self, mistake: &Mistake) {
        let Some(first) = next_proper_token(self.text, mistake.start) else {
            return;
        };
        let word = self.token_text(first);
        if is_item_word(word) {
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
                    let same_line = !self.text[head.range().start..token.start].contains('\n');
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
            "local" | "shared" | "fences" | "invariant" | "forbid" | "finally"
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

    /// What to say about a broken piece.
    pub(super) fn explain(&self, mistake: &Mistake) -> Diagnostic {
        let found = next_proper_token(self.text, mistake.at);
        if let Some(token) = found
            && token.kind == TokenKind::UnclosedText
        {
            return Diagnostic::error(
                "this text is not closed",
                span(token.start, token.end),
                "a text ends on the line where it begins",
            )
            .with_note("close it with `\"`");
        }
        if mistake.at == mistake.start {
            return self.wrong_beginning(mistake, found);
        }
        let diagnostic = if mistake.expects(Rule::semi) && self.begins_anew(found) {
            let end = self.end_before(mistake.start, mistake.at);
            Diagnostic::error("expected `;`", span(end, end), "`;` is missing here")
        } else {
            let expected = expectation(&mistake.expected);
            let message = format!("expected {expected}, found {}", self.describe(found));
            let at = found.map_or(self.end_span(), |token| span(token.start, token.end));
            Diagnostic::error(message, at, format!("expected {expected}"))
        };
        match self.way_out(mistake, found) {
            Some(note) => diagnostic.with_note(note),
            None => diagnostic,
        }
    }

    /// What to say about a piece of which nothing could be read.
    fn wrong_beginning(&self, mistake: &Mistake, found: Option<Token>) -> Diagnostic {
        let at = found.map_or(self.end_span(), |token| span(token.start, token.end));
        if mistake.rule == Rule::do_tail {
            return Diagnostic::error(
                format!("expected `while`, found {}", self.describe(found)),
                at,
                "expected `while (…);` behind the block of `do`",
            )
            .with_note("use `loop { … }` for a loop without a condition");
        }
        match found.map_or("", |token| self.token_text(token)) {
            ";" => Diagnostic::error("a lone `;` is no statement", at, "nothing stands before it")
                .with_note("remove it, or write `skip;`"),
            "else" => Diagnostic::error("`else` without `if`", at, "no `if` ends right before it")
                .with_note("`else` follows the `}` of the block of an `if`"),
            "{" => Diagnostic::error("a block of its own is no statement", at, "this block")
                .with_note(
                    "remove the braces, or write `atomic { … }` if it is meant to be atomic",
                ),
            _ => Diagnostic::error(
                format!("expected a statement, found {}", self.describe(found)),
                at,
                "no statement begins like this",
            ),
        }
    }

    fn stray_statements(&self, first: Token) -> Diagnostic {
        let word = self.token_text(first);
        let at = span(first.start, first.end);
        let diagnostic = Diagnostic::error(
            format!(
                "expected a declaration, a thread or a property, found {}",
                self.describe(Some(first))
            ),
            at,
            "outside threads stand `shared`, `thread`, `fences`, `invariant`, `forbid` and `finally`",
        );
        match closest(word, ITEM_WORDS).filter(|_| first.kind == TokenKind::Word) {
            Some(meant) if !STATEMENT_WORDS.contains(&word) => {
                diagnostic.with_note(format!("did you mean `{meant}`?"))
            }
            _ => diagnostic.with_note(
                "statements stand in threads; if this belongs to the thread above, a `}` too many ends it early",
            ),
        }
    }

    /// Whether a token looks like the beginning of something new.
    fn begins_anew(&self, found: Option<Token>) -> bool {
        match found {
            None => true,
            Some(token) => token.kind == TokenKind::Word || self.token_text(token) == "}",
        }
    }

    /// The end of the last token before `at`.
    fn end_before(&self, start: usize, at: usize) -> usize {
        let mut end = start;
        while let Some(token) = next_proper_token(self.text, end) {
            if token.start >= at {
                break;
            }
            end = token.end;
        }
        end
    }

    fn end_span(&self) -> Span {
        let end = self.text.trim_end().len();
        span(end, end)
    }

    fn describe(&self, found: Option<Token>) -> String {
        match found {
            None => "the end of the file".to_owned(),
            Some(token) => format!("`{}`", shorten(self.token_text(token))),
        }
    }

    /// A hint for common mistakes.
    fn way_out(&self, mistake: &Mistake, found: Option<Token>) -> Option<String> {
        let found = found?;
        let word = self.token_text(found);
        let first = next_proper_token(self.text, mistake.start)?;
        let name = self.token_text(first);
        let after_first = self.end_before(mistake.start, mistake.at) == first.end;
        if after_first && first.kind == TokenKind::Word && mistake.expects(Rule::gets) {
            if matches!(word, "+" | "-") {
                return Some(format!("write `{name} = {name} {word} …;`"));
            }
            let words = STATEMENT_WORDS.into_iter();
            if let Some(meant) = closest(name, words).filter(|meant| *meant != name) {
                return Some(format!("did you mean `{meant}`?"));
            }
        }
        let note = match word {
            "=" if mistake.expects(Rule::eq) => "`==` compares",
            "&" => "`&&` is the logical and",
            "|" => "`||` is the logical or",
            "+" | "-" | "*" if mistake.expected == [Rule::semi] => {
                "an atomic operation is the whole right-hand side of an assignment to a local"
            }
            "/" | "%" => "the arithmetic operators are `+`, `-` and `*`",
            "cas" | "swap" | "fetch_add" => {
                "an atomic operation is the whole right-hand side of an assignment to a local"
            }
            _ if mistake.expects(Rule::name) && is_keyword(word) => {
                return Some(format!("`{word}` is a keyword; choose another name"));
            }
            _ => return None,
        };
        Some(note.to_owned())
    }
}

/// The error for a `}` too many.
pub(super) fn stray_brace(brace: Token) -> Diagnostic {
    Diagnostic::error(
        "this `}` closes nothing",
        span(brace.start, brace.end),
        "no block is open here",
    )
    .with_note("remove it, or look for a missing `{` above")
}

/// The things that could have stood somewhere, in words.
fn expectation(rules: &[Rule]) -> String {
    let mut words: Vec<&str> = Vec::new();
    let closes = rules.iter().any(|&rule| closes(rule));
    let expression = rules.iter().any(|&rule| in_words(rule) == "an expression");
    for &rule in rules {
        let word = in_words(rule);
        let optional = continues(rule) && closes || begins_expression(rule) && expression;
        if !optional && !words.contains(&word) {
            words.push(word);
        }
    }
    match words.as_slice() {
        [] => "something else".to_owned(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Whether a rule ends something, so that its being expected says more than what could go on.
fn closes(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::semi | Rule::rparen | Rule::rbracket | Rule::rbrace | Rule::comma | Rule::gets
    )
}

/// Whether a rule goes on with an expression or name that could as well have ended.
fn continues(rule: Rule) -> bool {
    matches!(in_words(rule), "an operator" | "`[`" | "`.`" | "`@`")
}

/// Whether a rule goes without saying where an expression is expected.
fn begins_expression(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::name | Rule::number | Rule::lparen | Rule::reference
    )
}

fn in_words(rule: Rule) -> &'static str {
    match rule {
        Rule::semi => "`;`",
        Rule::comma => "`,`",
        Rule::colon | Rule::label => "`:`",
        Rule::question => "`?`",
        Rule::dot | Rule::member => "`.`",
        Rule::at | Rule::location => "`@`",
        Rule::gets => "`=`",
        Rule::lparen => "`(`",
        Rule::rparen => "`)`",
        Rule::lbracket | Rule::index | Rule::size => "`[`",
        Rule::rbracket => "`]`",
        Rule::lbrace | Rule::no_brace => "`{`",
        Rule::rbrace => "`}`",
        Rule::name | Rule::variable => "a name",
        Rule::number => "a number",
        Rule::integer | Rule::init | Rule::init_list => "an initial value",
        Rule::string => "a text in double quotes",
        Rule::model => "`tso` or `pso`",
        Rule::reference => "a variable",
        Rule::or
        | Rule::and
        | Rule::eq
        | Rule::ne
        | Rule::le
        | Rule::ge
        | Rule::lt
        | Rule::gt
        | Rule::add
        | Rule::sub
        | Rule::mul => "an operator",
        Rule::expr
        | Rule::paren
        | Rule::not
        | Rule::neg
        | Rule::tid
        | Rule::true_
        | Rule::false_
        | Rule::star
        | Rule::cas
        | Rule::swap
        | Rule::fetch_add
        | Rule::kw_cas
        | Rule::kw_swap
        | Rule::kw_fetch_add => "an expression",
        Rule::kw_while => "`while`",
        Rule::kw_if => "`if`",
        _ => "a statement",
    }
}

fn is_keyword(word: &str) -> bool {
    ITEM_WORDS.contains(&word)
        || STATEMENT_WORDS.contains(&word)
        || matches!(
            word,
            "cas" | "swap" | "fetch_add" | "tid" | "true" | "false"
        )
}

/// A token's text, cut if it is long.
fn shorten(text: &str) -> String {
    const LIMIT: usize = 30;
    if text.chars().count() <= LIMIT {
        return text.to_owned();
    }
    let cut: String = text.chars().take(LIMIT).collect();
    format!("{cut}…")
}
