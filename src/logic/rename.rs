//! Conditions with other variables in place of some.

use crate::program::{Cond, Term, VarId};

/// The condition with every variable renamed.
pub fn rename_cond(cond: &Cond, rename: &impl Fn(VarId) -> VarId) -> Cond {
    cond.map_comparisons(&|op, a, b| {
        Cond::Compare(op, rename_term(a, rename), rename_term(b, rename))
    })
}

fn rename_term(term: &Term, rename: &impl Fn(VarId) -> VarId) -> Term {
    let inner = |term: &Term| Box::new(rename_term(term, rename));
    match term {
        Term::Const(_) => term.clone(),
        Term::Var(var) => Term::Var(rename(*var)),
        Term::Choice(index, elements) => {
            let elements = elements.iter().map(|e| rename_term(e, rename)).collect();
            Term::Choice(inner(index), elements)
        }
        Term::Neg(a) => Term::Neg(inner(a)),
        Term::Binary(op, a, b) => Term::Binary(*op, inner(a), inner(b)),
    }
}
