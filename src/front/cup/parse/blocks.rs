//! Puts the pieces of a program together: items, threads, blocks and compound statements.

use super::messages::{ITEM_WORDS, stray_brace};
use super::operators::name;
use super::scan::{Token, next_proper_token};
use super::{MAX_BLOCKS, MAX_MISTAKES, Parser, Piece, Rule, span};
use crate::front::cup::ast::{
    Arm, Background, Block, Cond, CondKind, FifoLine, Item, ItemKind, LocalLine, Mark, Span, Stmt,
    StmtKind, Thread, Tree, Trivia,
};
use crate::source::Diagnostic;

/// What stands between two braces.
#[derive(Default)]
struct Body {
    locals: Vec<LocalLine>,
    fifos: Vec<FifoLine>,
    backgrounds: Vec<Background>,
    block: Block,
}

/// One thing in a body.
#[expect(
    clippy::large_enum_variant,
    reason = "an entry lives only until it joins its body"
)]
enum Entry {
    /// Constants, which belong elsewhere.
    Const(Span),
    Local(LocalLine),
    Fifo(FifoLine),
    Background(Background),
    Stmt(Stmt),
}

/// Whose body it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// A thread's, which may begin with locals and background blocks.
    Thread,
    /// That of an `if` or `else if`, behind which an `else` may follow.
    Arm,
    /// That of a `do`, behind which a `while` follows.
    Do,
    /// Another one.
    Inner,
}

impl<'s> Parser<'s> {
    /// Reads the whole text.
    pub(super) fn program(&mut self) -> Tree {
        let mut tree = Tree::default();
        while let Some(token) = self.peek() {
            self.pos = token.start;
            tree.items.extend(self.item(tree.items.is_empty()));
        }
        tree.end_comments = self.closing(self.text.len(), tree.items.is_empty());
        tree
    }

    /// Reads an item; `None` if it is broken.
    fn item(&mut self, first: bool) -> Option<Item> {
        let start = self.pos;
        let mut trivia = self.leading(start, first);
        let piece = match self.piece(Rule::item) {
            Ok(piece) => piece,
            Err(mistake) => {
                self.broken_item(&mistake);
                return None;
            }
        };
        let part = piece.parts().next().expect("an item is one of its kinds");
        let kind = match part.rule() {
            Rule::constants => ItemKind::Const(self.constants(&part)),
            Rule::shared => ItemKind::Shared(self.variables(&part)),
            Rule::placement => ItemKind::Placement(self.placement(&part)),
            Rule::spec => ItemKind::Spec(self.spec(&part)),
            _ => ItemKind::Thread(self.thread(&part)),
        };
        match kind {
            ItemKind::Thread(_) => trivia.trailing = self.behind(),
            ItemKind::Const(_)
            | ItemKind::Shared(_)
            | ItemKind::Placement(_)
            | ItemKind::Spec(_) => {
                self.finish_simple(&mut trivia);
            }
        }
        Some(Item {
            kind,
            trivia,
            span: span(start, self.pos),
        })
    }

    fn thread(&mut self, head: &Piece<'_>) -> Thread {
        let name = name(&head.needed(Rule::name));
        let copies = self.size(head);
        let open = match head.part(Rule::lbrace) {
            Some(brace) => brace.span(),
            None => {
                self.report(missing_brace(self.here()));
                self.here()
            }
        };
        let body = self.body(open, Level::Thread);
        Thread {
            name,
            copies,
            locals: body.locals,
            fifos: body.fifos,
            backgrounds: body.backgrounds,
            body: body.block,
        }
    }

    /// Reads what follows an opening brace, the closing brace included.
    fn body(&mut self, open: Span, level: Level) -> Body {
        let mut body = Body::default();
        if self.depth >= MAX_BLOCKS {
            self.report(too_many_blocks(open));
            self.skip_block();
            return body;
        }
        self.depth += 1;
        body.block.open_comments = self.behind_brace();
        let close = loop {
            let Some(token) = self.peek() else {
                self.pos = self.text.len();
                self.unclosed(open);
                break self.pos;
            };
            self.pos = token.start;
            match self.token_text(token) {
                "}" => {
                    self.note_indentation(open, token);
                    self.pos = token.end;
                    break token.start;
                }
                word if self.ends_body(word, level) => {
                    self.unclosed(open);
                    break token.start;
                }
                _ => {
                    if let Some(entry) = self.entry(body.is_empty()) {
                        self.add(&mut body, level, entry);
                    }
                }
            }
        };
        body.block.end_comments = self.closing(close, body.is_empty());
        body.block.span = span(open.range().start, self.pos);
        self.depth -= 1;
        body
    }

    /// Whether a word shows that the `}` of a body is missing before it.
    fn ends_body(&mut self, word: &str, level: Level) -> bool {
        if is_item_word(word) {
            // A `const` within the line, or indented, is meant to stand in the body.
            return word != "const" || self.begins_line();
        }
        match level {
            Level::Arm => word == "else",
            Level::Do if word == "while" => self.is_do_tail(self.pos),
            Level::Do | Level::Thread | Level::Inner => false,
        }
    }

