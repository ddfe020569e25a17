//! What the known predicates imply, asked of the solver once.
//!
//! A known predicate says something, a fact several things: what it says of the ends of its FIFO and of entries with names
//! ([`axioms::instances`]), each of which matters only where those names are used. What takes part in a question is connected with the
//! goal, through variables that it shares with it or with something else that takes part.
//!
//! Answers are kept in a way that says more than about one question: what implies a goal does so with more beside it, and a model in which the goal
//! is false shows for all that is true in it that it does not imply the goal.

use std::collections::VecDeque;

use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use super::Values;
use crate::logic::axioms::{self, Axioms};
use crate::logic::{Formula, Literal, Predicate, PredicateId, Symbol};
use crate::program::Program;
use crate::run::stop::Stop;
use crate::smt::{Answer, Effort, Model, Solver};

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
    axioms: Axioms,
    /// The goals that were asked about.
    numbered: FxHashMap<Formula, usize>,
    goals: Vec<Goal>,
    /// The last models, of any goals, with what is true in them: goals that are asked about one state often have one in common.
    recent: VecDeque<(Model, Literals)>,
    /// The questions so far, each counted once, also those that answers to others have decided.
    questions: u64,
}

/// How many models are kept that may serve other goals.
const RECENT: usize = 64;

/// Something that takes part in a question if all is known that it needs.
struct Said {
    /// The predicate that says it.
    predicate: usize,
    formula: Formula,
    symbols: Symbols,
    /// The names of entries that it uses; it matters only to goals with one of them.
    names: Symbols,
}

/// A goal, with what is known about it.
struct Goal {
    symbols: Symbols,
    denied: Formula,
    /// What may take part in questions about it: numbers in [`Oracle::said`] and [`Oracle::links`].
    said: Vec<usize>,
    links: Vec<usize>,
    answers: FxHashMap<Literals, bool>,
    /// Literals that imply it.
    cores: Vec<Literals>,
    /// For models in which it is false what is true in them.
    models: Vec<Literals>,
}

/// A set of symbols, by their numbers.
#[derive(Clone, Debug, Default)]
struct Symbols(Vec<u64>);

