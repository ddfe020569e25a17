//! How store buffers are abstracted by partial coherence, and the paths that such an abstraction cannot exclude.

/// What an abstract buffer knows of the stores that it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Which there are: a bare set.
    Set,
    /// The last one, the k oldest in order, and which others there are: fully disjunctive.
    Fd,
    /// The same, but some of the others may be missing: partially disjunctive.
    Pd,
}

/// A partial-coherence abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PartialCoherence {
    /// The domain.
    pub domain: Domain,
    /// The number of oldest stores whose order is known.
    pub k: usize,
}

/// A path of abstract states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoherencePath {
    /// The steps; what may be broken is broken by the last one, or in the state behind it.
    pub steps: Vec<CoherenceStep>,
}

/// A step of such a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoherenceStep {
    /// The thread, as reports name it.
    pub thread: String,
    /// The line of the source; `None` for a flush.
    pub line: Option<usize>,
    /// What happens.
    pub text: String,
    /// What the buffers of the thread hold behind it.
    pub buffers: Vec<String>,
}

impl Domain {
    /// All of them.
    pub const ALL: [Domain; 3] = [Domain::Set, Domain::Fd, Domain::Pd];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Domain::Set => "set",
            Domain::Fd => "fd",
            Domain::Pd => "pd",
        }
    }
}
