//! What a check answers: a verdict for each assertion, with traces and statistics.

use serde::Serialize;

use crate::syntax::ast::StmtId;

/// The answer to a check.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// One report for each `assert` of the program, then one for each statement with an error label
    /// ([`crate::Program::with_error_labels`]), in the order of their [`AssertId`]s.
    pub assertions: Vec<AssertionReport>,
    /// What the searches did, all of them together.
    pub stats: Stats,
    /// The disjuncts of `schoose` that made a choice definite, sorted; empty unless
    /// [`crate::Options::record_fired`] is set.
    pub fired: Vec<FiredDisjunct>,
    /// The clauses of conditions that decided or taught something, sorted; empty unless
    /// [`crate::Options::record_fired`] is set.
    pub fired_clauses: Vec<FiredClause>,
}

impl Outcome {
    /// The verdict on the program: violated if any assertion is, else unknown if any is, else
    /// verified.
    pub fn verdict(&self) -> Verdict {
        let of = |report: &AssertionReport| report.finding.verdict();
        self.assertions
            .iter()
            .map(of)
            .max()
            .unwrap_or(Verdict::Verified)
    }
}

/// The three answers, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The assertion holds in every run.
    Verified,
    /// Neither proved nor refuted.
    Unknown,
    /// A run breaks the assertion.
    Violated,
}

/// The number of an `assert` among all of them, in the order of the program's statements; error labels follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct AssertId(pub(crate) u32);

impl AssertId {
    /// The number, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What was found out about one assertion.
#[derive(Clone, Debug)]
pub struct AssertionReport {
    /// Its number.
    pub id: AssertId,
    /// Its statement.
    pub stmt: StmtId,
    /// The error label of the statement that must not be reached; none if this is about an `assert`.
    pub label: Option<String>,
    /// What was found.
    pub finding: Finding,
}

/// A verdict with what goes with it.
#[derive(Clone, Debug)]
pub enum Finding {
    /// No run breaks the assertion.
    Verified,
    /// The trace breaks it.
    Violated(Trace),
    /// Not known, for this reason.
    Unknown(Reason),
}

impl Finding {
    /// The verdict alone.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::Verified => Verdict::Verified,
            Self::Violated(_) => Verdict::Violated,
            Self::Unknown(_) => Verdict::Unknown,
        }
    }

    /// The trace, real or abstract, if there is one.
    pub fn trace(&self) -> Option<&Trace> {
        match self {
            Self::Violated(trace) | Self::Unknown(Reason::Abstraction(trace)) => Some(trace),
            Self::Verified | Self::Unknown(Reason::Limit(_)) => None,
        }
    }
}

/// Why an assertion is neither proved nor refuted.
#[derive(Clone, Debug)]
pub enum Reason {
    /// The three-valued search cannot exclude this abstract trace.
    Abstraction(Trace),
    /// A limit stopped the search.
    Limit(Limit),
}

/// The limit that stopped a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// [`crate::Limits::max_states`]
    States,
    /// [`crate::Limits::max_threads`]
    Threads,
    /// [`crate::Limits::timeout`]
    Timeout,
    /// [`crate::Limits::cancel`]
    Cancelled,
}

/// A run to a failing assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The values before the first step, by name in the order of declaration; `None` is unknown.
    pub initial: Vec<(String, Option<bool>)>,
    /// The steps; the last one is the failing assertion, or the error label that is reached.
    pub steps: Vec<TraceStep>,
    /// The number of steps, an atomic section being one and steps without effect none (they count
    /// where fusing is off or crosses the border of an `enforce`).
    pub length: usize,
    /// Whether no run to this failure is known to be shorter than `length` because all shorter ones
    /// were looked at.
    pub shortest: bool,
}

/// One statement executed in a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// The number of the thread, in the order of creation; `main` is 0.
    pub thread: usize,
    /// The statement.
    pub stmt: StmtId,
    /// Which way it went, for statements that branch.
    pub branch: Option<bool>,
    /// The number of the condition that was asked: 0, or from 1 on for those of `elsif`.
    pub condition: usize,
    /// Whether the step belongs to the same atomic section as the step before it.
    pub in_atomic: bool,
    /// The variables whose value changed, with the new value; `None` is unknown.
    pub changes: Vec<(String, Option<bool>)>,
    /// The error label of the statement, where the run ends before it and not in an assertion.
    pub label: Option<String>,
}

/// What a check did and what it cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Stats {
    /// States stored.
    pub states: usize,
    /// Steps taken, those inside atomic sections included.
    pub transitions: u64,
    /// States that were reached again.
    pub revisited: u64,
    /// States dropped because a more general one covers them.
    pub covered: u64,
    /// States joined with a near-equal one.
    pub merged: u64,
    /// Bytes for states and hash table, at the largest.
    pub memory_bytes: usize,
    /// How many of these bytes are the hash table.
    pub table_bytes: usize,
    /// Time spent.
    pub seconds: f64,
}

/// A disjunct of an argument of `schoose` that was definitely true and made the choice definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FiredDisjunct {
    /// The assignment.
    pub stmt: StmtId,
    /// The place of the value among the values of the assignment.
    pub value: usize,
    /// Which argument: true for the first (`pos`), false for the second (`neg`).
    pub positive: bool,
    /// The place of the disjunct in [`crate::ast::Expr::disjuncts`] of the argument.
    pub disjunct: usize,
}

/// A clause of a condition, over global variables: it refuted an assumption or made a variable of it
/// definite, or it is a clause of the negation of an assertion and kept that from failing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FiredClause {
    /// The statement with the condition.
    pub stmt: StmtId,
    /// The variables and whether they stand without `!`.
    pub literals: Vec<(String, bool)>,
}

/// A state of the three-valued search, for callers that compare it with something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractState {
    /// The threads alive, in the order of their slots.
    pub threads: Vec<ThreadPosition>,
    /// The global variables in the order of declaration; `None` is unknown.
    pub globals: Vec<Option<bool>>,
    /// The slot of the thread that is inside an atomic section, if one is.
    pub holder: Option<usize>,
}

/// How far a [`crate::Follower`] could follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Followed {
    /// It stands at a state that fits.
    Inside,
    /// No state fits, but an assertion can fail in this step.
    Failed,
    /// No state fits, within the limits.
    Lost,
}

/// Where a thread stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadPosition {
    /// The slot: 0 for `main`; a new thread gets the first slot that is free.
    pub slot: usize,
    /// The statement it is about to execute; `None` at the end of a procedure's text.
    pub next: Option<StmtId>,
    /// Its locals by name, those of inlined calls, and those that hide a global, with the procedure's
    /// name in front.
    pub locals: Vec<(String, Option<bool>)>,
}
