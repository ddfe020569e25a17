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

mod cone;
mod literals;
mod memo;
mod pool;
mod search;

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

pub use cone::Connections;
pub use memo::Memo;

use crate::logic::{Cube, Formula, Predicate, minimal_cubes};
use crate::smt::{Answer, Effort, Solver};
use literals::Cone;
use search::find;

/// The largest inconsistent cubes that are computed beforehand.
pub const INCONSISTENT_SIZE: usize = 3;

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

/// A list of predicates with what is known about all questions.
pub struct Vocabulary<'a> {
    predicates: &'a [Predicate],
    connections: Connections,
    inconsistent: Vec<Cube>,
    deadline: Option<Instant>,
    memo: Memo,
}

impl<'a> Vocabulary<'a> {
    /// Computes the inconsistent cubes of a list of predicates.
    pub fn new(
        predicates: &'a [Predicate],
        search: &Search,
        deadline: Option<Instant>,
    ) -> (Self, Effort) {
        Self::with_memo(predicates, search, deadline, Memo::default())
    }

    /// The same, with answers that are known already.
    pub fn with_memo(
        predicates: &'a [Predicate],
        search: &Search,
        deadline: Option<Instant>,
        memo: Memo,
    ) -> (Self, Effort) {
        let mut vocabulary = Vocabulary {
            predicates,
            connections: Connections::new(predicates),
            inconsistent: Vec::new(),
            deadline,
            memo,
        };
        let memo = vocabulary.memo.clone();
        let known = memo.with(predicates, search, |table| table.inconsistent.clone());
        if let Some(known) = known {
            vocabulary.inconsistent = known;
            return (vocabulary, Effort::default());
        }
        let effort = vocabulary.find_inconsistent(search);
        if !vocabulary.is_late() {
            let found = vocabulary.inconsistent.clone();
            memo.with(predicates, search, |table| table.inconsistent = Some(found));
        }
        (vocabulary, effort)
    }

    fn find_inconsistent(&mut self, search: &Search) -> Effort {
        let mut solver = Solver::new(self.predicates, self.deadline);
        let search = match search {
            Search::Candidates(_) => &Search::Fast,
            Search::Exhaustive | Search::Fast => search,
        };
        for component in self.connections.components() {
            let cone = Cone::new(self.predicates, component);
            let how = (search, INCONSISTENT_SIZE);
            let found = find(&mut solver, &cone, &[], &Formula::False, how);
            self.inconsistent.extend(minimal_cubes(found));
        }
        solver.effort()
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
        let known: Vec<Option<Implicants>> = self.memo.with(self.predicates, search, |table| {
            let answers = questions.iter();
            answers
                .map(|question| table.answers.get(question).cloned())
                .collect()
        });
        let pairs = questions.iter().zip(&known);
        let open = pairs.filter(|(_, known)| known.is_none());
        let open: Vec<Question> = open.map(|(question, _)| question.clone()).collect();
        let (found, effort) = self.ask(&open, search, jobs);
        // What was found after the deadline may be too little.
        if !self.is_late() {
            self.memo.with(self.predicates, search, |table| {
                let new = open.into_iter().zip(found.iter().cloned());
                table.answers.extend(new);
            });
        }
        let mut found = found.into_iter();
        let answers = known.into_iter().map(|known| {
            known.unwrap_or_else(|| found.next().expect("open questions have been asked"))
        });
        (answers.collect(), effort)
    }

    fn is_late(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Asks the solver.
    fn ask(
        &self,
        questions: &[Question],
        search: &Search,
        jobs: usize,
    ) -> (Vec<Implicants>, Effort) {
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
        let mut solver = Solver::new(self.predicates, self.deadline);
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
        }
    }

    fn implicants(&self, solver: &mut Solver, question: &Question, search: &Search) -> Vec<Cube> {
        match question.goal {
            Formula::True => return vec![Cube::default()],
            Formula::False => return Vec::new(),
            Formula::Atom(_) | Formula::And(_) | Formula::Or(_) => {}
        }
        let cone = Cone::new(self.predicates, self.connections.cone(&question.goal));
        let how = (search, question.size);
        let found = find(solver, &cone, &self.inconsistent, &question.goal, how);
        minimal_cubes(self.consistent(solver, found))
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
