//! Locked blocks.
//!
//! A block that writes waits until the process's buffers are empty and then works on memory itself: a fence,
//! and behind it an atomic section in which `swap` and `cas` write, which go to memory at once. Since a
//! section has no other stores, the buffers stay empty, and loads see memory. A block without writes is an
//! atomic section of loads. A block that is one write, or a compare-and-swap written out, is
//! translated as those are; a load and a store of the same location are a `swap` or `fetch_add` where
//! they do the same.

use crate::front::build::{assign, block, number_expr, place, stmt};
use crate::front::cup::ast::{ArithOp, Expr, ExprKind, Name, Rhs, Stmt, StmtKind};
use crate::source::{Diagnostic, Span};

use super::super::domain::Interval;
use super::super::syntax::{Memory, MemoryKind, Statement, StatementKind};
use super::{Writer, choice};

impl Writer<'_, '_> {
    pub(super) fn locked(&mut self, lists: &[Vec<Statement>], span: Span, stmts: &mut Vec<Stmt>) {
        let before = self.diagnostics.len();
        lists.iter().for_each(|list| self.check(list));
        if self.diagnostics.len() > before {
            return;
        }
        if let Some((memory, kind)) = as_one_access(lists) {
            self.access(&kind, &memory, span, stmts);
            return;
        }
        if let Some(update) = Update::of(lists)
            && self.update(&update, span, stmts)
        {
            return;
        }
        let used_before = std::mem::take(&mut self.uses_scratch);
        let labels = std::mem::take(&mut self.pending);
        let mut section = self.alternatives(lists, span);
        self.pending = labels;
        if self.uses_scratch {
            let forget = assign(place(&self.own.scratch, span), number_expr(0, span));
            section.push(stmt(forget, span));
        }
        self.uses_scratch |= used_before;
        if writes(lists) {
            self.push(StmtKind::Fence, span, stmts);
        }
        self.push(StmtKind::Atomic(block(section, span)), span, stmts);
    }

    /// `read: $r := x; write: x := e` as `swap` or `fetch_add`; says whether it fits.
    fn update(&mut self, update: &Update<'_>, span: Span, stmts: &mut Vec<Stmt>) -> bool {
        let Ok(target) = self.names.memory(self.number, update.memory).cloned() else {
            return false;
        };
        let Some(register) = self
            .own
            .registers
            .get(update.register.text.as_str())
            .cloned()
        else {
            return false;
        };
        if !Interval::from(target.domain).lies_in(register.domain) {
            return false;
        }
        let (local, shared) = (place(&register.name, span), place(&target.name, span));
        let Some(added) = update.added() else {
            // What is written does not depend on what is read.
            self.guard(update.value, target.domain, stmts);
            let swap = Rhs::Swap(shared, self.expr(update.value));
            self.push(StmtKind::Fence, span, stmts);
            self.push(StmtKind::Assign(local, swap), span, stmts);
            return true;
        };
        let difference = self.expr(&added);
        let add = stmt(
            StmtKind::Assign(local, Rhs::FetchAdd(shared, difference)),
            span,
        );
        // The register has the old value now, so `e` is what was written.
        let mut section = Vec::new();
        let labels = std::mem::take(&mut self.pending);
        self.guard(update.value, target.domain, &mut section);
        self.pending = labels;
        self.push(StmtKind::Fence, span, stmts);
        match section.is_empty() {
            true => self.push(add.kind, span, stmts),
            false => {
                section.insert(0, add);
                self.push(StmtKind::Atomic(block(section, span)), span, stmts);
            }
        }
        true
    }

    fn alternatives(&mut self, lists: &[Vec<Statement>], span: Span) -> Vec<Stmt> {
        let mut blocks: Vec<Vec<Stmt>> = Vec::new();
        for list in lists {
            let mut stmts = Vec::new();
            list.iter().for_each(|inner| self.inside(inner, &mut stmts));
            blocks.push(stmts);
        }
        match blocks.len() {
            1 => blocks.remove(0),
            _ => vec![stmt(choice(blocks, span), span)],
        }
    }

