//! The statements of a thread.
//!
//! A statement of Memorax has one label; where several stand at a statement, the first stands for all. Loops
//! that are left in the middle become labels and `goto`. An assertion that fails leads to a label
//! that is forbidden, and so does an index out of range.

use indexmap::{IndexMap, IndexSet};

use crate::front::build::{compare, name_at, number_expr, place, place_expr, unused_where};
use crate::front::cup::ast::{
    Arm, Block, CompareOp, Cond, CondKind, Expr, ExprKind, Name, Place, Rhs, Stmt, StmtKind,
};
use crate::source::{Diagnostic, Span};

use super::super::parse::is_name;
use super::super::syntax::{Memory, Statement, StatementKind};
use super::values::{Target, Values};

/// How many values a choice may have.
const MAX_CHOICE: i64 = 64;

/// The text of a process, as it is written.
pub(super) struct Text<'c> {
    pub values: Values<'c>,
    fences: &'c IndexSet<String>,
    /// The label that stands for each label.
    pub labels: IndexMap<String, String>,
    taken: IndexSet<String>,
    /// Labels of the statement that is written next.
    pending: Vec<String>,
    /// Labels behind the loops around and of their next turns.
    loops: Vec<(String, String)>,
    /// Those of them that some `break` or `continue` goes to.
    used: IndexSet<String>,
    /// Labels that are forbidden.
    pub failures: Vec<Name>,
    /// Registers for values that no local holds.
    pub temporaries: IndexSet<String>,
    pub diagnostics: Vec<Diagnostic>,
}

impl<'c> Text<'c> {
    pub(super) fn new(values: Values<'c>, fences: &'c IndexSet<String>) -> Self {
        let own = values.symbols.threads[values.thread].labels.keys();
        Text {
            values,
            fences,
            labels: IndexMap::new(),
            taken: own.cloned().collect(),
            pending: Vec::new(),
            loops: Vec::new(),
            used: IndexSet::new(),
            failures: Vec::new(),
            temporaries: IndexSet::new(),
            diagnostics: Vec::new(),
        }
    }

    /// The statements of a thread, with the labels that they have in the end.
    pub(super) fn body(&mut self, body: &Block) -> Vec<Statement> {
        let mut list = self.list(body);
        if list.is_empty() {
            self.push(StatementKind::Nop, body.span, &mut list);
        }
        rename(&mut list, &self.labels);
        for failure in &mut self.failures {
            let own = self.labels.get(&failure.text);
            failure.text = own.unwrap_or(&failure.text).clone();
        }
        list
    }

    /// The statements of a block; it has none if the block is empty.
    fn list(&mut self, block: &Block) -> Vec<Statement> {
        let mut list = Vec::new();
        let mut after_fence = false;
        for stmt in &block.stmts {
            self.pending
                .extend(stmt.labels.iter().map(|label| label.text.clone()));
            let drained = after_fence && self.pending.is_empty();
            if let Err(error) = self.statement(stmt, drained, &mut list) {
                self.diagnostics.push(error);
                self.pending.clear();
            }
            after_fence = self.is_fence(&stmt.kind);
        }
        if !self.pending.is_empty() {
            self.push(StatementKind::Nop, block.span, &mut list);
        }
        list
    }

    /// Whether an optional fence is in force.
    pub(super) fn has_fence(&self, name: &str) -> bool {
        self.fences.contains(name)
    }

    /// Adds labels of the statement that is written next.
    pub(super) fn add_labels(&mut self, labels: impl Iterator<Item = String>) {
        self.pending.extend(labels);
    }

    fn is_fence(&self, kind: &StmtKind) -> bool {
        match kind {
            StmtKind::Fence => true,
            StmtKind::OptionalFence(name) => self.has_fence(&name.text),
            _ => false,
        }
    }

    /// Adds a statement with the labels that belong to it.
    pub(super) fn push(&mut self, kind: StatementKind, span: Span, list: &mut Vec<Statement>) {
        // Memorax does not want a label at a `goto`.
        if matches!(kind, StatementKind::Goto(_)) && !self.pending.is_empty() {
            self.push(StatementKind::Nop, span, list);
        }
        let labels = std::mem::take(&mut self.pending);
        let own = &self.values.symbols.threads[self.values.thread].labels;
        let first = labels.iter().find(|label| own.contains_key(*label));
        let first = first.or(labels.first()).cloned();
        let label = first.map(|first| self.named(first));
        if let Some(label) = &label {
            for other in labels {
                self.labels.insert(other, label.clone());
            }
        }
        list.push(Statement {
            label: label.map(|label| name_at(&label, span)),
            kind,
            span,
        });
    }

