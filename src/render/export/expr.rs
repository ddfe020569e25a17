//! Terms and conditions in the syntax of a target.
//!
//! Arrays are families of scalars, so an element that an index picks is a chain of conditional expressions. Quotients
//! are rounded down and remainders are never negative, whatever the operators of the target do.

use crate::front::cup::ast::{ArithOp, CompareOp};
use crate::program::{Cond, LocId, Term, ThreadId, VarId};

/// How expressions are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    /// Infix, `(c -> a : b)`.
    Promela,
    /// Infix, `(c ? a : b)`, constants with `LL`.
    C,
    /// Prefix.
    Smt,
}

/// Writes expressions over variables and locations that the caller has the text for.
pub(super) struct Writer<'a> {
    pub syntax: Syntax,
    /// A variable's value.
    pub var: &'a dyn Fn(VarId) -> String,
    /// Where a thread is.
    pub at: &'a dyn Fn(ThreadId) -> String,
}

impl Writer<'_> {
    pub(super) fn term(&self, term: &Term) -> String {
        match term {
            Term::Const(value) => self.constant(*value),
            Term::Var(var) => (self.var)(*var),
            Term::Choice(index, elements) => {
                let index = self.term(index);
                let elements: Vec<String> =
                    elements.iter().map(|element| self.term(element)).collect();
                self.pick(&index, &elements)
            }
            Term::Neg(inner) => self.minus(&self.term(inner)),
            Term::Binary(op, left, right) => self.binary(*op, &self.term(left), &self.term(right)),
        }
    }

    pub(super) fn cond(&self, cond: &Cond) -> String {
        match cond {
            Cond::Const(value) => self.truth(*value),
            Cond::Not(inner) => self.not(&self.cond(inner)),
            Cond::And(left, right) => self.all(&[self.cond(left), self.cond(right)]),
            Cond::Or(left, right) => self.any(&[self.cond(left), self.cond(right)]),
            Cond::Compare(op, left, right) => {
                self.compare(*op, &self.term(left), &self.term(right))
            }
            Cond::At(thread, locations) => {
                let at = (self.at)(*thread);
                let is = |location: &LocId| self.equal(&at, &self.constant_of(location.index()));
                self.any(&locations.iter().map(is).collect::<Vec<_>>())
            }
        }
    }

    pub(super) fn constant(&self, value: i64) -> String {
        match self.syntax {
            Syntax::Smt if value < 0 => format!("(- {})", value.unsigned_abs()),
            // The least number has no literal of its own.
            Syntax::C if value == i64::MIN => format!("({}LL - 1)", value + 1),
            Syntax::C if value < 0 => format!("({value}LL)"),
            Syntax::C => format!("{value}LL"),
            Syntax::Promela if value < 0 => format!("({value})"),
            Syntax::Promela | Syntax::Smt => value.to_string(),
        }
    }

    /// A small number, such as a location or an index.
    pub(super) fn constant_of(&self, value: usize) -> String {
        value.to_string()
    }

    pub(super) fn truth(&self, value: bool) -> String {
        match (self.syntax, value) {
            (Syntax::C, true) => "1".to_owned(),
            (Syntax::C, false) => "0".to_owned(),
            (Syntax::Promela | Syntax::Smt, value) => value.to_string(),
        }
    }

    pub(super) fn not(&self, cond: &str) -> String {
        match self.syntax {
            Syntax::Smt => format!("(not {cond})"),
            // Promela reads `!!` as an operator of its own.
            Syntax::Promela | Syntax::C if cond.starts_with('!') => format!("!({cond})"),
            Syntax::Promela | Syntax::C => format!("!{cond}"),
        }
    }

    pub(super) fn all(&self, conds: &[String]) -> String {
        self.joined(conds, "and", " && ", true)
    }

    pub(super) fn any(&self, conds: &[String]) -> String {
        self.joined(conds, "or", " || ", false)
    }

    fn joined(&self, conds: &[String], prefix: &str, infix: &str, neutral: bool) -> String {
        match (conds, self.syntax) {
            ([], _) => self.truth(neutral),
            ([one], _) => one.clone(),
            (several, Syntax::Smt) => format!("({prefix} {})", several.join(" ")),
            (several, Syntax::Promela | Syntax::C) => format!("({})", several.join(infix)),
        }
    }

    pub(super) fn equal(&self, left: &str, right: &str) -> String {
        self.compare(CompareOp::Eq, left, right)
    }

    fn compare(&self, op: CompareOp, left: &str, right: &str) -> String {
        match (self.syntax, op) {
            (Syntax::Smt, CompareOp::Eq) => format!("(= {left} {right})"),
            (Syntax::Smt, CompareOp::Ne) => format!("(not (= {left} {right}))"),
            (Syntax::Smt, _) => format!("({} {left} {right})", op.symbol()),
            (Syntax::Promela | Syntax::C, _) => format!("({left} {} {right})", op.symbol()),
        }
    }

    pub(super) fn if_then_else(&self, cond: &str, yes: &str, no: &str) -> String {
        match self.syntax {
            Syntax::Promela => format!("({cond} -> {yes} : {no})"),
            Syntax::C => format!("({cond} ? {yes} : {no})"),
            Syntax::Smt => format!("(ite {cond} {yes} {no})"),
        }
    }

    /// The element that an index picks; it is in range.
    pub(super) fn pick(&self, index: &str, elements: &[String]) -> String {
        let (last, others) = elements.split_last().expect("an array has elements");
        let others = others.iter().enumerate().rev();
        others.fold(last.clone(), |rest, (number, element)| {
            let is = self.equal(index, &self.constant_of(number));
            self.if_then_else(&is, element, &rest)
        })
    }

    fn minus(&self, term: &str) -> String {
        match self.syntax {
            Syntax::Promela | Syntax::C => format!("(-{term})"),
            Syntax::Smt => format!("(- {term})"),
        }
    }

    fn binary(&self, op: ArithOp, left: &str, right: &str) -> String {
        match (self.syntax, op) {
            (Syntax::Smt, ArithOp::Div) => format!("(div {left} {right})"),
            (Syntax::Smt, ArithOp::Mod) => format!("(mod {left} {right})"),
            (Syntax::Smt, _) => format!("({} {left} {right})", op.symbol()),
            (Syntax::Promela | Syntax::C, ArithOp::Add | ArithOp::Sub | ArithOp::Mul) => {
                format!("({left} {} {right})", op.symbol())
            }
            (Syntax::Promela | Syntax::C, ArithOp::Div) => {
                let zero = self.constant(0);
                let one = self.constant(1);
                let down = format!("(({left} + {one}) / {right} - {one})");
                self.if_then_else(
                    &format!("({left} >= {zero})"),
                    &format!("({left} / {right})"),
                    &down,
                )
            }
            (Syntax::Promela | Syntax::C, ArithOp::Mod) => {
                format!("((({left} % {right}) + {right}) % {right})")
            }
        }
    }
}