    /// A statement of a locked block.
    fn inside(&mut self, statement: &Statement, stmts: &mut Vec<Stmt>) {
        let span = statement.span;
        let (memory, target) = match &statement.kind {
            StatementKind::Block(list) => {
                list.iter().for_each(|inner| self.inside(inner, stmts));
                return;
            }
            StatementKind::Locked(lists) => {
                let inner = self.alternatives(lists, span);
                stmts.extend(inner);
                return;
            }
            StatementKind::ReadEqual(memory, _)
            | StatementKind::ReadTo(_, memory)
            | StatementKind::Write(memory, _)
            | StatementKind::LockedWrite(memory, _)
            | StatementKind::Cas(memory, ..) => (memory, self.names.memory(self.number, memory)),
            _ => {
                self.statement(statement, stmts);
                return;
            }
        };
        let target = match target {
            Ok(declared) => declared.clone(),
            Err(error) => {
                self.diagnostics.push(error);
                return;
            }
        };
        match &statement.kind {
            StatementKind::ReadEqual(_, value) => {
                stmts.extend(self.read_equal(&target, value, span));
            }
            StatementKind::ReadTo(register, _) => {
                stmts.extend(self.read_to(register, &target, span).unwrap_or_default());
            }
            StatementKind::Write(_, value) | StatementKind::LockedWrite(_, value) => {
                self.guard(value, target.domain, stmts);
                let swap = Rhs::Swap(place(&target.name, memory.span), self.expr(value));
                self.uses_scratch = true;
                let scratch = place(&self.own.scratch, span);
                stmts.push(stmt(StmtKind::Assign(scratch, swap), span));
            }
            StatementKind::Cas(_, expected, new) => {
                self.guard(new, target.domain, stmts);
                stmts.extend(self.compare_and_swap(&target, (expected, new), span));
            }
            _ => unreachable!("the statement accesses no memory"),
        }
    }

    /// Refuses what Memorax refuses in locked blocks.
    fn check(&mut self, list: &[Statement]) {
        for statement in list {
            let mut refuse = |message: &str, span: Span| {
                let error = Diagnostic::error(message, span, "in a locked block");
                let note = "a locked block holds nop, assignments, assume, read, write, cas and further locked blocks, in a row or with `or` between rows";
                self.diagnostics.push(error.with_note(note));
            };
            if let Some(label) = &statement.label {
                refuse("a locked block has no labels inside", label.span);
            }
            match &statement.kind {
                StatementKind::Block(inner) => self.check(inner),
                StatementKind::Locked(lists) => lists.iter().for_each(|list| self.check(list)),
                StatementKind::Nop | StatementKind::Set(..) | StatementKind::Assume(_) => {}
                StatementKind::ReadEqual(memory, _)
                | StatementKind::ReadTo(_, memory)
                | StatementKind::Write(memory, _)
                | StatementKind::LockedWrite(memory, _)
                | StatementKind::Cas(memory, ..) => {
                    if let MemoryKind::Pointer(_) = memory.kind {
                        refuse(
                            "a pointer is a choice, which a locked block does not hold",
                            memory.span,
                        );
                    }
                }
                StatementKind::Fence
                | StatementKind::LoadFence
                | StatementKind::Either(_)
                | StatementKind::If(..)
                | StatementKind::While(..)
                | StatementKind::Goto(_) => {
                    refuse(
                        "this statement does not stand in a locked block",
                        statement.span,
                    );
                }
            }
        }
    }
}

/// A load and a store of the same memory location.
struct Update<'m> {
    register: &'m Name,
    memory: &'m Memory,
    value: &'m Expr,
}

