//! Partial-coherence abstractions (Kuperstein, Vechev, Yahav, *Partial-Coherence Abstractions for Relaxed Memory Models*, PLDI
//! 2011): exploration with abstract store buffers.
//!
//! Input: a program with finite data. Output: that it is safe, whatever the length of its buffers, or a path that the
//! abstraction cannot exclude. Locations, locals and memory are as they are. Of a buffer it is known what was stored last, in
//! which order the k oldest stores are, and which others there are, but neither their order nor their number:
//!
//! - [`buffer`] has the abstract buffers and the rules of Semantics 3 and 4, one function each;
//! - [`layout`] says which buffers there are under a model;
//! - [`steps`] has the steps of abstract [`state`]s, [`search`] looks at all of them, [`seen`] keeps those that were met;
//! - [`engine`] answers in the words of `verdict`, with [`text`] for paths.
//!
//! `docs/coherence.md` explains the domains and proves that they are sound, for PSO and for TSO. `fences::avoid` infers fences
//! from the same search with labelled stores.

pub(crate) mod buffer;
mod engine;
pub(crate) mod layout;
#[cfg(test)]
mod mutants;
pub(crate) mod search;
mod seen;
pub(crate) mod state;
pub(crate) mod steps;
#[cfg(test)]
mod tests;
mod text;

pub use engine::{Coherence, CoherenceConfig, NAME};
pub(crate) use engine::{confirmed, supported};
