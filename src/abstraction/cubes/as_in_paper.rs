//! Fig. 6 of the SAS 2013 paper, word by word: the measure that `cupola bench` holds Cupola to.
//!
//! Every question is asked anew, whether or not an equal one was asked before; every cube up to the
//! size is tried that contains no cube found before ([`Search::Candidates`], Fig. 6(b): every
//! literal and every given cube); all predicates take part in every cube. What Fig. 6 leaves open
//! is settled in favour of speed: one incremental solver, which gives no models and no cores, and a
//! condition that is a conjunction of predicates is tried as a cube of its own, however small the
//! cubes are to be.

use itertools::Itertools;

use super::{Implicants, Question, Search};
use crate::logic::axioms::Axioms;
use crate::logic::{Cube, Formula, Literal, Predicate, PredicateId, Symbol};
use crate::run::progress::Progress;
use crate::run::stop::Stop;
use crate::smt::{Effort, Solver};

/// Asks questions in the paper's way; the answers are in the order of the questions.
pub struct AsInPaper<'a> {
    /// All predicates.
    pub predicates: &'a [Predicate],
    /// What holds in every state.
    pub axioms: &'a Axioms,
    /// Cubes that contain one of these are dropped from the answers.
    pub inconsistent: &'a [Cube],
    /// Which of the two figures is meant.
    pub search: &'a Search,
    /// When to give up: afterwards no cube is found any more.
    pub stop: &'a Stop,
    /// Where answers are counted.
    pub progress: &'a Progress,
}

impl AsInPaper<'_> {
    /// Answers questions, one after the other.
    pub fn answer(&self, questions: &[Question]) -> (Vec<Implicants>, Effort) {
        self.progress.ask(questions.len());
        let solver = Solver::new(self.predicates, self.stop.clone(), false);
        let mut solver = solver.with_axioms(self.axioms.clone());
        let mut answer = |question: &Question| {
            self.progress.answer();
            let before = solver.effort().calls;
            let cubes = self.implicants(&mut solver, question);
            let calls = solver.effort().calls - before;
            Implicants { cubes, calls }
        };
        let answers = questions.iter().map(&mut answer).collect();
        (answers, solver.effort())
    }

    fn implicants(&self, solver: &mut Solver, question: &Question) -> Vec<Cube> {
        let members = self.members(&question.goal);
        let mut found: Vec<Cube> = Vec::new();
        solver.under(&question.goal.negated(), |solver| {
            let mut try_all = |cubes: &mut dyn Iterator<Item = Cube>| {
                // Once the solver has stopped, the rest need not be gone through.
                for cube in cubes.take_while(|_| !self.stop.should_stop()) {
                    let known = found.iter().any(|part| cube.contains(part));
                    if !known && solver.contradicts(cube.literals()) {
                        found.push(cube);
                    }
                }
            };
            match self.search {
                Search::Candidates(cubes) => {
                    try_all(&mut cubes_up_to(&members, 1).chain(cubes.iter().cloned()));
                }
                Search::Exhaustive | Search::Fast => {
                    try_all(&mut cubes_up_to(&members, question.size));
                }
            }
            try_all(&mut self.own_cubes(&question.goal).into_iter());
        });
        found.retain(|cube| !self.inconsistent.iter().any(|part| cube.contains(part)));
        found.sort_unstable();
        found
    }

    /// The predicates that cubes are made of: all of them, but flags of locations only where they are asked about.
    fn members(&self, goal: &Formula) -> Vec<PredicateId> {
        let asked = goal.symbols();
        let takes_part = |id: &PredicateId| {
            let symbols = self.predicates[id.index()].formula.symbols();
            let mut symbols = symbols.into_iter();
            symbols.all(|symbol| matches!(symbol, Symbol::Var(_)) || asked.contains(&symbol))
        };
        let ids = (0..self.predicates.len()).map(PredicateId::new);
        ids.filter(takes_part).collect()
    }

    /// The goal as cubes, as far as it is made of predicates.
    fn own_cubes(&self, goal: &Formula) -> Vec<Cube> {
        match goal {
            Formula::Or(parts) => parts.iter().flat_map(|part| self.own_cubes(part)).collect(),
            Formula::And(parts) => {
                let literals: Option<Vec<Literal>> =
                    parts.iter().map(|part| self.literal(part)).collect();
                literals.and_then(Cube::new).into_iter().collect()
            }
            Formula::Atom(_) => self
                .literal(goal)
                .and_then(|l| Cube::new([l]))
                .into_iter()
                .collect(),
            Formula::True | Formula::False => Vec::new(),
        }
    }

    fn literal(&self, formula: &Formula) -> Option<Literal> {
        let find = |wanted: &Formula, positive| {
            let index = self.predicates.iter().position(|p| p.formula == *wanted)?;
            Some(Literal {
                predicate: PredicateId::new(index),
                positive,
            })
        };
        find(formula, true).or_else(|| find(&formula.negated(), false))
    }
}

/// All cubes over some predicates, in increasing size.
fn cubes_up_to(members: &[PredicateId], size: usize) -> impl Iterator<Item = Cube> {
    (0..=size.min(members.len())).flat_map(move |size| {
        let chosen = members.iter().copied().combinations(size);
        chosen.flat_map(move |chosen| {
            (0..1usize << size)
                .map(move |signs| {
                    let literal = |(place, &predicate): (usize, &PredicateId)| Literal {
                        predicate,
                        positive: signs >> place & 1 == 1,
                    };
                    let literals = chosen.iter().enumerate().map(literal);
                    Cube::new(literals).expect("the predicates of a cube are different")
                })
                .collect_vec()
        })
    })
}
