//! A range of values in which no expression of a program leaves the numbers of a target: 32 bits in Promela, 64 in C.
//!
//! A term is at most `factor * R + constant` in absolute value where all variables are at most `R` at the beginning of a
//! step. In Promela a step may be a whole way through an atomic section, whose conditions are written over the values at
//! its beginning: so sizes are followed along it. In C every edge is a step. The range is the greatest `R` for which no term
//! of the program, parts of terms included, exceeds the numbers; what a program computes is then checked against it, so
//! that nothing ever overflows unseen.

use crate::front::cup::ast::ArithOp;
use crate::program::{Action, Cond, EdgeId, Init, LocId, Place, Program, Term, VarId};

use super::steps::{End, Way};
use super::symbolic::{added, as_term};
use super::{Exported, Refused};

/// How large a term can get.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    factor: i128,
    constant: i128,
}

/// A variable at the beginning of a step.
const START: Size = Size {
    factor: 1,
    constant: 0,
};

/// What is known after the terms that were seen.
struct Seen {
    /// The greatest number of the target.
    greatest: i128,
    /// No value may be greater.
    range: i128,
    /// The greatest constant.
    constant: i128,
}

/// The range of a program in Promela, if all numbers that stand in it are in it.
pub(super) fn in_32_bits(exported: Exported<'_>) -> Result<i64, Refused> {
    let program = exported.program();
    let mut seen = Seen::up_to(i32::MAX.into());
    for (thread, graph) in program.thread_ids().zip(&program.threads) {
        let blocks = graph.backgrounds.iter().map(|block| block.entry);
        for at in exported.resting(thread)?.into_iter().chain(blocks) {
            for way in exported.ways(thread, at)? {
                seen.way(program, &way);
            }
        }
    }
    seen.range_of(program).ok_or_else(|| {
        let message = "numbers that Promela, which has 32 bits, cannot tell";
        let hint = "use smaller numbers, or export to C or to Horn clauses";
        Refused::new(message, None, hint)
    })
}

/// The range of a program in C, if all numbers that stand in it are in it.
pub(super) fn in_64_bits(exported: Exported<'_>) -> Result<i64, Refused> {
    let program = exported.program();
    let mut seen = Seen::up_to(i64::MAX.into());
    for (thread, graph) in program.thread_ids().zip(&program.threads) {
        for (at, location) in graph.locations.iter().enumerate() {
            for number in 0..location.edges.len() {
                let at = LocId::new(at);
                let mut start = vec![START; program.vars.len()];
                seen.edge(program, EdgeId { thread, at, number }, &mut start);
            }
        }
    }
    seen.range_of(program).ok_or_else(|| {
        let message = "numbers that C, which has 64 bits, cannot tell";
        Refused::new(
            message,
            None,
            "use smaller numbers, or export to Horn clauses",
        )
    })
}

impl Seen {
    fn up_to(greatest: i128) -> Self {
        Seen {
            greatest,
            range: greatest,
            constant: 0,
        }
    }

    /// The range after all steps were seen: the properties and the initial values come last.
    fn range_of(mut self, program: &Program) -> Option<i64> {
        let start = vec![START; program.vars.len()];
        for spec in &program.specs {
            let bounds = spec.bounds.as_ref().map(|bounds| &bounds.cond);
            let conds = bounds.into_iter().chain([&spec.cond]);
            conds.for_each(|cond| self.cond(cond, &start));
        }
        for var in &program.vars {
            self.constant = self.constant.max(match var.init {
                Init::Value(value) => i128::from(value).abs(),
                Init::Range(range) => of_range(range.ends()).constant,
                Init::Any => 0,
            });
        }
        let fits = self.constant <= self.range && self.range >= 1;
        fits.then(|| i64::try_from(self.range).expect("it is at most the greatest number"))
    }

    /// Goes along a way, with the sizes of the variables over those at its beginning.
    fn way(&mut self, program: &Program, way: &Way) {
        let mut sizes = vec![START; program.vars.len()];
        for id in &way.edges {
            self.edge(program, *id, &mut sizes);
        }
        if let End::Breaks(_, cond) = &way.end {
            self.cond(cond, &sizes);
        }
    }

