//! Where flushes stand.
//!
//! In the semantics a thread's buffers may be flushed before every step of the thread, and after its
//! last one, unless another thread holds the atomic section. The translation says so in one of two
//! forms, [`Flush`]. Both rest on what flushes can disturb.
//!
//! **What a flush of a thread's own buffer commutes with.** The thread sees the newest value that it
//! stored, wherever that is, so its own flush changes nothing for its loads, and nothing for steps on
//! locals: conditions, `assume`, jumps, `skip`, local assignments. A flush can matter only to the
//! thread's steps that look at main memory or at the length of a buffer: stores (which overflow),
//! `fence`, `cas`, `swap`, `fetch_add`, and `assert` over shared variables. Call these *sensitive*. All
//! others may trade places with a flush that is next to them.
//!
//! **Background blocks** are flushes at any time while no thread holds the atomic section. The group
//! that stands for one statement is not disturbed by them, and needs no flush inside, being one step.
//!
//! **Within the user's `atomic`** background blocks do not run, but the semantics lets the thread
//! itself flush there. So a loop of flushes stands before each statement of the section but the
//! first. Why this is enough: take a step of a run of the section that is not its first step, and
//! the flushes just before it. If the step is insensitive, move the flushes behind it, until they
//! reach a loop, or the end of the section, where a background block can do them before anyone
//! else steps. If it is sensitive, it is a statement of its own; a loop stands before it unless it
//! is the section's textually first statement, reached once more. It is reached by a jump, before which
//! a loop stands (or which is the first step of the section: then the flush can be done before it,
//! while the section is free), or over the back edge of a `do` or `loop` that begins with it; so
//! these have one more loop at the end of their body. `while` and `if` begin with a condition, which
//! is insensitive. Before the section's first step no thread holds it, and background blocks can run.
//! Conversely the loops only do flushes that the semantics allows there, because the section is held.
//!
//! **Inline**, the paper's form, has no background blocks but a loop after each statement, each
//! flush an atomic group of its own. Nothing stands after jumps and conditions: they are insensitive to
//! flushes, and no other thread can tell when they happen, so a thread that would flush behind them
//! can wait before them. (This does not hold for loads: other threads may step between a load and a
//! flush.) The loop behind the last statement lets the thread flush before it ends. The loop's
//! locations are, in the source, the location of what comes next; where a spec names that location,
//! the loop gets labels, and `P@l` becomes the disjunction over them and `l`.

use indexmap::IndexMap;
use rustc_hash::FxHashSet;

use super::Flush;
use super::build::Build;
use super::names::Names;
use super::rules::Rules;
use super::statement::Statements;
use crate::front::cup::ast::{
    Arm, Background, Block, CondKind, Role, Span, Stmt, StmtKind, Trivia,
};

/// The labels of a location that specs name.
type Labels<'a> = Vec<&'a str>;

/// Translates the body of a thread and puts the flushes into it.
pub(super) struct Body<'a> {
    statements: Statements<'a>,
    flush: Flush,
    named: FxHashSet<String>,
    names: Names,
    waiting: IndexMap<String, Vec<String>>,
}

impl<'a> Body<'a> {
    /// For a thread with these labels, of which specs name some.
    pub(super) fn new(
        statements: Statements<'a>,
        flush: Flush,
        labels: impl Iterator<Item = &'a String>,
        named: FxHashSet<String>,
    ) -> Self {
        Body {
            statements,
            flush,
            named,
            names: Names::of_labels(labels),
            waiting: IndexMap::new(),
        }
    }

    /// The translated body.
    pub(super) fn translate(&mut self, body: &Block) -> Block {
        self.open_block(body, &Vec::new())
    }

    /// For each label that specs name, the labels of flush loops at its location.
    pub(super) fn into_waiting(self) -> IndexMap<String, Vec<String>> {
        self.waiting
    }

    /// A block outside atomic sections; `next` are the labels of the location behind it.
    fn open_block(&mut self, block: &Block, next: &Labels) -> Block {
        let mut stmts = Vec::new();
        for (index, stmt) in block.stmts.iter().enumerate() {
            let next = match block.stmts.get(index + 1) {
                Some(following) => self.entry_labels(following),
                None => next.clone(),
            };
            stmts.push(self.open_stmt(stmt, &next));
            if is_followed_by_flushes(stmt) {
                stmts.extend(self.inline_loop(stmt.span, &next));
            }
        }
        with_stmts(block, stmts)
    }

