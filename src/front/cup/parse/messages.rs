//! Broken pieces: what to say about them.
//!
//! pest says how far a piece could be read and which rules could have continued it. A message names
//! that place, what is expected there and, where the mistake is a common one, the way out.

use super::recovery::Mistake;
use super::scan::{Token, TokenKind, next_proper_token};
use super::{Parser, Rule, span};
use crate::front::cup::ast::Span;
use crate::front::cup::suggest::closest;
use crate::source::Diagnostic;

/// The words that statements begin with, and `else`.
pub(super) const STATEMENT_WORDS: [&str; 15] = [
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

/// The words that items begin with.
pub(super) const ITEM_WORDS: [&str; 7] = [
    "const",
    "shared",
    "thread",
    "fences",
    "invariant",
    "forbid",
    "finally",
];

impl Parser<'_> {
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
        match self.hint(mistake, found) {
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
        if mistake.rule == Rule::condition {
            let message = format!("expected a condition, found {}", self.describe(found));
            return Diagnostic::error(message, at, "no condition begins like this");
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

    pub(super) fn stray_statements(&self, first: Token) -> Diagnostic {
        let word = self.token_text(first);
        let at = span(first.start, first.end);
        let diagnostic = Diagnostic::error(
            format!(
                "expected a declaration, a thread or a property, found {}",
                self.describe(Some(first))
            ),
            at,
            "outside threads stand `const`, `shared`, `thread`, `fences`, `invariant`, `forbid` and `finally`",
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

    /// Whether the same sign stands right before or behind a token.
    fn is_doubled(&self, found: Token) -> bool {
        let sign = self.token_text(found);
        self.text[..found.start].ends_with(sign) || self.text[found.end..].starts_with(sign)
    }

    /// A hint for common mistakes.
    fn hint(&self, mistake: &Mistake, found: Option<Token>) -> Option<String> {
        let found = found?;
        let word = self.token_text(found);
        let first = next_proper_token(self.text, mistake.start)?;
        let name = self.token_text(first);
        let after_first = self.end_before(mistake.start, mistake.at) == first.end;
        if after_first && first.kind == TokenKind::Word && mistake.expects(Rule::gets) {
            if matches!(word, "+" | "-" | "*" | "/" | "%") {
                return Some(format!("write `{name} = {name} {word} …;`"));
            }
            let words = STATEMENT_WORDS.into_iter();
            if let Some(meant) = closest(name, words).filter(|meant| *meant != name) {
                return Some(format!("did you mean `{meant}`?"));
            }
        }
        let note = match word {
            "=" if mistake.expects(Rule::eq) => "`==` compares",
            "==" if after_first && mistake.expects(Rule::gets) => "`=` assigns",
            "&" => "`&&` is the logical and; there are no operators on bits",
            "|" => "`||` is the logical or; there are no operators on bits",
            "<" | ">" if self.is_doubled(found) => "there are no operators on bits",
            "?" => "write `if (…) { … } else { … }`",
            "(" if mistake.expects(Rule::semi) => {
                "there are no functions: a load is `r = x;`, an atomic operation `cas`, `swap` or `fetch_add`"
            }
            _ if matches!(name, "if" | "while" | "assert" | "assume") && after_first => {
                return Some(format!("write the condition in brackets: `{name} (…)`"));
            }
            "+" | "-" | "*" | "/" | "%" if mistake.expected == [Rule::semi] => {
                "an atomic operation or a choice is the whole right-hand side of an assignment to a local"
            }
            "cas" | "swap" | "fetch_add" => {
                "an atomic operation is the whole right-hand side of an assignment to a local"
            }
            "choose" => {
                "`choose(low, high)` is the whole right-hand side of an assignment to a local"
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
    matches!(
        in_words(rule),
        "an operator" | "`[`" | "`.`" | "`..`" | "`@`"
    )
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
        Rule::dots => "`..`",
        Rule::dot | Rule::member => "`.`",
        Rule::at | Rule::location => "`@`",
        Rule::gets => "`=`",
        Rule::lparen => "`(`",
        Rule::rparen => "`)`",
        Rule::lbracket | Rule::index | Rule::size => "`[`",
        Rule::rbracket => "`]`",
        Rule::lbrace | Rule::no_brace => "`{`",
        Rule::rbrace => "`}`",
        Rule::name | Rule::variable | Rule::constant => "a name",
        Rule::number => "a number",
        Rule::init | Rule::init_list => "an initial value",
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
        | Rule::mul
        | Rule::div
        | Rule::rem => "an operator",
        Rule::expr
        | Rule::paren
        | Rule::not
        | Rule::neg
        | Rule::tid
        | Rule::true_
        | Rule::false_
        | Rule::star
        | Rule::choose
        | Rule::cas
        | Rule::swap
        | Rule::fetch_add
        | Rule::kw_choose
        | Rule::kw_cas
        | Rule::kw_swap
        | Rule::kw_fetch_add => "an expression",
        Rule::kw_while => "`while`",
        Rule::kw_if => "`if`",
        _ => "a statement",
    }
}

pub(super) fn is_keyword(word: &str) -> bool {
    ITEM_WORDS.contains(&word)
        || STATEMENT_WORDS.contains(&word)
        || matches!(
            word,
            "choose" | "cas" | "swap" | "fetch_add" | "tid" | "true" | "false"
        )
}

/// A token's text, cut if it is long and made visible if it is not.
fn shorten(text: &str) -> String {
    const LIMIT: usize = 30;
    if text.contains(char::is_control) {
        return text.escape_default().take(LIMIT).collect();
    }
    if text.chars().count() <= LIMIT {
        return text.to_owned();
    }
    let cut: String = text.chars().take(LIMIT).collect();
    format!("{cut}…")
}