    /// The name of a label in the text.
    fn named(&mut self, label: String) -> String {
        let own = match is_name(&label) {
            true => label.clone(),
            false => unused_where(&label, &mut self.taken, is_name),
        };
        self.labels.insert(label, own.clone());
        own
    }

    fn fresh(&mut self, wanted: &str) -> String {
        unused_where(wanted, &mut self.taken, is_name)
    }

    fn statement(
        &mut self,
        stmt: &Stmt,
        drained: bool,
        list: &mut Vec<Statement>,
    ) -> Result<(), Diagnostic> {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Assign(target, rhs) => self.assign((target, rhs), drained, span, list)?,
            kind @ (StmtKind::Fence | StmtKind::OptionalFence(_)) => match self.is_fence(kind) {
                true => self.push(StatementKind::Fence, span, list),
                false if self.pending.is_empty() => {}
                false => self.push(StatementKind::Nop, span, list),
            },
            StmtKind::Skip => self.push(StatementKind::Nop, span, list),
            StmtKind::Break | StmtKind::Continue => {
                let (behind, next) = self.loops.last().cloned().unwrap_or_default();
                let label = match stmt.kind {
                    StmtKind::Break => behind,
                    _ => next,
                };
                self.push(goto(&label, span), span, list);
                self.used.insert(label);
            }
            StmtKind::Goto(label) => self.push(goto(&label.text, span), span, list),
            StmtKind::Assume(cond) => {
                let kind = match cond.kind {
                    CondKind::Any => StatementKind::Nop,
                    _ => StatementKind::Assume(self.values.cond(cond)?),
                };
                self.push(kind, span, list);
            }
            StmtKind::Assert(cond, _) => self.assert(cond, span, list)?,
            StmtKind::If(arms, otherwise) => self.branch(arms, otherwise.as_ref(), span, list)?,
            StmtKind::While(cond, body) => self.repeat_while(cond, body, span, list)?,
            StmtKind::DoWhile(body, cond) => self.repeat_do(body, cond, span, list)?,
            StmtKind::Loop(body) => {
                let head = self.head();
                let behind = self.fresh("BEHIND");
                self.turn(body, (&behind, &head), list);
                self.push(goto(&head, span), span, list);
                self.mark(behind);
            }
            StmtKind::Append(..) | StmtKind::Pop(_) => {
                unreachable!("threads with FIFOs are refused")
            }
            StmtKind::Atomic(body) => {
                let rows = self.section(body, drained)?;
                self.push(StatementKind::Locked(rows), span, list);
            }
        }
        Ok(())
    }

    fn assign(
        &mut self,
        (target, rhs): (&Place, &Rhs),
        drained: bool,
        span: Span,
        list: &mut Vec<Statement>,
    ) -> Result<(), Diagnostic> {
        match (self.values.target(target)?, rhs) {
            (Target::Register(register), Rhs::Expr(source)) => {
                let memory = match &source.kind {
                    ExprKind::Place(place) => self.values.target(place).ok(),
                    _ => None,
                };
                let read = |memory| StatementKind::ReadTo(name_at(&register, span), memory);
                match memory.filter(|target| !matches!(target, Target::Register(_))) {
                    Some(memory) => self.access(memory, read, span, list),
                    None => {
                        let value = self.values.expr(source)?;
                        self.push(
                            StatementKind::Set(name_at(&register, span), value),
                            span,
                            list,
                        );
                    }
                }
            }
            (Target::Register(register), Rhs::Choose(low, high)) => {
                let ends = (self.values.constant(low), self.values.constant(high));
                let kind = self.choose(&register, ends, span)?;
                self.push(kind, span, list);
            }
            (Target::Register(_), Rhs::Any(_)) => {
                let error =
                    Diagnostic::error("an arbitrary integer has no counterpart", span, "here");
                return Err(error.with_note("choose from a range: `r = choose(0, 3);`"));
            }
            (Target::Register(register), rhs) => {
                if !drained {
                    return Err(not_drained(span));
                }
                let rows = self.operation(&register, rhs, span)?;
                self.push(StatementKind::Locked(rows), span, list);
            }
            (memory, Rhs::Expr(value)) => {
                let value = self.values.expr(value)?;
                let write = |memory| StatementKind::Write(memory, value.clone());
                self.access(memory, write, span, list);
            }
            (Target::Memory(_) | Target::Picked(..), _) => {
                unreachable!("a checked program assigns such values to locals alone")
            }
        }
        Ok(())
    }

    /// An access to memory: with an index, to the element that it picks.
    fn access(
        &mut self,
        target: Target,
        kind: impl Fn(Memory) -> StatementKind,
        span: Span,
        list: &mut Vec<Statement>,
    ) {
        match target {
            Target::Register(_) => unreachable!("a register is no memory location"),
            Target::Memory(memory) => self.push(kind(memory), span, list),
            Target::Picked(elements, index) => {
                let labels = std::mem::take(&mut self.pending);
                let mut picked = self.failure("BOUNDS", span);
                for (number, element) in elements.into_iter().enumerate().rev() {
                    let number = i64::try_from(number).unwrap_or(i64::MAX);
                    let number = number_expr(number, span);
                    let cond = compare(CompareOp::Eq, index.clone(), number, span);
                    let access = unlabelled(kind(element), span);
                    picked = StatementKind::If(
                        cond,
                        Box::new(access),
                        Some(Box::new(unlabelled(picked, span))),
                    );
                }
                self.pending = labels;
                self.push(picked, span, list);
            }
        }
    }

    /// What is done where something is wrong: a label that is forbidden.
    fn failure(&mut self, wanted: &str, span: Span) -> StatementKind {
        let label = self.fresh(wanted);
        self.failures.push(name_at(&label, span));
        let mut list = Vec::new();
        self.pending.push(label);
        self.push(StatementKind::Nop, span, &mut list);
        let never = Cond {
            kind: CondKind::False,
            span,
        };
        self.push(StatementKind::Assume(never), span, &mut list);
        StatementKind::Block(list)
    }

    fn assert(
        &mut self,
        cond: &Cond,
        span: Span,
        list: &mut Vec<Statement>,
    ) -> Result<(), Diagnostic> {
        let labels = std::mem::take(&mut self.pending);
        let negated = match cond.kind {
            CondKind::Any => None,
            _ => Some(self.values.cond(cond).map_err(|found| {
                found.with_note(
                    "an assertion about shared variables has no counterpart: load them first",
                )
            })?),
        };
        let failure = self.failure("ASSERT", span);
        self.pending = labels;
        let failure = unlabelled(failure, span);
        let kind = match negated {
            None => StatementKind::Either(vec![
                vec![failure],
                vec![unlabelled(StatementKind::Nop, span)],
            ]),
            Some(cond) => {
                let negated = Cond {
                    kind: CondKind::Not(Box::new(cond)),
                    span,
                };
                StatementKind::If(negated, Box::new(failure), None)
            }
        };
        self.push(kind, span, list);
        Ok(())
    }

    fn branch(
        &mut self,
        arms: &[Arm],
        otherwise: Option<&Block>,
        span: Span,
        list: &mut Vec<Statement>,
    ) -> Result<(), Diagnostic> {
        let labels = std::mem::take(&mut self.pending);
        let mut rest = otherwise.map(|block| self.block(block));
        // The last arm first, since each stands in the `else` of the one before.
        for arm in arms.iter().rev() {
            let then = self.block(&arm.block);
            let kind = match &arm.cond.kind {
                CondKind::Any => {
                    let nothing = || unlabelled(StatementKind::Nop, span);
                    let rest = rest.take().unwrap_or_else(nothing);
                    StatementKind::Either(vec![vec![then], vec![rest]])
                }
                _ => StatementKind::If(
                    self.values.cond(&arm.cond)?,
                    Box::new(then),
                    rest.take().map(Box::new),
                ),
            };
            rest = Some(unlabelled(kind, span));
        }
        self.pending = labels;
        if let Some(statement) = rest {
            self.push(statement.kind, span, list);
        }
        Ok(())
    }

    fn block(&mut self, block: &Block) -> Statement {
        let mut list = self.list(block);
        if list.is_empty() {
            self.push(StatementKind::Nop, block.span, &mut list);
        }
        unlabelled(StatementKind::Block(list), block.span)
    }

    /// The statement that is written next has a label, if something goes there.
    fn mark(&mut self, label: String) {
        if self.used.contains(&label) {
            self.pending.push(label);
        }
    }

    /// A label for the statement that is written next.
    fn head(&mut self) -> String {
        let head = self.fresh("LOOP");
        self.pending.push(head.clone());
        head
    }

    /// The body of a loop, with the labels behind it and of its next turn.
    fn turn(&mut self, body: &Block, (behind, next): (&str, &str), list: &mut Vec<Statement>) {
        self.loops.push((behind.to_owned(), next.to_owned()));
        list.extend(self.list(body));
        self.loops.pop();
    }

    fn repeat_while(
        &mut self,
        cond: &Cond,
        body: &Block,
        span: Span,
        list: &mut Vec<Statement>,
    ) -> Result<(), Diagnostic> {
        let cond = match cond.kind {
            CondKind::Any => None,
            _ => Some(self.values.cond(cond)?),
        };
        let (head, behind) = (self.fresh("LOOP"), self.fresh("BEHIND"));
        let labels = std::mem::take(&mut self.pending);
        let mut inner = Vec::new();
        self.turn(body, (&behind, &head), &mut inner);
        if inner.is_empty() {
            self.push(StatementKind::Nop, span, &mut inner);
        }
        let kind = match cond {
            Some(cond) => {
                let body = unlabelled(StatementKind::Block(inner), span);
                StatementKind::While(cond, Box::new(body))
            }
            None => {
                self.push(goto(&head, span), span, &mut inner);
                self.used.insert(head.clone());
                let leave = vec![unlabelled(StatementKind::Nop, span)];
                StatementKind::Either(vec![inner, leave])
            }
        };
        self.pending = labels;
        self.mark(head);
        self.push(kind, span, list);
        self.mark(behind);
        Ok(())
    }

    fn repeat_do(
        &mut self,
        body: &Block,
        cond: &Cond,
        span: Span,
        list: &mut Vec<Statement>,
    ) -> Result<(), Diagnostic> {
        let head = self.head();
        let (behind, next) = (self.fresh("BEHIND"), self.fresh("NEXT"));
        self.turn(body, (&behind, &next), list);
        self.mark(next);
        let again = unlabelled(goto(&head, span), span);
        let kind = match cond.kind {
            CondKind::Any => {
                let nothing = || unlabelled(StatementKind::Nop, span);
                StatementKind::Either(vec![vec![nothing(), again], vec![nothing()]])
            }
            _ => StatementKind::If(self.values.cond(cond)?, Box::new(again), None),
        };
        self.push(kind, span, list);
        self.mark(behind);
        Ok(())
    }

    pub(super) fn choose(
        &self,
        register: &str,
        ends: (Option<i64>, Option<i64>),
        span: Span,
    ) -> Result<StatementKind, Diagnostic> {
        let range = ends.0.zip(ends.1);
        let range = range.filter(|(low, high)| high.saturating_sub(*low) < MAX_CHOICE);
        let Some((low, high)) = range else {
            let error = Diagnostic::error("this choice has too many values", span, "here");
            let note = format!("at most {MAX_CHOICE} values are written one by one");
            return Err(error.with_note(note));
        };
        let value = |value| {
            let set = StatementKind::Set(name_at(register, span), number_expr(value, span));
            vec![unlabelled(set, span)]
        };
        Ok(StatementKind::Either((low..=high).map(value).collect()))
    }

    /// A register of its own for a value.
    pub(super) fn temporary(&mut self) -> String {
        let locals = &self.values.symbols.threads[self.values.thread].locals;
        let mut name = "$seen".to_owned();
        while locals.contains_key(&name[1..]) {
            name.push('_');
        }
        self.temporaries.insert(name.clone());
        name
    }
}

