//! A store that a thread marks, and what holds of the place where it may reach memory.
//!
//! The local `s` is [`MARK`] from just before the store of [`MARK`] to `X` until the thread leaves the location
//! behind it. So `X` has that value while the mark stands only there: a spec that names the location's labels
//! tells whether the location is that of the source.

use cupola::front::cup::ast::{
    Arm, CompareOp, Cond, CondKind, Expr, ExprKind, Item, ItemKind, Rhs, Spec, SpecKind, Stmt,
    StmtKind, ThreadRef,
};

use super::Random;
use super::build::{
    and, block, compare, cond, expr, item, local_of, name, not, num, or, place, stmt, var,
};

/// A value that random programs have nowhere else.
const MARK: usize = 5;

/// What `r` is behind a loop.
const DONE: usize = 7;

/// The labels of the locations at which the store may reach memory while the mark stands.
pub(super) const LABELS: [&str; 2] = ["behind", "further"];

/// A store with its mark in a block or behind one, and the location that follows with its labels.
pub(super) fn marked_store(random: &mut Random) -> Vec<Stmt> {
    let store = || vec![assign("s", num(MARK)), assign("X", num(MARK))];
    let unmark = || assign("s", num(0));
    let idle = || vec![stmt(StmtKind::Skip)];
    let either = || cond(CondKind::Any);
    let repeat = || compare(CompareOp::Ne, var("r"), num(DONE));
    let [behind, further] = LABELS;
    let with_else = |then, otherwise| {
        let arm = Arm {
            cond: either(),
            block: block(then),
        };
        stmt(StmtKind::If(vec![arm], Some(block(otherwise))))
    };
    match random.below(6) {
        0 => [store(), vec![labelled(&LABELS, unmark())]].concat(),
        1 => vec![with_else(store(), idle()), labelled(&LABELS, unmark())],
        2 => vec![with_else(idle(), store()), labelled(&LABELS, unmark())],
        3 => {
            let body = [vec![assign("r", num(DONE))], store()].concat();
            let head = stmt(StmtKind::While(repeat(), block(body)));
            vec![labelled(&[behind], head), labelled(&[further], unmark())]
        }
        4 => {
            let inner = labelled(&[further], unmark());
            let body = StmtKind::DoWhile(
                block(vec![inner]),
                compare(CompareOp::Eq, var("r"), num(DONE)),
            );
            [store(), vec![labelled(&[behind], stmt(body))]].concat()
        }
        _ => {
            let section = stmt(StmtKind::Atomic(block(store())));
            vec![section, labelled(&LABELS, unmark())]
        }
    }
}

/// That the store reaches memory with the mark standing only at this label, or only at one of both.
pub(super) fn marked_spec(random: &mut Random, thread: &ThreadRef, label: &str) -> Item {
    let mark: Expr = expr(ExprKind::Place(local_of(thread.clone(), "s")));
    let is_there = |left, right| [left, right].map(|side| compare(CompareOp::Eq, side, num(MARK)));
    let [marked, stored] = is_there(mark, var("X"));
    let at = |label: &str| cond(CondKind::At(thread.clone(), name(label)));
    let [behind, further] = LABELS;
    let places: Cond = match random.one_in(2) {
        true => at(label),
        false => or(at(behind), at(further)),
    };
    let (kind, cond) = match random.one_in(2) {
        true => (SpecKind::Forbid, and(and(marked, stored), not(places))),
        false => (
            SpecKind::Invariant,
            or(or(not(marked), not(stored)), places),
        ),
    };
    item(ItemKind::Spec(Spec {
        kind,
        name: None,
        cond,
    }))
}

fn assign(to: &str, value: Expr) -> Stmt {
    stmt(StmtKind::Assign(place(to), Rhs::Expr(value)))
}

fn labelled(labels: &[&str], stmt: Stmt) -> Stmt {
    Stmt {
        labels: labels.iter().map(|label| name(label)).collect(),
        ..stmt
    }
}
