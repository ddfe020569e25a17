//! A range of values in which no expression of a program leaves 32 bits.
//!
//! A term is at most `factor * R + constant` in absolute value where all variables are at most `R`. The range is the
//! greatest `R` for which no term of the program, parts of terms included, exceeds the 32-bit numbers; what a program
//! computes is then checked against it, so that nothing ever overflows unseen.

use crate::front::cup::ast::ArithOp;
use crate::program::{Action, Cond, Init, Place, Program, Term};

use super::symbolic::added;
use super::{Exported, Refused};

/// The greatest number of 32 bits.
const GREATEST: i128 = i32::MAX as i128;

/// How large a term can get.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    factor: i128,
    constant: i128,
}

/// The range of a program, if all numbers that stand in it are in it.
pub(super) fn range(exported: Exported<'_>) -> Result<i64, Refused> {
    let program = exported.program();
    let mut range = GREATEST;
    let mut constants: i128 = 0;
    for term in terms(program) {
        each_part(&term, &mut |part| {
            let size = size(part);
            range = range.min((GREATEST - size.constant).div_euclid(size.factor.max(1)));
            if let Term::Const(value) = part {
                constants = constants.max(i128::from(*value).abs());
            }
        });
    }
    for (low, high) in chosen(program) {
        constants = constants
            .max(i128::from(low).abs())
            .max(i128::from(high).abs());
    }
    if constants > range || range < 1 {
        let message = "numbers that Promela, which has 32 bits, cannot tell";
        let hint = "use smaller numbers, or export to C or to Horn clauses";
        return Err(Refused::new(message, None, hint));
    }
    Ok(i64::try_from(range).expect("it has 32 bits"))
}

/// Whether a term stays in the range where all variables do.
pub(super) fn stays(term: &Term, range: i64) -> bool {
    let Size { factor, constant } = size(term);
    match term {
        Term::Binary(ArithOp::Mod, _, divisor) => size(divisor).constant <= i128::from(range),
        Term::Choice(_, elements) => elements.iter().all(|element| stays(element, range)),
        _ => factor == 0 && constant <= i128::from(range) || factor <= 1 && constant == 0,
    }
}

fn size(term: &Term) -> Size {
    match term {
        Term::Const(value) => Size {
            factor: 0,
            constant: i128::from(*value).abs(),
        },
        Term::Var(_) => Size {
            factor: 1,
            constant: 0,
        },
        Term::Choice(_, elements) => elements
            .iter()
            .map(size)
            .fold(Size::default(), |a, b| Size {
                factor: a.factor.max(b.factor),
                constant: a.constant.max(b.constant),
            }),
        Term::Neg(inner) => size(inner),
        Term::Binary(op, left, right) => {
            let (left, right) = (size(left), size(right));
            match op {
                ArithOp::Add | ArithOp::Sub => Size {
                    factor: left.factor.saturating_add(right.factor),
                    constant: left.constant.saturating_add(right.constant),
                },
                // One side has no variables.
                ArithOp::Mul => Size {
                    factor: (left.factor.saturating_mul(right.constant))
                        .saturating_add(right.factor.saturating_mul(left.constant)),
                    constant: left.constant.saturating_mul(right.constant),
                },
                ArithOp::Div => left,
                // The remainder is brought into its range by a sum with the divisor.
                ArithOp::Mod => Size {
                    factor: 0,
                    constant: right.constant.saturating_mul(2),
                },
            }
        }
    }
}

fn each_part(term: &Term, visit: &mut impl FnMut(&Term)) {
    visit(term);
    match term {
        Term::Const(_) | Term::Var(_) => {}
        Term::Choice(index, elements) => {
            each_part(index, visit);
            elements
                .iter()
                .for_each(|element| each_part(element, visit));
        }
        Term::Neg(inner) => each_part(inner, visit),
        Term::Binary(_, left, right) => {
            each_part(left, visit);
            each_part(right, visit);
        }
    }
}

/// All terms of a program.
fn terms(program: &Program) -> Vec<Term> {
    let mut terms = Vec::new();
    for id in program.edge_ids() {
        let edge = program.edge(id);
        if let Some(bounds) = &edge.bounds {
            of_cond(&bounds.cond, &mut terms);
        }
        of_action(&edge.action, &mut terms);
    }
    for spec in &program.specs {
        let bounds = spec.bounds.as_ref().map(|bounds| &bounds.cond);
        let conds = bounds.into_iter().chain([&spec.cond]);
        conds.for_each(|cond| of_cond(cond, &mut terms));
    }
    terms
}

fn of_action(action: &Action, terms: &mut Vec<Term>) {
    match action {
        Action::Skip | Action::Fence | Action::Pop(_) => {}
        Action::Append(_, values) => terms.extend(values.iter().cloned()),
        Action::Assume(cond) | Action::Assert(cond, _) => of_cond(cond, terms),
        Action::Havoc(place) | Action::Choose(place, _) => of_place(place, terms),
        Action::Assign(place, term) | Action::Store(place, term) => {
            of_place(place, terms);
            terms.push(term.clone());
        }
        Action::Load(place, source) => [place, source]
            .into_iter()
            .for_each(|place| of_place(place, terms)),
        Action::Cas(place, target, expected, new) => {
            [place, target]
                .into_iter()
                .for_each(|place| of_place(place, terms));
            terms.extend([expected.clone(), new.clone()]);
        }
        Action::Swap(place, target, new) => {
            [place, target]
                .into_iter()
                .for_each(|place| of_place(place, terms));
            terms.push(new.clone());
        }
        Action::FetchAdd(place, target, difference) => {
            [place, target]
                .into_iter()
                .for_each(|place| of_place(place, terms));
            terms.push(added(target, difference));
        }
    }
}

fn of_place(place: &Place, terms: &mut Vec<Term>) {
    if let Place::Choice(index, _) = place {
        terms.push(index.clone());
    }
}

fn of_cond(cond: &Cond, terms: &mut Vec<Term>) {
    match cond {
        Cond::Const(_) | Cond::At(..) => {}
        Cond::Not(a) => of_cond(a, terms),
        Cond::And(a, b) | Cond::Or(a, b) => {
            [a, b].into_iter().for_each(|cond| of_cond(cond, terms))
        }
        Cond::Compare(_, a, b) => terms.extend([a.clone(), b.clone()]),
    }
}

/// The values that variables start with, and those of choices.
fn chosen(program: &Program) -> Vec<(i64, i64)> {
    let starts = program.vars.iter().filter_map(|var| match var.init {
        Init::Value(value) => Some((value, value)),
        Init::Range(range) => Some(range.ends()),
        Init::Any => None,
    });
    let choices = program
        .edge_ids()
        .filter_map(|id| match &program.edge(id).action {
            Action::Choose(_, range) => Some(range.ends()),
            _ => None,
        });
    starts.chain(choices).collect()
}
