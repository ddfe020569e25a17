//! Text to syntax tree.
//!
//! Input: a [`SourceFile`]. Output: the [`Tree`] of what could be read, and a diagnostic for each
//! mistake; without diagnostics the tree is the whole program. Called by [`crate::front::cup::load`] and
//! by `cupola fmt`.
//!
//! The grammar (`grammar/program.pest`) reads a program piece by piece: a declaration, a simple
//! statement, or the head of something with a block. `blocks` puts the pieces together, `nodes` and
//! `operators` build tree nodes from them, `messages` says what is wrong with a broken piece,
//! `habits` what is written otherwise in other languages,
//! `mistakes` finds where to go on, and `trivia` hands comments to the nodes that they belong to.
//! Nothing is read twice but broken pieces, so the time is linear in the text.
//!
//! Invariant: trees are at most [`MAX_BLOCKS`] blocks and [`MAX_OPERATORS`] operators deep, so that
//! later stages may recurse over them.

mod blocks;
mod habits;
mod messages;
mod nodes;
mod operators;
mod recovery;
mod scan;
mod trivia;

#[cfg(test)]
mod tests;

use std::rc::Rc;

use pest::iterators::Pair;
use pest::pratt_parser::PrattParser;

use super::ast::{Cond, Span, Tree};
use crate::source::{BYTE_ORDER_MARK, Diagnostic, SourceFile, sort_and_limit};

/// How deep round and square brackets may nest within one statement.
pub const MAX_BRACKETS: usize = 100;
/// How deep blocks may nest.
pub const MAX_BLOCKS: usize = 100;
/// How many operators may stand above one another in an expression or condition.
pub const MAX_OPERATORS: usize = 1000;
/// How many mistakes are reported before the rest of the file is left unread.
const MAX_MISTAKES: usize = 50;
/// The length of the longest text that is read.
const MAX_BYTES: usize = 1 << 30;

/// The parser that pest makes from the grammar.
mod grammar {
    #![allow(
        missing_docs,
        reason = "pest derives an item for each rule of the grammar"
    )]

    #[derive(pest_derive::Parser)]
    #[grammar = "grammar/program.pest"]
    pub(super) struct Grammar;
}

use grammar::{Grammar, Rule};

/// Reads a program.
pub fn parse(file: &SourceFile) -> (Tree, Vec<Diagnostic>) {
    let text = file.text();
    if text.len() > MAX_BYTES {
        return (Tree::default(), vec![too_long()]);
    }
    let found = scan::scan(text);
    let mut too_deep = found.too_deep;
    if !too_deep.is_empty() {
        sort_and_limit(&mut too_deep, MAX_MISTAKES);
        return (Tree::default(), too_deep);
    }
    let mut parser = Parser::new(&text[..found.end], found.comments);
    if let Some(diagnostic) = found.unclosed_comment {
        // Whatever is missing at the end may stand in the comment.
        parser.unclosed_at = Some(found.end);
        parser.diagnostics.push(diagnostic);
    }
    let tree = parser.program();
    let mut diagnostics = parser.diagnostics;
    sort_and_limit(&mut diagnostics, MAX_MISTAKES);
    (tree, diagnostics)
}

/// Reads a condition and its semicolon, an entry of a proof, that begins at the start of `span` and
/// ends at its end at the latest.
pub fn condition(file: &SourceFile, span: Span) -> Result<Cond, Vec<Diagnostic>> {
    let range = span.range();
    let too_deep = scan::scan(&file.text()[range.clone()]).too_deep;
    if !too_deep.is_empty() {
        let here = |found: Diagnostic| Diagnostic {
            primary: (span, found.primary.1),
            ..found
        };
        return Err(too_deep.into_iter().map(here).collect());
    }
    let mut parser = Parser::new(&file.text()[..range.end], Vec::new());
    parser.pos = range.start;
    match parser.piece(Rule::condition) {
        Ok(piece) => {
            let cond = parser.cond(&piece.needed(Rule::expr));
            if parser.diagnostics.is_empty() {
                Ok(cond)
            } else {
                Err(parser.diagnostics)
            }
        }
        Err(mistake) => Err(vec![parser.explain(&mistake)]),
    }
}