    fn add(&mut self, body: &mut Body, level: Level, entry: Entry) {
        match entry {
            Entry::Const(span) => self.report(misplaced_constant(span)),
            Entry::Local(line) => {
                if level != Level::Thread || !(body.fifos.is_empty() && body.begins()) {
                    self.report(misplaced(line.span, "local"));
                }
                body.locals.push(line);
            }
            Entry::Fifo(line) => {
                if level != Level::Thread || !body.begins() {
                    self.report(misplaced(line.span, "fifo"));
                }
                body.fifos.push(line);
            }
            Entry::Background(block) => {
                if level != Level::Thread || !body.no_stmts() {
                    self.report(misplaced(block.span, "background"));
                }
                body.backgrounds.push(block);
            }
            Entry::Stmt(stmt) => body.block.stmts.push(stmt),
        }
    }

    /// Reads a local line, a background block or a statement; `None` if it is broken.
    fn entry(&mut self, first: bool) -> Option<Entry> {
        let start = self.pos;
        let mut trivia = self.leading(start, first);
        let piece = match self.piece(Rule::entry) {
            Ok(piece) => piece,
            Err(mistake) => {
                self.broken_entry(&mistake);
                return None;
            }
        };
        let labels = piece.all(Rule::label);
        let labels = labels
            .map(|label| name(&label.needed(Rule::name)))
            .collect();
        let part = piece.parts().last().expect("an entry is one of its kinds");
        if part.rule() == Rule::constants {
            self.finish_simple(&mut trivia);
            return Some(Entry::Const(span(start, self.pos)));
        }
        if part.rule() == Rule::local {
            let vars = self.variables(&part);
            self.finish_simple(&mut trivia);
            let span = span(start, self.pos);
            return Some(Entry::Local(LocalLine { vars, trivia, span }));
        }
        if part.rule() == Rule::fifo {
            let (name, fields) = self.fifo(&part);
            self.finish_simple(&mut trivia);
            let span = span(start, self.pos);
            return Some(Entry::Fifo(FifoLine {
                name,
                fields,
                trivia,
                span,
            }));
        }
        if part.rule() == Rule::background_head {
            let body = self.block(&part, Level::Inner);
            trivia.trailing = self.behind();
            let span = span(start, self.pos);
            return Some(Entry::Background(Background { body, trivia, span }));
        }
        let behind_labels = part.span().start;
        let kind = self.statement(&part, &mut trivia);
        Some(Entry::Stmt(Stmt {
            labels,
            kind,
            trivia,
            span: span(start, self.pos),
            start: behind_labels,
            mark: Mark::default(),
        }))
    }

    /// Reads the rest of a statement whose first piece is `part`.
    fn statement(&mut self, part: &Piece<'_>, trivia: &mut Trivia) -> StmtKind {
        if let Some(kind) = self.simple(part) {
            self.finish_simple(trivia);
            return kind;
        }
        let kind = match part.rule() {
            Rule::if_head => self.if_else(part),
            Rule::while_head => {
                let cond = self.guard(part);
                StmtKind::While(cond, self.block(part, Level::Inner))
            }
            Rule::do_head => self.do_while(part),
            Rule::loop_head => StmtKind::Loop(self.block(part, Level::Inner)),
            Rule::atomic_head => StmtKind::Atomic(self.block(part, Level::Inner)),
            rule => unreachable!("the grammar has no statement {rule:?}"),
        };
        trivia.trailing = self.behind();
        kind
    }

    fn if_else(&mut self, head: &Piece<'_>) -> StmtKind {
        let mut arms = vec![self.arm(head)];
        while self.at_else() {
            let head = match self.piece(Rule::else_head) {
                Ok(head) => head,
                Err(mistake) => {
                    self.broken_entry(&mistake);
                    break;
                }
            };
            if head.part(Rule::expr).is_none() {
                return StmtKind::If(arms, Some(self.block(&head, Level::Inner)));
            }
            arms.push(self.arm(&head));
        }
        StmtKind::If(arms, None)
    }

    fn arm(&mut self, head: &Piece<'_>) -> Arm {
        let cond = self.guard(head);
        let block = self.block(head, Level::Arm);
        Arm { cond, block }
    }

    fn do_while(&mut self, head: &Piece<'_>) -> StmtKind {
        let mut block = self.block(head, Level::Do);
        let cond = self.do_tail();
        block.end_comments.extend(self.inside());
        StmtKind::DoWhile(block, cond)
    }

    fn do_tail(&mut self) -> Cond {
        if let Some(token) = self.peek() {
            self.pos = token.start;
            if self.token_text(token) == "}" && self.is_do_tail(token.end) {
                self.report(stray_brace(token));
                self.move_behind(token.end);
            }
        }
        match self.piece(Rule::do_tail) {
            Ok(tail) => self.guard(&tail),
            Err(mistake) => {
                let span = self.here();
                // The end of an unclosed block has been complained about.
                if !self.is_unclosed_at(self.pos) {
                    self.broken_entry(&mistake);
                }
                Cond {
                    kind: CondKind::True,
                    span,
                }
            }
        }
    }

