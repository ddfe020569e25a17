//! The memory models, and how proofs store what is in the buffers.

mod sizes;

use std::fmt;

pub use sizes::{BufferSizes, MAX_ENTRIES, MalformedSizes};

/// How a proof stores what is in the buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Buffers {
    /// In slots, so many per buffer.
    Slots(BufferSizes),
    /// In FIFOs of any length.
    Fifos,
}

impl Buffers {
    /// The sizes, where there are slots.
    pub fn sizes(&self) -> Option<&BufferSizes> {
        match self {
            Buffers::Slots(sizes) => Some(sizes),
            Buffers::Fifos => None,
        }
    }

    /// The name of the reduction.
    pub fn reduction(&self) -> &'static str {
        match self {
            Buffers::Slots(_) => "slots",
            Buffers::Fifos => "fifo",
        }
    }
}

/// The sizes, or that there are none.
impl fmt::Display for Buffers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Buffers::Slots(sizes) => sizes.fmt(f),
            Buffers::Fifos => f.write_str("fifo"),
        }
    }
}

/// A memory model: how stores reach main memory.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Sequential consistency: a store writes main memory at once.
    Sc,
    /// Total store order (x86): one FIFO of (variable, value) per thread.
    Tso,
    /// Partial store order (SPARC): one FIFO of values per thread and variable.
    Pso,
}

impl Model {
    /// All models, from the strongest to the weakest.
    pub const ALL: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Model::Sc => "sc",
            Model::Tso => "tso",
            Model::Pso => "pso",
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
