//! Every span of a tree, to erase them where two trees are compared.

use super::ast::{
    Block, Cond, CondKind, ConstDecl, Expr, ExprKind, Init, Item, ItemKind, Name, Place, Rhs, Span,
    Spec, Stmt, StmtKind, Thread, ThreadRef, Tree, VarDecl,
};

impl Tree {
    /// The same tree with all spans at the beginning of the file: two trees that differ in nothing
    /// else become equal.
    #[must_use]
    pub fn without_spans(mut self) -> Tree {
        self.items.iter_mut().for_each(item);
        self
    }
}

fn erase(span: &mut Span) {
    *span = Span::default();
}

fn name(name: &mut Name) {
    erase(&mut name.span);
}

fn item(item: &mut Item) {
    erase(&mut item.span);
    match &mut item.kind {
        ItemKind::Const(constants) => constants.iter_mut().for_each(constant),
        ItemKind::Shared(vars) => vars.iter_mut().for_each(var),
        ItemKind::Thread(inner) => thread(inner),
        ItemKind::Placement(placement) => placement.places.iter_mut().for_each(name),
        ItemKind::Spec(inner) => spec(inner),
    }
}

fn constant(constant: &mut ConstDecl) {
    erase(&mut constant.span);
    name(&mut constant.name);
    expr(&mut constant.value);
}

fn var(var: &mut VarDecl) {
    erase(&mut var.span);
    name(&mut var.name);
    var.size.iter_mut().for_each(expr);
    match &mut var.init {
        None => {}
        Some(Init::Value(value)) => expr(value),
        Some(Init::Range(low, high)) => {
            expr(low);
            expr(high);
        }
        Some(Init::Any(span)) => erase(span),
        Some(Init::List(values, span)) => {
            erase(span);
            values.iter_mut().for_each(expr);
        }
    }
}

fn spec(spec: &mut Spec) {
    spec.name.iter_mut().for_each(name);
    cond(&mut spec.cond);
}

fn thread(thread: &mut Thread) {
    name(&mut thread.name);
    thread.copies.iter_mut().for_each(expr);
    for line in &mut thread.locals {
        erase(&mut line.span);
        line.vars.iter_mut().for_each(var);
    }
    for line in &mut thread.fifos {
        erase(&mut line.span);
        name(&mut line.name);
        line.fields.iter_mut().for_each(name);
    }
    for background in &mut thread.backgrounds {
        erase(&mut background.span);
        block(&mut background.body);
    }
    block(&mut thread.body);
}

fn block(block: &mut Block) {
    erase(&mut block.span);
    block.stmts.iter_mut().for_each(stmt);
}

fn stmt(stmt: &mut Stmt) {
    erase(&mut stmt.span);
    stmt.start = 0;
    stmt.labels.iter_mut().for_each(name);
    match &mut stmt.kind {
        StmtKind::Assign(target, value) => {
            place(target);
            rhs(value);
        }
        StmtKind::Append(fifo, values) => {
            name(fifo);
            values.iter_mut().for_each(expr);
        }
        StmtKind::OptionalFence(inner) | StmtKind::Goto(inner) | StmtKind::Pop(inner) => {
            name(inner);
        }
        StmtKind::Assume(inner) | StmtKind::Assert(inner, _) => cond(inner),
        StmtKind::If(arms, otherwise) => {
            for arm in arms {
                cond(&mut arm.cond);
                block(&mut arm.block);
            }
            otherwise.iter_mut().for_each(block);
        }
        StmtKind::While(guard, body) | StmtKind::DoWhile(body, guard) => {
            cond(guard);
            block(body);
        }
        StmtKind::Loop(body) | StmtKind::Atomic(body) => block(body),
        StmtKind::Fence | StmtKind::Skip | StmtKind::Break | StmtKind::Continue => {}
    }
}

fn rhs(rhs: &mut Rhs) {
    match rhs {
        Rhs::Any(span) => erase(span),
        Rhs::Choose(low, high) => {
            expr(low);
            expr(high);
        }
        Rhs::Expr(inner) => expr(inner),
        Rhs::Cas(target, expected, new) => {
            place(target);
            expr(expected);
            expr(new);
        }
        Rhs::Swap(target, argument) | Rhs::FetchAdd(target, argument) => {
            place(target);
            expr(argument);
        }
    }
}

fn place(place: &mut Place) {
    erase(&mut place.span);
    name(&mut place.name);
    place.thread.iter_mut().for_each(thread_ref);
    if let Some(index) = &mut place.index {
        expr(index);
    }
}

fn thread_ref(thread: &mut ThreadRef) {
    erase(&mut thread.span);
    name(&mut thread.name);
    if let Some(copy) = &mut thread.copy {
        expr(copy);
    }
}

fn expr(inner: &mut Expr) {
    erase(&mut inner.span);
    match &mut inner.kind {
        ExprKind::Num(_) | ExprKind::Tid => {}
        ExprKind::Place(inner) => place(inner),
        ExprKind::Neg(inner) => expr(inner),
        ExprKind::Binary(_, left, right) => {
            expr(left);
            expr(right);
        }
    }
}

fn cond(inner: &mut Cond) {
    erase(&mut inner.span);
    match &mut inner.kind {
        CondKind::True | CondKind::False | CondKind::Any => {}
        CondKind::Not(inner) => cond(inner),
        CondKind::And(left, right) | CondKind::Or(left, right) => {
            cond(left);
            cond(right);
        }
        CondKind::Compare(_, left, right) => {
            expr(left);
            expr(right);
        }
        CondKind::At(thread, label) => {
            thread_ref(thread);
            name(label);
        }
    }
}
