//! The one file that talks to Z3.
//!
//! Each literal `l` is an assumption: a boolean `a` and the clause `a -> l`, so that one incremental
//! solver serves all questions and predicates that no question mentions cost nothing.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use z3::ast::{Bool, Int};
use z3::{Params, SatResult};

use super::{Answer, Model};
use crate::logic::axioms::Axioms;
use crate::logic::{Atom, Fact, Flag, Formula, Linear, Literal, PredicateId, Quotient};
use crate::program::VarId;

/// Steps (of Z3's own resource count) after which it gives up a single question. Unlike time they are
/// the same on every machine.
const QUESTION_EFFORT: u32 = 500_000;

/// Z3 with a list of predicates.
pub(super) struct Library {
    z3: z3::Solver,
    assumptions: Vec<[Bool; 2]>,
    literals: FxHashMap<Bool, Literal>,
    symbols: Symbols,
}

#[derive(Default)]
struct Symbols {
    ints: IndexMap<VarId, Int>,
    flags: IndexMap<Flag, Bool>,
    facts: IndexMap<Arc<Fact>, Bool>,
    quotients: IndexMap<Quotient, Int>,
    /// What says which quotients the variables of the formula at hand are.
    definitions: Vec<Bool>,
}

impl Library {
    /// A solver that knows these predicates and axioms.
    pub fn new(predicates: &[Formula], axioms: &Axioms) -> Self {
        let mut params = Params::new();
        params.set_u32("rlimit", QUESTION_EFFORT);
        // Ctrl-C is ours: while Z3 worked it would take it for itself.
        params.set_bool("ctrl_c", false);
        // Of Z3's solvers this one is the fastest on our questions and finds the most telling models.
        let z3 = z3::Solver::new_for_logic("QF_LIA").expect("Z3 knows linear integer arithmetic");
        z3.set_params(&params);
        let mut solver = Library {
            z3,
            assumptions: Vec::with_capacity(predicates.len()),
            literals: FxHashMap::default(),
            symbols: Symbols::default(),
        };
        // The incremental core is meant from the first question on.
        solver.z3.push();
        for (index, predicate) in predicates.iter().enumerate() {
            solver.add(PredicateId::new(index), predicate);
        }
        for axiom in axioms.all() {
            let asserted = solver.symbols.defined(axiom);
            solver.z3.assert(asserted);
        }
        solver
    }

    /// Puts a formula in force.
    pub fn push(&mut self, formula: &Formula) {
        self.z3.push();
        let asserted = self.symbols.defined(formula);
        self.z3.assert(asserted);
    }

    /// Drops the formula that was put in force last.
    pub fn pop(&mut self) {
        self.z3.pop(1);
    }

    /// Whether the literals are consistent with each other and with the formulas in force.
    pub fn check(&mut self, literals: &[Literal]) -> Answer {
        match self.assume(literals) {
            SatResult::Unsat => Answer::Inconsistent(self.core()),
            SatResult::Sat => self.model().map_or(Answer::Unknown, Answer::Consistent),
            SatResult::Unknown => Answer::Unknown,
        }
    }

    /// Whether they are not; `None` if Z3 does not know.
    pub fn contradicts(&mut self, literals: &[Literal]) -> Option<bool> {
        match self.assume(literals) {
            SatResult::Unsat => Some(true),
            SatResult::Sat => Some(false),
            SatResult::Unknown => None,
        }
    }

    fn assume(&self, literals: &[Literal]) -> SatResult {
        let assumed = literals.iter();
        let assumed: Vec<Bool> = assumed
            .map(|literal| self.assumption(*literal).clone())
            .collect();
        self.z3.check_assumptions(&assumed)
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
                self.symbols.defined(formula)
            } else {
                self.symbols.defined(&formula.negated())
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
            model.set(*var, value);
        }
        for (flag, symbol) in &self.symbols.flags {
            let value = found
                .get_const_interp(symbol)
                .and_then(|value| value.as_bool());
            model.set_flag(flag, value.unwrap_or(false));
        }
        for (fact, symbol) in &self.symbols.facts {
            let value = found
                .get_const_interp(symbol)
                .and_then(|value| value.as_bool());
            model.set_fact(fact, value.unwrap_or(false));
        }
        Some(model)
    }
}

fn times(factor: i128, term: Int) -> Int {
    match factor {
        1 => term,
        _ => Int::mul(&[Int::from_i128(factor), term]),
    }
}

impl Symbols {
    /// The formula together with the definitions of its quotients.
    fn defined(&mut self, formula: &Formula) -> Bool {
        let meaning = self.formula(formula);
        let mut parts = std::mem::take(&mut self.definitions);
        parts.push(meaning);
        Bool::and(&parts)
    }

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
            Atom::Fact(fact, true) => self.fact(fact),
            Atom::Fact(fact, false) => self.fact(fact).not(),
        }
    }

    fn term(&mut self, term: &Linear) -> Int {
        let (vars, quotients) = term.parts();
        let mut sum: Vec<Int> = Vec::with_capacity(vars.len() + quotients.len() + 1);
        for (var, factor) in vars {
            sum.push(times(*factor, self.int(*var)));
        }
        for (quotient, factor) in quotients {
            sum.push(times(*factor, self.quotient(quotient)));
        }
        sum.push(Int::from_i128(term.constant_part()));
        Int::add(&sum)
    }

    /// A variable `q` with `c * q <= t < c * q + c`: Z3 takes far more steps where it is asked about `div`.
    fn quotient(&mut self, quotient: &Quotient) -> Int {
        let number = self.quotients.len();
        let new = || Int::new_const(format!("q{number}"));
        let symbol = self.quotients.entry(quotient.clone()).or_insert_with(new);
        let (symbol, divisor) = (symbol.clone(), quotient.divisor());
        let dividend = self.term(quotient.dividend());
        let rest = Int::sub(&[dividend, times(divisor, symbol.clone())]);
        self.definitions.push(rest.ge(Int::from_i64(0)));
        self.definitions.push(rest.lt(Int::from_i128(divisor)));
        symbol
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

    fn fact(&mut self, fact: &Arc<Fact>) -> Bool {
        let number = self.facts.len();
        let new = || Bool::new_const(format!("fact{number}"));
        let entry = self.facts.entry(Arc::clone(fact));
        entry.or_insert_with(new).clone()
    }
}
