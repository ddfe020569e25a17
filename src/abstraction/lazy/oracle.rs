//! What the known predicates imply, asked of the solver once.
//!
//! Only literals that are connected with the goal, through variables that they share with it or with each other,
//! can say something about it; the answer for them is kept. What a fact says of the ends and of the named entries of its FIFO
//! takes the place of the fact.

use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use super::Values;
use crate::logic::axioms::{self, Axioms};
use crate::logic::{Formula, Literal, Predicate, PredicateId, Symbol};
use crate::program::Program;
use crate::run::stop::Stop;
use crate::smt::{Effort, Solver};

/// The solver, with its answers.
pub(super) struct Oracle {
    solver: Solver,
    numbers: IndexSet<Symbol>,
    /// The symbols of each predicate.
    symbols: Vec<Symbols>,
    /// The goals that were asked about, with their symbols.
    goals: FxHashMap<Formula, usize>,
    goal_symbols: Vec<Symbols>,
    answers: FxHashMap<(usize, Vec<Literal>), bool>,
    /// What axioms connect.
    links: Vec<Symbols>,
}

/// A set of symbols, by their numbers.
#[derive(Clone, Debug, Default)]
struct Symbols(Vec<u64>);

impl Oracle {
    /// An oracle about some predicates of a program; `differences` says whether it may do without Z3 where it can.
    pub(super) fn new(
        program: &Program,
        predicates: &[Predicate],
        stop: Stop,
        differences: bool,
    ) -> Self {
        // What a fact says takes the place of the fact, which is never known to be false.
        let said = predicates.iter().map(|predicate| match predicate.fact() {
            Some(fact) => Predicate {
                formula: axioms::instances(fact),
                ..predicate.clone()
            },
            None => predicate.clone(),
        });
        let said: Vec<Predicate> = said.collect();
        let solver = Solver::new(&said, stop, differences);
        let mut oracle = Oracle {
            solver: solver.with_axioms(Axioms::without_facts(program)),
            links: Vec::new(),
            numbers: IndexSet::new(),
            symbols: Vec::new(),
            goals: FxHashMap::default(),
            goal_symbols: Vec::new(),
            answers: FxHashMap::default(),
        };
        for predicate in predicates {
            let symbols = oracle.symbols_of(&predicate.formula);
            oracle.symbols.push(symbols);
        }
        for axiom in Axioms::without_facts(program).all() {
            let symbols = oracle.symbols_of(axiom);
            oracle.links.push(symbols);
        }
        oracle
    }

    /// What was asked so far.
    pub(super) fn effort(&self) -> Effort {
        self.solver.effort()
    }

    /// The value that one of two opposite goals gives.
    pub(super) fn value(&mut self, values: &Values, yes: &Formula, no: &Formula) -> Option<bool> {
        if self.implies(values, yes) {
            Some(true)
        } else if self.implies(values, no) {
            Some(false)
        } else {
            None
        }
    }

    /// Whether the known predicates imply a goal.
    pub(super) fn implies(&mut self, values: &Values, goal: &Formula) -> bool {
        match goal {
            Formula::True => return true,
            Formula::False => return false,
            Formula::Atom(_) | Formula::And(_) | Formula::Or(_) => {}
        }
        let number = self.goal(goal);
        let (literals, _) = self.connected(values, number);
        let question = (number, literals);
        if let Some(answer) = self.answers.get(&question) {
            return *answer;
        }
        let answer = self.solver.under(&goal.negated(), |solver| {
            solver.is_inconsistent(&question.1)
        });
        self.answers.insert(question, answer);
        answer
    }

    /// The unknown predicates about which the known ones and a formula together may say something.
    pub(super) fn open(&mut self, values: &Values, formula: &Formula) -> Vec<PredicateId> {
        let number = self.goal(formula);
        let (_, reached) = self.connected(values, number);
        let unknown = (0..values.len()).filter(|&index| values[index].is_none());
        unknown
            .filter(|&index| self.symbols[index].meets(&reached))
            .map(PredicateId::new)
            .collect()
    }

    /// The known literals that are connected with a goal, and all symbols of theirs and of the goal.
    fn connected(&self, values: &Values, goal: usize) -> (Vec<Literal>, Symbols) {
        let mut reached = self.goal_symbols[goal].clone();
        let mut inside = vec![false; values.len()];
        let mut grows = true;
        while grows {
            grows = false;
            for link in &self.links {
                if link.meets(&reached) && !reached.contains(link) {
                    reached.add(link);
                    grows = true;
                }
            }
            for (index, symbols) in self.symbols.iter().enumerate() {
                if !inside[index] && values[index].is_some() && symbols.meets(&reached) {
                    inside[index] = true;
                    reached.add(symbols);
                    grows = true;
                }
            }
        }
        let literals = values.iter().enumerate().filter_map(|(index, value)| {
            Some(Literal {
                predicate: PredicateId::new(index),
                positive: (*value).filter(|_| inside[index])?,
            })
        });
        (literals.collect(), reached)
    }

    fn goal(&mut self, goal: &Formula) -> usize {
        if let Some(&number) = self.goals.get(goal) {
            return number;
        }
        let symbols = self.symbols_of(goal);
        self.goal_symbols.push(symbols);
        self.goals.insert(goal.clone(), self.goal_symbols.len() - 1);
        self.goal_symbols.len() - 1
    }

    fn symbols_of(&mut self, formula: &Formula) -> Symbols {
        let mut symbols = Symbols::default();
        for symbol in formula.symbols() {
            symbols.insert(self.numbers.insert_full(symbol).0);
        }
        symbols
    }
}

impl Symbols {
    fn insert(&mut self, number: usize) {
        let word = number / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }

    fn meets(&self, other: &Symbols) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    fn contains(&self, other: &Symbols) -> bool {
        let mut words = other.0.iter().enumerate();
        words.all(|(number, word)| {
            self.0.get(number).is_some_and(|own| word & !own == 0) || *word == 0
        })
    }

    fn add(&mut self, other: &Symbols) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, more) in self.0.iter_mut().zip(&other.0) {
            *own |= more;
        }
    }
}
