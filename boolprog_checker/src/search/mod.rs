//! The searches: three-valued, exact, and the confirmation of a trace.
//!
//! `config` is a state, `propagate` learns, `split` makes unknowns definite, `choice` evaluates
//! what is assigned, `step` executes one edge, `expand` finds the successors of a state, `store` keeps states, `explore` is the
//! breadth-first loop, `path` and `confirm` make traces, `judge` combines them into an answer, and
//! `reach` and `follow` give the states themselves away.

pub(crate) mod budget;
mod choice;
pub(crate) mod config;
pub(crate) mod confirm;
pub(crate) mod expand;
pub(crate) mod explore;
mod fired;
pub(crate) mod follow;
pub(crate) mod judge;
pub(crate) mod path;
pub(crate) mod propagate;
pub(crate) mod reach;
pub(crate) mod split;
pub(crate) mod step;
pub(crate) mod store;
