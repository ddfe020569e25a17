//! Candidates that march are held back, and equalities among them become inequalities.
//!
//! Weakest preconditions along a loop that counts give `x == y`, `x == y - 1`, `x == y - 2` and so on, one more for
//! each round, and nothing would ever be proved. Where a proof has some comparisons of one difference with different
//! numbers, a further one is no candidate; for an equality there are the inequalities that bound the difference on either side.

use crate::front::cup::ast::CompareOp;
use crate::logic::{Atom, Formula, Linear, Predicate};
use crate::program::Cond;
use crate::proof::Proof;

/// How many comparisons of one difference are enough.
const ENOUGH: usize = 3;

/// The candidates without those that march.
pub fn without_marches(proof: &Proof, candidates: Vec<Predicate>) -> Vec<Predicate> {
    let known: Vec<Linear> = proof.predicates.iter().filter_map(difference).collect();
    let marches = |candidate: &Predicate| match difference(candidate) {
        Some(marching) => known.iter().filter(|other| **other == marching).count() >= ENOUGH,
        None => false,
    };
    let mut all = Vec::new();
    for candidate in candidates {
        match marches(&candidate) {
            true => all.extend(bounds(&candidate)),
            false => all.push(candidate),
        }
    }
    all
}

/// The term that a comparison compares with a number, its first factor being positive.
fn difference(predicate: &Predicate) -> Option<Linear> {
    match &predicate.formula {
        Formula::Atom(Atom::Zero(term) | Atom::NotPositive(term)) => {
            let constant = Linear::constant(term.constant_part());
            let varying = term.plus(-1, &constant);
            let is_negative = varying.factors().next() < Some(0);
            Some(varying.times(if is_negative { -1 } else { 1 }))
        }
        _ => None,
    }
}

/// `x <= y + c` and `x >= y + c` for `x == y + c`.
fn bounds(equality: &Predicate) -> Vec<Predicate> {
    let Some(Cond::Compare(CompareOp::Eq, left, right)) = equality.cond() else {
        return Vec::new();
    };
    let bound = |op| Predicate::new(Cond::Compare(op, left.clone(), right.clone())).ok();
    let both = [CompareOp::Le, CompareOp::Ge].into_iter();
    both.filter_map(bound).collect()
}
