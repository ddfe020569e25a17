//! Real executions that break a property, and how they were found.
//!
//! Every [`Violation`] has been run by `explore::replay`, with unbounded store buffers.

use std::time::Duration;

use serde_json::{Value, json};

use crate::abstraction;
use crate::explore::report::Execution;
use crate::explore::{PropertyKind, Trace};
use crate::lang::source::SourceFile;
use crate::program::{Action, Program};

/// A real execution that breaks a property.
#[derive(Clone, Debug)]
pub struct Violation {
    /// How it was found.
    pub found_by: FoundBy,
    /// The name of the property.
    pub property: String,
    /// The program, with the fences that are in force.
    pub program: Program,
    /// The execution.
    pub trace: Trace,
}

/// The ways to find a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// A search of the exact semantics before the proof.
    Refutation {
        /// The states that were seen.
        states: usize,
        /// Bytes for them.
        memory_bytes: usize,
        /// How long it took.
        time: Duration,
    },
    /// The execution of SC that breaks it, with every store flushed at once.
    Sc,
    /// The path that an abstraction could not exclude.
    Replay,
}

impl Violation {
    /// The violation that an execution of `program` is.
    pub fn new(found_by: FoundBy, program: Program, trace: Trace) -> Self {
        Violation {
            found_by,
            property: property_name(&program, &trace),
            program,
            trace,
        }
    }

    /// The execution as a table for readers.
    pub fn text(&self, source: &SourceFile) -> String {
        self.execution(source).text()
    }

    /// The execution as JSON.
    pub fn json(&self, source: &SourceFile) -> Value {
        let mut object = self.execution(source).json();
        object["abstract"] = json!(false);
        object
    }

    fn execution<'a>(&'a self, source: &'a SourceFile) -> Execution<'a> {
        Execution {
            source,
            program: &self.program,
            trace: &self.trace,
        }
    }
}

impl FoundBy {
    /// The word for it in JSON.
    pub fn word(self) -> &'static str {
        match self {
            FoundBy::Refutation { .. } => "refutation",
            FoundBy::Sc => "sc",
            FoundBy::Replay => "replay",
        }
    }

    /// The same for readers.
    pub fn text(self) -> &'static str {
        match self {
            FoundBy::Refutation { .. } => "found by a search of the real semantics",
            FoundBy::Sc => "the one that breaks it under sc, with every store flushed at once",
            FoundBy::Replay => {
                "the path that the abstraction could not exclude, run on the real semantics"
            }
        }
    }
}

/// The name under which proofs report the property.
fn property_name(program: &Program, trace: &Trace) -> String {
    let property = &trace.property;
    let name = match property.kind {
        PropertyKind::Bounds | PropertyKind::Overflow => None,
        PropertyKind::Spec(..) => {
            let mut specs = program.specs.iter();
            let spec = specs.find(|spec| spec.span == property.span);
            spec.map(|spec| abstraction::Property::spec(program, spec).name)
        }
        PropertyKind::Assertion(_) => trace.steps.last().and_then(|step| {
            let thread = &program.threads[step.action.thread.index()];
            let taken = step.action.path.last()?;
            match &thread.location(taken.at).edges.get(taken.edge)?.action {
                Action::Assert(cond, kind) => {
                    let span = property.span;
                    Some(abstraction::Property::assertion(program, cond, kind, span).name)
                }
                _ => None,
            }
        }),
    };
    name.or_else(|| property.name().map(str::to_owned))
        .unwrap_or_default()
}
