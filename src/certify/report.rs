//! What the check of a certificate found, as data.

use std::time::Duration;

use itertools::Itertools;

use super::effort::Solver;
use super::rebuild::Rebuilt;
use crate::certificate::{Kind, Stored, StoredBody};
use crate::memory::{BufferSizes, Model};
use crate::reduce::Flush;

/// The answer of a check.
#[derive(Clone, Debug)]
pub struct Report {
    /// What was checked.
    pub facts: Facts,
    /// What was found.
    pub verdict: Verdict,
    /// How long it took.
    pub time: Duration,
}

/// What a check was about.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The name of the program.
    pub program: String,
    /// The memory model.
    pub model: Model,
    /// The sizes of buffers; `None` under SC, for a basis and for facts.
    pub sizes: Option<BufferSizes>,
    /// The form of flushes; `None` under SC and for a basis.
    pub flush: Option<Flush>,
    /// The fences in force.
    pub fences: Vec<String>,
    /// The fences that the program declares for the model.
    pub declared: Vec<String>,
    /// What the program says must hold: lines and texts.
    pub properties: Vec<String>,
    /// What was there to check.
    pub size: Size,
}

/// How much there was to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Size {
    /// In an invariant.
    Invariant {
        /// The number of predicates.
        predicates: usize,
        /// The number of pairs.
        pairs: usize,
        /// The number of obligations, if the check came to them.
        obligations: Option<usize>,
        /// The solver.
        solver: String,
    },
    /// In a list of states.
    States {
        /// The number of states.
        states: usize,
        /// The number of steps from them that were evaluated, if the check came to them.
        steps: Option<usize>,
    },
    /// In a basis.
    Basis {
        /// The number of sets of states.
        sets: usize,
        /// The number of lines of the invariant.
        invariant: usize,
        /// The number of predecessors that were checked, if the check came to them.
        predecessors: Option<usize>,
    },
    /// In states with facts.
    Facts {
        /// The number of predicates.
        predicates: usize,
        /// The number of those that are facts.
        facts: usize,
        /// The number of states.
        states: usize,
        /// The number of obligations, if the check came to them.
        obligations: Option<usize>,
        /// The solver.
        solver: String,
    },
}

/// The answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The program is safe.
    Accepted,
    /// The certificate does not show that the program is safe.
    Rejected(Rejection),
    /// The check came to no end.
    Unknown(Unknown),
}

/// Why a check came to no end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// The solver does not refute a claim.
    Solver {
        /// The number of the obligation, from 1.
        obligation: usize,
        /// What the solver says.
        reason: String,
    },
    /// The check was stopped.
    Stopped {
        /// Whether it was interrupted, else the time was up.
        interrupted: bool,
        /// The number of obligations or states that were checked.
        done: usize,
        /// The number of all of them.
        all: usize,
    },
    /// The atomic sections have too many paths for obligations.
    TooManyPaths,
    /// There are too many initial states.
    ManyStarts {
        /// The most that are looked at.
        most: usize,
    },
    /// An atomic group of statements runs through too many states.
    LongGroup {
        /// The group.
        step: String,
        /// The most statements that are evaluated.
        most: usize,
    },
}

/// What is wrong with a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The certificate is about another program; the first line that differs.
    Source {
        /// The number of the line in `source.cup`.
        line: usize,
    },
    /// The reduced program is not the source's; the first line that differs.
    Reduction {
        /// The number of the line in `reduced.cup`.
        line: usize,
    },
    /// The stored obligations are not the ones of the invariant; the first line that differs.
    Obligations {
        /// The number of the line in `obligations.smt2`.
        line: usize,
    },
    /// An obligation does not hold.
    Obligation(Box<FailedObligation>),
    /// A list of states is not closed under steps, or a property is broken.
    Step(Box<FailedStep>),
    /// A basis is not what it should be.
    Basis(String),
}

/// An obligation that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedObligation {
    /// Its number, from 1, as in `obligations.smt2`.
    pub obligation: usize,
    /// What can happen.
    pub failure: String,
    /// The step or property that it is about.
    pub step: String,
    /// The line of the source.
    pub line: Option<usize>,
    /// The number of the pair of an invariant, from 1.
    pub pair: Option<usize>,
    /// The number of the listed state of a certificate with facts, from 1.
    pub state: Option<usize>,
    /// Where the threads are there.
    pub at: Option<String>,
    /// The values of the variables in a state that shows it, if the solver gave them.
    pub values: Vec<(String, String)>,
}

/// A step or a property that a list of states does not allow for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedStep {
    /// What happens.
    pub failure: String,
    /// The step or property that it is about.
    pub step: String,
    /// The line of the source.
    pub line: Option<usize>,
    /// The number of the listed state, from 1; `None` if it is about the initial states.
    pub state: Option<usize>,
    /// Where the threads are in that state.
    pub at: Option<String>,
    /// The state that is not listed, if that is what is wrong.
    pub reached: Option<Position>,
}

/// A state, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Where the threads are.
    pub at: String,
    /// The names and values of variables.
    pub values: Vec<(String, String)>,
}

impl Facts {
    /// The facts about a certificate; `claims` is the number of obligations or of steps.
    pub(super) fn new(
        stored: &Stored,
        rebuilt: &Rebuilt<'_>,
        solver: &Solver,
        claims: Option<usize>,
    ) -> Self {
        let config = &stored.config;
        Facts {
            // The name comes with the certificate; it must not look like lines of the report.
            program: stored.source.name().replace(char::is_control, "?"),
            model: config.model,
            sizes: stored
                .kind()
                .has_sizes(config.model)
                .then(|| config.sizes.clone()),
            flush: stored
                .kind()
                .has_flushes(config.model)
                .then_some(config.flush),
            fences: config.fences.iter().cloned().sorted().collect(),
            declared: rebuilt.declared.iter().cloned().sorted().collect(),
            properties: rebuilt.properties.clone(),
            size: match &stored.body {
                StoredBody::Invariant(invariant) => Size::Invariant {
                    predicates: invariant.predicates.len(),
                    pairs: invariant.pairs.len(),
                    obligations: claims,
                    solver: solver.to_string(),
                },
                StoredBody::States(table) => Size::States {
                    states: table.states.len(),
                    steps: claims,
                },
                StoredBody::Basis(table) => Size::Basis {
                    sets: table.sets.len(),
                    invariant: table.invariant.len(),
                    predecessors: claims,
                },
                StoredBody::Facts(stored) => Size::Facts {
                    predicates: stored.table.predicates.len(),
                    facts: stored.table.facts(),
                    states: stored.table.states.len(),
                    obligations: claims,
                    solver: solver.to_string(),
                },
            },
        }
    }

    /// The kind of certificate.
    pub fn kind(&self) -> Kind {
        match self.size {
            Size::Invariant { .. } => Kind::Invariant,
            Size::States { .. } => Kind::States,
            Size::Basis { .. } => Kind::Basis,
            Size::Facts { .. } => Kind::Facts,
        }
    }
}