    fn edge(&mut self, program: &Program, id: EdgeId, sizes: &mut [Size]) {
        let edge = program.edge(id);
        if let Some(bounds) = &edge.bounds {
            self.cond(&bounds.cond, sizes);
        }
        match &edge.action {
            Action::Skip | Action::Fence | Action::Pop(_) | Action::Havoc(_) => {}
            Action::Append(_, values) => values.iter().for_each(|value| {
                self.term(value, sizes);
            }),
            Action::Assume(cond) | Action::Assert(cond, _) => self.cond(cond, sizes),
            Action::Choose(place, range) => {
                let chosen = of_range(range.ends());
                self.constant = self.constant.max(chosen.constant);
                self.set(place, chosen, sizes);
            }
            Action::Assign(place, term) | Action::Store(place, term) => {
                let value = self.term(term, sizes);
                self.set(place, value, sizes);
            }
            Action::Load(place, source) => {
                let value = self.term(&as_term(source), sizes);
                self.set(place, value, sizes);
            }
            Action::Cas(place, target, expected, new) => {
                self.term(expected, sizes);
                let (old, new) = (as_term(target), self.term(new, sizes));
                let either = self.term(&old, sizes).or(new);
                self.set(target, either, sizes);
                self.set(place, of_range((0, 1)), sizes);
            }
            Action::Swap(place, target, new) => {
                let (old, new) = (as_term(target), self.term(new, sizes));
                let old = self.term(&old, sizes);
                self.set(target, new, sizes);
                self.set(place, old, sizes);
            }
            Action::FetchAdd(place, target, difference) => {
                let sum = self.term(&added(target, difference), sizes);
                let old = self.term(&as_term(target), sizes);
                self.set(target, sum, sizes);
                self.set(place, old, sizes);
            }
        }
    }

    fn set(&mut self, place: &Place, value: Size, sizes: &mut [Size]) {
        match place {
            Place::Var(var) => sizes[var.index()] = value,
            Place::Choice(index, vars) => {
                self.term(index, sizes);
                for var in vars {
                    sizes[var.index()] = sizes[var.index()].or(value);
                }
            }
        }
    }

    fn cond(&mut self, cond: &Cond, sizes: &[Size]) {
        match cond {
            Cond::Const(_) | Cond::At(..) => {}
            Cond::Not(a) => self.cond(a, sizes),
            Cond::And(a, b) | Cond::Or(a, b) => {
                self.cond(a, sizes);
                self.cond(b, sizes);
            }
            Cond::Compare(_, a, b) => {
                self.term(a, sizes);
                self.term(b, sizes);
            }
        }
    }

    /// Sees a term and all its parts; its size.
    fn term(&mut self, term: &Term, sizes: &[Size]) -> Size {
        each_part(term, &mut |part| {
            let size = size(part, &|var| sizes[var.index()]);
            let room = self.greatest.saturating_sub(size.constant);
            self.range = self.range.min(room.div_euclid(size.factor.max(1)));
            if let Term::Const(value) = part {
                self.constant = self.constant.max(i128::from(*value).abs());
            }
        });
        size(term, &|var| sizes[var.index()])
    }
}

impl Size {
    /// The size of what has one of two sizes.
    fn or(self, other: Size) -> Size {
        Size {
            factor: self.factor.max(other.factor),
            constant: self.constant.max(other.constant),
        }
    }
}

/// The size of a choice among these numbers.
fn of_range((low, high): (i64, i64)) -> Size {
    Size {
        factor: 0,
        constant: i128::from(low).abs().max(i128::from(high).abs()),
    }
}

/// Whether a term stays in the range where all variables do.
pub(super) fn stays(term: &Term, range: i64) -> bool {
    let start = |_| START;
    let Size { factor, constant } = size(term, &start);
    match term {
        Term::Binary(ArithOp::Mod, _, divisor) => {
            size(divisor, &start).constant <= i128::from(range)
        }
        Term::Choice(_, elements) => elements.iter().all(|element| stays(element, range)),
        _ => factor == 0 && constant <= i128::from(range) || factor <= 1 && constant == 0,
    }
}

/// The size of a term over variables of these sizes.
fn size(term: &Term, of: &dyn Fn(VarId) -> Size) -> Size {
    match term {
        Term::Const(value) => Size {
            factor: 0,
            constant: i128::from(*value).abs(),
        },
        Term::Var(var) => of(*var),
        Term::Choice(_, elements) => elements
            .iter()
            .map(|element| size(element, of))
            .fold(Size::default(), Size::or),
        Term::Neg(inner) => size(inner, of),
        Term::Binary(op, left, right) => {
            let (left, right) = (size(left, of), size(right, of));
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
