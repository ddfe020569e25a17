//! Programs in the languages of other tools.
//!
//! Input: a [`Reduction`], which is the program under SC that stands for a source under a memory model, and the file
//! of the source. Output: the text for a [`Target`], or a [`Refused`] where the target cannot say what the program
//! does. Nothing is left out in silence. One file for each target: [`promela`], [`c`], [`chc`], [`dot`], [`litmus`];
//! [`states`] has the graph of the states of a small program. They share [`names`] (identifiers), [`expr`] (terms and conditions), [`lines`] (which line of the source a step
//! stands for) and [`steps`] (the ways through atomic sections).
//!
//! What is exported has SC semantics. An atomic section is one step of the export: its ways that block lead nowhere,
//! as in the semantics, where a thread that waits in its section keeps all others from moving and no property
//! looks at such states.

mod c;
mod chc;
mod dot;
mod expr;
mod lines;
mod litmus;
mod names;
mod promela;
mod range;
mod specs;
mod states;
mod steps;
mod symbolic;

use crate::memory::Model;
use crate::program::Program;
use crate::reduce::{Reduction, first_fifo};
use crate::source::{SourceFile, Span};

pub use states::states_text;

/// A language of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Promela, which Spin verifies.
    Promela,
    /// C with POSIX threads and the functions of the verification competition.
    C,
    /// Constrained Horn clauses in SMT-LIB.
    Chc,
    /// The graph of the program, for Graphviz.
    Dot,
    /// A litmus test of herd for x86.
    Litmus,
}

/// What is exported.
#[derive(Clone, Copy, Debug)]
pub struct Exported<'a> {
    /// The file of the source.
    pub file: &'a SourceFile,
    /// The program under SC, and what its steps are in the source.
    pub reduction: &'a Reduction,
}

/// Why a program cannot be told in a target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    /// What cannot be told.
    pub message: String,
    /// Where it stands in the source, if it stands anywhere.
    pub span: Option<Span>,
    /// A way out.
    pub hint: &'static str,
}

impl Target {
    /// All of them.
    pub const ALL: [Target; 5] = [
        Target::Promela,
        Target::C,
        Target::Chc,
        Target::Dot,
        Target::Litmus,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Target::Promela => "promela",
            Target::C => "c",
            Target::Chc => "chc",
            Target::Dot => "dot",
            Target::Litmus => "litmus",
        }
    }

    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Target::Promela => "pml",
            Target::C => "c",
            Target::Chc => "smt2",
            Target::Dot => "dot",
            Target::Litmus => "litmus",
        }
    }
}

/// The text of a program in a target.
pub fn export(exported: Exported<'_>, target: Target) -> Result<String, Refused> {
    without_fifos(exported)?;
    match target {
        Target::Promela => promela::text(exported),
        Target::C => c::text(exported),
        Target::Chc => chc::text(exported),
        Target::Dot => Ok(dot::text(exported)),
        Target::Litmus => litmus::text(exported),
    }
}

/// That what is exported has no FIFOs.
pub fn without_fifos(exported: Exported<'_>) -> Result<(), Refused> {
    first_fifo(&exported.reduction.checked.tree).map_or(Ok(()), |span| {
        let message = "programs with FIFOs cannot be exported";
        let hint = "they can be explored, and printed by `cupola translate`";
        Err(Refused::new(message, Some(span), hint))
    })
}

impl<'a> Exported<'a> {
    /// The program under SC. Under SC it is the source itself, with its own names.
    fn program(self) -> &'a Program {
        match self.reduction.model() {
            Model::Sc => &self.reduction.source,
            Model::Tso | Model::Pso => &self.reduction.program,
        }
    }

    /// What the text is, in a sentence or two.
    fn header(self) -> Vec<String> {
        let name = self.file.file_name();
        match self.reduction.model() {
            Model::Sc => vec![format!("{name} under SC.")],
            model => {
                let model = model.to_string().to_uppercase();
                let sizes = &self.reduction.config.sizes;
                vec![
                    format!(
                        "{name} under {model}, as a program under SC whose variables hold store buffers (k = {sizes})."
                    ),
                    "If `overflow` can be set, the buffers are too short: nothing is known then."
                        .to_owned(),
                ]
            }
        }
    }
}

impl Refused {
    fn new(message: impl Into<String>, span: Option<Span>, hint: &'static str) -> Self {
        Refused {
            message: message.into(),
            span,
            hint,
        }
    }
}