impl<'m> Update<'m> {
    /// The one that a block is, if what it stores does not depend on what it loads, or is a sum with it.
    fn of(lists: &'m [Vec<Statement>]) -> Option<Self> {
        let [list] = lists else {
            return None;
        };
        let [first, second] = list.as_slice() else {
            return None;
        };
        let update = match (&first.kind, &second.kind) {
            (
                StatementKind::ReadTo(register, memory),
                StatementKind::Write(written, value) | StatementKind::LockedWrite(written, value),
            ) if is_same(memory, written) => Update {
                register,
                memory,
                value,
            },
            _ => return None,
        };
        let fits = !update.names_register(update.value) || update.added().is_some();
        fits.then_some(update)
    }

    /// What is added to what is loaded: `e` of `$r + e`, `e + $r` and, negated, of `$r - e`.
    fn added(&self) -> Option<Expr> {
        let ExprKind::Binary(op, left, right) = &self.value.kind else {
            return None;
        };
        let is_register = |expr: &Expr| match &expr.kind {
            ExprKind::Place(place) => place.name.text == self.register.text,
            _ => false,
        };
        let added = match op {
            ArithOp::Add if is_register(left) => (**right).clone(),
            ArithOp::Add if is_register(right) => (**left).clone(),
            ArithOp::Sub if is_register(left) => Expr {
                kind: ExprKind::Neg(right.clone()),
                span: right.span,
            },
            _ => return None,
        };
        (!self.names_register(&added)).then_some(added)
    }

    fn names_register(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Place(place) => place.name.text == self.register.text,
            ExprKind::Neg(inner) => self.names_register(inner),
            ExprKind::Binary(_, left, right) => {
                self.names_register(left) || self.names_register(right)
            }
            ExprKind::Num(_) | ExprKind::Tid => false,
        }
    }
}

/// Whether a block writes, in any of its rows.
fn writes(lists: &[Vec<Statement>]) -> bool {
    let mut statements = lists.iter().flatten();
    statements.any(|statement| match &statement.kind {
        StatementKind::Write(..) | StatementKind::LockedWrite(..) | StatementKind::Cas(..) => true,
        StatementKind::Block(list) => writes(std::slice::from_ref(list)),
        StatementKind::Locked(lists) => writes(lists),
        _ => false,
    })
}

/// The one access that a block is, if it is a single one or `read: x = e; write: x := f`.
fn as_one_access(lists: &[Vec<Statement>]) -> Option<(Memory, StatementKind)> {
    let [list] = lists else {
        return None;
    };
    match list.as_slice() {
        [only] => match &only.kind {
            StatementKind::Write(memory, value) | StatementKind::LockedWrite(memory, value) => {
                let kind = StatementKind::LockedWrite(memory.clone(), value.clone());
                Some((memory.clone(), kind))
            }
            StatementKind::ReadEqual(memory, _)
            | StatementKind::ReadTo(_, memory)
            | StatementKind::Cas(memory, ..) => Some((memory.clone(), only.kind.clone())),
            StatementKind::Block(list) => as_one_access(std::slice::from_ref(list)),
            StatementKind::Locked(lists) => as_one_access(lists),
            _ => None,
        },
        [first, second] => match (&first.kind, &second.kind) {
            (
                StatementKind::ReadEqual(read, expected),
                StatementKind::Write(written, new) | StatementKind::LockedWrite(written, new),
            ) if is_same(read, written) => {
                let kind = StatementKind::Cas(read.clone(), expected.clone(), new.clone());
                Some((read.clone(), kind))
            }
            _ => None,
        },
        _ => None,
    }
}

fn is_same(left: &Memory, right: &Memory) -> bool {
    match (&left.kind, &right.kind) {
        (MemoryKind::Global(left), MemoryKind::Global(right))
        | (MemoryKind::Own(left), MemoryKind::Own(right)) => left.text == right.text,
        (MemoryKind::Other(left, of), MemoryKind::Other(right, other)) => {
            left.text == right.text && of == other
        }
        _ => false,
    }
}
