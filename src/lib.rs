//! Cupola: verification of concurrent programs under relaxed memory models.

pub mod abstraction;
pub mod bench;
pub mod certificate;
pub mod certify;
pub mod explore;
pub mod extrapolate;
pub mod fences;
pub mod lang;
pub mod litmus;
pub mod logic;
pub mod model;
pub mod pipeline;
pub mod program;
pub mod progress;
pub mod proof;
pub mod reduce;
pub mod replay;
pub mod report;
pub mod shortcuts;
pub mod smt;
pub mod stop;
