//! Abstract counterexamples: paths through the reduced program.
//!
//! A path is told step by step, as statements of the reduced program with the source lines they come
//! from, and with the predicates that change; and, once it was replayed, whether it is real and what
//! the proof lacks if it is not.

use std::fmt::Write;

use boolprog_checker::Trace;

use super::Violation;
use crate::abstraction::lazy::LazyStep;
use crate::abstraction::{Abstraction, Property, line_number};
use crate::lang::source::SourceFile;
use crate::logic::{Predicate, action_text};
use crate::program::Program;
use crate::replay::{EdgeId, complete};

/// Predicates as text, with their values; `None` is unknown.
pub type Changes = Vec<(String, Option<bool>)>;

/// A path that the abstraction cannot exclude.
#[derive(Clone, Debug, Default)]
pub struct AbstractTrace {
    /// The predicates at the start, as text, with their values; `None` is unknown.
    pub initial: Changes,
    /// The steps; the last one is the check of the property, if that is a spec.
    pub steps: Vec<AbstractStep>,
    /// Whether it is real.
    pub reality: Reality,
}

/// Whether a path is an execution.
#[derive(Clone, Debug, Default)]
pub enum Reality {
    /// It is not known.
    #[default]
    Undecided,
    /// It is, but breaks no property of the user: it puts more stores into a buffer than fit.
    Real(Box<Violation>),
    /// It is not: the step with this index cannot be taken.
    Impossible(usize, Lack),
}

/// What a proof lacks to exclude a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Lack {
    /// It was not found.
    #[default]
    Unknown,
    /// Predicates, as they stand in a proof.
    Predicates(Vec<String>),
    /// Larger cubes over the predicates that it has.
    Cubes,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractStep {
    /// The step; `None` for the check of a spec.
    pub edge: Option<EdgeId>,
    /// The thread that takes it; for a flush the thread whose buffer it is.
    pub thread: String,
    /// The line of the source.
    pub line: usize,
    /// The statement of the reduced program.
    pub text: String,
    /// The predicates that change, with their new values; `None` is unknown.
    pub changes: Changes,
}

impl AbstractTrace {
    /// Tells a trace of the boolean program in terms of the program that it abstracts.
    pub fn new(
        trace: &Trace,
        (abstraction, property): (&Abstraction, &Property),
        program: &Program,
        file: &SourceFile,
    ) -> Self {
        let named = |values: &[(String, Option<bool>)]| -> Changes {
            let named = values.iter().filter_map(|(variable, value)| {
                let id = abstraction.predicate_of(variable)?;
                Some((abstraction.predicates[id.index()].text(program), *value))
            });
            named.collect()
        };
        let mut told = AbstractTrace::default();
        let mut seen: Vec<(EdgeId, Changes)> = Vec::new();
        let mut before = None;
        for step in &trace.steps {
            let changes = named(&step.changes);
            let tag = abstraction.program.stmt(step.stmt).origin.tag;
            let Some(tag) = tag else {
                // Before the first step the initial values are set.
                if seen.is_empty() {
                    told.initial.extend(changes);
                }
                continue;
            };
            // Checks of specs that hold are no steps of the program.
            let Some(edge) = abstraction.origins[tag as usize].edge else {
                continue;
            };
            // The statements of one step follow each other in the text.
            let same_step = before.is_some_and(|(last, stmt)| last == edge && stmt < step.stmt);
            before = Some((edge, step.stmt));
            match seen.last_mut().filter(|_| same_step) {
                Some((_, last)) => last.extend(changes),
                None => seen.push((edge, changes)),
            }
        }
        told.add_completed(seen, (abstraction, property), program, file);
        told.check(property, program, file);
        told
    }

    /// Tells a path of the lazy search, from the values before its first step on.
    pub fn from_lazy(
        (initial, path): (&[Option<bool>], &[LazyStep]),
        (predicates, property): (&[Predicate], &Property),
        program: &Program,
        file: &SourceFile,
    ) -> Self {
        let texts = predicates.iter().map(|predicate| predicate.text(program));
        let mut told = AbstractTrace {
            initial: texts.zip(initial.iter().copied()).collect(),
            ..AbstractTrace::default()
        };
        let mut before = initial;
        for step in path {
            let changed =
                (0..predicates.len()).filter(|&index| before[index] != step.values[index]);
            let named = |index: usize| (predicates[index].text(program), step.values[index]);
            let changes = changed.map(named).collect();
            told.steps
                .push(AbstractStep::new(step.edge, changes, program, file));
            before = &step.values;
        }
        told.check(property, program, file);
        told
    }

    /// Adds the steps that were seen, and those between them that no predicate sees.
    fn add_completed(
        &mut self,
        mut seen: Vec<(EdgeId, Changes)>,
        (abstraction, property): (&Abstraction, &Property),
        program: &Program,
        file: &SourceFile,
    ) {
        let edges: Vec<EdgeId> = seen.iter().map(|(edge, _)| *edge).collect();
        let unseen = abstraction.unseen();
        let breaks = !is_spec(property, program);
        let completed = complete(program, &edges, |edge| unseen.contains(&edge), breaks);
        let as_seen = || {
            (0..)
                .zip(&edges)
                .map(|(n, &edge)| (edge, Some(n)))
                .collect()
        };
        for (edge, number) in completed.unwrap_or_else(as_seen) {
            let changes = number.map(|number: usize| std::mem::take(&mut seen[number].1));
            let changes = changes.unwrap_or_default();
            self.steps
                .push(AbstractStep::new(edge, changes, program, file));
        }
    }

    /// The steps of the program.
    pub fn edges(&self) -> Vec<EdgeId> {
        self.steps.iter().filter_map(|step| step.edge).collect()
    }

    /// Adds the check of the property, if it is a spec.
    fn check(&mut self, property: &Property, program: &Program, file: &SourceFile) {
        if is_spec(property, program) {
            self.steps.push(AbstractStep {
                edge: None,
                thread: String::new(),
                line: line_number(file, property.span),
                text: format!("check {}", property.name),
                changes: Vec::new(),
            });
        }
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
}

impl AbstractStep {
    fn new(edge: EdgeId, changes: Changes, program: &Program, file: &SourceFile) -> Self {
        let (thread, location, number) = edge;
        let thread = &program.threads[thread.index()];
        let action = &thread.locations[location.index()].edges[number];
        AbstractStep {
            edge: Some(edge),
            thread: thread.display_name.clone(),
            line: line_number(file, action.span),
            text: action_text(program, &action.action),
            changes,
        }
    }
}

/// Whether a property is a spec, else it is broken by a step.
fn is_spec(property: &Property, program: &Program) -> bool {
    program.specs.iter().any(|spec| spec.span == property.span)
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
