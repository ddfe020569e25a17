//! What fences cost: `--cost` and `--cost-in-loop` of `cupola fences`.

use clap::Args;
use cupola::fences::{Candidates, Costs};
use indexmap::IndexMap;

use crate::cli::Failure;

/// The options that say what fences cost.
#[derive(Debug, Args)]
pub struct CostArgs {
    /// What a fence at this place costs; others cost 1. Can be given several times.
    #[arg(long, value_name = "PLACE=N", value_parser = cost)]
    cost: Vec<(String, u64)>,

    /// What a fence costs that stands in a loop, unless its place has a cost of its own.
    #[arg(long, value_name = "N")]
    cost_in_loop: Option<u64>,
}

impl CostArgs {
    /// The costs of the places, if one is given.
    pub fn costs(&self, candidates: &Candidates) -> Result<Option<Costs>, Failure> {
        if self.cost.is_empty() && self.cost_in_loop.is_none() {
            return Ok(None);
        }
        let given: IndexMap<String, u64> = self.cost.iter().cloned().collect();
        match Costs::new(candidates, &given, self.cost_in_loop) {
            Ok(costs) => Ok(Some(costs)),
            Err(unknown) => Err(super::no_place(candidates, &unknown)),
        }
    }
}

fn cost(text: &str) -> Result<(String, u64), String> {
    let parts = text.split_once('=');
    let parsed = parts.and_then(|(place, cost)| Some((place.to_owned(), cost.parse().ok()?)));
    parsed.ok_or_else(|| format!("`{text}` is no place with a cost, as in `a=3`"))
}
