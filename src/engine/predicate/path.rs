//! Abstract paths from the traces of the boolean program's checker and of the lazy search.
//!
//! A path is a list of steps of the reduced program, with the source lines that they come from and the predicates that
//! change.

use boolprog_checker::Trace;

use crate::abstraction::lazy::LazyStep;
use crate::abstraction::{Abstraction, line_number};
use crate::logic::Predicate;
use crate::program::{EdgeId, Program, PropertyId, action_text};
use crate::refine::complete;
use crate::source::SourceFile;
use crate::verdict::{AbstractPath, AbstractStep, Changes, Feasibility};

/// The path of a trace of the boolean program, in terms of the program that it abstracts.
pub(super) fn of_trace(
    trace: &Trace,
    (abstraction, property): (&Abstraction, PropertyId),
    program: &Program,
    source: &SourceFile,
) -> AbstractPath {
    let (initial, seen) = seen_steps(trace, abstraction, program);
    let mut steps = completed(seen, (abstraction, property), program, source);
    steps.extend(check(property, program, source));
    AbstractPath {
        property,
        initial,
        steps,
        feasibility: Feasibility::Undecided,
    }
}

/// The path of the lazy search, from the values before its first step on.
pub(super) fn of_lazy(
    (initial, path): (&[Option<bool>], &[LazyStep]),
    (predicates, property): (&[Predicate], PropertyId),
    program: &Program,
    source: &SourceFile,
) -> AbstractPath {
    let texts = predicates.iter().map(|predicate| predicate.text(program));
    let mut steps = Vec::new();
    let mut before = initial;
    for taken in path {
        let changed = (0..predicates.len()).filter(|&index| before[index] != taken.values[index]);
        let named = |index: usize| (predicates[index].text(program), taken.values[index]);
        steps.push(step(
            taken.edge,
            changed.map(named).collect(),
            program,
            source,
        ));
        before = &taken.values;
    }
    steps.extend(check(property, program, source));
    AbstractPath {
        property,
        initial: texts.zip(initial.iter().copied()).collect(),
        steps,
        feasibility: Feasibility::Undecided,
    }
}

/// The initial values of the predicates, and the steps that the boolean program shows.
fn seen_steps(
    trace: &Trace,
    abstraction: &Abstraction,
    program: &Program,
) -> (Changes, Vec<(EdgeId, Changes)>) {
    let named = |values: &[(String, Option<bool>)]| -> Changes {
        let named = values.iter().filter_map(|(variable, value)| {
            let id = abstraction.predicate_of(variable)?;
            Some((abstraction.predicates[id.index()].text(program), *value))
        });
        named.collect()
    };
    let mut initial = Changes::new();
    let mut seen: Vec<(EdgeId, Changes)> = Vec::new();
    let mut before = None;
    for step in &trace.steps {
        let changes = named(&step.changes);
        let tag = abstraction.program.stmt(step.stmt).origin.tag;
        let Some(tag) = tag else {
            // Before the first step the initial values are set.
            if seen.is_empty() {
                initial.extend(changes);
            }
            continue;
        };
        // Checks of specs that hold are no steps of the program.
        let origin = &abstraction.origins[tag as usize];
        let Some(edge) = origin.edge else {
            continue;
        };
        // The statements of one step follow each other in the text.
        let same_step = before.is_some_and(|(last, stmt)| last == edge && stmt < step.stmt);
        before = Some((edge, step.stmt));
        match seen.last_mut().filter(|_| same_step) {
            Some((_, last)) => last.extend(changes),
            None => {
                let before = origin.before.iter();
                seen.extend(before.map(|&before| (before, Changes::new())));
                seen.push((edge, changes));
            }
        }
    }
    (initial, seen)
}

/// The steps that were seen, and those between them that change no predicate.
fn completed(
    mut seen: Vec<(EdgeId, Changes)>,
    (abstraction, property): (&Abstraction, PropertyId),
    program: &Program,
    source: &SourceFile,
) -> Vec<AbstractStep> {
    let edges: Vec<EdgeId> = seen.iter().map(|(edge, _)| *edge).collect();
    let idle = abstraction.idle_steps();
    let breaks = program.spec_of(property).is_none();
    let completed = complete(program, &edges, |edge| idle.contains(&edge), breaks);
    let as_seen = || {
        let numbered = edges.iter().enumerate();
        numbered.map(|(n, &edge)| (edge, Some(n))).collect()
    };
    let all = completed.unwrap_or_else(as_seen).into_iter();
    all.map(|(edge, number)| {
        let changes = number.map(|number: usize| std::mem::take(&mut seen[number].1));
        step(edge, changes.unwrap_or_default(), program, source)
    })
    .collect()
}

/// The check of the property, if it is a spec.
fn check(property: PropertyId, program: &Program, source: &SourceFile) -> Option<AbstractStep> {
    program.spec_of(property)?;
    let property = program.property(property);
    Some(AbstractStep {
        taken: None,
        line: line_number(source, property.span),
        text: format!("check {}", property.name_text()),
        changes: Vec::new(),
    })
}

fn step(edge: EdgeId, changes: Changes, program: &Program, source: &SourceFile) -> AbstractStep {
    let thread = &program.threads[edge.thread.index()];
    let taken = program.edge(edge);
    AbstractStep {
        taken: Some((edge, thread.display_name.clone())),
        line: line_number(source, taken.span),
        text: action_text(program, &taken.action),
        changes,
    }
}
