//! Random programs and texts: what one part of the tool says of them, another confirms.

#[path = "../support/mod.rs"]
mod support;

mod backward;
mod blocked;
mod coherence;
mod growth;
mod links;
mod origins;
mod parsers;
mod pipeline;
mod reductions;
mod rmm;
mod soundness;
mod traces;
mod unbounded;
mod unreached;
mod x86;
