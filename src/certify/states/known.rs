//! Evaluates terms and conditions where only some values are known.
//!
//! A result depends on known values alone, so it is the same in every state that has them. Conditions are
//! evaluated from left to right and no further than needed, so `count >= 1 && slot == 3` needs no slot where
//! the count is 0.

use itertools::Itertools;

use crate::front::cup::ast::{ArithOp, CompareOp};
use crate::program::{Cond, Init, LocId, Place, Program, Term, VarId};

/// What is known of a state: the values of some variables, by variable.
pub(in crate::certify) type Values = [Option<i64>];

/// Why a result is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::certify) enum Stuck {
    /// The value of a variable is needed that is not known.
    Unknown(VarId),
    /// A number does not fit 64 bits.
    TooLarge,
    /// An index is out of range that the checks before did not exclude.
    Index,
    /// A statement names a control location.
    Location,
}

/// What terms and conditions are evaluated in.
#[derive(Clone, Copy)]
pub(in crate::certify) struct View<'a> {
    /// The values that are known.
    pub values: &'a Values,
    /// The location of each thread for a spec; statements name none.
    pub at: &'a [LocId],
}

impl View<'_> {
    /// The value of a term.
    pub(in crate::certify) fn term(&self, term: &Term) -> Result<i64, Stuck> {
        match term {
            Term::Const(value) => Ok(*value),
            Term::Var(var) => self.var(*var),
            Term::Choice(index, elements) => self.term(self.element(index, elements)?),
            Term::Neg(inner) => self.term(inner)?.checked_neg().ok_or(Stuck::TooLarge),
            Term::Binary(op, left, right) => arithmetic(*op, self.term(left)?, self.term(right)?),
        }
    }

    /// Whether a condition holds.
    pub(in crate::certify) fn cond(&self, cond: &Cond) -> Result<bool, Stuck> {
        match cond {
            Cond::Const(value) => Ok(*value),
            Cond::Not(inner) => Ok(!self.cond(inner)?),
            Cond::And(left, right) => Ok(self.cond(left)? && self.cond(right)?),
            Cond::Or(left, right) => Ok(self.cond(left)? || self.cond(right)?),
            Cond::Compare(op, left, right) => Ok(compare(*op, self.term(left)?, self.term(right)?)),
            Cond::At(thread, locations) => {
                let at = self.at.get(thread.index()).ok_or(Stuck::Location)?;
                Ok(locations.contains(at))
            }
        }
    }

    /// The variable that a place means.
    pub(in crate::certify) fn place(&self, place: &Place) -> Result<VarId, Stuck> {
        match place {
            Place::Var(var) => Ok(*var),
            Place::Choice(index, elements) => self.element(index, elements).copied(),
        }
    }

    /// The value of a variable.
    pub(in crate::certify) fn var(&self, var: VarId) -> Result<i64, Stuck> {
        self.values[var.index()].ok_or(Stuck::Unknown(var))
    }

    fn element<'e, T>(&self, index: &Term, elements: &'e [T]) -> Result<&'e T, Stuck> {
        let index = usize::try_from(self.term(index)?).ok();
        let element = index.and_then(|index| elements.get(index));
        element.ok_or(Stuck::Index)
    }
}

impl Stuck {
    /// What is wrong, in words.
    pub(in crate::certify) fn text(self, program: &Program) -> String {
        match self {
            Stuck::Unknown(var) => format!(
                "the value of {} is needed, which the state does not give",
                program.var_display_name(var)
            ),
            Stuck::TooLarge => "a number does not fit 64 bits".to_owned(),
            Stuck::Index => "an index is out of range".to_owned(),
            Stuck::Location => "a statement names a control location".to_owned(),
        }
    }
}

/// The sum or other result of two numbers.
pub(in crate::certify) fn arithmetic(op: ArithOp, left: i64, right: i64) -> Result<i64, Stuck> {
    let result = match op {
        ArithOp::Add => left.checked_add(right),
        ArithOp::Sub => left.checked_sub(right),
        ArithOp::Mul => left.checked_mul(right),
        ArithOp::Div => quotient(left, right).map(|(quotient, _)| quotient),
        ArithOp::Mod => quotient(left, right).map(|(_, remainder)| remainder),
    };
    result.ok_or(Stuck::TooLarge)
}

