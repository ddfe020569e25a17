//! The vocabulary of answers: what an engine found about a program under a memory model, as data.
//!
//! Every engine gives an [`Outcome`]: a [`Verdict`] and the log of its [`Attempt`]s. A verdict carries what it
//! rests on: [`Evidence`] that a certificate can be made of, a [`Violation`] that the independent interpreter has
//! run, or the reason why nothing is known. [`Report`] collects the outcomes of one program under several models.
//!
//! Invariant: no value here can contradict itself. A [`Violation`] has no other constructor than
//! [`Violation::confirm`]; what an engine does not have (a bound under SC, cubes without an abstraction) is `None`.
//! Not here: sentences (`render`), and how answers are found (`engine`).

mod coherence;
mod limit;
mod path;
mod rounds;
mod stats;
mod violation;
mod warning;

use std::collections::BTreeSet;
use std::mem::discriminant;
use std::sync::Arc;

use crate::memory::{Buffers, Model};
use crate::program::{Property, PropertyId};

pub use coherence::{CoherencePath, CoherenceStep, Domain, PartialCoherence};
pub use limit::Limit;
pub use path::{AbstractPath, AbstractStep, Changes, Feasibility, Refinement};
pub use rounds::{Case, Found, Round};
pub use stats::{AbstractionStats, SolverStats, Stats};
pub use violation::{FoundBy, Growth, Run, Violation};
pub use warning::{Warning, WarningKind};

/// What is known of a program under a memory model.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No execution of any length, with buffers of any size, breaks a property.
    Verified(Evidence),
    /// A real execution breaks a property.
    Violated(Arc<Violation>),
    /// Neither is known.
    Unknown(Unknown),
}

/// A verdict in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VerdictKind {
    /// See [`Verdict::Verified`].
    Verified,
    /// See [`Verdict::Violated`].
    Violated,
    /// See [`Verdict::Unknown`].
    Unknown,
}

/// What a proof rests on; a certificate is made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Every reachable state was seen.
    Exhaustive {
        /// How many there are.
        states: usize,
        /// The most stores that a FIFO holds in one of them.
        max_buffer: usize,
    },
    /// An abstraction with these settings excludes every failure; its states are an inductive invariant.
    Invariant(Settings),
    /// The data is finite, and no bad state can be reached, whatever the buffers' length: the set of all states from
    /// which one can be reached has no initial state.
    Basis,
    /// Abstract store buffers exclude every failure: the abstract states cover all reachable ones.
    PartialCoherence(PartialCoherence),
}

/// Why neither a proof nor a violation is known.
#[derive(Clone, Debug)]
pub enum Unknown {
    /// A search of real states met limits and found no violation.
    Incomplete {
        /// The limits.
        limits: BTreeSet<Limit>,
        /// The most stores that a FIFO may hold such that every execution within that size was seen.
        safe_up_to: Option<usize>,
        /// An execution that makes a buffer as long as one likes.
        growth: Option<Arc<Growth>>,
    },
    /// The work was stopped, or met a limit, before anything could be said.
    Stopped(Limit),
    /// An abstraction cannot exclude that a property is broken.
    TooCoarse {
        /// The property.
        property: PropertyId,
        /// The path that it cannot exclude.
        path: Arc<AbstractPath>,
    },
    /// Abstract store buffers cannot exclude that a property is broken.
    TooIncoherent {
        /// The property.
        property: PropertyId,
        /// The path that they cannot exclude.
        path: Arc<CoherencePath>,
    },
    /// A store may meet a full buffer; the properties hold until then.
    Overflow {
        /// The path to this store.
        path: Arc<AbstractPath>,
        /// An execution that makes a buffer as long as one likes, so that no bound is enough.
        growth: Option<Arc<Growth>>,
    },
    /// The proof fails under SC, so it was not tried under the model. This is what is known under SC.
    NotVerifiedUnderSc(Arc<Outcome>),
    /// No engine of those that were asked supports the program under the model.
    Unsupported(Vec<Unsupported>),
}

/// What an engine does not support.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{engine}: {reason}")]
pub struct Unsupported {
    /// The engine.
    pub engine: &'static str,
    /// What it does not support.
    pub reason: String,
}

/// The answer of an engine, or of several one after the other.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// What was tried, in order.
    pub log: Vec<Attempt>,
    /// What is known beside it: what no execution reaches, and threads that are blocked for ever.
    pub warnings: Vec<Warning>,
}

/// One attempt to decide a program under a model.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The engine that made it.
    pub engine: &'static str,
    /// How the engine was set.
    pub settings: Settings,
    /// What it took.
    pub stats: Stats,
    /// What came out.
    pub verdict: Verdict,
}

/// How an engine is set for an attempt; what an engine does not have is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// How the abstraction is built.
    pub method: Option<Method>,
    /// How buffers are stored.
    pub buffers: Option<Buffers>,
    /// The largest cubes.
    pub cube_sizes: Option<CubeSizes>,
    /// Whether unknown values are split.
    pub split: bool,
    /// The proof that the abstraction is built from, where the engine found it.
    pub found: Option<Arc<Found>>,
    /// How store buffers are abstracted.
    pub coherence: Option<PartialCoherence>,
}

