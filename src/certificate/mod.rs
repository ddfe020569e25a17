//! Certificates: what is needed to check that a program is safe under a memory model without trusting the
//! engine that found it out.
//!
//! A certificate says: this program, reduced under this model with these buffers and fences, breaks no
//! property, for the reason in its [`Body`]. There are four [`Kind`]s. `invariant` is an inductive
//! invariant over predicates, which a solver checks. `states` is the list of all states between atomic
//! groups, which is checked by evaluation. `basis` is the set of all states from which a bad one could be
//! reached, over the source program itself. `facts` is an inductive invariant of the program with buffers of any
//! length, over predicates and quantified facts about the entries. An engine gives a [`Certificate`]; `certify` makes a
//! [`Stored`] of it, and checks one; [`read`] and [`write()`] keep it in a directory.
//! `docs/certificates.md` describes the files.
//!
//! Invariant: a value has the parts of its own kind and no others. Not here: what a certificate
//! claims about its program, and the check of it (`certify`).

mod basis;
mod fact;
mod facts;
mod format;
mod pairs;
mod predicate;
mod print;
mod states;
mod store;

pub use basis::{BasisTable, BufferSet, MarkSet, Reached, StateSet, ThreadNodes, VariableValues};
pub use fact::{Fact, Predicate, read_predicates};
pub use facts::{FactsError, FactsState, FactsStep, FactsTable, Way, fact_text, plain_text};
pub use format::FormatError;
pub use pairs::{Literal, Pair, normalize};
pub use predicate::{PredicateError, Subject};
pub(crate) use print::print as print_predicate;
pub use states::{State, StateTable, TableError};
pub use store::{
    Existing, StoreError, Stored, StoredBody, StoredFacts, StoredInvariant, is_free, read, write,
};

use crate::memory::Model;
use crate::program::Cond;
use crate::reduce::ReduceConfig;
use crate::source::SourceFile;

/// The most states that an engine lists in a certificate.
pub const MAX_STATES: usize = 200_000;

/// A proof that a program is safe, as the engine that found it gives it.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The program.
    pub source: SourceFile,
    /// Model, bound, fences in force and flush form of the reduction.
    pub config: ReduceConfig,
    /// Why the reduced program breaks no property.
    pub body: Body,
}

/// Why a reduced program breaks no property.
#[derive(Clone, Debug)]
pub enum Body {
    /// It has an inductive invariant.
    Invariant {
        /// Conditions over the scalars of the reduced program, without control locations.
        predicates: Vec<Cond>,
        /// The invariant.
        pairs: Vec<Pair>,
    },
    /// These are its states between atomic groups; each has a value, or none, for every variable of the
    /// reduced program.
    States(Vec<State>),
    /// The source program has finite data, and these are all states from which a bad one can be reached.
    Basis(BasisTable),
    /// The program reduced to FIFOs has an inductive invariant with facts about their entries; sizes mean nothing.
    Facts(FactsTable),
}

/// The kinds of certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Predicates and pairs, checked by a solver.
    Invariant,
    /// A list of states, checked by evaluation.
    States,
    /// A basis of the states from which a bad one can be reached, checked by evaluation.
    Basis,
    /// States with quantified facts about the entries of FIFOs, checked by a solver.
    Facts,
}

impl Body {
    /// The kind of certificate.
    pub fn kind(&self) -> Kind {
        match self {
            Body::Invariant { .. } => Kind::Invariant,
            Body::States(_) => Kind::States,
            Body::Basis(_) => Kind::Basis,
            Body::Facts(_) => Kind::Facts,
        }
    }
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::Invariant, Kind::States, Kind::Basis, Kind::Facts];

    /// Its name in `certificate.json` and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Invariant => "invariant",
            Kind::States => "states",
            Kind::Basis => "basis",
            Kind::Facts => "facts",
        }
    }

    /// The kind with a name.
    pub fn named(name: &str) -> Option<Self> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it is about a program whose buffers have sizes.
    pub fn has_sizes(self, model: Model) -> bool {
        match self {
            Kind::Invariant | Kind::States => model != Model::Sc,
            Kind::Basis | Kind::Facts => false,
        }
    }

    /// Whether it is about a program with flushes.
    pub fn has_flushes(self, model: Model) -> bool {
        match self {
            Kind::Invariant | Kind::States | Kind::Facts => model != Model::Sc,
            Kind::Basis => false,
        }
    }
}
