//! All minimal sets of fences that make a program safe under a memory model.
//!
//! Input: a checked program, the places where a fence may stand ([`places`]), and an engine.
//! Output: [`Answer`]. Called by the command line; `docs/fences.md` tells users about it.
//!
//! The search is guided by counterexamples (Abdulla, Atig, Chen, Leonardsson and Rezine, TACAS
//! 2012, section 6). An execution that breaks a property under some placement passes certain places
//! while the buffers of the passing thread are not empty: its *clause* ([`clause`]). It is an
//! execution under every placement that has none of these places, so every sufficient placement has
//! one of them. The next candidates are therefore the minimal sets that meet all clauses
//! ([`frontier`]), smallest first; each is proved, refuted (which gives a new clause) or set aside
//! as undecided, and then its supersets are tried.
//!
//! Invariants. More fences mean fewer executions, so what is below a proved placement decides
//! whether it is minimal. A placement counts as proved only if an engine verified this very
//! placement, and as refuted only because of an execution that the interpreter ran.

pub mod avoid;
pub mod clause;
pub mod cost;
pub mod emit;
pub mod frontier;
pub mod places;
mod search;

pub use cost::Costs;
pub use emit::{emit, emit_line};
pub use frontier::FenceSet;
pub use places::{Candidates, PlaceId, PlaceKind, PlacesError};
pub use search::{
    Answer, End, Finding, Minimality, Proved, Refutation, Search, Tried, names, search,
};
