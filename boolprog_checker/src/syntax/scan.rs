//! Prepares a text for the grammar: measures how deeply it is nested and blanks its comments.
//!
//! The parser calls it before pest runs. pest recurses, so a text with too many parentheses,
//! brackets, blocks and choices (`? :`) inside one another is refused here, without recursion. pest is also slow at
//! what stands between tokens, so comments and white space all become spaces; every other byte keeps
//! its place. Text that is wrong in other ways passes; the grammar will find that.
//!
//! On its way it finds places where a long text can be cut: behind statements that no other
//! statement encloses. A text that is wrong can mislead it, so the caller that uses the cuts must be able to do
//! without them.

use super::ast::Span;
use crate::error::{ErrorKind, ProgramError};

/// A text that is ready for the grammar.
pub(super) struct Scanned {
    /// The text with spaces for comments and white space.
    pub text: String,
    /// Where it can be cut, in increasing order.
    pub cuts: Vec<usize>,
}

/// Scans the text and finds cuts that are at least `chunk` bytes apart, or tells the place where it is
/// nested more than `limit` levels deep or where a comment begins that does not end.
pub(super) fn scan(text: &str, limit: usize, chunk: usize) -> Result<Scanned, ProgramError> {
    let mut bytes = text.as_bytes().to_vec();
    let mut cuts = Vec::new();
    let mut next_cut = chunk;
    let mut depth = 0usize;
    // The `?` without their `:`. Where there is none, `:` ends a label.
    let mut choices = 0usize;
    let mut declares = false;
    let mut targets = Targets::default();
    let mut at = 0;
    while at < bytes.len() {
        let (token, length) = token(&bytes[at..]);
        let end = at + length;
        let token = targets.label_or(token, &bytes[end..]);
        match token {
            Token::Blank => bytes[at..end].fill(b' '),
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            Token::Question => choices += 1,
            Token::Colon => choices = choices.saturating_sub(1),
            Token::Declaration => declares = true,
            Token::Semicolon => {
                choices = 0;
                if depth == 1 && !declares && end >= next_cut {
                    cuts.push(end);
                    next_cut = end.saturating_add(chunk);
                }
                declares = false;
            }
            Token::OpenComment | Token::Comma | Token::Word(_) | Token::Other => {}
        }
        let wrong = match token {
            Token::OpenComment => Some(ErrorKind::OpenComment),
            _ if depth + choices > limit => Some(ErrorKind::TooDeep(limit)),
            _ => None,
        };
        if let Some(kind) = wrong {
            let span = Span {
                start: at as u32,
                end: end as u32,
            };
            return Err(ProgramError::new(kind, Some(span)));
        }
        at = end;
    }
    let text = String::from_utf8(bytes).expect("whole characters are replaced by spaces");
    Ok(Scanned { text, cuts })
}

/// What a word means where it is no label.
#[derive(Clone, Copy)]
enum Word {
    Open,
    Close,
    Declaration,
    Goto,
    Other,
}

#[derive(Clone, Copy)]
enum Token {
    Blank,
    /// The beginning of a comment without an end.
    OpenComment,
    Open,
    Close,
    Comma,
    Word(Word),
    Question,
    Colon,
    Semicolon,
    /// What a procedure has before its first statement.
    Declaration,
    Other,
}

/// Where the scan is in the labels of a `goto`: words are labels there, whatever they mean elsewhere.
#[derive(Default)]
struct Targets {
    /// The next word is a label.
    wanted: bool,
    /// A label has just been there; behind a comma comes another one.
    listed: bool,
}

impl Targets {
    /// The token, or [`Token::Other`] where a keyword stands as a label; `rest` is what follows it.
    fn label_or(&mut self, token: Token, rest: &[u8]) -> Token {
        let Token::Word(word) = token else {
            if !matches!(token, Token::Blank) {
                self.wanted = self.listed && matches!(token, Token::Comma);
                self.listed = false;
            }
            return token;
        };
        let is_target = std::mem::take(&mut self.wanted);
        self.listed = is_target;
        if is_target || !matches!(word, Word::Other) && is_before_colon(rest) {
            return Token::Other;
        }
        self.wanted = matches!(word, Word::Goto);
        match word {
            Word::Open => Token::Open,
            Word::Close => Token::Close,
            Word::Declaration => Token::Declaration,
            Word::Goto | Word::Other => Token::Other,
        }
    }
}

/// Whether this begins, behind white space and comments, with the colon of a label.
fn is_before_colon(mut rest: &[u8]) -> bool {
    while let (Token::Blank, length) = token(rest) {
        rest = &rest[length..];
    }
    rest.starts_with(b":") && !rest.starts_with(b":=")
}

/// The token that the bytes begin with and its length, which is not 0.
fn token(bytes: &[u8]) -> (Token, usize) {
    match bytes {
        [b' ' | b'\t'..=b'\r', ..] => (Token::Blank, 1),
        [b'(' | b'[', ..] => (Token::Open, 1),
        [b')' | b']', ..] => (Token::Close, 1),
        [b'?', ..] => (Token::Question, 1),
        [b':', ..] => (Token::Colon, 1),
        [b';', ..] => (Token::Semicolon, 1),
        [b',', ..] => (Token::Comma, 1),
        [b'/', b'/', ..] => (Token::Blank, until(bytes, |byte| byte == b'\n')),
        [b'/', b'*', rest @ ..] => comment(rest),
        [b'{', ..] => {
            // The grammar refuses a line end in a name; it has to see it.
            let length = until(bytes, |byte| matches!(byte, b'}' | b'\n'));
            (Token::Other, bytes.len().min(length + 1))
        }
        [first, ..] if is_letter(*first) => {
            let length = until(bytes, |byte| !is_letter(byte));
            (Token::Word(word(&bytes[..length])), length)
        }
        [] | [_, ..] => (Token::Other, 1),
    }
}

/// A comment, given what follows its opening.
fn comment(rest: &[u8]) -> (Token, usize) {
    match rest.windows(2).position(|pair| pair == b"*/") {
        Some(length) => (Token::Blank, length + 4),
        None => (Token::OpenComment, 2),
    }
}

fn word(word: &[u8]) -> Word {
    match word {
        b"if" | b"while" | b"begin" => Word::Open,
        b"fi" | b"od" | b"end" => Word::Close,
        b"decl" | b"enforce" | b"abortif" => Word::Declaration,
        b"goto" => Word::Goto,
        _ => Word::Other,
    }
}

fn until(bytes: &[u8], stop: impl Fn(u8) -> bool) -> usize {
    let position = bytes.iter().position(|byte| stop(*byte));
    position.unwrap_or(bytes.len())
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}
