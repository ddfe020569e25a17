//! Predicates as the abstraction means them, for readers to whom an index out of range means something
//! else.
//!
//! In `logic` a comparison with an index out of range holds; in a certificate such an index
//! picks the last element. [`totalize`] says in so many words what the abstraction means, so that both agree.

use crate::front::cup::ast::CompareOp;
use crate::program::{Cond, Term};

/// The condition with `some index is out of range || …` before each comparison with indices.
pub(super) fn totalize(cond: &Cond) -> Cond {
    cond.map_comparisons(&|op, left, right| {
        let mut broken = Vec::new();
        collect(left, &mut broken);
        collect(right, &mut broken);
        let compared = Cond::Compare(op, left.clone(), right.clone());
        let or = |rest: Cond, broken: Cond| Cond::Or(Box::new(broken), Box::new(rest));
        broken.into_iter().rev().fold(compared, or)
    })
}

/// The ways in which an index of the term can be out of range.
fn collect(term: &Term, broken: &mut Vec<Cond>) {
    match term {
        Term::Const(_) | Term::Var(_) => {}
        Term::Neg(inner) => collect(inner, broken),
        Term::Binary(_, left, right) => {
            collect(left, broken);
            collect(right, broken);
        }
        Term::Choice(index, elements) => {
            collect(index, broken);
            elements.iter().for_each(|element| collect(element, broken));
            let length = i64::try_from(elements.len()).expect("arrays are shorter than 2^63");
            let compare = |op, bound| Cond::Compare(op, (**index).clone(), Term::Const(bound));
            broken.push(compare(CompareOp::Lt, 0));
            broken.push(compare(CompareOp::Ge, length));
        }
    }
}
