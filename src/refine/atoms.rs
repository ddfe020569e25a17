//! Comparisons of a formula as predicates that a person would write.
//!
//! Input: formulas over a reduced program. A predicate and its negation track the same, so only one of them
//! is made: `==` for `!=`, the smaller form of two inequalities. Variables are put on the left of the
//! comparison as far as their signs allow.

use indexmap::IndexSet;

use crate::front::cup::ast::{ArithOp, CompareOp};
use crate::logic::{Atom, Formula, Linear};
use crate::program::{Cond, Term, VarId};

/// The comparisons in a formula, each in one of its two polarities, in order.
pub(super) fn atoms(formula: &Formula) -> IndexSet<Formula> {
    let mut found = IndexSet::new();
    collect(formula, &mut found);
    found
}

/// How many variables a comparison may name, each counted as often as it occurs.
const MAX_VARS: usize = 16;

/// Whether a comparison is one that a person would write, and one to go on with: it names few variables
/// and its numbers are small. Where steps divide, following a comparison back would else let it grow without end.
pub(super) fn is_readable(atom: &Formula) -> bool {
    match atom {
        Formula::Atom(Atom::Zero(term) | Atom::NonZero(term) | Atom::NotPositive(term)) => {
            term.is_small() && (!term.has_quotient() || term.vars().len() <= MAX_VARS)
        }
        Formula::True
        | Formula::False
        | Formula::Atom(Atom::At(..) | Atom::Fact(..))
        | Formula::And(_)
        | Formula::Or(_) => true,
    }
}

/// The comparison that an atom is; `None` if its numbers are too large to write.
pub(super) fn comparison(atom: &Formula) -> Option<Cond> {
    let (op, term) = match atom {
        Formula::Atom(Atom::Zero(term)) => (CompareOp::Eq, term),
        Formula::Atom(Atom::NonZero(term)) => (CompareOp::Ne, term),
        Formula::Atom(Atom::NotPositive(term)) => (CompareOp::Le, term),
        Formula::True
        | Formula::False
        | Formula::Atom(Atom::At(..) | Atom::Fact(..))
        | Formula::And(_)
        | Formula::Or(_) => return None,
    };
    let all_negative = term.factors().all(|factor| factor < 0);
    let (op, term) = match (all_negative, op) {
        (true, CompareOp::Le) => (CompareOp::Ge, term.times(-1)),
        _ => (op, term.clone()),
    };
    let products = products(&term)?;
    let side = |sign: i128| -> Vec<(Term, i128)> {
        let of_sign = products.iter().filter(|(_, factor)| factor * sign > 0);
        let positive = of_sign.map(|(term, factor)| (term.clone(), factor * sign));
        positive.collect()
    };
    let left = sum(&side(1), 0)?;
    let right = sum(&side(-1), -term.constant_part())?;
    Some(Cond::Compare(op, left, right))
}

/// The variables and quotients of a term with their factors.
fn products(term: &Linear) -> Option<Vec<(Term, i128)>> {
    let (vars, quotients) = term.parts();
    let vars = vars
        .iter()
        .map(|&(var, factor)| Some((Term::Var(var), factor)));
    let quotients = quotients.iter().map(|(quotient, factor)| {
        let dividend = quotient.dividend();
        let dividend = sum(&products(dividend)?, dividend.constant_part())?;
        let divisor = Term::Const(i64::try_from(quotient.divisor()).ok()?);
        let divided = Term::Binary(ArithOp::Div, Box::new(dividend), Box::new(divisor));
        Some((divided, *factor))
    });
    vars.chain(quotients).collect()
}

fn collect(formula: &Formula, found: &mut IndexSet<Formula>) {
    match formula {
        Formula::True | Formula::False | Formula::Atom(Atom::At(..) | Atom::Fact(..)) => {}
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
            let vars: IndexSet<VarId> = term.vars().into_iter().collect();
            vars.into_iter().collect()
        }
        Formula::True
        | Formula::False
        | Formula::Atom(Atom::At(..) | Atom::Fact(..))
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
fn sum(factors: &[(Term, i128)], constant: i128) -> Option<Term> {
    let mut total: Option<Term> = None;
    for (term, factor) in factors {
        let term = term.clone();
        let product = match i64::try_from(*factor).ok()? {
            1 => term,
            factor => {
                let factor = Term::Const(factor);
                Term::Binary(ArithOp::Mul, Box::new(factor), Box::new(term))
            }
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
    use crate::front::cup;
    use crate::program::{cond_text, lower};
    use crate::source::SourceFile;

    /// The comparisons in a condition over `x`, `y` and `P.r`.
    fn check(cond: &str, expected: &[&str]) {
        let text = format!("shared x, y; thread P {{ local r; skip; }} invariant {cond};");
        let file = SourceFile::new("test.cup", text);
        let program = lower(&cup::load(&file).expect("it is right"), &IndexSet::new());
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
        check("x % 2 == 1", &["x == 2 * (x / 2) + 1"]);
        check("(x + y) / 3 < P.r", &["(x + y) / 3 <= P.r - 1"]);
        check("2 * x + P.r < 3 * y", &["2 * x + P.r <= 3 * y - 1"]);
    }

    #[test]
    fn locations_are_no_comparisons() {
        check("true", &[]);
    }
}