    /// A statement outside atomic sections.
    fn open_stmt(&mut self, stmt: &Stmt, next: &Labels) -> Stmt {
        let kind = match &stmt.kind {
            StmtKind::If(arms, otherwise) => {
                let arms = arms.iter().map(|arm| Arm {
                    cond: arm.cond.clone(),
                    block: self.open_block(&arm.block, next),
                });
                let arms = arms.collect();
                let otherwise = otherwise.as_ref();
                StmtKind::If(arms, otherwise.map(|block| self.open_block(block, next)))
            }
            StmtKind::While(cond, body) => {
                let head = self.entry_labels(stmt);
                StmtKind::While(cond.clone(), self.open_block(body, &head))
            }
            StmtKind::DoWhile(body, cond) => {
                StmtKind::DoWhile(self.open_block(body, &Vec::new()), cond.clone())
            }
            StmtKind::Loop(body) => {
                let head = self.entry_labels(stmt);
                StmtKind::Loop(self.open_block(body, &head))
            }
            StmtKind::Atomic(body) => StmtKind::Atomic(self.held_block(body, true)),
            StmtKind::Assign(..)
            | StmtKind::Append(..)
            | StmtKind::Pop(_)
            | StmtKind::Fence
            | StmtKind::OptionalFence(_)
            | StmtKind::Skip
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Assume(_)
            | StmtKind::Assert(..) => return self.statements.group(stmt),
        };
        with_kind(stmt, kind)
    }

    /// A block within an atomic section; `first` if its first step is the section's.
    fn held_block(&self, block: &Block, first: bool) -> Block {
        let mut stmts = Vec::new();
        for (index, stmt) in block.stmts.iter().enumerate() {
            let first = first && index == 0;
            if !first && !begins_with_inner_stmt(stmt) {
                stmts.extend(self.held_loop(stmt.span));
            }
            stmts.extend(self.held_stmt(stmt, first));
        }
        with_stmts(block, stmts)
    }

    /// A statement within an atomic section, bare.
    fn held_stmt(&self, stmt: &Stmt, first: bool) -> Vec<Stmt> {
        let kind = match &stmt.kind {
            StmtKind::If(arms, otherwise) => {
                let arms = arms.iter().map(|arm| Arm {
                    cond: arm.cond.clone(),
                    block: self.held_block(&arm.block, false),
                });
                let otherwise = otherwise.as_ref();
                StmtKind::If(
                    arms.collect(),
                    otherwise.map(|block| self.held_block(block, false)),
                )
            }
            StmtKind::While(cond, body) => {
                StmtKind::While(cond.clone(), self.held_block(body, false))
            }
            StmtKind::DoWhile(body, cond) => {
                StmtKind::DoWhile(self.held_cycle(body, first), cond.clone())
            }
            StmtKind::Loop(body) => StmtKind::Loop(self.held_cycle(body, first)),
            StmtKind::Atomic(body) => StmtKind::Atomic(self.held_block(body, first)),
            StmtKind::Assign(..)
            | StmtKind::Append(..)
            | StmtKind::Pop(_)
            | StmtKind::Fence
            | StmtKind::OptionalFence(_)
            | StmtKind::Skip
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Assume(_)
            | StmtKind::Assert(..) => return self.statements.bare(stmt),
        };
        vec![with_kind(stmt, kind)]
    }

    /// The body of a `do` or `loop` within an atomic section. Where its first statement has no loop
    /// of flushes before it, the way back to that statement has one.
    fn held_cycle(&self, body: &Block, first: bool) -> Block {
        let mut block = self.held_block(body, first);
        if first && !body.stmts.is_empty() {
            block.stmts.extend(self.held_loop(body.span));
        }
        block
    }

    /// A loop of flushes within an atomic section, if the thread has buffers.
    fn held_loop(&self, span: Span) -> Option<Stmt> {
        let (rules, _) = self.statements.buffers?;
        let build = flushing(span);
        let body = one_flush(build, rules);
        Some(flush_loop(build, rules, body))
    }

    /// A loop of flushes before the location with these labels, if flushes are inline and the
    /// thread has buffers.
    fn inline_loop(&mut self, span: Span, next: &Labels) -> Option<Stmt> {
        let (rules, _) = self
            .statements
            .buffers
            .filter(|_| self.flush == Flush::Inline)?;
        let build = flushing(span);
        let mut group = build.stmt(StmtKind::Atomic(build.block(one_flush(build, rules))));
        let labels = self.waiting_labels(next);
        group
            .labels
            .extend(labels.iter().skip(1).map(|label| build.name(label)));
        let mut stmt = flush_loop(build, rules, vec![group]);
        stmt.labels
            .extend(labels.first().map(|label| build.name(label)));
        Some(stmt)
    }

