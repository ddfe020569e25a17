//! The one module that talks to Z3.
//!
//! A [`Solver`] knows a list of predicates. It answers whether some of their literals are
//! consistent with each other and with a formula that is in force ([`Solver::under`]): with a model,
//! or with literals that contradict each other. Each literal `l` is an assumption: a boolean `a`
//! and the clause `a -> l`, so that one incremental solver serves all questions and predicates that
//! no question mentions cost nothing.
//!
//! An answer `Unknown` is never taken for a proof; it is counted and reported. Solvers live in the
//! thread that makes them (Z3's contexts are per thread). The calls are counted and timed.

use std::time::{Duration, Instant};

use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use z3::ast::{Bool, Int};
use z3::{Params, SatResult};

use crate::logic::{Atom, Flag, Formula, Linear, Literal, Predicate, PredicateId, Valuation};
use crate::program::VarId;

/// Steps (of Z3's own resource count) after which it gives up a single question. Unlike time they are
/// the same on every machine.
const QUESTION_EFFORT: u32 = 50_000_000;

/// A solver for questions about a list of predicates.
pub struct Solver {
    z3: z3::Solver,
    assumptions: Vec<[Bool; 2]>,
    literals: FxHashMap<Bool, Literal>,
    symbols: Symbols,
    deadline: Option<Instant>,
    effort: Effort,
}

/// What the questions cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// The number of questions.
    pub calls: u64,
    /// How many of them had no answer.
    pub unknown: u64,
    /// Time spent on them.
    pub time: Duration,
}

/// An answer about a set of literals.
#[derive(Clone, Debug)]
pub enum Answer {
    /// They are consistent: a model.
    Consistent(Model),
    /// They are not: some of them that contradict each other.
    Inconsistent(Vec<Literal>),
    /// Z3 does not know, or the time is over.
    Unknown,
}

/// Values of the variables and flags.
#[derive(Clone, Debug, Default)]
pub struct Model {
    values: FxHashMap<VarId, i128>,
    flags: FxHashMap<Flag, bool>,
}

#[derive(Default)]
struct Symbols {
    ints: IndexMap<VarId, Int>,
    flags: IndexMap<Flag, Bool>,
}

impl Solver {
    /// A solver for questions about these predicates; after the deadline it knows nothing.
    pub fn new(predicates: &[Predicate], deadline: Option<Instant>) -> Self {
        let mut params = Params::new();
        params.set_u32("rlimit", QUESTION_EFFORT);
        // Of Z3's solvers this one is the fastest on our questions and finds the most telling models.
        let z3 = z3::Solver::new_for_logic("QF_LIA").expect("Z3 knows linear integer arithmetic");
        z3.set_params(&params);
        let mut solver = Solver {
            z3,
            assumptions: Vec::with_capacity(predicates.len()),
            literals: FxHashMap::default(),
            symbols: Symbols::default(),
            deadline,
            effort: Effort::default(),
        };
        // The incremental core is meant from the first question on.
        solver.z3.push();
        for (index, predicate) in predicates.iter().enumerate() {
            solver.add(PredicateId::new(index), &predicate.formula);
        }
        solver
    }

    /// Does some work with a formula in force.
    pub fn under<R>(&mut self, formula: &Formula, work: impl FnOnce(&mut Solver) -> R) -> R {
        self.z3.push();
        let asserted = self.symbols.formula(formula);
        self.z3.assert(asserted);
        let result = work(self);
        self.z3.pop(1);
        result
    }

    /// Whether the literals are consistent with each other and with the formulas in force.
    pub fn check(&mut self, literals: &[Literal]) -> Answer {
        if self.is_late() {
            self.effort.unknown += 1;
            return Answer::Unknown;
        }
        let assumed: Vec<Bool> = literals
            .iter()
            .map(|literal| self.assumption(*literal).clone())
            .collect();
        let start = Instant::now();
        let result = self.z3.check_assumptions(&assumed);
        let answer = match result {
            SatResult::Unsat => Answer::Inconsistent(self.core()),
            SatResult::Sat => self.model().map_or(Answer::Unknown, Answer::Consistent),
            SatResult::Unknown => Answer::Unknown,
        };
        self.effort.calls += 1;
        self.effort.time += start.elapsed();
        self.effort.unknown += u64::from(matches!(answer, Answer::Unknown));
        answer
    }

    /// What the questions have cost so far.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    fn is_late(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn add(&mut self, id: PredicateId, formula: &Formula) {
        let pair = [false, true].map(|positive| {
            let name = format!("{}{}", if positive { "p" } else { "n" }, id.index());
            let assumption = Bool::new_const(name);
            let literal = Literal {
                predicate: id,
                positive,
            };
            let meaning = if positive {
                self.symbols.formula(formula)
            } else {
                self.symbols.formula(&formula.negated())
            };
            self.z3.assert(assumption.implies(&meaning));
            self.literals.insert(assumption.clone(), literal);
            assumption
        });
        self.assumptions.push(pair);
    }

    fn assumption(&self, literal: Literal) -> &Bool {
        &self.assumptions[literal.predicate.index()][usize::from(literal.positive)]
    }

    fn core(&self) -> Vec<Literal> {
        let core = self.z3.get_unsat_core();
        let mut literals: Vec<Literal> = core
            .iter()
            .filter_map(|assumption| self.literals.get(assumption).copied())
            .collect();
        literals.sort_unstable();
        literals
    }

    /// The model, unless a value leaves `i128`.
    fn model(&self) -> Option<Model> {
        let found = self.z3.get_model()?;
        let mut model = Model::default();
        for (var, int) in &self.symbols.ints {
            let value = match found.get_const_interp(int) {
                Some(value) => value.as_i64().map(i128::from).or_else(|| value.as_i128())?,
                None => 0,
            };
            model.values.insert(*var, value);
        }
        for (flag, symbol) in &self.symbols.flags {
            let value = found
                .get_const_interp(symbol)
                .and_then(|value| value.as_bool());
            model.flags.insert(flag.clone(), value.unwrap_or(false));
        }
        Some(model)
    }
}

