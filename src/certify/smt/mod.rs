//! Claims in SMT-LIB, and what refutes them: shared by the kinds of certificates that need a solver.
//!
//! `smtlib` writes terms and conditions, `path` what a run of statements does, and `solver` has claims refuted.

pub(super) mod path;
pub(super) mod smtlib;
pub(super) mod solver;

use std::ops::Range;

/// Claims, numbered from 0: that something never happens.
pub(super) trait Claims {
    /// How many there are.
    fn len(&self) -> usize;

    /// The whole script: every `check-sat` of it is a claim, in order, and must answer `unsat`.
    fn to_smtlib(&self) -> String;

    /// The declarations and definitions that some claims refer to, without any assertion.
    fn context(&self, claims: Range<usize>) -> String;

    /// For each of some claims the condition that has no model, if it holds.
    fn conditions(&self, claims: Range<usize>) -> Vec<String>;

    /// The names of the variables in the state that claims are about.
    fn variables(&self) -> &[String];
}
