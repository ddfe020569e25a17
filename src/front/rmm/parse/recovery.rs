//! Texts that the grammar cannot read: what to say, and how to go on.
//!
//! The grammar says how far it came and what could have stood there. What is broken there, a statement or a
//! declaration, is then replaced by blanks and `nop`, and the text is read again for the next mistake.

use std::ops::Range;

use pest::Parser as _;
use pest::error::{Error, ErrorVariant, InputLocation};

use crate::source::Diagnostic;

use super::scan::{Token, tokens};
use super::{Grammar, MAX_MISTAKES, Rule, span};

/// The mistakes of a text, of which the first is known.
pub(super) fn mistakes(text: &str, first: Error<Rule>) -> Vec<Diagnostic> {
    let mut text = text.to_owned();
    let mut error = first;
    let mut found = Vec::new();
    let mut last = None;
    loop {
        let all = tokens(&text);
        let at = all.partition_point(|token| token.span.range().end <= place_of(&error));
        found.push(explain(&text, &all, at, &error));
        // A mistake that stays where it was has no end that could be found.
        let Some(broken) = broken(&all, at).filter(|_| last != Some(at)) else {
            return found;
        };
        last = Some(at);
        let repaired = repaired(&text, broken);
        drop(all);
        match Grammar::parse(Rule::file, &repaired) {
            Err(next) if found.len() < MAX_MISTAKES => error = next,
            Ok(_) | Err(_) => return found,
        }
        text = repaired;
    }
}

/// How far the grammar came.
fn place_of(error: &Error<Rule>) -> usize {
    match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    }
}

/// The range of the statement or declaration around the token at `at`, and whether it is a statement.
fn broken(all: &[Token<'_>], at: usize) -> Option<(Range<usize>, bool)> {
    let token = all.get(at)?;
    let section = all[..at].iter().rfind(|token| is_section(token.text))?;
    let in_text = section.text == "text";
    let begins = |token: &Token<'_>| match in_text {
        true => matches!(
            token.text,
            ";" | "{" | "then" | "do" | "else" | "or" | "text"
        ),
        false => is_section(token.text) || token.text == ";",
    };
    let ends = |token: &Token<'_>| match in_text {
        true => matches!(token.text, ";" | "}" | "or" | "else") || is_section(token.text),
        false => is_section(token.text) || token.text == ";",
    };
    let start = all[..at].iter().rposition(begins)? + 1;
    // A statement that is broken at its beginning may be a `;` or `}` too many.
    let from = if start == at { at + 1 } else { at };
    let end = from
        + all[from..]
            .iter()
            .position(ends)
            .unwrap_or(all.len() - from);
    let first = all.get(start).unwrap_or(token).span.range().start;
    let last = all[end.max(start + 1).min(all.len()) - 1].span.range().end;
    (first < last).then_some((first..last, in_text))
}

fn is_section(word: &str) -> bool {
    matches!(
        word,
        "forbidden" | "predicates" | "data" | "registers" | "process" | "text"
    )
}

fn repaired(text: &str, (range, in_text): (Range<usize>, bool)) -> String {
    let filler = match (in_text, range.len()) {
        (true, 3..) => "nop",
        _ => "",
    };
    let blanks = " ".repeat(range.len() - filler.len());
    format!(
        "{}{filler}{blanks}{}",
        &text[..range.start],
        &text[range.end..]
    )
}

/// Words for the number of a process, which Memorax reads only in expressions and does not implement.
fn is_reserved(word: &str) -> bool {
    matches!(word, "me" | "other" | "@")
}

/// Why they are refused.
pub(super) const RESERVED: &str = "Memorax reserves this for the number of a process";
/// What to do instead.
pub(super) const WRITE_THE_NUMBER: &str = "write the number, in a text for each process";

