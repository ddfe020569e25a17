//! Short ways to write pieces of a syntax tree without spans.

use cupola::front::cup::ast::{
    ArithOp, Block, CompareOp, Cond, CondKind, Expr, ExprKind, Item, ItemKind, Mark, Name, Place,
    Span, Stmt, StmtKind, ThreadRef, Trivia,
};

pub fn name(text: &str) -> Name {
    Name {
        text: text.to_owned(),
        span: Span::default(),
    }
}

pub fn place(text: &str) -> Place {
    Place {
        thread: None,
        name: name(text),
        index: None,
        span: Span::default(),
    }
}

pub fn indexed(text: &str, index: Expr) -> Place {
    Place {
        index: Some(Box::new(index)),
        ..place(text)
    }
}

pub fn local_of(thread: ThreadRef, text: &str) -> Place {
    Place {
        thread: Some(thread),
        ..place(text)
    }
}

pub fn thread_ref(text: &str, copy: Option<usize>) -> ThreadRef {
    ThreadRef {
        name: name(text),
        copy: copy.map(|copy| Box::new(num(copy))),
        span: Span::default(),
    }
}

pub fn expr(kind: ExprKind) -> Expr {
    Expr {
        kind,
        span: Span::default(),
    }
}

pub fn num(value: usize) -> Expr {
    expr(ExprKind::Num(value as i64))
}

pub fn var(text: &str) -> Expr {
    expr(ExprKind::Place(place(text)))
}

pub fn binary(op: ArithOp, left: Expr, right: Expr) -> Expr {
    expr(ExprKind::Binary(op, Box::new(left), Box::new(right)))
}

pub fn neg(inner: Expr) -> Expr {
    expr(ExprKind::Neg(Box::new(inner)))
}

pub fn cond(kind: CondKind) -> Cond {
    Cond {
        kind,
        span: Span::default(),
    }
}

pub fn compare(op: CompareOp, left: Expr, right: Expr) -> Cond {
    cond(CondKind::Compare(op, left, right))
}

pub fn not(inner: Cond) -> Cond {
    cond(CondKind::Not(Box::new(inner)))
}

pub fn and(left: Cond, right: Cond) -> Cond {
    cond(CondKind::And(Box::new(left), Box::new(right)))
}

pub fn or(left: Cond, right: Cond) -> Cond {
    cond(CondKind::Or(Box::new(left), Box::new(right)))
}

pub fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        labels: Vec::new(),
        kind,
        trivia: Trivia::default(),
        span: Span::default(),
        start: 0,
        mark: Mark::default(),
    }
}

pub fn block(stmts: Vec<Stmt>) -> Block {
    Block {
        stmts,
        ..Block::default()
    }
}

pub fn item(kind: ItemKind) -> Item {
    Item {
        kind,
        trivia: Trivia::default(),
        span: Span::default(),
    }
}
