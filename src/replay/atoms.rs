//! Comparisons of a formula as predicates that a person would write.
//!
//! Input: formulas over a reduced program. A predicate and its negation track the same, so only one of them
//! is made: `==` for `!=`, the smaller form of two inequalities. Variables are put on the left of the
//! comparison as far as their signs allow.

use indexmap::IndexSet;

use crate::lang::ast::{ArithOp, CompareOp};
use crate::logic::{Atom, Formula, Linear};
use crate::program::{Cond, Term, VarId};

/// The comparisons in a formula, each in one of its two polarities, in order.
pub(super) fn atoms(formula: &Formula) -> IndexSet<Formula> {
    let mut found = IndexSet::new();
    collect(formula, &mut found);
    found
}

/// The comparison that an atom is; `None` if its numbers are too large to write.
pub(super) fn comparison(atom: &Formula) -> Option<Cond> {
    let (op, term) = match atom {
        Formula::Atom(Atom::Zero(term)) => (CompareOp::Eq, term),
        Formula::Atom(Atom::NonZero(term)) => (CompareOp::Ne, term),
        Formula::Atom(Atom::NotPositive(term)) => (CompareOp::Le, term),
        Formula::True
        | Formula::False
        | Formula::Atom(Atom::At(..))
        | Formula::And(_)
        | Formula::Or(_) => return None,
    };
    let all_negative = term.coefficients().iter().all(|&(_, factor)| factor < 0);
    let (op, term) = match (all_negative, op) {
        (true, CompareOp::Le) => (CompareOp::Ge, term.times(-1)),
        _ => (op, term.clone()),
    };
    let side = |sign: i128| -> Vec<(VarId, i128)> {
        let factors = term.coefficients().iter();
        let of_sign = factors.filter(|&&(_, factor)| factor * sign > 0);
        of_sign.map(|&(var, factor)| (var, factor * sign)).collect()
    };
    let left = sum(&side(1), 0)?;
    let right = sum(&side(-1), -term.constant_part())?;
    Some(Cond::Compare(op, left, right))
}

fn collect(formula: &Formula, found: &mut IndexSet<Formula>) {
    match formula {
        Formula::True | Formula::False | Formula::Atom(Atom::At(..)) => {}
        Formula::Atom(Atom::NonZero(term)) => _ = found.insert(Formula::equal_zero(term)),
        Formula::Atom(Atom::Zero(_)) => _ = found.insert(formula.clone()),
        Formula::Atom(Atom::NotPositive(_)) => {
            let negated = formula.negated();
            if !found.contains(&negated) {
                found.insert(formula.clone());
            }
        }
        Formula::And(parts) | Formula::Or(parts) => {
            parts.iter().for_each(|part| collect(part, found));
        }
    }
}

/// The variables of an atom.
pub(super) fn vars(atom: &Formula) -> Vec<VarId> {
    match atom {
        Formula::Atom(Atom::Zero(term) | Atom::NonZero(term) | Atom::NotPositive(term)) => {
            term.coefficients().iter().map(|&(var, _)| var).collect()
        }
        Formula::True
        | Formula::False
        | Formula::Atom(Atom::At(..))
        | Formula::And(_)
        | Formula::Or(_) => Vec::new(),
    }
}

/// The atom with other variables in place of its own.
pub(super) fn renamed(atom: &Formula, with: &[(VarId, VarId)]) -> Formula {
    let terms: Vec<(VarId, Linear)> = with
        .iter()
        .map(|&(var, other)| (var, Linear::var(other)))
        .collect();
    atom.substitute(&terms)
}

/// `2 * x + y + 3`
fn sum(factors: &[(VarId, i128)], constant: i128) -> Option<Term> {
    let mut total: Option<Term> = None;
    for &(var, factor) in factors {
        let product = match i64::try_from(factor).ok()? {
            1 => Term::Var(var),
            factor => Term::Binary(
                ArithOp::Mul,
                Box::new(Term::Const(factor)),
                Box::new(Term::Var(var)),
            ),
        };
        total = Some(match total {
            None => product,
            Some(total) => Term::Binary(ArithOp::Add, Box::new(total), Box::new(product)),
        });
    }
    let constant = i64::try_from(constant).ok()?;
    Some(match total {
        None => Term::Const(constant),
        Some(total) if constant == 0 => total,
        Some(total) => {
            let op = if constant < 0 {
                ArithOp::Sub
            } else {
                ArithOp::Add
            };
            let distance = Term::Const(constant.checked_abs()?);
            Term::Binary(op, Box::new(total), Box::new(distance))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang;
    use crate::lang::source::SourceFile;
    use crate::logic::cond_text;
    use crate::program::lower;

    /// The comparisons in a condition over `x`, `y` and `P.r`.
    fn check(cond: &str, expected: &[&str]) {
        let text = format!("shared x, y; thread P {{ local r; skip; }} invariant {cond};");
        let file = SourceFile::new("test.cup", text);
        let program = lower(&lang::load(&file).expect("it is right"), &IndexSet::new());
        let formula = Formula::from_cond(&program.specs[0].cond).expect("small numbers");
        let texts: Vec<String> = atoms(&formula)
            .iter()
            .map(|atom| cond_text(&program, &comparison(atom).expect("small numbers")))
            .collect();
        assert_eq!(texts, expected, "{cond}");
    }

    #[test]
    fn comparisons_read_well() {
        check("x != 3", &["x == 3"]);
        check("x == y", &["x == y"]);
        check("0 < x", &["x >= 1"]);
        check("x > y + 2 || x == 0", &["x == 0", "y <= x - 3"]);
        check("x <= 4 && !(x > 4)", &["x <= 4"]);
        check("2 * x + P.r < 3 * y", &["2 * x + P.r <= 3 * y - 1"]);
    }

    #[test]
    fn locations_are_no_comparisons() {
        check("true", &[]);
    }
}
