//! Answers that several abstractions share.
//!
//! An answer depends on the predicates, the axioms, the search and the question alone. Abstractions of
//! programs that differ in a few statements, such as one program with its fences in different places, ask
//! most questions again; with one [`Memo`] in common the solver is asked once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::literals::LiteralSet;
use super::{Implicants, Question, Search};
use crate::logic::axioms::Axioms;
use crate::logic::{Cube, Formula, Predicate};
use crate::smt::Model;

/// What is known, shared by its clones.
#[derive(Clone, Debug, Default)]
pub struct Memo(Arc<Mutex<Tables>>);

type Tables = IndexMap<Key, Table>;

/// The predicates, the axioms, and the search.
type Key = (Vec<Formula>, Axioms, Search);

/// Inconsistent cubes, and models with the literals that hold there.
type Inconsistent = (Vec<Cube>, Vec<(Model, LiteralSet)>);

/// What is known about one list of predicates and one search.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// The inconsistent cubes, once they are computed, and models met on the way.
    pub inconsistent: Option<Inconsistent>,
    /// The answers so far.
    pub answers: FxHashMap<Question, Implicants>,
}

impl Memo {
    /// Does some work with the table of these predicates and axioms and this search.
    pub(super) fn with<R>(
        &self,
        (predicates, axioms): (&[Predicate], &Axioms),
        search: &Search,
        work: impl FnOnce(&mut Table) -> R,
    ) -> R {
        let formulas = predicates.iter().map(|predicate| predicate.formula.clone());
        let key = (formulas.collect(), axioms.clone(), search.clone());
        work(self.tables().entry(key).or_default())
    }

    /// A table is never left half changed, so one that a panic has poisoned is as good as any.
    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
