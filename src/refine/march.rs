//! Equalities that march become inequalities.
//!
//! Weakest preconditions along a loop that counts give `x == y`, `x == y - 1`, `x == y - 2` and so on, one more for
//! each round. Where a proof has two of them, the next one stands for all that follow: instead of it come the
//! inequalities that bound the difference on either side.

use crate::front::cup::ast::CompareOp;
use crate::logic::{Atom, Formula, Linear, Predicate};
use crate::program::Cond;
use crate::proof::Proof;

/// How many equalities about one difference are enough.
const ENOUGH: usize = 2;

/// The candidates with inequalities before each equality about a difference that the proof has equalities about.
pub fn generalized(proof: &Proof, candidates: Vec<Predicate>) -> Vec<Predicate> {
    let known: Vec<Linear> = proof.predicates.iter().filter_map(difference).collect();
    let mut all = Vec::new();
    for candidate in candidates {
        if let Some(marching) = difference(&candidate)
            && known.iter().filter(|other| **other == marching).count() >= ENOUGH
        {
            all.extend(bounds(&candidate));
        }
        all.push(candidate);
    }
    all
}

/// The term of an equality without its constant.
fn difference(predicate: &Predicate) -> Option<Linear> {
    match &predicate.formula {
        Formula::Atom(Atom::Zero(term)) => {
            let constant = Linear::constant(term.constant_part());
            Some(term.plus(-1, &constant))
        }
        _ => None,
    }
}

/// `x <= y + c` and `x >= y + c` for `x == y + c`.
fn bounds(equality: &Predicate) -> Vec<Predicate> {
    let Cond::Compare(CompareOp::Eq, left, right) = &equality.cond else {
        return Vec::new();
    };
    let bound = |op| Predicate::new(Cond::Compare(op, left.clone(), right.clone())).ok();
    [CompareOp::Le, CompareOp::Ge]
        .into_iter()
        .filter_map(bound)
        .collect()
}
