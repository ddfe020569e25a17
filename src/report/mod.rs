//! What the verifying commands have to say: values, and their text and JSON forms.
//!
//! Input: what the pipeline found. [`Report`] is the answer of `cupola verify`; its parts are also
//! used by `cupola prove`. Nothing here decides anything.

mod json;
mod remarks;
mod table;
mod trace;
mod violation;

use std::time::Duration;

use crate::abstraction::{CubeSizes, Property};
use crate::lang::source::SourceFile;
use crate::model::Model;
use crate::smt::Effort;
pub use table::TraceForm;
pub use trace::{AbstractStep, AbstractTrace, Lack, Reality};
pub use violation::{FoundBy, Violation};

/// A way to build the abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
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

/// The answer about a program under several models.
#[derive(Clone, Debug)]
pub struct Report {
    /// The name of the program's file.
    pub program: String,
    /// The program's text.
    pub source: SourceFile,
    /// The predicates, where they were taken from the program for want of a proof.
    pub harvested: Option<Vec<String>>,
    /// The number of the proof's predicates.
    pub predicates_sc: usize,
    /// One result for each model that was asked for.
    pub results: Vec<ModelResult>,
}

/// The answer about one model.
#[derive(Clone, Debug)]
pub struct ModelResult {
    /// The model.
    pub model: Model,
    /// The optional fences in force.
    pub fences: Vec<String>,
    /// A real execution that breaks a property, found without a proof.
    pub refutation: Option<Violation>,
    /// What was tried, in order; the last try decides. Empty where there is a refutation.
    pub attempts: Vec<Attempt>,
    /// The result of SC, where that is why this model was not tried.
    pub sc_failed: bool,
}

/// One try: an abstraction and its check.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The size of the buffers, 0 under SC.
    pub k: usize,
    /// How the abstraction was built.
    pub method: Method,
    /// How large cubes might be.
    pub sizes: CubeSizes,
    /// Whether unknowns were split.
    pub split: bool,
    /// The number of predicates.
    pub predicates: usize,
    /// The number of cubes given to cube extrapolation.
    pub cubes: usize,
    /// What the solver was asked.
    pub effort: Effort,
    /// Time to build the abstraction.
    pub build_time: Duration,
    /// The number of cubes of two literals or more in use.
    pub cubes_used: usize,
    /// The size of the largest of them.
    pub largest_cube: usize,
    /// States stored by the checker.
    pub states: usize,
    /// Bytes for them.
    pub memory_bytes: usize,
    /// Time to check.
    pub check_time: Duration,
    /// What came out.
    pub outcome: AttemptOutcome,
}

/// What a try found.
#[derive(Clone, Debug)]
pub enum AttemptOutcome {
    /// All properties hold.
    Verified,
    /// A property is broken: the path that the abstraction could not exclude is real.
    Violated(Box<Violation>),
    /// The abstraction cannot exclude that a property is broken.
    Abstraction(Property, AbstractTrace),
    /// A store may meet a full buffer; the properties hold until then.
    Overflow(Property, AbstractTrace),
    /// A limit was reached.
    Limit(StopReason),
}

/// The limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Too many states.
    States,
    /// Out of time.
    Timeout,
    /// Somebody said so.
    Interrupted,
}

/// The answer in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All properties hold in every execution.
    Verified,
    /// A real execution breaks a property.
    Violated,
    /// Neither is known.
    Unknown,
}

impl Report {
    /// The verdict about all models: violated if one is, verified if all are.
    pub fn verdict(&self) -> Verdict {
        let mut verdicts = self.results.iter().map(ModelResult::verdict);
        if verdicts.any(|verdict| verdict == Verdict::Violated) {
            Verdict::Violated
        } else if self.is_verified() {
            Verdict::Verified
        } else {
            Verdict::Unknown
        }
    }

    /// Whether everything is verified.
    pub fn is_verified(&self) -> bool {
        self.results.iter().all(ModelResult::is_verified)
    }
}

impl ModelResult {
    /// Whether the program is safe under the model.
    pub fn is_verified(&self) -> bool {
        self.verdict() == Verdict::Verified
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        match self.outcome() {
            _ if self.violation().is_some() => Verdict::Violated,
            Some(AttemptOutcome::Verified) if !self.sc_failed => Verdict::Verified,
            Some(_) | None => Verdict::Unknown,
        }
    }

    /// The real execution that breaks a property, if one is known.
    pub fn violation(&self) -> Option<&Violation> {
        let replayed = match self.outcome() {
            Some(AttemptOutcome::Violated(violation)) if !self.sc_failed => Some(&**violation),
            Some(_) | None => None,
        };
        self.refutation.as_ref().or(replayed)
    }

    /// What the last try found.
    pub fn outcome(&self) -> Option<&AttemptOutcome> {
        self.attempts.last().map(|attempt| &attempt.outcome)
    }

    /// What the try found that says most about why there is no proof.
    pub fn telling_outcome(&self) -> Option<&AttemptOutcome> {
        self.telling().map(|tried| &self.attempts[tried].outcome)
    }

    /// The try that says most about why there is no proof: the last one, unless it is a retry that only
    /// reached the limit on states.
    pub fn telling(&self) -> Option<usize> {
        let last = self.attempts.len().checked_sub(1)?;
        if !matches!(
            self.outcome(),
            Some(AttemptOutcome::Limit(StopReason::States))
        ) {
            return Some(last);
        }
        let k = self.attempts[last].k;
        let has_path = |tried: &Attempt| {
            tried.k == k && matches!(tried.outcome, AttemptOutcome::Abstraction(..))
        };
        self.attempts.iter().rposition(has_path).or(Some(last))
    }
}

impl Verdict {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::Violated => "violated",
            Verdict::Unknown => "unknown",
        }
    }
}

impl Method {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::Trad => "trad",
            Method::Pe => "pe",
            Method::Ce => "ce",
            Method::Lazy => "lazy",
        }
    }
}