/// The quotient and the remainder by a positive number; the remainder is never negative, as in SMT-LIB.
fn quotient(left: i64, right: i64) -> Option<(i64, i64)> {
    if right < 1 {
        return None;
    }
    match (left / right, left % right) {
        (quotient, remainder @ ..0) => Some((quotient - 1, remainder + right)),
        (quotient, remainder) => Some((quotient, remainder)),
    }
}

fn compare(op: CompareOp, left: i64, right: i64) -> bool {
    match op {
        CompareOp::Eq => left == right,
        CompareOp::Ne => left != right,
        CompareOp::Lt => left < right,
        CompareOp::Le => left <= right,
        CompareOp::Gt => left > right,
        CompareOp::Ge => left >= right,
    }
}

/// The values of all variables in each initial state; the error is a variable that may start with any integer.
pub(in crate::certify) fn initial_states(
    program: &Program,
) -> Result<impl Iterator<Item = Vec<Option<i64>>>, VarId> {
    let starts = program.var_ids().zip(&program.vars);
    let starts = starts.map(|(id, var)| match var.init {
        Init::Value(value) => Ok(value..=value),
        Init::Range(range) => {
            let (low, high) = range.ends();
            Ok(low..=high)
        }
        Init::Any => Err(id),
    });
    let starts = starts.collect::<Result<Vec<_>, _>>()?;
    let states = starts.into_iter().multi_cartesian_product();
    Ok(states.map(|values| values.into_iter().map(Some).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainders_are_never_negative() {
        let quotients = [(7, 2, 3, 1), (-7, 2, -4, 1), (-8, 2, -4, 0), (0, 5, 0, 0)];
        for (left, right, quotient, remainder) in quotients {
            assert_eq!(arithmetic(ArithOp::Div, left, right), Ok(quotient));
            assert_eq!(arithmetic(ArithOp::Mod, left, right), Ok(remainder));
        }
        let least = arithmetic(ArithOp::Div, i64::MIN, 3);
        assert_eq!(least, Ok(i64::MIN.div_euclid(3)));
        for right in [0, -1] {
            assert_eq!(arithmetic(ArithOp::Mod, 1, right), Err(Stuck::TooLarge));
        }
    }

    #[test]
    fn what_is_not_needed_need_not_be_known() {
        let slot = Term::Var(VarId::new(1));
        let count = Term::Var(VarId::new(0));
        let is =
            |term: &Term, value| Cond::Compare(CompareOp::Eq, term.clone(), Term::Const(value));
        let both = Cond::And(Box::new(is(&count, 1)), Box::new(is(&slot, 7)));
        let either = Cond::Or(Box::new(is(&count, 0)), Box::new(is(&slot, 7)));
        let swapped = Cond::And(Box::new(is(&slot, 7)), Box::new(is(&count, 1)));
        let view = |values| View { values, at: &[] };
        let empty = view(&[Some(0), None]);
        assert_eq!(empty.cond(&both), Ok(false));
        assert_eq!(empty.cond(&either), Ok(true));
        assert_eq!(empty.cond(&swapped), Err(Stuck::Unknown(VarId::new(1))));
        assert_eq!(
            view(&[Some(1), None]).cond(&both),
            Err(Stuck::Unknown(VarId::new(1)))
        );
        assert_eq!(view(&[Some(1), Some(7)]).cond(&both), Ok(true));
    }

    #[test]
    fn what_does_not_fit_is_no_number() {
        let most = Term::Const(i64::MAX);
        let least = Term::Const(i64::MIN);
        let view = View {
            values: &[],
            at: &[],
        };
        for term in [
            Term::Neg(Box::new(least.clone())),
            Term::Binary(
                ArithOp::Add,
                Box::new(most.clone()),
                Box::new(Term::Const(1)),
            ),
            Term::Binary(ArithOp::Sub, Box::new(least), Box::new(Term::Const(1))),
            Term::Binary(ArithOp::Mul, Box::new(most), Box::new(Term::Const(2))),
        ] {
            assert_eq!(view.term(&term), Err(Stuck::TooLarge));
        }
    }
}
