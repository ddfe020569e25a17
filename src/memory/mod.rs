//! The memory models, and the sizes of bounded store buffers.

mod sizes;

use std::fmt;

pub use sizes::{BufferSizes, MAX_ENTRIES, MalformedSizes};

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
