//! Linear integer logic: terms, conditions, weakest preconditions, predicates and cubes.
//!
//! Everything that the proof pipeline reasons about is one of these values. Normal forms make equal
//! things equal, so that questions to the solver can be cached and output is the same every time.
//! Not here: deciding anything (`smt`).

pub mod axioms;
mod fact;
mod formula;
mod linear;
mod predicate;
mod rename;
mod wp;

#[cfg(test)]
mod tests;

pub use axioms::axioms;
pub use fact::{Entries, Fact, Quantifier, about_entry};
pub use formula::{Atom, Flag, Formula, Symbol, Valuation};
pub use linear::{Linear, Quotient, TooLarge};
pub use predicate::{Cube, Literal, Meaning, Predicate, PredicateId, minimal_cubes, sort_cubes};
pub use rename::rename_cond;
pub use wp::{Update, assigned_vars, fresh_var, precondition, updates, within, wp};
