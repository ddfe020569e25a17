//! Numbers the statements of a source, so that its steps can be found again behind the lowering.
//!
//! Every statement gets a number of its own, the arms of an `if` the numbers that follow. What the
//! reduction makes of a statement carries its number ([`Role`]).

use crate::front::cup::ast::{Block, ItemKind, Role, Stmt, StmtKind};
use crate::front::cup::check::Checked;

/// The same program with numbered statements.
pub(super) fn numbered(checked: &Checked) -> Checked {
    let mut checked = checked.clone();
    let mut next = 0;
    for item in &mut checked.tree.items {
        if let ItemKind::Thread(thread) = &mut item.kind {
            let backgrounds = thread.backgrounds.iter_mut();
            let blocks = backgrounds.map(|background| &mut background.body);
            for block in blocks.chain([&mut thread.body]) {
                number_block(block, &mut next);
            }
        }
    }
    checked
}

fn number_block(block: &mut Block, next: &mut usize) {
    for stmt in &mut block.stmts {
        stmt.mark.role = Some(Role::Same(*next));
        *next += match &stmt.kind {
            StmtKind::If(arms, _) => arms.len(),
            _ => 1,
        };
        for inner in stmt.kind.blocks_mut() {
            number_block(inner, next);
        }
    }
}

/// The number of a statement of the source.
pub(super) fn number(stmt: &Stmt) -> usize {
    match stmt.mark.role {
        Some(Role::Same(number)) => number,
        _ => unreachable!("only statements of the numbered source are translated"),
    }
}
