//! The options that say under which memory model, with which bound and with which fences.

use clap::Args;
use cupola::lang::placement::Placement;
use cupola::model::Model;

use super::PlacementArg;

/// `--model`, a single one.
#[derive(Clone, Copy, Debug, Args)]
pub struct ModelArg {
    /// The memory model.
    #[arg(
        long,
        value_enum,
        value_name = "sc|tso|pso",
        hide_possible_values = true
    )]
    pub model: Model,
}

/// `-k`, a single number.
#[derive(Clone, Copy, Debug, Args)]
pub struct EntriesArg {
    /// The number of entries of each store buffer, from 1 to 64.
    #[arg(short, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub k: u8,
}

/// `--fences`.
#[derive(Clone, Debug, Args)]
pub struct FencesArg {
    /// The optional fences in force, instead of those that FILE declares for the model: names separated
    /// by commas, `none` or `all`.
    #[arg(long, value_name = "A,B|none|all")]
    fences: Option<PlacementArg>,
}

impl FencesArg {
    /// The fences in force.
    pub fn placement(&self) -> Placement {
        let named = self.fences.as_ref();
        named.map_or(Placement::Declared, |arg| arg.0.clone())
    }
}
