//! Cupola decides whether a concurrent program is safe under sequential consistency (SC), x86 TSO and SPARC PSO.
//!
//! A program has a fixed number of threads, shared and local integers, fences, atomic operations and properties: its
//! language is described in `docs/language.md`. Under TSO and PSO stores wait in buffers before they reach memory. An
//! engine searches the real states, buffers and all, or proves the program from its proof under SC; either way the
//! verdict holds for executions of any length and buffers of any size.
//!
//! ```
//! use cupola::engine::Context;
//! use cupola::engine::portfolio::{Config, Portfolio, Subject};
//! use cupola::front::{self, Format, cup::placement::Placement};
//! use cupola::memory::Model;
//! use cupola::source::SourceFile;
//! use cupola::verdict::VerdictKind::{Verified, Violated};
//!
//! let text = "shared x, y;
//!     thread P { local r = 1; x = 1; r = y; }
//!     thread Q { local r = 1; y = 1; r = x; }
//!     finally seen: P.r != 0 || Q.r != 0;";
//! let loaded = front::load(SourceFile::new("sb.cup", text), Format::Cup).expect("it is a program");
//! let subject = Subject { source: &loaded.source, program: &loaded.checked, proof: None };
//! let context = Context::default();
//! let mut engines = Portfolio::of(&Config::default(), &context.limits);
//! let report = engines.verify(&subject, &Model::ALL, &Placement::Declared, &context)?;
//! let verdicts: Vec<_> = report.results.iter().map(|result| (result.model, result.kind())).collect();
//! assert_eq!(verdicts, [(Model::Sc, Verified), (Model::Tso, Violated), (Model::Pso, Violated)]);
//! # Ok::<(), cupola::engine::portfolio::VerifyError>(())
//! ```
//!
//! # What is public on purpose
//!
//! Data flows down this list; no module imports one that stands below it.
//!
//! - [`source`]: source files, places in them, diagnostics.
//! - [`memory`]: the memory models and the sizes of buffers.
//! - [`run`]: how long work is stopped, and how far it is.
//! - [`front`]: reading programs ([`front::load`]), and the syntax trees of both formats.
//! - [`program`]: a program as control-flow graphs ([`program::lower`]), with its properties.
//! - [`reduce`]: a program under TSO or PSO as one under SC ([`reduce::reduce`]).
//! - [`semantics`]: executions as data ([`semantics::Trace`]), and the independent interpreter that confirms one
//!   ([`semantics::interpreter::replay`]).
//! - [`verdict`]: the vocabulary of answers.
//! - [`proof`]: proofs under SC, read or taken from the program.
//! - [`certificate`] and [`certify`]: what is needed to check a verdict again, and the independent check.
//! - [`engine`]: the trait [`engine::Engine`], the engines [`engine::explore`] and [`engine::predicate`], and the
//!   [`engine::portfolio`] of all of them.
//! - [`fences`]: all minimal placements of fences.
//! - [`litmus`]: decides litmus tests in the words of herd.
//! - [`regression`]: programs held against what is expected and kept of them.
//! - [`render`]: text, tables and JSON of all answers.
//!
//! The stages of the predicate engine (`logic`, `smt`, `extrapolate`, `abstraction`, `optimizations`) and the paper's
//! experiments (`bench`) can be reached for tests and for the command `cupola`, but may change at any time. The command
//! itself is behind the default feature `cli`, with the dependencies that it alone needs.

pub mod certificate;
pub mod certify;
pub mod engine;
pub mod fences;
pub mod front;
pub mod litmus;
pub mod memory;
pub mod program;
pub mod proof;
pub mod reduce;
pub mod regression;
pub mod render;
pub mod run;
pub mod semantics;
pub mod source;
pub mod verdict;

#[doc(hidden)]
pub mod abstraction;
#[doc(hidden)]
pub mod bench;
#[doc(hidden)]
pub mod extrapolate;
#[doc(hidden)]
pub mod logic;
#[doc(hidden)]
pub mod optimizations;
#[doc(hidden)]
pub mod smt;

mod refine;
