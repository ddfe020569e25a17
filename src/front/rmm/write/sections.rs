//! Atomic sections and atomic operations as locked blocks.
//!
//! A locked block is a choice of rows of instructions, so a section is written as its ways from beginning to
//! end, each with the conditions under which it is taken. A locked block that writes waits for all stores
//! of its process and writes to memory at once: so do `swap`, `cas` and `fetch_add` behind a fence, and plain stores do not.

use crate::front::build::{compare, name_at, number_expr};
use crate::front::cup::ast::{
    ArithOp, Block, CompareOp, Cond, CondKind, Expr, ExprKind, Place, Rhs, Stmt, StmtKind,
};
use crate::source::{Diagnostic, Span};

use super::super::syntax::{Memory, Statement, StatementKind};
use super::thread::{Text, not_drained, register, unlabelled};
use super::values::Target;

/// How many ways a section may have.
const MAX_ROWS: usize = 64;

type Rows = Vec<Vec<Statement>>;

impl Text<'_> {
    /// The ways through a section.
    pub(super) fn section(&mut self, body: &Block, drained: bool) -> Result<Rows, Diagnostic> {
        let mut rows = self.ways(body, drained, true)?;
        for row in &mut rows {
            if row.is_empty() {
                row.push(unlabelled(StatementKind::Nop, body.span));
            }
        }
        Ok(rows)
    }

    fn ways(&mut self, block: &Block, drained: bool, outermost: bool) -> Result<Rows, Diagnostic> {
        let mut rows: Rows = vec![Vec::new()];
        for (at, stmt) in block.stmts.iter().enumerate() {
            self.check_labels(stmt, outermost && at == 0)?;
            let next = self.step(stmt, drained)?;
            rows = product(&rows, &next);
            if rows.len() > MAX_ROWS {
                let note = format!("at most {MAX_ROWS} ways are written one by one");
                let error = Diagnostic::error("this section has too many ways", block.span, "here");
                return Err(error.with_note(note));
            }
        }
        Ok(rows)
    }

    /// Only a label at the first statement is one of a location outside the section.
    fn check_labels(&mut self, stmt: &Stmt, is_first: bool) -> Result<(), Diagnostic> {
        match (stmt.labels.first(), is_first) {
            (None, _) => Ok(()),
            (Some(_), true) => {
                self.add_labels(stmt.labels.iter().map(|label| label.text.clone()));
                Ok(())
            }
            (Some(label), false) => {
                let error = Diagnostic::error(
                    "a label in an atomic block has no counterpart",
                    label.span,
                    "here",
                );
                Err(error.with_note(
                    "a locked block is one step, with no location inside: remove the label",
                ))
            }
        }
    }

    /// The ways of one statement.
    fn step(&mut self, stmt: &Stmt, drained: bool) -> Result<Rows, Diagnostic> {
        let span = stmt.span;
        let one = |kind| Ok(vec![vec![unlabelled(kind, span)]]);
        match &stmt.kind {
            StmtKind::Skip => one(StatementKind::Nop),
            StmtKind::OptionalFence(name) if !self.has_fence(&name.text) => one(StatementKind::Nop),
            StmtKind::Assume(cond) if cond.kind == CondKind::Any => one(StatementKind::Nop),
            StmtKind::Assume(cond) => one(StatementKind::Assume(self.values.cond(cond)?)),
            StmtKind::Assign(target, rhs) => self.assigned((target, rhs), drained, span),
            StmtKind::If(arms, otherwise) => {
                let mut rows = Vec::new();
                let mut before: Vec<Statement> = Vec::new();
                for arm in arms {
                    let mut taken = before.clone();
                    if arm.cond.kind != CondKind::Any {
                        let cond = self.values.cond(&arm.cond)?;
                        taken.push(unlabelled(StatementKind::Assume(cond.clone()), span));
                        before.push(unlabelled(StatementKind::Assume(not(cond)), span));
                    }
                    let inner = self.ways(&arm.block, drained, false)?;
                    rows.extend(product(&[taken], &inner));
                }
                let inner = match otherwise {
                    Some(block) => self.ways(block, drained, false)?,
                    None => vec![Vec::new()],
                };
                rows.extend(product(&[before], &inner));
                Ok(rows)
            }
            _ => {
                let error = Diagnostic::error(
                    "this statement has no counterpart in an atomic block",
                    span,
                    "here",
                );
                Err(error.with_note("a locked block holds assignments, loads, atomic operations, `assume`, `skip` and `if`"))
            }
        }
    }

    fn assigned(
        &mut self,
        (target, rhs): (&Place, &Rhs),
        drained: bool,
        span: Span,
    ) -> Result<Rows, Diagnostic> {
        let Target::Register(local) = self.values.target(target)? else {
            let error = Diagnostic::error(
                "a store in an atomic block has no counterpart",
                span,
                "this store",
            );
            return Err(error.with_note("it goes through the store buffer, and a write in a locked block does not: use `swap` behind a fence"));
        };
        let one = |kind| Ok(vec![vec![unlabelled(kind, span)]]);
        match rhs {
            Rhs::Expr(source) => {
                let memory = match &source.kind {
                    ExprKind::Place(place) => self.values.target(place)?,
                    _ => Target::Register(String::new()),
                };
                match memory {
                    Target::Memory(memory) => {
                        one(StatementKind::ReadTo(name_at(&local, span), memory))
                    }
                    Target::Register(_) => one(StatementKind::Set(
                        name_at(&local, span),
                        self.values.expr(source)?,
                    )),
                    Target::Picked(..) => Err(picked(span)),
                }
            }
            Rhs::Choose(low, high) => {
                let ends = (self.values.constant(low), self.values.constant(high));
                match self.choose(&local, ends, span)? {
                    StatementKind::Either(rows) => Ok(rows),
                    kind => one(kind),
                }
            }
            Rhs::Any(_) => {
                let error =
                    Diagnostic::error("an arbitrary integer has no counterpart", span, "here");
                Err(error.with_note("choose from a range: `r = choose(0, 3);`"))
            }
            operation if drained => self.operation(&local, operation, span),
            _ => Err(not_drained(span)),
        }
    }

    /// The rows of an atomic operation, whose result goes to `local`.
    pub(super) fn operation(
        &mut self,
        local: &str,
        operation: &Rhs,
        span: Span,
    ) -> Result<Rows, Diagnostic> {
        let seen = self.temporary();
        let statement = |kind| unlabelled(kind, span);
        let set = |to: &str, value| statement(StatementKind::Set(name_at(to, span), value));
        let read = |memory: Memory| statement(StatementKind::ReadTo(name_at(&seen, span), memory));
        let write = |memory, value| statement(StatementKind::Write(memory, value));
        let forget = || set(&seen, number_expr(0, span));
        match operation {
            Rhs::Cas(place, expected, new) => {
                let memory = self.accessed(place)?;
                let (expected, new) = (self.values.expr(expected)?, self.values.expr(new)?);
                let same = compare(CompareOp::Eq, register(&seen, span), expected, span);
                let ends = |value| vec![set(local, number_expr(value, span)), forget()];
                let succeeds = [
                    read(memory.clone()),
                    statement(StatementKind::Assume(same.clone())),
                    write(memory.clone(), new),
                ];
                let fails = [
                    read(memory.clone()),
                    statement(StatementKind::Assume(not(same))),
                    write(memory, register(&seen, span)),
                ];
                Ok(vec![
                    succeeds.into_iter().chain(ends(1)).collect(),
                    fails.into_iter().chain(ends(0)).collect(),
                ])
            }
            Rhs::Swap(place, value) | Rhs::FetchAdd(place, value) => {
                let memory = self.accessed(place)?;
                let value = self.values.expr(value)?;
                let new = match operation {
                    Rhs::FetchAdd(..) => Expr {
                        kind: ExprKind::Binary(
                            ArithOp::Add,
                            Box::new(register(&seen, span)),
                            Box::new(value),
                        ),
                        span,
                    },
                    _ => value,
                };
                Ok(vec![vec![
                    read(memory.clone()),
                    write(memory, new),
                    set(local, register(&seen, span)),
                    forget(),
                ]])
            }
            Rhs::Any(_) | Rhs::Choose(..) | Rhs::Expr(_) => {
                unreachable!("the right-hand side is an atomic operation")
            }
        }
    }

    fn accessed(&self, place: &Place) -> Result<Memory, Diagnostic> {
        match self.values.target(place)? {
            Target::Memory(memory) => Ok(memory),
            Target::Register(_) | Target::Picked(..) => Err(picked(place.span)),
        }
    }
}

/// Every row of the first list with every row of the second behind it.
fn product(first: &[Vec<Statement>], second: &[Vec<Statement>]) -> Rows {
    let mut rows = Vec::new();
    for left in first {
        for right in second.iter().take(MAX_ROWS + 1) {
            rows.push([left.as_slice(), right].concat());
        }
    }
    rows
}

fn not(cond: Cond) -> Cond {
    let span = cond.span;
    Cond {
        kind: CondKind::Not(Box::new(cond)),
        span,
    }
}

fn picked(span: Span) -> Diagnostic {
    Diagnostic::error(
        "an element that an index picks has no counterpart here",
        span,
        "the index is a variable",
    )
    .with_note("a locked block holds no choice by value: use a constant index")
}
