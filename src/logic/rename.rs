//! Conditions with other variables in place of some.

use crate::program::{Cond, Term, VarId};

/// The condition with every variable renamed.
pub fn rename_cond(cond: &Cond, rename: &impl Fn(VarId) -> VarId) -> Cond {
    let inner = |cond: &Cond| Box::new(rename_cond(cond, rename));
    match cond {
        Cond::Const(_) | Cond::At(..) => cond.clone(),
        Cond::Not(a) => Cond::Not(inner(a)),
        Cond::And(a, b) => Cond::And(inner(a), inner(b)),
        Cond::Or(a, b) => Cond::Or(inner(a), inner(b)),
        Cond::Compare(op, a, b) => {
            Cond::Compare(*op, rename_term(a, rename), rename_term(b, rename))
        }
    }
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
