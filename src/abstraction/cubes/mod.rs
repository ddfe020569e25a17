//! The cubes that imply a formula.
//!
//! Input: a list of predicates and questions ([`Question`]): a goal formula and the largest size of
//! a cube. Output: all minimal consistent cubes up to that size that imply the goal, sorted. Three
//! searches ask the solver differently:
//!
//! - [`Search::Exhaustive`], Fig. 6(a) of the SAS 2013 paper, goes cube by cube in increasing size;
//! - [`Search::Fast`] finds the same set with far fewer questions: it keeps the models of the
//!   negated goal seen so far (the pool) and tries only cubes that contradict all of them;
//! - [`Search::Candidates`], Fig. 6(b), tries literals and given cubes only.
//!
//! Invariant: every cube returned implies its goal in the solver's judgement; an answer `Unknown`
//! only ever loses cubes. The sets do not depend on the models that the solver picks.

mod as_in_paper;
mod cone;
mod cube_index;
mod literals;
mod memo;
mod pool;
mod search;

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicUsize, Ordering};

pub use as_in_paper::AsInPaper;
pub use cone::Connections;
pub use memo::Memo;

use crate::logic::axioms::Axioms;
use crate::logic::{Cube, Formula, Predicate, Symbol, minimal_cubes};
use crate::optimizations::{Optimization, Optimizations};
use crate::run::progress::Progress;
use crate::run::stop::Stop;
use crate::smt::{Answer, Effort, Model, Solver};
use cube_index::CubeIndex;
use literals::LiteralSet;
use pool::Pool;
use search::Finder;

/// The largest inconsistent cubes that are computed beforehand.
pub const INCONSISTENT_SIZE: usize = 3;

/// How many models are made up, and how many values a variable has there, from -1 on.
const MADE_UP_MODELS: usize = 32;
const MADE_UP_VALUES: u64 = 4;

/// How cubes are looked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Search {
    /// Cube by cube, in increasing size.
    Exhaustive,
    /// With a pool of counter-models.
    Fast,
    /// Among the literals and these cubes only.
    Candidates(Vec<Cube>),
}

/// A formula to be implied, and how large a cube may be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// What the cubes are to imply.
    pub goal: Formula,
    /// Their largest size; without meaning for [`Search::Candidates`].
    pub size: usize,
}

/// The cubes that were found, and the number of solver calls it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Implicants {
    /// The cubes, sorted.
    pub cubes: Vec<Cube>,
    /// The number of solver calls.
    pub calls: u64,
}

/// How many questions are answered before it is asked whether an allowance is used up.
const PORTION: usize = 16;

/// What answers took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// About as much as the number of solver calls, but the same for every solver and any number of threads.
    pub cost: u64,
    /// What the solver was asked.
    pub effort: Effort,
}

impl Spent {
    /// Both together.
    pub fn plus(self, other: Spent) -> Spent {
        Spent {
            cost: self.cost + other.cost,
            effort: self.effort.plus(other.effort),
        }
    }
}

/// What a search may use.
#[derive(Clone, Debug, Default)]
pub struct SearchContext {
    /// When to give up: afterwards no cube is found any more.
    pub stop: Stop,
    /// Answers that are known already.
    pub memo: Memo,
    /// How work is saved.
    pub optimizations: Optimizations,
    /// Where answers are counted.
    pub progress: Progress,
}

/// A list of predicates with what is known about all questions.
pub struct Vocabulary<'a> {
    predicates: &'a [Predicate],
    /// What holds in every state.
    axioms: Axioms,
    connections: Connections,
    inconsistent: Vec<Cube>,
    settled: CubeIndex,
    /// Models met on the way, with the literals that hold there.
    models: Vec<(Model, LiteralSet)>,
    context: SearchContext,
}

impl<'a> Vocabulary<'a> {
    /// Computes the inconsistent cubes of a list of predicates, where some axioms hold in every state.
    pub fn new(
        predicates: &'a [Predicate],
        axioms: Axioms,
        search: &Search,
        context: SearchContext,
    ) -> (Self, Effort) {
        let mut vocabulary = Vocabulary {
            predicates,
            connections: Connections::new(predicates, &axioms),
            axioms,
            inconsistent: Vec::new(),
            settled: CubeIndex::new(predicates.len()),
            models: Vec::new(),
            context,
        };
        let memo = vocabulary.context.memo.clone();
        let known = memo.with(vocabulary.key(), search, |table| table.inconsistent.clone());
        let mut effort = Effort::default();
        if let Some((inconsistent, models)) = known {
            vocabulary.inconsistent = inconsistent;
            vocabulary.models = models;
        } else {
            vocabulary.models = made_up_models(predicates, &vocabulary.axioms);
            effort = vocabulary.find_inconsistent(search);
            if !vocabulary.is_late() {
                let found = (vocabulary.inconsistent.clone(), vocabulary.models.clone());
                memo.with(vocabulary.key(), search, |table| {
                    table.inconsistent = Some(found);
                });
            }
        }
        vocabulary.settled = CubeIndex::of(predicates.len(), &vocabulary.inconsistent);
        (vocabulary, effort)
    }