/// A set of literals about what is said: twice the number, and one more for what is not denied.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Literals(Vec<u64>);

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
            axioms: axioms.clone(),
            numbered: FxHashMap::default(),
            goals: Vec::new(),
            recent: VecDeque::new(),
            questions: 0,
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
            formula: formula.clone(),
            symbols: self.symbols_of(formula),
            names,
        }
    }

    /// What was asked so far.
    pub(super) fn effort(&self) -> Effort {
        self.solver.effort()
    }

    /// The questions so far, each counted once, whether the solver was asked or answers to others have decided them.
    pub(super) fn questions(&self) -> u64 {
        self.questions
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
        let (known, _) = self.connected(values, number);
        let goal = &self.goals[number];
        if let Some(&answer) = goal.answers.get(&known) {
            return answer;
        }
        self.questions += 1;
        let answer = goal.answer(&known).unwrap_or_else(|| {
            !self.fails_in_recent_model(number, &known) && self.ask(number, &known)
        });
        self.goals[number].answers.insert(known, answer);
        answer
    }

    /// Asks the solver whether literals imply a goal, and keeps what the answer says about other literals.
    fn ask(&mut self, number: usize, known: &Literals) -> bool {
        let literals: Vec<Literal> = known.list().collect();
        let denied = &self.goals[number].denied;
        match self
            .solver
            .under(denied, |solver| solver.examine(&literals))
        {
            Answer::Inconsistent(core) => {
                let mut set = Literals::none(self.said.len());
                core.into_iter().for_each(|literal| set.insert(literal));
                self.goals[number].cores.push(set);
                true
            }
            Answer::Consistent(model) => {
                if let Some(truths) = self.truths(number, &model) {
                    self.goals[number].models.push(truths.clone());
                    self.recent.truncate(RECENT - 1);
                    self.recent.push_front((model, truths));
                }
                false
            }
            Answer::Unknown => false,
        }
    }

    /// Whether some literals are true in a model that was found lately, and a goal is false.
    fn fails_in_recent_model(&mut self, number: usize, known: &Literals) -> bool {
        let goal = &mut self.goals[number];
        let fails = |(model, truths): &&(Model, Literals)| {
            known.is_in(truths) && goal.denied.eval(model) == Some(true)
        };
        let truths = self.recent.iter().find(fails);
        let truths = truths.map(|(_, truths)| truths.clone());
        goal.models.extend(truths.clone());
        truths.is_some()
    }

    /// All that is said which is true in a model, and what is denied by it, if a goal is false in it and all axioms are true.
    fn truths(&self, goal: usize, model: &Model) -> Option<Literals> {
        let is_true = |formula: &Formula| formula.eval(model) == Some(true);
        if !is_true(&self.goals[goal].denied) || !self.axioms.all().all(is_true) {
            return None;
        }
        let mut truths = Literals::none(self.said.len());
        for (index, said) in self.said.iter().enumerate() {
            if let Some(positive) = said.formula.eval(model) {
                truths.insert(Literal {
                    predicate: PredicateId::new(index),
                    positive,
                });
            }
        }
        Some(truths)
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
    fn connected(&self, values: &Values, goal: usize) -> (Literals, Symbols) {
        let goal = &self.goals[goal];
        let mut reached = goal.symbols.clone();
        let known = goal.said.iter().filter_map(|&index| {
            let said = &self.said[index];
            Some((index, values[said.predicate]?, &said.symbols))
        });
        let mut open: Vec<(usize, bool, &Symbols)> = known.collect();
        let links = goal.links.iter().map(|&index| &self.links[index].symbols);
        let mut links: Vec<&Symbols> = links.collect();
        let mut literals = Literals::none(self.said.len());
        loop {
            let before = links.len() + open.len();
            links.retain(|link| !reached.joins(link));
            open.retain(|(index, positive, symbols)| {
                let joins = reached.joins(symbols);
                if joins {
                    literals.insert(Literal {
                        predicate: PredicateId::new(*index),
                        positive: *positive,
                    });
                }
                !joins
            });
            if links.len() + open.len() == before {
                return (literals, reached);
            }
        }
    }

    fn goal(&mut self, goal: &Formula) -> usize {
        if let Some(&number) = self.numbered.get(goal) {
            return number;
        }
        let symbols = self.symbols_of(goal);
        let matters = |said: &Said| said.names.is_empty() || said.names.meets(&symbols);
        let numbers = |all: &[Said]| (0..all.len()).filter(|&n| matters(&all[n])).collect();
        let (said, links) = (numbers(&self.said), numbers(&self.links));
        self.goals.push(Goal {
            symbols,
            denied: goal.negated(),
            said,
            links,
            answers: FxHashMap::default(),
            cores: Vec::new(),
            models: Vec::new(),
        });
        self.numbered.insert(goal.clone(), self.goals.len() - 1);
        self.goals.len() - 1
    }

    fn symbols_of(&mut self, formula: &Formula) -> Symbols {
        let mut symbols = Symbols::default();
        for symbol in formula.symbols() {
            symbols.insert(self.numbers.insert_full(symbol).0);
        }
        symbols
    }
}

impl Goal {
    /// Whether literals imply it, if answers about others tell.
    fn answer(&self, known: &Literals) -> Option<bool> {
        if self.cores.iter().any(|core| core.is_in(known)) {
            return Some(true);
        }
        self.models
            .iter()
            .any(|truths| known.is_in(truths))
            .then_some(false)
    }
}

impl Literals {
    /// No literal of so many.
    fn none(said: usize) -> Self {
        Literals(vec![0; (2 * said).div_ceil(64)])
    }

    fn insert(&mut self, literal: Literal) {
        let number = 2 * literal.predicate.index() + usize::from(literal.positive);
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn is_in(&self, other: &Literals) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    /// The literals, in order.
    fn list(&self) -> impl Iterator<Item = Literal> {
        let has = |number: &usize| self.0[number / 64] >> (number % 64) & 1 == 1;
        let numbers = (0..64 * self.0.len()).filter(has);
        numbers.map(|number| Literal {
            predicate: PredicateId::new(number / 2),
            positive: number % 2 == 1,
        })
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
