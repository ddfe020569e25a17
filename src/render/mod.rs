//! Text for readers and JSON for programs, in one place.
//!
//! Input: data of the lower modules and a [`Page`], which says how wide a line may be, whether verdicts have
//! colours, and in which words advice is given. Output: strings and JSON values. Nothing here reads or writes
//! files, decides anything, or knows an option of the command line.
//!
//! Every report has one file; what they share is in [`table`] (the formatter of all tables), [`words`] (one
//! wording for counts, verdicts and limits), [`execution`] (the table of an execution) and [`advice`].
//!
//! Invariant: on a page without a width the text does not depend on where it is shown, and on a page
//! with a width no line is longer than that.

mod advice;
pub mod bench;
pub mod buffers;
pub mod certify;
pub mod diagnostics;
pub mod diff;
mod drawing;
mod execution;
mod explore;
pub mod export;
mod fences;
pub mod html;
pub mod infer;
mod lines;
pub mod litmus;
mod page;
pub mod pldi;
pub mod plot;
pub mod regression;
pub mod sarif;
pub mod step;
mod table;
pub mod tacas;
mod translation;
pub mod verify;
mod warnings;
pub mod words;
mod wrap;

pub use advice::Advice;
pub use execution::Execution;
pub use explore::ExploreReport;
pub use fences::{FencesReport, turn};
pub use lines::{LineKind, LineMap, LineOrigin};
pub use page::{Page, Tone};
pub use table::{Cell, Column, NO_VALUE, Table};
pub use translation::TranslationReport;

/// The number of the schema of JSON reports: it changes when a field changes its meaning or goes away.
pub const SCHEMA: u32 = 2;