    /// Labels for the two locations of a flush loop that belong to the location with the labels
    /// `next`; none if no spec names it.
    fn waiting_labels(&mut self, next: &Labels) -> Vec<String> {
        let Some(first) = next.first() else {
            return Vec::new();
        };
        let before = format!("before_{first}");
        let number = self.waiting.get(*first).map_or(0, Vec::len);
        let labels = [number + 1, number + 2].map(|n| self.names.fresh(format!("{before}_{n}")));
        for label in next {
            let waiting = self.waiting.entry((*label).to_owned()).or_default();
            waiting.extend(labels.iter().cloned());
        }
        labels.into()
    }

    /// The labels, among those that specs name, of the location of a statement's first step.
    fn entry_labels<'s>(&self, stmt: &'s Stmt) -> Labels<'s> {
        let own = stmt.labels.iter().map(|label| label.text.as_str());
        let mut labels: Labels = own.filter(|label| self.named.contains(*label)).collect();
        if let Some(first) = inner_first(stmt) {
            labels.extend(self.entry_labels(first));
        }
        labels
    }
}

/// Makes the statements of flushes.
fn flushing(span: Span) -> Build {
    Build::at(span).with_role(Role::Flushing)
}

/// The `background` blocks of a thread that stands at `span`, one per buffer.
pub(super) fn backgrounds(span: Span, rules: &dyn Rules) -> Vec<Background> {
    let build = flushing(span);
    let blocks = rules.flushes(build).into_iter().map(|flush| Background {
        body: build.block(flush.stmts),
        trivia: Trivia {
            blank_before: true,
            leading: vec![format!("// {}", flush.what)],
            ..Trivia::default()
        },
        span: build.span(),
    });
    blocks.collect()
}

/// The statements that flush one entry of some buffer.
fn one_flush(build: Build, rules: &dyn Rules) -> Vec<Stmt> {
    let mut flushes = rules.flushes(build);
    let Some(last) = flushes.pop() else {
        return Vec::new();
    };
    if flushes.is_empty() {
        return last.stmts;
    }
    let arms = flushes
        .into_iter()
        .map(|flush| (build.cond(CondKind::Any), flush.stmts));
    vec![build.chain(arms.collect(), Some(last.stmts))]
}

/// `while (*) { body }`, with a comment that says what it is.
fn flush_loop(build: Build, rules: &dyn Rules, body: Vec<Stmt>) -> Stmt {
    let flushes = rules.flushes(build);
    let what = match flushes.as_slice() {
        [flush] => flush.what.as_str(),
        _ => "flush any buffer",
    };
    let kind = StmtKind::While(build.cond(CondKind::Any), build.block(body));
    let mut stmt = build.stmt(kind);
    stmt.trivia.leading.push(format!("// {what}"));
    stmt
}

/// Whether flushes stand after the statement in the inline form.
fn is_followed_by_flushes(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Assign(..)
        | StmtKind::Append(..)
        | StmtKind::Pop(_)
        | StmtKind::Fence
        | StmtKind::OptionalFence(_)
        | StmtKind::Skip
        | StmtKind::Assume(_)
        | StmtKind::Assert(..)
        | StmtKind::Atomic(_) => true,
        StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Goto(_)
        | StmtKind::If(..)
        | StmtKind::While(..)
        | StmtKind::DoWhile(..)
        | StmtKind::Loop(_) => false,
    }
}

/// Whether the first step of the statement is that of a statement within it.
fn begins_with_inner_stmt(stmt: &Stmt) -> bool {
    inner_first(stmt).is_some()
}

/// The statement within a statement whose first step is the outer one's.
fn inner_first(stmt: &Stmt) -> Option<&Stmt> {
    match &stmt.kind {
        StmtKind::DoWhile(body, _) | StmtKind::Loop(body) | StmtKind::Atomic(body) => {
            body.stmts.first()
        }
        StmtKind::Assign(..)
        | StmtKind::Append(..)
        | StmtKind::Pop(_)
        | StmtKind::Fence
        | StmtKind::OptionalFence(_)
        | StmtKind::Skip
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Goto(_)
        | StmtKind::Assume(_)
        | StmtKind::Assert(..)
        | StmtKind::If(..)
        | StmtKind::While(..) => None,
    }
}

/// A block with other statements.
fn with_stmts(block: &Block, stmts: Vec<Stmt>) -> Block {
    Block {
        stmts,
        ..block.clone()
    }
}

fn with_kind(stmt: &Stmt, kind: StmtKind) -> Stmt {
    Stmt {
        labels: stmt.labels.clone(),
        kind,
        trivia: stmt.trivia.clone(),
        span: stmt.span,
        start: stmt.start,
        mark: stmt.mark,
    }
}
