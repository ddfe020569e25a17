//! Choices that are no array, spelled out.
//!
//! `A[i]` is a [`Term::Choice`] of the elements of an array by an index, and that is the only choice that the language
//! has. Extrapolation puts buffered values in place of single elements; what comes out can be
//! written element by element only: `(i != 0 || P.A_0_1_t0 == 7) && (i != 1 || A[1] == 7)`. Called by the
//! printers.

use super::{Cond, Term};
use crate::front::cup::ast::CompareOp;

/// What a comparison says where an index is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// It holds, as in the normal form.
    Holds,
    /// It is about the last element.
    Last,
}

/// The condition without choices that are no array.
pub fn spelled_out(cond: &Cond, beyond: Beyond, is_array: &impl Fn(&[Term]) -> bool) -> Cond {
    cond.map_comparisons(&|op, a, b| {
        let found = mixed(a, is_array).or_else(|| mixed(b, is_array));
        let Some(choice @ (index, elements)) = found else {
            return Cond::Compare(op, a.clone(), b.clone());
        };
        let with = |element: &Term| {
            let [a, b] = [a, b].map(|side| replaced(side, choice, element));
            Cond::Compare(op, a, b)
        };
        let cases = cases(index, elements.iter().map(with).collect(), beyond);
        spelled_out(&cases, beyond, is_array)
    })
}

/// A choice: the index and the elements.
type Choice<'a> = (&'a Term, &'a [Term]);

/// The first choice of a term that is no array, the outer one of two.
fn mixed<'a>(term: &'a Term, is_array: &impl Fn(&[Term]) -> bool) -> Option<Choice<'a>> {
    match term {
        Term::Const(_) | Term::Var(_) => None,
        Term::Choice(index, elements) if !is_array(elements) => Some((index, elements)),
        Term::Choice(index, _) => mixed(index, is_array),
        Term::Neg(inner) => mixed(inner, is_array),
        Term::Binary(_, a, b) => mixed(a, is_array).or_else(|| mixed(b, is_array)),
    }
}

/// The term with one of its elements in place of a choice, wherever that occurs.
fn replaced(term: &Term, choice: Choice<'_>, element: &Term) -> Term {
    let inner = |term: &Term| Box::new(replaced(term, choice, element));
    match term {
        Term::Const(_) | Term::Var(_) => term.clone(),
        Term::Choice(index, elements) if (&**index, &elements[..]) == choice => element.clone(),
        Term::Choice(index, elements) => Term::Choice(inner(index), elements.clone()),
        Term::Neg(a) => Term::Neg(inner(a)),
        Term::Binary(op, a, b) => Term::Binary(*op, inner(a), inner(b)),
    }
}

/// For each value of the index, that it is another one or that the condition for it holds.
fn cases(index: &Term, conds: Vec<Cond>, beyond: Beyond) -> Cond {
    let compare = |op, value: usize| {
        let value = i64::try_from(value).expect("arrays are shorter than 2^63");
        Cond::Compare(op, index.clone(), Term::Const(value))
    };
    let or = |a, b| Cond::Or(Box::new(a), Box::new(b));
    let last = conds.len() - 1;
    let case = |(value, cond)| match beyond {
        Beyond::Last if value == last => {
            let others = (0..last).map(|other| compare(CompareOp::Eq, other));
            match others.reduce(or) {
                Some(others) => or(others, cond),
                None => cond,
            }
        }
        Beyond::Last | Beyond::Holds => or(compare(CompareOp::Ne, value), cond),
    };
    let and = |a, b| Cond::And(Box::new(a), Box::new(b));
    let cases = conds.into_iter().enumerate().map(case);
    cases.reduce(and).expect("an array has elements")
}
