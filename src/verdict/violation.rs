//! Executions that the independent interpreter has run.
//!
//! [`Violation`] breaks a property, [`Run`] breaks none, [`Growth`] makes a buffer as long as one likes. None of
//! them can be made without the interpreter.

use std::sync::Arc;

use crate::memory::Model;
use crate::program::{Program, Property, PropertyId, PropertyKind};
use crate::semantics::interpreter::{self, ReplayError};
use crate::semantics::repetition;
use crate::semantics::{Trace, as_relaxed_trace};

/// A real execution that breaks a property.
#[derive(Clone, Debug)]
pub struct Violation {
    found_by: FoundBy,
    program: Arc<Program>,
    trace: Trace,
    property: PropertyId,
}

/// How an execution was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// A search of real states.
    Exploration,
    /// It breaks the property under SC, too: here with every store flushed at once.
    Sc,
    /// The path that an abstraction could not exclude.
    Replay,
}

/// A real execution that breaks no property but, perhaps, the check of a reduced program for a full buffer.
#[derive(Clone, Debug)]
pub struct Run {
    program: Arc<Program>,
    trace: Trace,
}

/// A real execution that ends as it was some steps before but for longer buffers, so that these steps can be
/// repeated for ever.
#[derive(Clone, Debug)]
pub struct Growth {
    run: Run,
    repeats_from: usize,
}

impl Violation {
    /// The violation that an execution of `program` is, once the interpreter has run it and seen it break its
    /// property.
    pub fn confirm(
        program: Arc<Program>,
        trace: Trace,
        found_by: FoundBy,
    ) -> Result<Self, ReplayError> {
        let property = trace.property.ok_or(ReplayError::Property)?;
        interpreter::replay(&program, trace.model, &trace)?;
        Ok(Violation {
            found_by,
            program,
            trace,
            property,
        })
    }

    /// The violation that another execution of the same program is.
    pub fn with_trace(&self, trace: Trace) -> Result<Self, ReplayError> {
        Violation::confirm(Arc::clone(&self.program), trace, self.found_by)
    }

    /// A violation under SC as one of `program`, which is the same with fences in force, under a relaxed model: every
    /// store is flushed at once.
    pub fn under(&self, program: Arc<Program>, model: Model) -> Option<Self> {
        let trace = as_relaxed_trace(&program, model, &self.trace)?;
        Violation::confirm(program, trace, FoundBy::Sc).ok()
    }

    /// How it was found.
    pub fn found_by(&self) -> FoundBy {
        self.found_by
    }

    /// The program, with the fences in force.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The execution.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The model that it is an execution of.
    pub fn model(&self) -> Model {
        self.trace.model
    }

    /// The property that it breaks.
    pub fn property_id(&self) -> PropertyId {
        self.property
    }

    /// The property that it breaks.
    pub fn property(&self) -> &Property {
        self.program.property(self.property)
    }
}

impl FoundBy {
    /// The word for it in machine-readable output.
    pub fn word(self) -> &'static str {
        match self {
            FoundBy::Exploration => "exploration",
            FoundBy::Sc => "sc",
            FoundBy::Replay => "replay",
        }
    }
}

impl Run {
    /// The run that an execution of `program` is, once the interpreter has run it to its end.
    pub fn confirm(program: Arc<Program>, trace: Trace) -> Result<Self, ReplayError> {
        let is_overflow = |id: &PropertyId| program.property(*id).kind == PropertyKind::Overflow;
        let trace = Trace {
            property: trace.property.filter(is_overflow),
            ..trace
        };
        interpreter::replay(&program, trace.model, &trace)?;
        Ok(Run { program, trace })
    }

    /// The program, with the fences in force.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The execution.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }
}

impl Growth {
    /// The growth that a run is, if its steps from `repeats_from` on can be repeated for ever: see
    /// [`repetition`].
    pub fn confirm(
        program: Arc<Program>,
        trace: Trace,
        repeats_from: usize,
    ) -> Result<Self, ReplayError> {
        repetition::repeats(&program, &trace, repeats_from)?;
        let run = Run::confirm(program, trace)?;
        Ok(Growth { run, repeats_from })
    }

    /// The growth of a buffer in an execution: its shortest beginning that ends with steps that can be repeated for ever,
    /// if there is one.
    pub fn find(program: &Arc<Program>, trace: &Trace) -> Option<Self> {
        let (start, end) = repetition::repetition(program, trace)?;
        let part = Trace {
            steps: trace.steps[..end].to_vec(),
            property: None,
            ..trace.clone()
        };
        Growth::confirm(Arc::clone(program), part, start).ok()
    }

    /// The execution up to the end of the first repetition.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The number of the first step that is repeated, from 0.
    pub fn repeats_from(&self) -> usize {
        self.repeats_from
    }
}