fn explain(text: &str, all: &[Token<'_>], at: usize, error: &Error<Rule>) -> Diagnostic {
    if let Some(token) = all.get(at).filter(|token| is_reserved(token.text)) {
        let message = format!("`{}` is not modelled", token.text);
        return Diagnostic::error(message, token.span, RESERVED).with_note(WRITE_THE_NUMBER);
    }
    let expected = expectation(&error.variant);
    let end = text.trim_end().len();
    let (found, place) = match all.get(at) {
        Some(token) => (format!("`{}`", token.text), token.span),
        None => ("the end of the file".to_owned(), span(end..end)),
    };
    let message = format!("expected {expected}, found {found}");
    let diagnostic = Diagnostic::error(message, place, format!("expected {expected}"));
    match hint(all, at, &error.variant) {
        Some(note) => diagnostic.with_note(note),
        None => diagnostic,
    }
}

/// A hint for common mistakes.
fn hint(all: &[Token<'_>], at: usize, variant: &ErrorVariant<Rule>) -> Option<&'static str> {
    let word = |at: Option<usize>| at.and_then(|at| all.get(at)).map_or("", |token| token.text);
    let (before, here) = (word(at.checked_sub(1)), word(Some(at)));
    let expects = |rule| match variant {
        ErrorVariant::ParsingError { positives, .. } => positives.contains(&rule),
        ErrorVariant::CustomError { .. } => false,
    };
    if at == 0 {
        return Some(
            "a program begins with `forbidden` and the labels of a state that must not be reached",
        );
    }
    Some(match (before, here) {
        (";", "}" | "or" | "process" | "") => {
            "`;` stands between two statements: leave out the last one"
        }
        (_, "=") if expects(Rule::gets) => "`:=` assigns, `=` compares",
        ("=", "=") => "`=` compares",
        ("read" | "write" | "assume", _) if expects(Rule::colon) => {
            "a colon follows, as in `read: $r := x`"
        }
        ("if" | "while" | "assume" | "&&" | "||" | ":" | "not", "(") => {
            "conditions are grouped by `[ … ]`; `( … )` groups numbers"
        }
        (_, "!") => "`not` negates a condition, `!=` compares",
        (_, "else") if expects(Rule::semi) => "no `;` stands before `else`",
        _ if expects(Rule::semi) && !expects(Rule::equal) && at < all.len() => {
            "`;` stands between two statements"
        }
        _ => return None,
    })
}

/// The things that could have stood somewhere, in words.
fn expectation(variant: &ErrorVariant<Rule>) -> String {
    let ErrorVariant::ParsingError { positives, .. } = variant else {
        return "something else".to_owned();
    };
    let mut words: Vec<&str> = Vec::new();
    for word in positives.iter().filter_map(|&rule| in_words(rule)) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    match words.as_slice() {
        [] => "something else".to_owned(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// What a rule stands for in messages; `None` for what goes without saying.
fn in_words(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::file | Rule::forbidden | Rule::kw_forbidden => "`forbidden`",
        Rule::row => "a label or `*` for each process",
        Rule::kw_data | Rule::data => "`data`",
        Rule::kw_registers | Rule::registers => "`registers`",
        Rule::kw_process | Rule::process => "`process`",
        Rule::kw_text => "`text`",
        Rule::variable => "a variable with its value, `x = 0 : [0:1]`",
        Rule::register_variable => "a register with its value, `$r = * : [0:1]`",
        Rule::initial => "a number or `*`",
        Rule::range => "`[low:high]` or `Z`",
        Rule::statements | Rule::labelled | Rule::label | Rule::nop => "a statement",
        Rule::memory | Rule::pointer => "a memory location",
        Rule::kw_my => "`my`",
        Rule::condition | Rule::conjunction | Rule::negation | Rule::comparison => "a condition",
        Rule::true_ => "`true`",
        Rule::false_ => "`false`",
        Rule::expr | Rule::unit => "an expression",
        Rule::name => "a name",
        Rule::register => "a register",
        Rule::number | Rule::integer => "a number",
        Rule::gets => "`:=`",
        Rule::colon => "`:`",
        Rule::semi => "`;`",
        Rule::equal => "`=`",
        Rule::lt => "`<`",
        Rule::lparen => "`(`",
        Rule::rparen => "`)`",
        Rule::lbracket => "`[`",
        Rule::rbracket => "`]`",
        Rule::lbrace => "`{`",
        Rule::rbrace => "`}`",
        Rule::kw_write => "`write`",
        Rule::kw_then => "`then`",
        Rule::kw_do => "`do`",
        Rule::EOI => "the end of the file",
        _ => return None,
    })
}
