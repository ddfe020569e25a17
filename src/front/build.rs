//! Pieces of syntax trees, for the formats that are translated.
//!
//! Every piece carries the span that it is given. Not here: the pieces of reduced programs, which also say
//! what they stand for.

use indexmap::IndexSet;

use super::cup::ast::{
    Block, CompareOp, Cond, CondKind, Expr, ExprKind, Item, ItemKind, Mark, Name, Place, Rhs, Span,
    Stmt, StmtKind, ThreadRef, Trivia,
};
use super::cup::is_name;

/// An item with comments before it, behind an empty line.
pub(super) fn item(kind: ItemKind, comments: Vec<String>, span: Span) -> Item {
    let trivia = Trivia {
        blank_before: true,
        leading: comments,
        trailing: Vec::new(),
    };
    Item { kind, trivia, span }
}

/// A statement without labels.
pub(super) fn stmt(kind: StmtKind, span: Span) -> Stmt {
    Stmt {
        labels: Vec::new(),
        kind,
        trivia: Trivia::default(),
        span,
        start: span.start,
        mark: Mark::default(),
    }
}

/// `{ … }`
pub(super) fn block(stmts: Vec<Stmt>, span: Span) -> Block {
    Block {
        stmts,
        span,
        ..Block::default()
    }
}

/// `target = source;`
pub(super) fn assign(target: Place, source: Expr) -> StmtKind {
    StmtKind::Assign(target, Rhs::Expr(source))
}

/// An identifier.
pub(super) fn name_at(text: &str, span: Span) -> Name {
    Name {
        text: text.to_owned(),
        span,
    }
}

/// A scalar.
pub(super) fn place(name: &str, span: Span) -> Place {
    Place {
        thread: None,
        name: name_at(name, span),
        index: None,
        span,
    }
}

/// A local of a thread, as properties name it.
pub(super) fn place_of(thread: &str, name: &str, span: Span) -> Place {
    Place {
        thread: Some(thread_ref(thread, span)),
        ..place(name, span)
    }
}

/// A thread, as properties name it.
pub(super) fn thread_ref(thread: &str, span: Span) -> ThreadRef {
    ThreadRef {
        name: name_at(thread, span),
        copy: None,
        span,
    }
}

/// The value of a place.
pub(super) fn place_expr(place: Place) -> Expr {
    Expr {
        span: place.span,
        kind: ExprKind::Place(place),
    }
}

/// A number; the parser makes a negative one the negation of another.
pub(super) fn number_expr(number: i64, span: Span) -> Expr {
    let expr = |kind| Expr { kind, span };
    match number.checked_neg() {
        Some(magnitude) if number < 0 => {
            expr(ExprKind::Neg(Box::new(expr(ExprKind::Num(magnitude)))))
        }
        _ => expr(ExprKind::Num(number)),
    }
}

/// `left op right`
pub(super) fn compare(op: CompareOp, left: Expr, right: Expr, span: Span) -> Cond {
    Cond {
        kind: CondKind::Compare(op, left, right),
        span,
    }
}

/// All of these conditions; `true` if there are none.
pub(super) fn all(conds: Vec<Cond>, span: Span) -> Cond {
    let both = |left, right| Cond {
        kind: CondKind::And(Box::new(left), Box::new(right)),
        span,
    };
    let always = Cond {
        kind: CondKind::True,
        span,
    };
    conds.into_iter().reduce(both).unwrap_or(always)
}

/// A name like `wanted` that the language allows and that is not taken yet; takes it.
pub(super) fn unused(wanted: &str, taken: &mut IndexSet<String>) -> String {
    unused_where(wanted, taken, is_name)
}

/// The same in another language, which allows what `is_allowed` says of names of letters, digits and `_`.
pub(super) fn unused_where(
    wanted: &str,
    taken: &mut IndexSet<String>,
    is_allowed: impl Fn(&str) -> bool,
) -> String {
    let allowed = |character: char| match character.is_ascii_alphanumeric() {
        true => character,
        false => '_',
    };
    let mut name: String = wanted.chars().map(allowed).collect();
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        name.insert(0, '_');
    }
    while !is_allowed(&name) || taken.contains(&name) {
        name.push('_');
    }
    taken.insert(name.clone());
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_where_they_can_be() {
        let mut taken = IndexSet::from(["P0".to_owned()]);
        assert_eq!(unused("x", &mut taken), "x");
        assert_eq!(unused("x", &mut taken), "x_");
        assert_eq!(unused("P0", &mut taken), "P0_");
        assert_eq!(unused("skip", &mut taken), "skip_");
        assert_eq!(unused("a.b-c/d", &mut taken), "a_b_c_d");
        assert_eq!(unused("a_b-c_d", &mut taken), "a_b_c_d_");
        assert_eq!(unused("", &mut taken), "_");
    }
}