/// A way to build a predicate abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Classic predicate abstraction with the proof's own predicates.
    Trad,
    /// Predicate extrapolation: cube search over extrapolated predicates.
    Pe,
    /// Cube extrapolation: extrapolated cubes instead of a search.
    Ce,
    /// Abstract steps asked of the solver one by one, without a boolean program.
    Lazy,
}

/// How large the cubes of an abstraction may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CubeSizes {
    /// Cubes that decide the next value of a predicate.
    pub updates: usize,
    /// Cubes that decide a condition.
    pub conditions: usize,
}

/// The outcomes of one program under several models.
#[derive(Clone, Debug)]
pub struct Report {
    /// The properties of the program.
    pub properties: Vec<Property>,
    /// One result for each model that was asked for.
    pub results: Vec<ModelResult>,
}

/// The outcome under one model.
#[derive(Clone, Debug)]
pub struct ModelResult {
    /// The model.
    pub model: Model,
    /// The optional fences in force.
    pub fences: Vec<String>,
    /// What is known.
    pub outcome: Outcome,
}

impl Verdict {
    /// The verdict without what it rests on.
    pub fn kind(&self) -> VerdictKind {
        match self {
            Verdict::Verified(_) => VerdictKind::Verified,
            Verdict::Violated(_) => VerdictKind::Violated,
            Verdict::Unknown(_) => VerdictKind::Unknown,
        }
    }

    /// The execution that breaks a property, if one is known.
    pub fn violation(&self) -> Option<&Arc<Violation>> {
        match self {
            Verdict::Violated(violation) => Some(violation),
            Verdict::Verified(_) | Verdict::Unknown(_) => None,
        }
    }

    /// Whether it says the same, for the same kind of reason.
    fn is_same_kind(&self, other: &Verdict) -> bool {
        match (self, other) {
            (Verdict::Unknown(reason), Verdict::Unknown(other)) => {
                discriminant(reason) == discriminant(other)
            }
            _ => self.kind() == other.kind(),
        }
    }

    /// Whether more work may change it.
    pub fn is_unknown(&self) -> bool {
        self.kind() == VerdictKind::Unknown
    }
}

impl VerdictKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            VerdictKind::Verified => "verified",
            VerdictKind::Violated => "violated",
            VerdictKind::Unknown => "unknown",
        }
    }
}

impl Unknown {
    /// Whether the time was over or the user interrupted the work.
    pub fn is_stop(&self) -> bool {
        match self {
            Unknown::Stopped(limit) => limit.is_stop(),
            Unknown::Incomplete { limits, .. } => limits.iter().any(|limit| limit.is_stop()),
            Unknown::TooCoarse { .. }
            | Unknown::TooIncoherent { .. }
            | Unknown::Overflow { .. }
            | Unknown::NotVerifiedUnderSc(_)
            | Unknown::Unsupported(_) => false,
        }
    }

    /// The path that an abstraction cannot exclude, if that is the reason.
    pub fn path(&self) -> Option<&Arc<AbstractPath>> {
        match self {
            Unknown::TooCoarse { path, .. } | Unknown::Overflow { path, .. } => Some(path),
            Unknown::Incomplete { .. }
            | Unknown::TooIncoherent { .. }
            | Unknown::Stopped(_)
            | Unknown::NotVerifiedUnderSc(_)
            | Unknown::Unsupported(_) => None,
        }
    }
}

impl Outcome {
    /// A verdict without warnings.
    pub fn new(verdict: Verdict, log: Vec<Attempt>) -> Self {
        Outcome {
            verdict,
            log,
            warnings: Vec::new(),
        }
    }

    /// The attempt that the verdict comes from: the last one with this verdict, and with the same reason where that is
    /// unknown.
    pub fn decisive(&self) -> Option<&Attempt> {
        let mut attempts = self.log.iter().rev();
        attempts.find(|attempt| attempt.verdict.is_same_kind(&self.verdict))
    }
}

impl Report {
    /// The verdict about all models: violated if one is, verified if all are.
    pub fn kind(&self) -> VerdictKind {
        let kinds = || self.results.iter().map(ModelResult::kind);
        if kinds().any(|kind| kind == VerdictKind::Violated) {
            VerdictKind::Violated
        } else if kinds().all(|kind| kind == VerdictKind::Verified) {
            VerdictKind::Verified
        } else {
            VerdictKind::Unknown
        }
    }

    /// A property of the program.
    pub fn property(&self, id: PropertyId) -> &Property {
        &self.properties[id.index()]
    }
}

impl ModelResult {
    /// The verdict in one word.
    pub fn kind(&self) -> VerdictKind {
        self.outcome.verdict.kind()
    }
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 4] = [Method::Trad, Method::Pe, Method::Ce, Method::Lazy];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Method::Trad => "trad",
            Method::Pe => "pe",
            Method::Ce => "ce",
            Method::Lazy => "lazy",
        }
    }
}

impl Default for CubeSizes {
    fn default() -> Self {
        CubeSizes {
            updates: 2,
            conditions: 3,
        }
    }
}
