//! A program of Memorax as a program of the input language.
//!
//! Input: a [`Model`]. Output: a [`Tree`] that obeys all static rules, or a diagnostic for each rule of Memorax
//! that the program breaks. `docs/rmm.md` has the table of statements and why each is exact.
//!
//! What blocks in Memorax, a value outside a domain or a load of another value, is an `assume`. Where it
//! depends on a load, both stand in an atomic section of one shared access: a thread that is stuck there
//! stops the whole execution, which loses no state, since it might have waited before.
//! Locked blocks are in `locked`.

mod locked;
mod registers;

use indexmap::IndexSet;

use crate::front::build::{
    all, assign, block, compare, item, name_at, number_expr, place, place_expr, stmt, thread_ref,
};
use crate::front::cup::ast::{
    Arm, CompareOp, Cond, CondKind, Expr, ExprKind, Init, Item, ItemKind, LocalLine, Name, Rhs,
    Spec, SpecKind, Stmt, StmtKind, Thread, Tree, Trivia, VarDecl,
};
use crate::front::cup::suggest::closest;
use crate::source::{Diagnostic, Span};

use super::domain::Interval;
use super::names::{Declared, Names, OwnNames, thread_name};
use super::syntax::{Domain, Memory, MemoryKind, Model, Row, Statement, StatementKind};

/// The program of a model.
pub fn translate(model: &Model) -> Result<Tree, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let names = Names::new(model, &mut diagnostics);
    let mut items: Vec<Item> = shared(&names).into_iter().collect();
    let mut own = Vec::new();
    for number in 0..names.processes.len() {
        let process_names = names.own(number, &mut diagnostics);
        let mut writer = Writer {
            names: &names,
            own: &process_names,
            number,
            pending: Vec::new(),
            uses_scratch: false,
            diagnostics: &mut diagnostics,
        };
        items.push(writer.thread());
        own.push(process_names);
    }
    let several = model.forbidden.len() > 1;
    for (number, row) in model.forbidden.iter().enumerate() {
        let name = if several {
            format!("forbidden_{}", number + 1)
        } else {
            "forbidden".to_owned()
        };
        let spec = spec(row, &name, &own, &mut diagnostics);
        items.extend(spec.map(|mut item| {
            item.trivia.blank_before = number == 0;
            item
        }));
    }
    // Copies of a process have the same mistakes.
    let mut seen = IndexSet::new();
    diagnostics.retain(|found| seen.insert((found.primary.0, found.message.clone())));
    diagnostics.sort_by_key(|found| found.primary.0);
    match diagnostics.is_empty() {
        true => Ok(Tree {
            items,
            end_comments: Vec::new(),
        }),
        false => Err(diagnostics),
    }
}

fn shared(names: &Names<'_>) -> Option<Item> {
    let declared = names.globals.values().chain(names.owned.values());
    let vars: Vec<VarDecl> = declared.map(|declared| variable(declared, true)).collect();
    let is_any = !vars.is_empty();
    is_any.then(|| item(ItemKind::Shared(vars), Vec::new(), Span::default()))
}

/// A declaration; what starts with any value may start with one alone if nothing depends on it.
fn variable(declared: &Declared, matters: bool) -> VarDecl {
    let span = Span::default();
    let number = |value| number_expr(value, span);
    let init = match (declared.initial, declared.domain) {
        (Some(value), _) => Some(Init::Value(number(value))),
        (None, Domain::Range(low, high)) if low == high || !matters => {
            Some(Init::Value(number(low)))
        }
        (None, Domain::Range(low, high)) => Some(Init::Range(number(low), number(high))),
        (None, Domain::Integers) if !matters => None,
        (None, Domain::Integers) => Some(Init::Any(span)),
    };
    VarDecl {
        name: name_at(&declared.name, span),
        size: None,
        init: init.filter(|init| *init != Init::Value(number(0))),
        span,
    }
}

