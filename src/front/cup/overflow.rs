//! Finds the overflow checks of a printed reduced program again.
//!
//! A reduction marks the assertion that no buffer is full, and no stage asks for more than the mark. A
//! reduced program that was printed and is read back from a file has lost it. So reading, and only
//! reading, marks what has the printed form: `assert(overflow == 0, "overflow");` over a shared
//! variable `overflow`, underscores may follow, with `assume(false);` behind it. A program that has these
//! statements written by hand gets `unknown` where they fail, never `verified`.

use super::ast::{Block, CompareOp, Cond, CondKind, ExprKind, ItemKind, Stmt, StmtKind};
use super::check::Checked;
use super::symbols::{Meaning, Scope, Symbols};

/// The message of an overflow check.
pub(crate) const MESSAGE: &str = "overflow";

/// Marks the overflow checks of a program.
pub(super) fn mark_checks(checked: &mut Checked) {
    let Checked { tree, symbols, .. } = checked;
    for item in &mut tree.items {
        if let ItemKind::Thread(thread) = &mut item.kind {
            let name = &thread.name.text;
            mark_block(symbols, name, &mut thread.body);
            for background in &mut thread.backgrounds {
                mark_block(symbols, name, &mut background.body);
            }
        }
    }
}

fn mark_block(symbols: &Symbols, thread: &str, block: &mut Block) {
    let stops: Vec<bool> = block.stmts.iter().skip(1).map(stops).collect();
    for (stmt, stops) in block.stmts.iter_mut().zip(stops) {
        stmt.mark.overflow = stops && is_check(symbols, thread, &stmt.kind);
    }
    let inner = block.stmts.iter_mut();
    for block in inner.flat_map(|stmt| stmt.kind.blocks_mut()) {
        mark_block(symbols, thread, block);
    }
}

fn stops(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Assume(cond) if cond.kind == CondKind::False)
}

fn is_check(symbols: &Symbols, thread: &str, kind: &StmtKind) -> bool {
    match kind {
        StmtKind::Assert(cond, Some(message)) if message == MESSAGE => {
            is_flag_test(symbols, thread, cond)
        }
        _ => false,
    }
}

/// Whether a condition is `overflow == 0`.
fn is_flag_test(symbols: &Symbols, thread: &str, cond: &Cond) -> bool {
    let CondKind::Compare(CompareOp::Eq, left, right) = &cond.kind else {
        return false;
    };
    let ExprKind::Place(place) = &left.kind else {
        return false;
    };
    let name = &place.name.text;
    let is_shared = matches!(
        symbols.meaning(Some(thread), name),
        Some(Meaning::Scalar(Scope::Shared, _))
    );
    is_shared && name.trim_end_matches('_') == "overflow" && right.kind == ExprKind::Num(0)
}
