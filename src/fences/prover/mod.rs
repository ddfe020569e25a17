//! Who decides whether a placement is sufficient.
//!
//! Input: a placement. Output: [`Opinion`]. The search knows provers by the trait [`Prover`] alone:
//! [`ExploreProver`] explores the program with real store buffers, [`PipelineProver`] proves it from its SC
//! proof, [`AutoProver`] does one after the other.
//!
//! Invariant: [`Judgement::Safe`] is a proof for all executions with buffers of any size; the
//! execution of [`Judgement::Violated`] has been replayed.

mod auto;
mod explore;
mod pipeline;

use indexmap::IndexSet;

use super::frontier::FenceSet;
use super::places::Candidates;
use crate::explore::Exploration;

pub use auto::AutoProver;
pub use explore::ExploreProver;
pub use pipeline::PipelineProver;

/// Decides about placements of one program under one memory model.
pub trait Prover {
    /// An execution under SC that breaks a property, if one is found.
    fn broken_under_sc(&mut self) -> Option<Exploration>;

    /// Judges the program with these fences.
    fn judge(&mut self, fences: &FenceSet) -> Opinion;
}

/// A judgement and what it took.
#[derive(Clone, Debug)]
pub struct Opinion {
    /// The judgement.
    pub judgement: Judgement,
    /// Who gave it.
    pub prover: &'static str,
    /// The number of states that were seen.
    pub states: usize,
    /// The number of questions to the solver.
    pub solver_calls: u64,
}

/// What is said about a placement.
#[derive(Clone, Debug)]
pub enum Judgement {
    /// The program is safe with it.
    Safe,
    /// An execution breaks a property.
    Violated(Box<Exploration>),
    /// Neither; why, in words.
    Unknown(String),
}

/// The names of the places of a placement, in source order.
pub fn names(candidates: &Candidates, fences: &FenceSet) -> IndexSet<String> {
    fences
        .places()
        .map(|place| candidates.name(place).to_owned())
        .collect()
}
