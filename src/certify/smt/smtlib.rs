//! Terms and conditions as SMT-LIB 2 text (QF_LIA).
//!
//! `names` gives the SMT-LIB name of each variable of the program in the state at hand. All names that
//! come from the program begin with `v.`, so that they differ from all others.

use crate::front::cup::ast::{ArithOp, CompareOp};
use crate::program::{Cond, Init, Place, Program, Range, Term, VarId};

/// The names of the variables in the state that an obligation is about.
pub(in crate::certify) fn names(program: &Program) -> Vec<String> {
    let ids = program.var_ids();
    ids.map(|var| format!("v.{}", program.var_name(var)))
        .collect()
}

/// What variables with these names start with.
pub(in crate::certify) fn initial(program: &Program, names: &[String]) -> Vec<String> {
    let starts = program.vars.iter().zip(names);
    let conditions = starts.filter_map(|(var, name)| match var.init {
        Init::Value(value) => Some(format!("(= {name} {})", number(value))),
        Init::Range(range) => Some(within(name, range)),
        Init::Any => None,
    });
    conditions.collect()
}

/// A term.
pub(in crate::certify) fn term(term: &Term, names: &[String]) -> String {
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
pub(in crate::certify) fn cond(cond: &Cond, names: &[String]) -> String {
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
pub(in crate::certify) fn read(place: &Place, names: &[String]) -> String {
    match place {
        Place::Var(var) => names[var.index()].clone(),
        Place::Choice(index, elements) => {
            let elements = elements.iter().map(|var| names[var.index()].clone());
            choice(&term(index, names), &elements.collect::<Vec<_>>())
        }
    }
}

/// A function of SMT-LIB applied to arguments.
pub(in crate::certify) fn apply(function: &str, arguments: &[&str]) -> String {
    match arguments {
        [] => function.to_owned(),
        _ => format!("({function} {})", arguments.join(" ")),
    }
}

/// A conjunction of any number of conditions.
pub(in crate::certify) fn all(conditions: &[String]) -> String {
    junction("and", "true", conditions)
}

/// A disjunction of any number of conditions.
pub(in crate::certify) fn any(conditions: &[String]) -> String {
    junction("or", "false", conditions)
}

/// That a term has a value of a range.
pub(in crate::certify) fn within(term: &str, range: Range) -> String {
    let (low, high) = range.ends();
    format!("(<= {} {term} {})", number(low), number(high))
}

/// An integer.
pub(in crate::certify) fn number(value: i64) -> String {
    match value {
        0.. => value.to_string(),
        _ => format!("(- {})", value.unsigned_abs()),
    }
}

/// Text that stays on its line, for a comment.
pub(in crate::certify) fn comment(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// The parameters of a function of variables.
pub(in crate::certify) fn parameters(variables: &[VarId], names: &[String]) -> String {
    let parameters = variables
        .iter()
        .map(|var| format!("({} Int)", names[var.index()]));
    parameters.collect::<Vec<_>>().join(" ")
}

/// The variables of a condition, sorted.
pub(in crate::certify) fn variables_of(cond: &Cond) -> Vec<VarId> {
    let mut variables = Vec::new();
    collect_cond(cond, &mut variables);
    variables.sort_unstable();
    variables.dedup();
    variables
}

fn collect_cond(cond: &Cond, variables: &mut Vec<VarId>) {
    match cond {
        Cond::Const(_) | Cond::At(..) => {}
        Cond::Not(inner) => collect_cond(inner, variables),
        Cond::And(left, right) | Cond::Or(left, right) => {
            collect_cond(left, variables);
            collect_cond(right, variables);
        }
        Cond::Compare(_, left, right) => {
            collect_term(left, variables);
            collect_term(right, variables);
        }
    }
}

fn collect_term(term: &Term, variables: &mut Vec<VarId>) {
    match term {
        Term::Const(_) => {}
        Term::Var(var) => variables.push(*var),
        Term::Choice(index, elements) => {
            collect_term(index, variables);
            elements
                .iter()
                .for_each(|term| collect_term(term, variables));
        }
        Term::Neg(inner) => collect_term(inner, variables),
        Term::Binary(_, left, right) => {
            collect_term(left, variables);
            collect_term(right, variables);
        }
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
