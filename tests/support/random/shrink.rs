//! Makes a failing program smaller while it keeps failing.

use cupola::front::cup::ast::{Block, ExprKind, ItemKind, Rhs, Stmt, StmtKind, Tree, VarDecl};

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
        for kind in smaller_declarations(&tree.items[position].kind) {
            let mut changed = tree.clone();
            changed.items[position].kind = kind;
            candidates.push(changed);
        }
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

/// The declarations of shared variables, or a thread's, with one thing less: a variable, or what one starts
/// with.
fn smaller_declarations(kind: &ItemKind) -> Vec<ItemKind> {
    match kind {
        ItemKind::Shared(vars) => smaller_vars(vars)
            .into_iter()
            .map(ItemKind::Shared)
            .collect(),
        ItemKind::Thread(thread) => {
            let lines = thread.locals.iter().enumerate().flat_map(|(number, line)| {
                let smaller = smaller_vars(&line.vars).into_iter();
                smaller.map(move |vars| (number, vars))
            });
            let with = |(number, vars): (usize, Vec<VarDecl>)| {
                let mut changed = thread.clone();
                changed.locals[number].vars = vars;
                ItemKind::Thread(changed)
            };
            lines.map(with).collect()
        }
        ItemKind::Const(_) | ItemKind::Placement(_) | ItemKind::Spec(_) => Vec::new(),
    }
}

fn smaller_vars(vars: &[VarDecl]) -> Vec<Vec<VarDecl>> {
    let mut candidates = Vec::new();
    for position in 0..vars.len() {
        if vars.len() > 1 {
            let mut fewer = vars.to_vec();
            fewer.remove(position);
            candidates.push(fewer);
        }
        if vars[position].init.is_some() {
            let mut plain = vars.to_vec();
            plain[position].init = None;
            candidates.push(plain);
        }
    }
    candidates
}

/// What may stand for a right-hand side: an end of a choice, or a side of an operator.
fn smaller_values(rhs: &Rhs) -> Vec<Rhs> {
    match rhs {
        Rhs::Choose(low, high) => vec![Rhs::Expr(low.clone()), Rhs::Expr(high.clone())],
        Rhs::Expr(expr) => match &expr.kind {
            ExprKind::Binary(_, left, right) => [left, right]
                .map(|side| Rhs::Expr((**side).clone()))
                .to_vec(),
            ExprKind::Neg(inner) => vec![Rhs::Expr((**inner).clone())],
            ExprKind::Num(_) | ExprKind::Tid | ExprKind::Place(_) => Vec::new(),
        },
        Rhs::Any(_) | Rhs::Cas(..) | Rhs::Swap(..) | Rhs::FetchAdd(..) => Vec::new(),
    }
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

/// What may stand for a statement: the statements of its blocks, itself with smaller blocks or a smaller
/// value, or itself without labels.
fn smaller_stmts(stmt: &Stmt) -> Vec<Vec<Stmt>> {
    let mut candidates = Vec::new();
    if !stmt.labels.is_empty() {
        candidates.push(vec![Stmt {
            labels: Vec::new(),
            ..stmt.clone()
        }]);
    }
    if let StmtKind::Assign(place, rhs) = &stmt.kind {
        candidates.extend(smaller_values(rhs).into_iter().map(|rhs| {
            vec![Stmt {
                kind: StmtKind::Assign(place.clone(), rhs),
                ..stmt.clone()
            }]
        }));
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