/// Whether `text` may be the name of a variable, thread or label: an identifier that is no keyword.
pub fn is_name(text: &str) -> bool {
    use pest::Parser as _;
    Grammar::parse(Rule::name, text).is_ok_and(|pairs| pairs.as_str().len() == text.len())
}

/// The state of reading one file.
struct Parser<'s> {
    /// The text that is read.
    text: &'s str,
    /// How far it has been read.
    pos: usize,
    /// The comments, handed out in order.
    comments: trivia::Comments,
    /// The number of open blocks.
    depth: usize,
    /// Where a missing `}` was reported last.
    unclosed_at: Option<usize>,
    /// A block whose braces stand at different indentations, which may be the one that misses a brace.
    suspect: Option<Span>,
    /// The precedence of the operators.
    precedence: Rc<PrattParser<Rule>>,
    /// The mistakes so far.
    diagnostics: Vec<Diagnostic>,
}

impl<'s> Parser<'s> {
    fn new(text: &'s str, comments: Vec<Span>) -> Self {
        Parser {
            text,
            pos: if text.starts_with(BYTE_ORDER_MARK) {
                BYTE_ORDER_MARK.len_utf8()
            } else {
                0
            },
            comments: trivia::Comments::new(comments),
            depth: 0,
            unclosed_at: None,
            suspect: None,
            precedence: Rc::new(operators::precedence()),
            diagnostics: Vec::new(),
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reads one piece at the current position and moves behind it.
    fn piece(&mut self, rule: Rule) -> Result<Piece<'s>, recovery::Mistake> {
        use pest::Parser as _;
        let base = self.pos;
        match Grammar::parse(rule, &self.text[base..]) {
            Ok(mut pairs) => {
                let pair = pairs.next().expect("a rule that matches yields its pair");
                self.pos = base + pair.as_span().end();
                Ok(Piece { pair, base })
            }
            Err(error) => Err(recovery::Mistake::new(rule, base, &error)),
        }
    }
}

/// A part of a parsed piece, and where the piece begins in the text.
#[derive(Clone)]
struct Piece<'s> {
    pair: Pair<'s, Rule>,
    base: usize,
}

impl<'s> Piece<'s> {
    fn rule(&self) -> Rule {
        self.pair.as_rule()
    }

    fn text(&self) -> &'s str {
        self.pair.as_str()
    }

    /// Where it stands, without the spaces that pest may have read behind its last part.
    fn span(&self) -> Span {
        let mut last = self.pair.clone();
        while let Some(part) = last.clone().into_inner().next_back() {
            last = part;
        }
        span(
            self.base + self.pair.as_span().start(),
            self.base + last.as_span().end(),
        )
    }

    /// The parts, keywords and punctuation included.
    fn parts(&self) -> impl Iterator<Item = Piece<'s>> + use<'s> {
        let base = self.base;
        let pairs = self.pair.clone().into_inner();
        pairs.map(move |pair| Piece { pair, base })
    }

    /// The first part made by `rule`.
    fn part(&self, rule: Rule) -> Option<Piece<'s>> {
        self.parts().find(|part| part.rule() == rule)
    }

    /// The first part made by `rule`, which the grammar requires.
    fn needed(&self, rule: Rule) -> Piece<'s> {
        self.part(rule)
            .expect("the grammar requires this part of the piece")
    }

    /// The parts made by `rule`.
    fn all(&self, rule: Rule) -> impl Iterator<Item = Piece<'s>> + use<'s> {
        self.parts().filter(move |part| part.rule() == rule)
    }
}

/// The span of a range of bytes. Texts are shorter than [`MAX_BYTES`].
fn span(start: usize, end: usize) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span {
        start: offset(start),
        end: offset(end),
    }
}

fn too_long() -> Diagnostic {
    Diagnostic::error(
        format!("the file is longer than {MAX_BYTES} bytes"),
        Span::default(),
        "no program of this size can be verified",
    )
}