impl Effort {
    /// The sum of two efforts.
    #[must_use]
    pub fn plus(self, other: Effort) -> Effort {
        Effort {
            calls: self.calls + other.calls,
            unknown: self.unknown + other.unknown,
            time: self.time + other.time,
        }
    }
}

impl Valuation for Model {
    fn value(&self, var: VarId) -> i128 {
        self.values.get(&var).copied().unwrap_or(0)
    }

    fn holds(&self, flag: &Flag) -> bool {
        self.flags.get(flag).copied().unwrap_or(false)
    }
}

impl Symbols {
    fn formula(&mut self, formula: &Formula) -> Bool {
        match formula {
            Formula::True => Bool::from_bool(true),
            Formula::False => Bool::from_bool(false),
            Formula::Atom(atom) => self.atom(atom),
            Formula::And(parts) => Bool::and(&self.formulas(parts)),
            Formula::Or(parts) => Bool::or(&self.formulas(parts)),
        }
    }

    fn formulas(&mut self, parts: &[Formula]) -> Vec<Bool> {
        parts.iter().map(|part| self.formula(part)).collect()
    }

    fn atom(&mut self, atom: &Atom) -> Bool {
        let zero = Int::from_i64(0);
        match atom {
            Atom::Zero(term) => self.term(term).eq(zero),
            Atom::NonZero(term) => self.term(term).eq(zero).not(),
            Atom::NotPositive(term) => self.term(term).le(zero),
            Atom::At(flag, true) => self.flag(flag),
            Atom::At(flag, false) => self.flag(flag).not(),
        }
    }

    fn term(&mut self, term: &Linear) -> Int {
        let constant = Int::from_i128(term.constant_part());
        let products = term.coefficients().iter().map(|&(var, factor)| {
            let symbol = self.int(var);
            match factor {
                1 => symbol,
                _ => Int::mul(&[Int::from_i128(factor), symbol]),
            }
        });
        let parts: Vec<Int> = products.chain(std::iter::once(constant)).collect();
        Int::add(&parts)
    }

    fn int(&mut self, var: VarId) -> Int {
        let new = || Int::new_const(format!("v{}", var.index()));
        self.ints.entry(var).or_insert_with(new).clone()
    }

    fn flag(&mut self, flag: &Flag) -> Bool {
        let number = self.flags.len();
        let new = || Bool::new_const(format!("at{number}"));
        self.flags.entry(flag.clone()).or_insert_with(new).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::ast::CompareOp;
    use crate::program::{Cond, Term};

    fn predicates(list: &[(CompareOp, usize, i64)]) -> Vec<Predicate> {
        let predicate = |&(op, var, value): &(CompareOp, usize, i64)| {
            let cond = Cond::Compare(op, Term::Var(VarId::new(var)), Term::Const(value));
            Predicate::new(cond).expect("small numbers")
        };
        list.iter().map(predicate).collect()
    }

    fn literal(index: usize, positive: bool) -> Literal {
        Literal {
            predicate: PredicateId::new(index),
            positive,
        }
    }

    #[test]
    fn contradicting_literals_are_their_own_core() {
        let predicates = predicates(&[
            (CompareOp::Eq, 0, 0),
            (CompareOp::Eq, 1, 0),
            (CompareOp::Gt, 0, 3),
        ]);
        let mut solver = Solver::new(&predicates, None);
        let all = [literal(0, true), literal(1, true), literal(2, true)];
        let Answer::Inconsistent(core) = solver.check(&all) else {
            panic!("x == 0 and x > 3 are inconsistent");
        };
        assert_eq!(core, [literal(0, true), literal(2, true)]);
        assert_eq!(solver.effort().calls, 1);
    }

    #[test]
    fn models_satisfy_what_was_asked() {
        let predicates = predicates(&[(CompareOp::Eq, 0, 7), (CompareOp::Lt, 1, -2)]);
        let mut solver = Solver::new(&predicates, None);
        let Answer::Consistent(model) = solver.check(&[literal(0, true), literal(1, false)]) else {
            panic!("x == 7 and y >= -2 are consistent");
        };
        assert_eq!(predicates[0].formula.eval(&model), Some(true));
        assert_eq!(predicates[1].formula.eval(&model), Some(false));
    }

    #[test]
    fn a_formula_is_in_force_only_within_its_scope() {
        let predicates = predicates(&[(CompareOp::Eq, 0, 7)]);
        let mut solver = Solver::new(&predicates, None);
        let not_seven = predicates[0].formula.negated();
        let inside = solver.under(&not_seven, |solver| solver.check(&[literal(0, true)]));
        assert!(matches!(inside, Answer::Inconsistent(_)));
        assert!(matches!(
            solver.check(&[literal(0, true)]),
            Answer::Consistent(_)
        ));
    }

    #[test]
    fn after_the_deadline_nothing_is_known() {
        let predicates = predicates(&[(CompareOp::Eq, 0, 7)]);
        let mut solver = Solver::new(&predicates, Some(Instant::now()));
        assert!(matches!(solver.check(&[]), Answer::Unknown));
        assert_eq!(solver.effort().unknown, 1);
    }
}
