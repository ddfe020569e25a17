//! The experiments of the SAS 2013 paper, run again; [`tacas`] has the table of the TACAS 2012 paper,
//! [`pldi`] those of the PLDI 2011 paper; [`buffers`] compares slots with buffers of any length.
//!
//! Input: a [`BenchConfig`]. Output: [`Results`], a plain value that is stored as JSON; `render` makes text and plots of
//! it. Called by `cupola bench`.
//!
//! Each row of the paper's Tables 1 and 2 is an algorithm, a model and a method ([`Case`]). It is
//! run at k = 1 with all optional fences, which is what keeps a buffer of one entry from
//! overflowing, by Cupola and, if asked for, by the paper's own algorithm in the same process with the
//! same solver ([`baseline`]). Then each program is verified as a user would: with the fewest fences,
//! and as large a k as they need. The paper's figures are in [`paper`] and nowhere else.

mod algorithms;
pub mod baseline;
pub mod buffers;
pub mod growth;
pub mod paper;
pub mod pldi;
mod results;
mod run;
pub mod tacas;

pub use algorithms::{ALGORITHMS, Algorithm};
pub use results::{
    Figures, GrowthAxis, GrowthPoint, LeastRow, Machine, Results, Row, SCHEMA, geometric_mean,
};
pub use run::{BenchConfig, Case, RunStarted, cases, run};