    /// Whether `while (…);` comes next behind `at`.
    fn is_do_tail(&mut self, at: usize) -> bool {
        let start = self.pos;
        self.move_behind(at);
        let is_tail = self.piece(Rule::do_tail).is_ok();
        self.pos = start;
        is_tail
    }

    /// Moves to the first token behind `at`.
    fn move_behind(&mut self, at: usize) {
        let token = next_proper_token(self.text, at);
        self.pos = token.map_or(self.text.len(), |token| token.start);
    }

    /// Reads the block whose head is `head`. Where its brace is missing, it is what stands before the
    /// closing brace or, without one, the next statement.
    fn block(&mut self, head: &Piece<'_>, level: Level) -> Block {
        if let Some(brace) = head.part(Rule::lbrace) {
            return self.body(brace.span(), level).block;
        }
        self.report(missing_brace(self.next_span()));
        if self.closes_later(head.span()) {
            return self.body(self.here(), level).block;
        }
        let mut block = Block {
            span: self.here(),
            ..Block::default()
        };
        if self.depth < MAX_BLOCKS && !self.skip_symbol(";") {
            self.depth += 1;
            if let Some(token) = self.peek() {
                self.pos = token.start;
                if let Some(Entry::Stmt(stmt)) = self.entry(true) {
                    block.stmts.push(stmt);
                }
            }
            self.depth -= 1;
        }
        block
    }

    /// Reads a block that belongs to a broken piece, and what follows it; the tree has no place for it.
    pub(super) fn orphan_block(&mut self, brace: Token) {
        self.pos = brace.end;
        self.body(span(brace.start, brace.end), Level::Thread);
        if self.is_do_tail(self.pos) {
            self.do_tail();
        }
        while self.at_else() {
            let Ok(head) = self.piece(Rule::else_head) else {
                return;
            };
            self.block(&head, Level::Inner);
        }
    }

    /// Skips to the brace that closes a block.
    fn skip_block(&mut self) {
        let mut depth = 1;
        while depth > 0 {
            let Some(token) = next_proper_token(self.text, self.pos) else {
                self.pos = self.text.len();
                return;
            };
            match self.token_text(token) {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {}
            }
            self.pos = token.end;
        }
    }

    /// The next token; `None` at the end and when enough mistakes have been reported.
    pub(super) fn peek(&self) -> Option<Token> {
        if self.diagnostics.len() >= MAX_MISTAKES {
            return None;
        }
        next_proper_token(self.text, self.pos)
    }

    pub(super) fn token_text(&self, token: Token) -> &'s str {
        &self.text[token.start..token.end]
    }

    /// Moves to an `else` if it comes next.
    fn at_else(&mut self) -> bool {
        match self.peek() {
            Some(token) if self.token_text(token) == "else" => {
                self.pos = token.start;
                true
            }
            _ => false,
        }
    }

    fn skip_symbol(&mut self, symbol: &str) -> bool {
        match self.peek() {
            Some(token) if self.token_text(token) == symbol => {
                self.pos = token.end;
                true
            }
            _ => false,
        }
    }

    /// Where the next token stands.
    fn next_span(&self) -> Span {
        self.peek()
            .map_or(self.here(), |token| span(token.start, token.end))
    }
}

impl Body {
    fn no_stmts(&self) -> bool {
        self.block.stmts.is_empty()
    }

    /// Whether only declarations have come so far.
    fn begins(&self) -> bool {
        self.backgrounds.is_empty() && self.no_stmts()
    }

    fn is_empty(&self) -> bool {
        self.locals.is_empty() && self.fifos.is_empty() && self.begins()
    }
}

/// Whether a word begins an item, so that every block must have ended before it.
pub(super) fn is_item_word(word: &str) -> bool {
    ITEM_WORDS.contains(&word)
}

fn missing_brace(span: Span) -> Diagnostic {
    Diagnostic::error("a block is expected here", span, "expected `{`")
        .with_note("put the statements in braces, even a single one: `{ skip; }`")
}

fn misplaced_constant(span: Span) -> Diagnostic {
    Diagnostic::error(
        "`const` stands outside threads",
        span,
        "this is inside a thread",
    )
    .with_note("move the line before the thread: every thread may use its constants")
}

fn misplaced(span: Span, what: &str) -> Diagnostic {
    let rule = match what {
        "local" => "move the line to the beginning of its thread",
        "fifo" => {
            "move the line behind the thread's `local` lines, before its blocks and statements"
        }
        _ => "move the block behind the thread's `local` lines, before its statements",
    };
    Diagnostic::error(
        format!("`{what}` stands only at the beginning of a thread"),
        span,
        "too late here",
    )
    .with_note(rule)
}

fn too_many_blocks(open: Span) -> Diagnostic {
    Diagnostic::error(
        format!("blocks nest more than {MAX_BLOCKS} deep"),
        open,
        "this block is one too many",
    )
    .with_note("use `goto` and labels in place of the innermost blocks")
}
