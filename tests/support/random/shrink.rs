//! Makes a failing program smaller while it keeps failing.

use cupola::lang::ast::{Block, ItemKind, Stmt, StmtKind, Tree};

/// The smallest tree found by removing parts of `tree` one after the other for which `fails` holds.
pub fn shrink(tree: Tree, fails: impl Fn(&Tree) -> bool) -> Tree {
    let mut current = tree;
    while let Some(smaller) = smaller(&current)
        .into_iter()
        .find(|candidate| fails(candidate))
    {
        current = smaller;
    }
    current
}

/// All trees with one part less.
fn smaller(tree: &Tree) -> Vec<Tree> {
    let mut candidates = Vec::new();
    for position in 0..tree.items.len() {
        let mut without = tree.clone();
        without.items.remove(position);
        candidates.push(without);
        if let ItemKind::Thread(thread) = &tree.items[position].kind {
            for body in smaller_blocks(&thread.body) {
                let mut changed = tree.clone();
                if let ItemKind::Thread(thread) = &mut changed.items[position].kind {
                    thread.body = body;
                }
                candidates.push(changed);
            }
        }
    }
    candidates
}

/// All blocks with one statement less, or with a statement replaced by something smaller.
fn smaller_blocks(block: &Block) -> Vec<Block> {
    let mut candidates = Vec::new();
    for (position, stmt) in block.stmts.iter().enumerate() {
        let replacements = std::iter::once(Vec::new()).chain(smaller_stmts(stmt));
        for replacement in replacements {
            let mut changed = block.clone();
            changed.stmts.splice(position..=position, replacement);
            candidates.push(changed);
        }
    }
    candidates
}

/// What may stand for a statement: the statements of its blocks, itself with smaller blocks, or itself
/// without labels.
fn smaller_stmts(stmt: &Stmt) -> Vec<Vec<Stmt>> {
    let mut candidates = Vec::new();
    if !stmt.labels.is_empty() {
        candidates.push(vec![Stmt {
            labels: Vec::new(),
            ..stmt.clone()
        }]);
    }
    for (number, block) in stmt.kind.blocks().into_iter().enumerate() {
        candidates.push(block.stmts.clone());
        for smaller in smaller_blocks(block) {
            let mut changed = stmt.clone();
            *changed.kind.blocks_mut()[number] = smaller;
            candidates.push(vec![changed]);
        }
    }
    candidates
}
