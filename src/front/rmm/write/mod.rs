//! A program of the input language as a program of Memorax, where it fits.
//!
//! Input: a [`Checked`] program and the optional fences in force. Output: a [`Model`] with the same verdict under
//! SC, TSO and PSO, or a diagnostic for each thing that Memorax's language cannot say. `thread` writes the
//! statements, `sections` the atomic ones, `domains` finds the values of the variables.
//!
//! Each copy of a thread is a process, each element of an array a memory location of its own. Assertions and
//! indices out of range are forbidden labels. The translation in the other direction, [`super::translate`],
//! has the same meaning for every statement that is written here.

mod domains;
mod sections;
mod thread;
mod values;

use indexmap::{IndexMap, IndexSet};

use crate::front::build::{name_at, unused_where};
use crate::front::cup::Checked;
use crate::front::cup::ast::{
    Cond, CondKind, Init, ItemKind, Name, Spec, SpecKind, Thread, VarDecl,
};
use crate::front::cup::symbols::{Symbols, element_name};
use crate::source::{Diagnostic, Span};

use super::parse::is_name;
use super::syntax::{Domain, Model, Process, Row, Variable};
use values::Values;

/// How many forbidden states are written.
const MAX_ROWS: usize = 1000;

/// The program of Memorax that does what a program does with these optional fences in force.
pub fn write(checked: &Checked, fences: &IndexSet<String>) -> Result<Model, Vec<Diagnostic>> {
    let mut writer = Writer {
        symbols: &checked.symbols,
        fences,
        shared: IndexMap::new(),
        instances: Vec::new(),
        model: Model {
            forbidden: Vec::new(),
            data: Vec::new(),
            processes: Vec::new(),
        },
        declared: Vec::new(),
        diagnostics: Vec::new(),
    };
    let items = || checked.tree.items.iter();
    for item in items() {
        if let ItemKind::Thread(thread) = &item.kind {
            writer.fifos(thread);
        }
    }
    if !writer.diagnostics.is_empty() {
        return Err(writer.diagnostics);
    }
    for item in items() {
        if let ItemKind::Shared(vars) = &item.kind {
            writer.shared(vars);
        }
    }
    for item in items() {
        if let ItemKind::Thread(thread) = &item.kind {
            writer.threads(thread);
        }
    }
    for item in items() {
        if let ItemKind::Spec(spec) = &item.kind {
            writer.spec(spec, item.span);
        }
    }
    writer.finish()
}

/// A thread that a process stands for.
struct Instance {
    name: String,
    copy: Option<usize>,
    /// The label that stands for each label.
    labels: IndexMap<String, String>,
}

struct Writer<'c> {
    symbols: &'c Symbols,
    fences: &'c IndexSet<String>,
    /// The memory location of each shared scalar.
    shared: IndexMap<String, String>,
    instances: Vec<Instance>,
    model: Model,
    /// Where each variable that starts with any of several values is declared, and these values.
    declared: Vec<(Option<usize>, String, Domain, Span)>,
    diagnostics: Vec<Diagnostic>,
}

