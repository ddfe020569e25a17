//! The backward engine: exact answers for finite data, with buffers of any length.
//!
//! Input: a program whose variables have finitely many values. Output: a proof, or an execution. `unfold` makes a
//! labelled graph of each thread, `bad` says what must not be reached, `sections` and `shrink` make the graphs smaller.
//! `forward` searches with real buffers of 1, 2, 3, … entries, which decides where no store is refused; `search` goes
//! backwards from the bad states over a well-quasi-order, with the buffers of `tso` or `pso`, which always decides.
//! The method is that of Abdulla, Atig, Chen, Leonardsson and Rezine, *Counter-Example Guided Fence Insertion under TSO*
//! (TACAS 2012), over the load-buffer semantics of its successor; `docs/exact.md` has the proofs.
//!
//! Invariant: `Verified` holds for buffers of any length; a violation was run by the interpreter.

mod bad;
mod buffers;
mod certificate;
mod engine;
mod forward;
mod graph;
mod invariant;
mod live;
mod mentions;
mod moments;
mod pso;
mod search;
mod sections;
mod seen;
mod shrink;
#[cfg(test)]
mod tests;
mod tso;
mod unfold;

pub use certificate::{NoCertificate, certificate};
pub use engine::{Backward, BackwardConfig, NAME};