pub(super) fn unlabelled(kind: StatementKind, span: Span) -> Statement {
    Statement {
        label: None,
        kind,
        span,
    }
}

/// The value of a register.
pub(super) fn register(name: &str, span: Span) -> Expr {
    place_expr(place(name, span))
}

fn goto(label: &str, span: Span) -> StatementKind {
    StatementKind::Goto(name_at(label, span))
}

pub(super) fn not_drained(span: Span) -> Diagnostic {
    Diagnostic::error("this atomic operation fits behind a fence alone", span, "no `fence;` stands right before it")
        .with_note("in Memorax it waits for all stores of the process, here under pso for those to its own variable alone: put `fence;` before it, which under sc and tso changes nothing")
}

/// Gives every `goto` the label that stands for its own.
fn rename(list: &mut [Statement], labels: &IndexMap<String, String>) {
    for statement in list {
        match &mut statement.kind {
            StatementKind::Goto(label) => {
                if let Some(own) = labels.get(&label.text) {
                    label.text.clone_from(own);
                }
            }
            StatementKind::Locked(lists) | StatementKind::Either(lists) => {
                lists.iter_mut().for_each(|list| rename(list, labels));
            }
            StatementKind::Block(list) => rename(list, labels),
            StatementKind::If(_, then, otherwise) => {
                rename(std::slice::from_mut(then), labels);
                if let Some(otherwise) = otherwise {
                    rename(std::slice::from_mut(otherwise), labels);
                }
            }
            StatementKind::While(_, body) => rename(std::slice::from_mut(body), labels),
            _ => {}
        }
    }
}
