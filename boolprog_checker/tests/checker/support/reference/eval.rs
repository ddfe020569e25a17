//! The values of expressions and of sets of variables.

use std::collections::BTreeSet;

use boolprog_checker::ast::{Expr, Ident};

use super::Values;

pub(super) fn all_values(names: &[String]) -> Vec<Values> {
    let rows = product(vec![vec![false, true]; names.len()]);
    rows.into_iter()
        .map(|row| names.iter().cloned().zip(row).collect())
        .collect()
}

pub(super) fn product(sets: Vec<Vec<bool>>) -> Vec<Vec<bool>> {
    let mut rows = vec![Vec::new()];
    for set in sets {
        rows = rows
            .iter()
            .flat_map(|row| set.iter().map(|value| [row.as_slice(), &[*value]].concat()))
            .collect();
    }
    rows
}

/// The possible values of an expression.
pub(super) fn eval(
    expr: &Expr,
    globals: &Values,
    locals: &Values,
    next: Option<(&Values, &Values)>,
) -> Vec<bool> {
    let value = |e: &Expr| eval(e, globals, locals, next);
    let look = |name: &Ident, globals: &Values, locals: &Values| {
        vec![
            *locals
                .get(&name.name)
                .or_else(|| globals.get(&name.name))
                .unwrap(),
        ]
    };
    let combine = |parts: Vec<Vec<bool>>, f: &dyn Fn(&[bool]) -> Vec<bool>| -> Vec<bool> {
        let results: BTreeSet<bool> = product(parts).iter().flat_map(|row| f(row)).collect();
        results.into_iter().collect()
    };
    match expr {
        Expr::Const(value) => vec![*value],
        Expr::Nondet => vec![false, true],
        Expr::Var(name) => look(name, globals, locals),
        Expr::Next(name) => {
            let (globals, locals) = next.unwrap();
            look(name, globals, locals)
        }
        Expr::Not(e) => combine(vec![value(e)], &|v| vec![!v[0]]),
        Expr::And(parts) => combine(parts.iter().map(value).collect(), &|v| {
            vec![v.iter().all(|v| *v)]
        }),
        Expr::Or(parts) => combine(parts.iter().map(value).collect(), &|v| {
            vec![v.iter().any(|v| *v)]
        }),
        Expr::Xor(e, f) | Expr::Ne(e, f) => {
            combine(vec![value(e), value(f)], &|v| vec![v[0] != v[1]])
        }
        Expr::Eq(e, f) => combine(vec![value(e), value(f)], &|v| vec![v[0] == v[1]]),
        Expr::Implies(e, f) => combine(vec![value(e), value(f)], &|v| vec![!v[0] || v[1]]),
        Expr::Ite(c, e, f) => combine(vec![value(c), value(e), value(f)], &|v| {
            vec![if v[0] { v[1] } else { v[2] }]
        }),
        Expr::Schoose(e, f) => combine(vec![value(e), value(f)], &|v| match (v[0], v[1]) {
            (true, _) => vec![true],
            (false, true) => vec![false],
            (false, false) => vec![false, true],
        }),
    }
}