    fn find_inconsistent(&mut self, search: &Search) -> Effort {
        let mut solver = self.solver();
        let search = match search {
            Search::Candidates(_) => &Search::Fast,
            Search::Exhaustive | Search::Fast => search,
        };
        for component in self.connections.components() {
            let pool = self.known_models(search, &Formula::True);
            let finder = Finder {
                solver: &mut solver,
                predicates: self.predicates,
                cone: &component,
                inconsistent: &self.settled,
                pool,
            };
            let found = finder.find(search, INCONSISTENT_SIZE);
            self.inconsistent.extend(minimal_cubes(found.cubes));
            self.models.extend(found.models);
        }
        solver.effort()
    }

    fn solver(&self) -> Solver {
        let differences = self.context.optimizations.has(Optimization::Differences);
        let solver = Solver::new(self.predicates, self.context.stop.clone(), differences);
        solver.with_axioms(self.axioms.clone())
    }

    /// What answers depend on, the search apart.
    fn key(&self) -> (&[Predicate], &Axioms) {
        (self.predicates, &self.axioms)
    }

    /// What holds in every state.
    pub fn axioms(&self) -> &Axioms {
        &self.axioms
    }

    /// The predicates.
    pub fn predicates(&self) -> &'a [Predicate] {
        self.predicates
    }

    /// The minimal inconsistent cubes of size up to [`INCONSISTENT_SIZE`], component by component.
    pub fn inconsistent(&self) -> &[Cube] {
        &self.inconsistent
    }

    /// Answers questions, with this many threads; the answers are in the order of the questions.
    pub fn answer(
        &self,
        questions: &[Question],
        search: &Search,
        jobs: usize,
    ) -> (Vec<Implicants>, Effort) {
        let (answers, spent) = self.answer_within(questions, search, jobs, u64::MAX);
        (answers.expect("the allowance is enough"), spent.effort)
    }

    /// Answers questions as far as an allowance goes; `None` if it does not go far enough. What is answered then is kept
    /// for the next time.
    pub fn answer_within(
        &self,
        questions: &[Question],
        search: &Search,
        jobs: usize,
        allowance: u64,
    ) -> (Option<Vec<Implicants>>, Spent) {
        let portion = match allowance {
            u64::MAX => questions.len().max(1),
            _ => PORTION,
        };
        let mut spent = Spent::default();
        let mut answers = Vec::new();
        for portion in questions.chunks(portion) {
            if spent.cost > allowance {
                return (None, spent);
            }
            let (found, more) = self.answer_all(portion, search, jobs);
            answers.extend(found);
            spent = spent.plus(more);
        }
        (Some(answers), spent)
    }

    /// Answers questions, with what is known already.
    fn answer_all(
        &self,
        questions: &[Question],
        search: &Search,
        jobs: usize,
    ) -> (Vec<Implicants>, Spent) {
        let known: Vec<Option<Implicants>> = self.context.memo.with(self.key(), search, |table| {
            let answers = questions.iter();
            answers
                .map(|question| table.answers.get(question).cloned())
                .collect()
        });
        let pairs = questions.iter().zip(&known);
        let open = pairs.filter(|(_, known)| known.is_none());
        let open: Vec<Question> = open.map(|(question, _)| question.clone()).collect();
        let (found, effort) = self.ask(&open, search, jobs);
        let asked = open.iter().zip(&found);
        let cost = asked.map(|(question, found)| self.cost(question, found));
        let spent = Spent {
            cost: cost.sum(),
            effort,
        };
        // What was found after the deadline may be too little.
        if !self.is_late() {
            self.context.memo.with(self.key(), search, |table| {
                let new = open.into_iter().zip(found.iter().cloned());
                table.answers.extend(new);
            });
        }
        let mut found = found.into_iter();
        let answers = known.into_iter().map(|known| {
            known.unwrap_or_else(|| found.next().expect("open questions have been asked"))
        });
        (answers.collect(), spent)
    }

    /// About how many solver calls a question takes. The number itself depends on the models that the solver picks, and on
    /// what it was asked before; this one does not.
    fn cost(&self, question: &Question, found: &Implicants) -> u64 {
        let cone = match question.size {
            0 | 1 => 0,
            size => self.connections.cone(&question.goal).len() * (size - 1).pow(3),
        };
        1 + (found.cubes.len() + cone) as u64 / 3
    }

    fn is_late(&self) -> bool {
        self.context.stop.should_stop()
    }

    /// Asks the solver.
    fn ask(
        &self,
        questions: &[Question],
        search: &Search,
        jobs: usize,
    ) -> (Vec<Implicants>, Effort) {
        self.context.progress.ask(questions.len());
        let next = AtomicUsize::new(0);
        let work = || self.work(questions, search, &next);
        let parts: Vec<_> = if jobs <= 1 || questions.len() <= 1 {
            vec![work()]
        } else {
            std::thread::scope(|scope| {
                let handles: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
                let join = |handle: std::thread::ScopedJoinHandle<'_, _>| {
                    handle.join().expect("a search does not panic")
                };
                handles.into_iter().map(join).collect()
            })
        };
        let mut effort = Effort::default();
        let mut answers: Vec<(usize, Implicants)> = Vec::new();
        for (part, cost) in parts {
            answers.extend(part);
            effort = effort.plus(cost);
        }
        answers.sort_by_key(|(number, _)| *number);
        (
            answers.into_iter().map(|(_, found)| found).collect(),
            effort,
        )
    }

    /// Takes questions until none is left, with a solver of its own.
    fn work(
        &self,
        questions: &[Question],
        search: &Search,
        next: &AtomicUsize,
    ) -> (Vec<(usize, Implicants)>, Effort) {
        let mut solver = self.solver();
        let mut answers = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(question) = questions.get(number) else {
                return (answers, solver.effort());
            };
            let before = solver.effort().calls;
            let cubes = self.implicants(&mut solver, question, search);
            let calls = solver.effort().calls - before;
            answers.push((number, Implicants { cubes, calls }));
            self.context.progress.answer();
        }
    }

    fn implicants(&self, solver: &mut Solver, question: &Question, search: &Search) -> Vec<Cube> {
        match question.goal {
            Formula::True => return vec![Cube::default()],
            Formula::False => return Vec::new(),
            Formula::Atom(_) | Formula::And(_) | Formula::Or(_) => {}
        }
        if solver.gives_up() {
            return Vec::new();
        }
        let refuted = question.goal.negated();
        let cone = self.connections.cone(&question.goal);
        let pool = self.known_models(search, &refuted);
        let found = solver.under(&refuted, |solver| {
            let finder = Finder {
                solver,
                predicates: self.predicates,
                cone: &cone,
                inconsistent: &self.settled,
                pool,
            };
            finder.find(search, question.size)
        });
        minimal_cubes(self.consistent(solver, found.cubes))
    }

    /// The counter-models among the models that are known.
    fn known_models(&self, search: &Search, refuted: &Formula) -> Pool {
        let use_them = self.context.optimizations.has(Optimization::Models)
            && !matches!(search, Search::Exhaustive);
        let mut pool = Pool::default();
        for (model, literals) in self.models.iter().filter(|_| use_them) {
            if refuted.eval(model) == Some(true) {
                pool.add(literals.clone());
            }
        }
        pool
    }

    /// Drops inconsistent cubes. Those up to [`INCONSISTENT_SIZE`] were never tried.
    fn consistent(&self, solver: &mut Solver, mut cubes: Vec<Cube>) -> Vec<Cube> {
        cubes.retain(|cube| {
            cube.size() <= INCONSISTENT_SIZE
                || matches!(solver.check(cube.literals()), Answer::Consistent(_))
        });
        cubes
    }
}

/// Small values for all variables, made up so that comparisons come out one way and the other: many
/// a cube is refuted by one of them before the solver is asked. They are the same in every run. What breaks an axiom is no
/// model.
fn made_up_models(predicates: &[Predicate], axioms: &Axioms) -> Vec<(Model, LiteralSet)> {
    let symbols = predicates.iter().flat_map(|p| p.formula.symbols());
    let vars = symbols.filter_map(|symbol| match symbol {
        Symbol::Var(var) => Some(var.index() + 1),
        Symbol::Flag(_) | Symbol::Fact(_) => None,
    });
    let vars = vars.max().unwrap_or(0);
    let mut seed: u64 = 1;
    let mut next = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        i128::from((seed >> 33) % MADE_UP_VALUES) - 1
    };
    let models = (0..MADE_UP_MODELS).map(|_| Model::of((0..vars).map(|_| next()).collect()));
    let with_literals = |model: Model| {
        let is_model = axioms.all().all(|axiom| axiom.eval(&model) == Some(true));
        if !is_model {
            return None;
        }
        let literals = LiteralSet::true_in(&model, predicates)?;
        Some((model, literals))
    };
    models.filter_map(with_literals).collect()
}