impl Writer<'_> {
    fn error(&mut self, message: impl Into<String>, place: Span, label: &str, note: &str) {
        let error = Diagnostic::error(message, place, label);
        self.diagnostics.push(error.with_note(note));
    }

    fn shared(&mut self, vars: &[VarDecl]) {
        let mut taken: IndexSet<String> = self.shared.values().cloned().collect();
        for (scalar, start, span) in scalars(vars, self.symbols) {
            let name = unused_where(&scalar, &mut taken, is_name);
            self.shared.insert(scalar, name.clone());
            let variable = self.variable(None, &name, start, span);
            self.model.data.push(variable);
        }
    }

    /// A variable whose domain is, for now, that of its initial values.
    fn variable(
        &mut self,
        process: Option<usize>,
        name: &str,
        start: Domain,
        span: Span,
    ) -> Variable {
        let initial = match start {
            Domain::Range(low, high) if low == high => Some(low),
            Domain::Range(..) | Domain::Integers => {
                self.declared.push((process, name.to_owned(), start, span));
                None
            }
        };
        Variable {
            name: name_at(name, span),
            initial,
            domain: start,
        }
    }

    /// Refuses the FIFOs of a thread.
    fn fifos(&mut self, thread: &Thread) {
        for fifo in &thread.fifos {
            let note = "the variables of Memorax are integers";
            self.error("a FIFO has no counterpart", fifo.span, "here", note);
        }
    }

    fn threads(&mut self, thread: &Thread) {
        if let Some(background) = thread.backgrounds.first() {
            let note = "a process of Memorax does one thing after the other";
            self.error(
                "`background` has no counterpart",
                background.span,
                "here",
                note,
            );
        }
        let copies = self.symbols.threads[&thread.name.text].copies;
        for copy in 0..copies.unwrap_or(1) {
            let number = self.instances.len();
            let values = Values {
                symbols: self.symbols,
                thread: &thread.name.text,
                copy: copies.map(|_| copy),
                shared: &self.shared,
            };
            let mut text = thread::Text::new(values, self.fences);
            let body = text.body(&thread.body);
            let thread::Text {
                labels,
                failures,
                temporaries,
                diagnostics,
                ..
            } = text;
            self.diagnostics.extend(diagnostics);
            let mut registers = Vec::new();
            let lines = thread.locals.iter().flat_map(|line| &line.vars);
            let lines: Vec<VarDecl> = lines.cloned().collect();
            for (scalar, start, span) in scalars(&lines, self.symbols) {
                let variable = self.variable(Some(number), &format!("${scalar}"), start, span);
                registers.push(variable);
            }
            for temporary in temporaries {
                registers.push(self.variable(
                    Some(number),
                    &temporary,
                    Domain::Range(0, 0),
                    thread.name.span,
                ));
            }
            for label in failures {
                self.forbid(number, label);
            }
            self.instances.push(Instance {
                name: thread.name.text.clone(),
                copy: copies.map(|_| copy),
                labels,
            });
            self.model.processes.push(Process {
                copies: 1,
                data: Vec::new(),
                registers,
                body,
                span: thread.name.span,
            });
        }
    }

    /// Forbids a label of a process, wherever the others are.
    fn forbid(&mut self, process: usize, label: Name) {
        let mut labels = vec![None; process];
        let span = label.span;
        labels.push(Some(label));
        self.model.forbidden.push(Row { labels, span });
    }

    fn spec(&mut self, spec: &Spec, place: Span) {
        let is_forbidden = match spec.kind {
            SpecKind::Forbid => true,
            SpecKind::Invariant => false,
            SpecKind::Finally => {
                let note = "Memorax forbids states in which processes are at labels: compare at the end of a thread, and forbid a label behind";
                self.error("`finally` has no counterpart", place, "this property", note);
                return;
            }
        };
        if let Some(rows) = self.rows(&spec.cond, is_forbidden) {
            let count = self.instances.len();
            for labels in rows {
                let named = |number| {
                    labels
                        .get(&number)
                        .map(|label: &String| name_at(label, place))
                };
                self.model.forbidden.push(Row {
                    labels: (0..count).map(named).collect(),
                    span: place,
                });
            }
        }
    }

    /// The states in which a condition holds, or does not, as the labels of processes.
    fn rows(&mut self, cond: &Cond, holds: bool) -> Option<Vec<IndexMap<usize, String>>> {
        let both = |writer: &mut Self, left, right, joins: bool| {
            let (left, right) = (writer.rows(left, holds)?, writer.rows(right, holds)?);
            Some(if joins {
                product(&left, &right)
            } else {
                [left, right].concat()
            })
        };
        let rows = match (&cond.kind, holds) {
            (CondKind::True, true) | (CondKind::False, false) => Some(vec![IndexMap::new()]),
            (CondKind::False, true) | (CondKind::True, false) => Some(Vec::new()),
            (CondKind::Not(inner), _) => self.rows(inner, !holds),
            (CondKind::And(left, right), _) => both(self, left, right, holds),
            (CondKind::Or(left, right), _) => both(self, left, right, !holds),
            (CondKind::At(thread, label), true) => {
                let copy = self.symbols.copy(thread);
                let mut instances = self.instances.iter();
                let number = instances.position(|instance| {
                    instance.name == thread.name.text && instance.copy == copy
                })?;
                let own = self.instances[number].labels.get(&label.text);
                let own = own.cloned().unwrap_or_else(|| label.text.clone());
                Some(vec![IndexMap::from([(number, own)])])
            }
            (CondKind::At(..), false) | (CondKind::Compare(..) | CondKind::Any, _) => {
                let note = "Memorax forbids states in which processes are at labels, and says nothing of variables or of where a process is not";
                self.error(
                    "this property has no counterpart",
                    cond.span,
                    "this part",
                    note,
                );
                None
            }
        }?;
        if rows.len() > MAX_ROWS {
            let note = format!("at most {MAX_ROWS} forbidden states are written");
            self.error("this property is too large", cond.span, "here", &note);
            return None;
        }
        Some(rows)
    }

    fn finish(mut self) -> Result<Model, Vec<Diagnostic>> {
        let count = self.instances.len();
        for row in &mut self.model.forbidden {
            row.labels.resize(count, None);
        }
        if count == 0 {
            let note = "a program of Memorax has at least one process";
            self.error("there is no thread", Span::default(), "", note);
        } else if self.model.forbidden.is_empty() && self.diagnostics.is_empty() {
            let note = "Memorax asks whether forbidden states are reachable: add a `forbid` or an `assert`";
            self.error("there is no property", Span::default(), "", note);
        }
        domains::infer(&mut self.model);
        for (process, name, start, span) in std::mem::take(&mut self.declared) {
            let variables = match process {
                None => &self.model.data,
                Some(number) => &self.model.processes[number].registers,
            };
            let found = variables.iter().find(|variable| variable.name.text == name);
            if found.is_some_and(|variable| variable.domain != start) {
                let message = "this variable starts with some of its values only";
                let note = "Memorax has one initial value, or any of the domain: set it in the thread, or keep it within its first values";
                self.error(message, span, "it comes to have others", note);
            }
        }
        let mut seen = IndexSet::new();
        self.diagnostics
            .retain(|found| seen.insert((found.primary.0, found.message.clone())));
        self.diagnostics.sort_by_key(|found| found.primary.0);
        match self.diagnostics.is_empty() {
            true => Ok(self.model),
            false => Err(self.diagnostics),
        }
    }
}