fn spec(
    row: &Row,
    name: &str,
    own: &[OwnNames<'_>],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Item> {
    if row.labels.len() != own.len() {
        let labels = counted(row.labels.len(), "label");
        let processes = counted(own.len(), "process");
        let message = format!("this state has {labels}, but there {processes}");
        let error = Diagnostic::error(message, row.span, "one label for each process");
        let note = "write `*` for a process that may be anywhere, and `;` between two states";
        diagnostics.push(error.with_note(note));
        return None;
    }
    let mut conds = Vec::new();
    for (number, (label, names)) in row.labels.iter().zip(own).enumerate() {
        let Some(label) = label else {
            continue;
        };
        let Some(known) = names.labels.get(label.text.as_str()) else {
            diagnostics.push(unknown_label(label, number, names));
            continue;
        };
        let thread = thread_ref(&thread_name(number), label.span);
        let kind = CondKind::At(thread, name_at(known, label.span));
        conds.push(Cond {
            kind,
            span: label.span,
        });
    }
    let spec = Spec {
        kind: SpecKind::Forbid,
        name: Some(name_at(name, row.span)),
        cond: all(conds, row.span),
    };
    Some(item(ItemKind::Spec(spec), Vec::new(), row.span))
}

/// `1 label`, `2 labels`, `are 2 processes`.
fn counted(number: usize, what: &str) -> String {
    match (number, what) {
        (1, "process") => "is 1 process".to_owned(),
        (_, "process") => format!("are {number} processes"),
        (1, _) => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

fn unknown_label(label: &Name, process: usize, names: &OwnNames<'_>) -> Diagnostic {
    let message = format!("process {process} has no label `{}`", label.text);
    let error = Diagnostic::error(message, label.span, "unknown label");
    let known: Vec<&str> = names.labels.keys().copied().collect();
    error.with_note(match closest(&label.text, known.iter().copied()) {
        Some(known) => format!("did you mean `{known}`?"),
        None if known.is_empty() => "it has no labels: write `NAME:` before a statement".to_owned(),
        None => format!("its labels are {}", known.join(", ")),
    })
}

/// Writes the thread of a process.
struct Writer<'w, 'm> {
    names: &'w Names<'m>,
    own: &'w OwnNames<'m>,
    number: usize,
    /// Labels of the statement that is written next.
    pending: Vec<Name>,
    uses_scratch: bool,
    diagnostics: &'w mut Vec<Diagnostic>,
}

impl Writer<'_, '_> {
    fn thread(&mut self) -> Item {
        let process = self.names.processes[self.number];
        let stmts = self.list(&process.body);
        let read = registers::read_before_set(process);
        let registers = self.own.registers.iter();
        let mut vars: Vec<VarDecl> = registers
            .map(|(name, declared)| variable(declared, read.contains(*name)))
            .collect();
        if self.uses_scratch {
            vars.push(VarDecl {
                name: name_at(&self.own.scratch, process.span),
                size: None,
                init: None,
                span: process.span,
            });
        }
        let locals = (!vars.is_empty()).then(|| LocalLine {
            vars,
            trivia: Trivia::default(),
            span: process.span,
        });
        let thread = Thread {
            name: name_at(&thread_name(self.number), process.span),
            copies: None,
            locals: locals.into_iter().collect(),
            fifos: Vec::new(),
            backgrounds: Vec::new(),
            body: block(stmts, process.span),
        };
        item(ItemKind::Thread(thread), Vec::new(), process.span)
    }

    fn list(&mut self, statements: &[Statement]) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for statement in statements {
            self.statement(statement, &mut stmts);
        }
        stmts
    }

    /// Adds a statement, with the labels that belong to it.
    fn push(&mut self, kind: StmtKind, span: Span, stmts: &mut Vec<Stmt>) {
        stmts.push(Stmt {
            labels: std::mem::take(&mut self.pending),
            ..stmt(kind, span)
        });
    }

    fn statement(&mut self, statement: &Statement, stmts: &mut Vec<Stmt>) {
        let span = statement.span;
        if let Some(label) = &statement.label {
            let own = self.own.labels.get(label.text.as_str());
            self.pending
                .extend(own.map(|name| name_at(name, label.span)));
        }
        match &statement.kind {
            StatementKind::Nop | StatementKind::LoadFence => self.push(StmtKind::Skip, span, stmts),
            StatementKind::Fence => self.push(StmtKind::Fence, span, stmts),
            StatementKind::Assume(cond) => {
                let cond = self.cond(cond);
                self.push(StmtKind::Assume(cond), span, stmts);
            }
            StatementKind::Set(register, value) => self.set(register, value, span, stmts),
            StatementKind::Goto(label) => self.goto(label, span, stmts),
            StatementKind::Block(list) => {
                list.iter().for_each(|inner| self.statement(inner, stmts));
            }
            StatementKind::If(cond, then, otherwise) => {
                self.branch(cond, (then, otherwise.as_deref()), span, stmts);
            }
            StatementKind::While(cond, body) => {
                let cond = self.cond(cond);
                let labels = std::mem::take(&mut self.pending);
                let body = self.list(std::slice::from_ref(body));
                self.pending = labels;
                self.push(StmtKind::While(cond, block(body, span)), span, stmts);
            }
            StatementKind::Either(lists) => self.either(lists, span, stmts),
            StatementKind::Locked(lists) => self.locked(lists, span, stmts),
            StatementKind::ReadEqual(memory, _)
            | StatementKind::ReadTo(_, memory)
            | StatementKind::Write(memory, _)
            | StatementKind::LockedWrite(memory, _)
            | StatementKind::Cas(memory, ..) => {
                self.access(&statement.kind, memory, span, stmts);
            }
        }
    }

    fn set(&mut self, register: &Name, value: &Expr, span: Span, stmts: &mut Vec<Stmt>) {
        let Some(target) = self.register(register) else {
            return;
        };
        self.guard(value, target.domain, stmts);
        let value = self.expr(value);
        self.push(assign(place(&target.name, span), value), span, stmts);
    }

    fn goto(&mut self, label: &Name, span: Span, stmts: &mut Vec<Stmt>) {
        match self.own.labels.get(label.text.as_str()) {
            Some(own) => {
                let target = name_at(own, label.span);
                self.push(StmtKind::Goto(target), span, stmts);
            }
            None => {
                let error = unknown_label(label, self.number, self.own);
                self.diagnostics.push(error);
            }
        }
    }

    fn branch(
        &mut self,
        cond: &Cond,
        (then, otherwise): (&Statement, Option<&Statement>),
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) {
        let cond = self.cond(cond);
        let labels = std::mem::take(&mut self.pending);
        let then = self.list(std::slice::from_ref(then));
        let otherwise = otherwise.map(|inner| self.list(std::slice::from_ref(inner)));
        self.pending = labels;
        let arms = vec![Arm {
            cond,
            block: block(then, span),
        }];
        let otherwise = otherwise.map(|stmts| block(stmts, span));
        self.push(StmtKind::If(arms, otherwise), span, stmts);
    }

    fn either(&mut self, lists: &[Vec<Statement>], span: Span, stmts: &mut Vec<Stmt>) {
        if let [only] = lists {
            only.iter().for_each(|inner| self.statement(inner, stmts));
            return;
        }
        let labels = std::mem::take(&mut self.pending);
        let blocks: Vec<Vec<Stmt>> = lists.iter().map(|list| self.list(list)).collect();
        self.pending = labels;
        self.push(choice(blocks, span), span, stmts);
    }

    /// An access to memory: through a pointer, the one that it points to.
    fn access(&mut self, kind: &StatementKind, memory: &Memory, span: Span, stmts: &mut Vec<Stmt>) {
        let MemoryKind::Pointer(pointer) = &memory.kind else {
            match self.names.memory(self.number, memory) {
                Ok(declared) => self.access_to(kind, &declared.clone(), span, stmts),
                Err(error) => self.diagnostics.push(error),
            }
            return;
        };
        let interval = self.interval(pointer);
        let targets: Vec<(i64, Declared)> = (0_i64..)
            .zip(self.names.globals.values().cloned())
            .filter(|(number, _)| interval.may_be(*number))
            .collect();
        if targets.is_empty() {
            let message = "this pointer points to no memory location";
            let count = self.names.globals.len();
            let note = format!("it counts the global memory locations from 0; there are {count}");
            let error = Diagnostic::error(message, memory.span, "out of range");
            self.diagnostics.push(error.with_note(note));
            return;
        }
        if let ExprKind::Num(_) = pointer.kind {
            self.access_to(kind, &targets[0].1, span, stmts);
            return;
        }
        let labels = std::mem::take(&mut self.pending);
        let mut arms = Vec::new();
        for (number, target) in &targets {
            let mut inner = Vec::new();
            self.access_to(kind, target, span, &mut inner);
            let number = number_expr(*number, pointer.span);
            let cond = compare(CompareOp::Eq, self.expr(pointer), number, pointer.span);
            arms.push(Arm {
                cond,
                block: block(inner, span),
            });
        }
        self.pending = labels;
        let last = i64::try_from(self.names.globals.len()).unwrap_or(i64::MAX) - 1;
        let otherwise = match interval.lies_in(Domain::Range(0, last)) {
            true => arms.pop().map(|arm| arm.block),
            false => Some(block(vec![stmt(StmtKind::Assume(never(span)), span)], span)),
        };
        match (arms.is_empty(), otherwise) {
            (true, Some(only)) => {
                for (at, mut inner) in only.stmts.into_iter().enumerate() {
                    if at == 0 {
                        inner.labels = std::mem::take(&mut self.pending);
                    }
                    stmts.push(inner);
                }
            }
            (_, otherwise) => self.push(StmtKind::If(arms, otherwise), span, stmts),
        }
    }

    /// An access to a variable outside locked blocks.
    fn access_to(
        &mut self,
        kind: &StatementKind,
        target: &Declared,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) {
        let shared = place(&target.name, span);
        match kind {
            StatementKind::ReadEqual(_, value) => {
                let section = self.read_equal(target, value, span);
                self.push(StmtKind::Atomic(block(section, span)), span, stmts);
            }
            StatementKind::ReadTo(register, _) => {
                let Some(section) = self.read_to(register, target, span) else {
                    return;
                };
                match <[Stmt; 1]>::try_from(section) {
                    Ok([load]) => self.push(load.kind, span, stmts),
                    Err(section) => {
                        self.push(StmtKind::Atomic(block(section, span)), span, stmts);
                    }
                }
            }
            StatementKind::Write(_, value) => {
                self.guard(value, target.domain, stmts);
                let value = self.expr(value);
                self.push(assign(shared, value), span, stmts);
            }
            StatementKind::LockedWrite(_, value) => {
                self.guard(value, target.domain, stmts);
                let value = self.expr(value);
                self.push(StmtKind::Fence, span, stmts);
                self.push(assign(shared, value), span, stmts);
                self.push(StmtKind::Fence, span, stmts);
            }
            StatementKind::Cas(_, expected, new) => {
                self.guard(new, target.domain, stmts);
                let section = self.compare_and_swap(target, (expected, new), span);
                self.push(StmtKind::Fence, span, stmts);
                self.push(StmtKind::Atomic(block(section, span)), span, stmts);
            }
            _ => unreachable!("the statement accesses no memory"),
        }
    }

    /// `seen = x; assume(seen == e); seen = 0;`
    fn read_equal(&mut self, target: &Declared, value: &Expr, span: Span) -> Vec<Stmt> {
        let load = Rhs::Expr(place_expr(place(&target.name, span)));
        let value = self.expr(value);
        self.seen(load, value, span)
    }

    /// `seen = cas(x, e, f); assume(seen == 1); seen = 0;`
    fn compare_and_swap(
        &mut self,
        target: &Declared,
        (expected, new): (&Expr, &Expr),
        span: Span,
    ) -> Vec<Stmt> {
        let (expected, new) = (self.expr(expected), self.expr(new));
        let swap = Rhs::Cas(place(&target.name, span), expected, new);
        self.seen(swap, number_expr(1, span), span)
    }

    /// Takes a value, waits for it to be `wanted`, and forgets it.
    fn seen(&mut self, taken: Rhs, wanted: Expr, span: Span) -> Vec<Stmt> {
        self.uses_scratch = true;
        let scratch = || place(&self.own.scratch, span);
        let same = compare(CompareOp::Eq, place_expr(scratch()), wanted, span);
        vec![
            stmt(StmtKind::Assign(scratch(), taken), span),
            stmt(StmtKind::Assume(same), span),
            stmt(assign(scratch(), number_expr(0, span)), span),
        ]
    }

    /// `r = x;`, and the condition that its value is in the register's domain if it may not be.
    fn read_to(&mut self, register: &Name, target: &Declared, span: Span) -> Option<Vec<Stmt>> {
        let register = self.register(register)?;
        let local = place(&register.name, span);
        let load = assign(local.clone(), place_expr(place(&target.name, span)));
        let values = Interval::from(target.domain);
        let guard = values.guard(&place_expr(local), register.domain);
        let guard = guard.map(|cond| stmt(StmtKind::Assume(cond), span));
        Some(std::iter::once(stmt(load, span)).chain(guard).collect())
    }

    /// Waits until a value is in a domain, unless it always is.
    fn guard(&mut self, value: &Expr, domain: Domain, stmts: &mut Vec<Stmt>) {
        if let Some(cond) = self.interval(value).guard(value, domain) {
            let cond = self.cond(&cond);
            self.push(StmtKind::Assume(cond), value.span, stmts);
        }
    }

    fn interval(&self, expr: &Expr) -> Interval {
        Interval::of(expr, &|register| {
            let declared = self.own.registers.get(register);
            declared.map_or(Domain::Integers, |declared| declared.domain)
        })
    }

    fn register(&mut self, register: &Name) -> Option<Declared> {
        let declared = self.own.registers.get(register.text.as_str());
        if declared.is_none() {
            let message = format!("this process has no register `{}`", register.text);
            let error = Diagnostic::error(message, register.span, "unknown register");
            let known = closest(&register.text, self.own.registers.keys().copied());
            self.diagnostics.push(error.with_note(match known {
                Some(known) => format!("did you mean `{known}`?"),
                None => "declare it behind `registers`".to_owned(),
            }));
        }
        declared.cloned()
    }

    /// The expression with locals for registers.
    fn expr(&mut self, expr: &Expr) -> Expr {
        let kind = match &expr.kind {
            ExprKind::Place(register) => {
                let declared = self.register(&register.name);
                let name = declared.map_or(String::new(), |declared| declared.name);
                ExprKind::Place(place(&name, expr.span))
            }
            ExprKind::Neg(inner) => ExprKind::Neg(Box::new(self.expr(inner))),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                ExprKind::Binary(*op, Box::new(left), Box::new(right))
            }
            ExprKind::Num(_) | ExprKind::Tid => expr.kind.clone(),
        };
        Expr {
            kind,
            span: expr.span,
        }
    }

    /// The condition with locals for registers.
    fn cond(&mut self, cond: &Cond) -> Cond {
        let kind = match &cond.kind {
            CondKind::Not(inner) => CondKind::Not(Box::new(self.cond(inner))),
            CondKind::And(left, right) => {
                CondKind::And(Box::new(self.cond(left)), Box::new(self.cond(right)))
            }
            CondKind::Or(left, right) => {
                CondKind::Or(Box::new(self.cond(left)), Box::new(self.cond(right)))
            }
            CondKind::Compare(op, left, right) => {
                CondKind::Compare(*op, self.expr(left), self.expr(right))
            }
            CondKind::True | CondKind::False | CondKind::Any | CondKind::At(..) => {
                cond.kind.clone()
            }
        };
        Cond {
            kind,
            span: cond.span,
        }
    }
}

/// One of several blocks, whichever.
fn choice(mut blocks: Vec<Vec<Stmt>>, span: Span) -> StmtKind {
    let any = || Cond {
        kind: CondKind::Any,
        span,
    };
    let last = blocks.pop().map(|stmts| block(stmts, span));
    let arm = |stmts| Arm {
        cond: any(),
        block: block(stmts, span),
    };
    StmtKind::If(blocks.into_iter().map(arm).collect(), last)
}

fn never(span: Span) -> Cond {
    Cond {
        kind: CondKind::False,
        span,
    }
}
