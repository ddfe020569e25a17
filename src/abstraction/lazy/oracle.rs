//! What the known predicates imply, asked of the solver once.
//!
//! A known predicate says something, a fact several things: what it says of the ends of its FIFO and of entries with names
//! ([`axioms::instances`]), each of which matters only where those names are used. What takes part in a question is connected with the
//! goal, through variables that it shares with it or with something else that takes part; the answer is kept.

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
    /// What the predicates say, as the solver knows it.
    said: Vec<Said>,
    /// What axioms connect.
    links: Vec<Said>,
    /// The goals that were asked about.
    goals: FxHashMap<Formula, usize>,
    goal_symbols: Vec<Symbols>,
    answers: FxHashMap<(usize, Vec<Literal>), bool>,
}

/// Something that takes part in a question if all is known that it needs.
struct Said {
    /// The predicate that says it.
    predicate: usize,
    symbols: Symbols,
    /// The names of entries that it uses; it matters only to goals with one of them.
    names: Symbols,
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
        let said = predicates
            .iter()
            .enumerate()
            .flat_map(|(index, predicate)| {
                let said = match predicate.fact() {
                    Some(fact) => axioms::instances(fact),
                    None => vec![predicate.formula.clone()],
                };
                said.into_iter().map(move |formula| (index, formula))
            });
        let said: Vec<(usize, Formula)> = said.collect();
        let axioms = Axioms::without_facts(program);
        let first_name = axioms.first_name;
        let formulas = said.iter().map(|(_, formula)| formula.clone());
        let solver = Solver::of_formulas(formulas.collect(), stop, differences);
        let mut oracle = Oracle {
            solver: solver.with_axioms(axioms.clone()),
            numbers: IndexSet::new(),
            symbols: Vec::new(),
            said: Vec::new(),
            links: Vec::new(),
            goals: FxHashMap::default(),
            goal_symbols: Vec::new(),
            answers: FxHashMap::default(),
        };
        for predicate in predicates {
            let symbols = oracle.symbols_of(&predicate.formula);
            oracle.symbols.push(symbols);
        }
        for (predicate, formula) in said {
            let said = oracle.said(predicate, &formula, first_name);
            oracle.said.push(said);
        }
        for axiom in axioms.all() {
            let link = oracle.said(0, axiom, first_name);
            oracle.links.push(link);
        }
        oracle
    }

    fn said(&mut self, predicate: usize, formula: &Formula, first_name: usize) -> Said {
        let is_name = |symbol: &Symbol| match symbol {
            Symbol::Var(var) => var.index() >= first_name,
            Symbol::Flag(_) | Symbol::Fact(_) => false,
        };
        let mut names = Symbols::default();
        for symbol in formula.symbols().into_iter().filter(is_name) {
            names.insert(self.numbers.insert_full(symbol).0);
        }
        Said {
            predicate,
            symbols: self.symbols_of(formula),
            names,
        }
    }

    /// What was asked so far.
    pub(super) fn effort(&self) -> Effort {
        self.solver.effort()
    }

    /// Whether questions have no answers any more, since the work is to stop.
    pub(super) fn gives_up(&mut self) -> bool {
        self.solver.gives_up()
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

    /// What takes part in a question, and all symbols of it and of the goal.
    fn connected(&self, values: &Values, goal: usize) -> (Vec<Literal>, Symbols) {
        let goal = &self.goal_symbols[goal];
        let mut reached = goal.clone();
        let matters = |said: &Said| said.names.is_empty() || said.names.meets(goal);
        let said = self.said.iter().enumerate();
        let mut open: Vec<(usize, bool, &Said)> = said
            .filter_map(|(index, said)| Some((index, values[said.predicate]?, said)))
            .filter(|(_, _, said)| matters(said))
            .collect();
        let mut links: Vec<&Said> = self.links.iter().filter(|link| matters(link)).collect();
        let mut literals = Vec::new();
        loop {
            let before = links.len() + open.len();
            links.retain(|link| !reached.joins(&link.symbols));
            open.retain(|(index, positive, said)| {
                let joins = reached.joins(&said.symbols);
                if joins {
                    literals.push(Literal {
                        predicate: PredicateId::new(*index),
                        positive: *positive,
                    });
                }
                !joins
            });
            if links.len() + open.len() == before {
                literals.sort_unstable();
                return (literals, reached);
            }
        }
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

    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    fn meets(&self, other: &Symbols) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// Takes in another set that it meets; false if it does not.
    fn joins(&mut self, other: &Symbols) -> bool {
        let meets = self.meets(other);
        if meets {
            if self.0.len() < other.0.len() {
                self.0.resize(other.0.len(), 0);
            }
            for (own, more) in self.0.iter_mut().zip(&other.0) {
                *own |= more;
            }
        }
        meets
    }
}