/// All ways to be in a state of either list.
fn product(
    left: &[IndexMap<usize, String>],
    right: &[IndexMap<usize, String>],
) -> Vec<IndexMap<usize, String>> {
    let mut rows = Vec::new();
    for first in left {
        for second in right.iter().take(MAX_ROWS + 1) {
            let agree = |(number, label): (&usize, &String)| {
                first.get(number).is_none_or(|other| other == label)
            };
            if second.iter().all(agree) && rows.len() <= MAX_ROWS {
                let mut joined = first.clone();
                joined.extend(second.clone());
                rows.push(joined);
            }
        }
    }
    rows
}

/// The scalars of declarations, with their first values.
fn scalars(vars: &[VarDecl], symbols: &Symbols) -> Vec<(String, Domain, Span)> {
    let mut found = Vec::new();
    for var in vars {
        let name = &var.name.text;
        let value = |expr| symbols.value(expr).unwrap_or(0);
        let size = var.size.as_ref().map(value);
        let start = |index: usize| match &var.init {
            None => Domain::Range(0, 0),
            Some(Init::Value(init)) => Domain::Range(value(init), value(init)),
            Some(Init::Range(low, high)) => Domain::Range(value(low), value(high)),
            Some(Init::Any(_)) => Domain::Integers,
            Some(Init::List(values, _)) => {
                let init = values.get(index).map_or(0, value);
                Domain::Range(init, init)
            }
        };
        match size {
            None => found.push((name.clone(), start(0), var.span)),
            Some(size) => {
                let elements = 0..usize::try_from(size).unwrap_or(0);
                found.extend(elements.map(|at| (element_name(name, at), start(at), var.span)));
            }
        }
    }
    found
}
