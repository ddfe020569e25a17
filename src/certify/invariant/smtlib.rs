//! Terms and conditions as SMT-LIB 2 text (QF_LIA).
//!
//! `names` gives the SMT-LIB name of each variable of the program in the state at hand. All names that
//! come from the program begin with `v.`, so that they differ from all others.

use crate::front::cup::ast::{ArithOp, CompareOp};
use crate::program::{Cond, Place, Program, Range, Term};

/// The names of the variables in the state that an obligation is about.
pub(super) fn names(program: &Program) -> Vec<String> {
    let ids = program.var_ids();
    ids.map(|var| format!("v.{}", program.var_name(var)))
        .collect()
}

/// A term.
pub(super) fn term(term: &Term, names: &[String]) -> String {
    let text = |term| self::term(term, names);
    match term {
        Term::Const(value) => number(*value),
        Term::Var(var) => names[var.index()].clone(),
        Term::Choice(index, elements) => {
            let elements: Vec<String> = elements.iter().map(text).collect();
            choice(&text(index), &elements)
        }
        Term::Neg(inner) => format!("(- {})", text(inner)),
        Term::Binary(op, left, right) => {
            let sign = match op {
                ArithOp::Add => "+",
                ArithOp::Sub => "-",
                ArithOp::Mul => "*",
                ArithOp::Div => "div",
                ArithOp::Mod => "mod",
            };
            format!("({sign} {} {})", text(left), text(right))
        }
    }
}

/// A condition without control locations.
pub(super) fn cond(cond: &Cond, names: &[String]) -> String {
    let text = |cond| self::cond(cond, names);
    match cond {
        Cond::Const(value) => value.to_string(),
        Cond::Not(inner) => format!("(not {})", text(inner)),
        Cond::And(left, right) => format!("(and {} {})", text(left), text(right)),
        Cond::Or(left, right) => format!("(or {} {})", text(left), text(right)),
        Cond::Compare(op, left, right) => {
            let (left, right) = (term(left, names), term(right, names));
            match op {
                CompareOp::Eq => format!("(= {left} {right})"),
                CompareOp::Ne => format!("(not (= {left} {right}))"),
                CompareOp::Lt => format!("(< {left} {right})"),
                CompareOp::Le => format!("(<= {left} {right})"),
                CompareOp::Gt => format!("(> {left} {right})"),
                CompareOp::Ge => format!("(>= {left} {right})"),
            }
        }
        Cond::At(..) => unreachable!("control locations are resolved for a vector beforehand"),
    }
}

/// The value at a place.
pub(super) fn read(place: &Place, names: &[String]) -> String {
    match place {
        Place::Var(var) => names[var.index()].clone(),
        Place::Choice(index, elements) => {
            let elements = elements.iter().map(|var| names[var.index()].clone());
            choice(&term(index, names), &elements.collect::<Vec<_>>())
        }
    }
}

/// A function of SMT-LIB applied to arguments.
pub(super) fn apply(function: &str, arguments: &[&str]) -> String {
    match arguments {
        [] => function.to_owned(),
        _ => format!("({function} {})", arguments.join(" ")),
    }
}

/// A conjunction of any number of conditions.
pub(super) fn all(conditions: &[String]) -> String {
    junction("and", "true", conditions)
}

/// A disjunction of any number of conditions.
pub(super) fn any(conditions: &[String]) -> String {
    junction("or", "false", conditions)
}

/// That a term has a value of a range.
pub(super) fn within(term: &str, range: Range) -> String {
    let (low, high) = range.ends();
    format!("(<= {} {term} {})", number(low), number(high))
}

/// An integer.
pub(super) fn number(value: i64) -> String {
    match value {
        0.. => value.to_string(),
        _ => format!("(- {})", value.unsigned_abs()),
    }
}

fn junction(connective: &str, neutral: &str, conditions: &[String]) -> String {
    match conditions {
        [] => neutral.to_owned(),
        [condition] => condition.clone(),
        _ => format!("({connective} {})", conditions.join(" ")),
    }
}

/// The element that an index picks, the last one if it is out of range.
fn choice(index: &str, elements: &[String]) -> String {
    let Some((last, others)) = elements.split_last() else {
        unreachable!("an array has elements");
    };
    let picked = others
        .iter()
        .enumerate()
        .rev()
        .fold(last.clone(), |rest, (at, element)| {
            format!("(ite (= i {at}) {element} {rest})")
        });
    format!("(let ((i {index})) {picked})")
}
