//! Abstract counterexamples: paths through the reduced program.
//!
//! A path is told step by step, as statements of the reduced program with the source lines they come
//! from, and with the predicates that change.

use std::fmt::Write;

use boolprog_checker::Trace;

use crate::abstraction::lazy::LazyStep;
use crate::abstraction::{Abstraction, line_number};
use crate::lang::source::SourceFile;
use crate::logic::{Predicate, action_text};
use crate::program::Program;

/// A path that the abstraction cannot exclude.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AbstractTrace {
    /// The predicates at the start, as text, with their values; `None` is unknown.
    pub initial: Vec<(String, Option<bool>)>,
    /// The steps.
    pub steps: Vec<AbstractStep>,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractStep {
    /// The thread that takes it; for a flush the thread whose buffer it is.
    pub thread: String,
    /// The line of the source.
    pub line: usize,
    /// The statement of the reduced program.
    pub text: String,
    /// The predicates that change, with their new values; `None` is unknown.
    pub changes: Vec<(String, Option<bool>)>,
}

impl AbstractTrace {
    /// Tells a trace of the boolean program in terms of the program that it abstracts.
    pub fn new(
        trace: &Trace,
        abstraction: &Abstraction,
        program: &Program,
        file: &SourceFile,
    ) -> Self {
        let named = |values: &[(String, Option<bool>)]| -> Vec<(String, Option<bool>)> {
            let named = values.iter().filter_map(|(variable, value)| {
                let id = abstraction.predicate_of(variable)?;
                Some((abstraction.predicates[id.index()].text(program), *value))
            });
            named.collect()
        };
        let mut told = AbstractTrace::default();
        for step in &trace.steps {
            let changes = named(&step.changes);
            let stmt = abstraction.program.stmt(step.stmt);
            let Some(tag) = stmt.origin.tag else {
                // Before the first step the initial values are set.
                if told.steps.is_empty() {
                    told.initial.extend(changes);
                }
                continue;
            };
            let origin = &abstraction.origins[tag as usize];
            let line = line_number(file, origin.span);
            let (thread, text) = match origin.edge {
                Some((thread, location, edge)) => {
                    let thread = &program.threads[thread.index()];
                    let edge = &thread.locations[location.index()].edges[edge];
                    (
                        thread.display_name.clone(),
                        action_text(program, &edge.action),
                    )
                }
                None => {
                    let property = origin.property.as_ref();
                    let name = property.map_or("", |property| property.name.as_str());
                    (String::new(), format!("check {name}"))
                }
            };
            told.push(AbstractStep {
                thread,
                line,
                text,
                changes,
            });
        }
        told
    }

    /// Tells a path of the lazy search, from the values before its first step on.
    pub fn from_lazy(
        (initial, path): (&[Option<bool>], &[LazyStep]),
        predicates: &[Predicate],
        program: &Program,
        file: &SourceFile,
    ) -> Self {
        let texts = predicates.iter().map(|predicate| predicate.text(program));
        let mut told = AbstractTrace {
            initial: texts.zip(initial.iter().copied()).collect(),
            steps: Vec::new(),
        };
        let mut before = initial;
        for step in path {
            let (thread, location, edge) = step.edge;
            let thread = &program.threads[thread.index()];
            let edge = &thread.locations[location.index()].edges[edge];
            let changed =
                (0..predicates.len()).filter(|&index| before[index] != step.values[index]);
            let named = |index: usize| (predicates[index].text(program), step.values[index]);
            told.push(AbstractStep {
                thread: thread.display_name.clone(),
                line: line_number(file, edge.span),
                text: action_text(program, &edge.action),
                changes: changed.map(named).collect(),
            });
            before = &step.values;
        }
        told
    }

    /// The path as text, one line per step.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (number, step) in self.steps.iter().enumerate() {
            let thread = if step.thread.is_empty() {
                "-"
            } else {
                &step.thread
            };
            write!(
                text,
                "{:>4}  {thread:<6} line {:<4} {}",
                number + 1,
                step.line,
                step.text
            )
            .expect("writing to a string succeeds");
            if !step.changes.is_empty() {
                write!(text, "   [{}]", values(&step.changes))
                    .expect("writing to a string succeeds");
            }
            text.push('\n');
        }
        text
    }

    /// Adds a step; several statements of one step are told as one.
    fn push(&mut self, step: AbstractStep) {
        match self.steps.last_mut() {
            Some(last)
                if last.text == step.text && last.line == step.line && last.changes.is_empty() =>
            {
                last.changes = step.changes;
            }
            _ => self.steps.push(step),
        }
    }
}

fn values(changes: &[(String, Option<bool>)]) -> String {
    let told: Vec<String> = changes
        .iter()
        .map(|(predicate, value)| match value {
            Some(true) => predicate.clone(),
            Some(false) => format!("!({predicate})"),
            None => format!("{predicate}?"),
        })
        .collect();
    told.join(", ")
}
