//! Linear integer logic: terms, conditions, weakest preconditions, predicates and cubes.
//!
//! Everything that the proof pipeline reasons about is one of these values. Normal forms make equal
//! things equal, so that questions to the solver can be cached and output is the same every time.
//! Not here: deciding anything (`smt`).

mod action;
mod choice;
mod formula;
mod linear;
mod predicate;
mod print;
mod rename;
mod wp;

#[cfg(test)]
mod tests;

pub use action::action_text;
pub(crate) use choice::{Beyond, spelled_out};
pub use formula::{Atom, Flag, Formula, Symbol, Valuation};
pub use linear::{Linear, TooLarge};
pub use predicate::{Cube, Literal, Predicate, PredicateId, minimal_cubes, sort_cubes};
pub use print::{cond_text, location_name, operand_text, term_text};
pub use rename::rename_cond;
pub use wp::{Update, assigned_vars, fresh_var, precondition, updates, wp};
