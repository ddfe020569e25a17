//! The memory models.

use std::fmt;

/// A memory model: how stores reach main memory.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    clap::ValueEnum,
    serde::Serialize,
    serde::Deserialize,
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
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Model::Sc => "sc",
            Model::Tso => "tso",
            Model::Pso => "pso",
        })
    }
}
