//! A run of statements, as SMT-LIB definitions and assertions.
//!
//! Every assignment defines a new version of its variable from the versions before (`v.x`, `v.x.7`,
//! `v.x.8`, …), so the text grows with the number of statements and not with the size of the values.
//! Versions have numbers that no other path has, unless it is a continuation of the same one.
//! The statements are those of the reduced program, which runs under SC: a load reads and a store
//! writes main memory, and a fence does nothing.
//!
//! **FIFOs.** The entries of a FIFO have positions: at the beginning of the path the oldest one is at 0, and one that is
//! appended comes behind the newest. A field is a function of the position, `q.P.b.0`, that says nothing of positions
//! without an entry. `append` makes a new version of it, with another value at one position; `pop` moves the position of
//! the oldest entry. The views of the FIFO are variables like others, and change as they do in the language.

use std::fmt::Write as _;

use indexmap::IndexSet;

use crate::front::cup::ast::Span;
use crate::program::{Action, Cond, Fifo, FifoId, Place, Program, Range, Term, VarId};

use super::smtlib;

/// What has been run so far.
#[derive(Clone, Debug)]
pub(in crate::certify) struct Path {
    bases: Vec<String>,
    names: Vec<String>,
    queues: Vec<Queue>,
    run: Run,
    trail: Vec<Span>,
    blocked: bool,
}

/// The entries of a FIFO in the state reached.
#[derive(Clone, Debug)]
pub(in crate::certify) struct Queue {
    /// The functions from positions to the values of fields.
    pub fields: Vec<String>,
    /// The position of the oldest entry: how many were taken since the beginning of the path.
    pub first: usize,
    bases: Vec<String>,
}

impl Queue {
    /// A FIFO at the beginning of a path.
    pub(in crate::certify) fn new(program: &Program, fifo: &Fifo) -> Self {
        let owner = &program.threads[fifo.owner.index()].name;
        let fields = (0..fifo.width()).map(|field| format!("q.{owner}.{}.{field}", fifo.name));
        let fields: Vec<String> = fields.collect();
        Queue {
            bases: fields.clone(),
            fields,
            first: 0,
        }
    }
}

/// What a path means in SMT-LIB.
#[derive(Clone, Debug, Default)]
pub(in crate::certify) struct Run {
    /// The definitions of versions, each of which refers to earlier ones only.
    pub definitions: Vec<Definition>,
    /// The conditions under which the path is taken.
    pub conditions: Vec<String>,
}

/// The definition of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::certify) struct Definition {
    /// The name.
    pub name: String,
    /// The whole command.
    pub text: String,
}

impl Run {
    /// The definitions and assertions as they stand in a script.
    pub(in crate::certify) fn assertions(&self) -> String {
        let definitions = self.definitions.iter();
        let mut text: String = definitions
            .map(|definition| definition.text.as_str())
            .collect();
        for condition in &self.conditions {
            let _ = writeln!(text, "(assert {condition})");
        }
        text
    }
}

/// The definitions of runs, each once: paths that share a beginning share its definitions.
pub(in crate::certify) fn known_once<'a>(runs: impl Iterator<Item = &'a Run>) -> String {
    let mut known = IndexSet::new();
    let definitions = runs.flat_map(|run| &run.definitions);
    let new = definitions.filter(|definition| known.insert(definition.name.as_str()));
    new.map(|definition| definition.text.as_str()).collect()
}

/// Numbers for versions.
#[derive(Debug, Default)]
pub(in crate::certify) struct Versions(usize);

/// What a variable is set to.
enum Value {
    Term(String),
    Arbitrary,
    Within(Range),
}

impl Path {
    /// Nothing has been run.
    pub(in crate::certify) fn new(program: &Program) -> Self {
        Path {
            bases: smtlib::names(program),
            names: smtlib::names(program),
            queues: program
                .fifos
                .iter()
                .map(|fifo| Queue::new(program, fifo))
                .collect(),
            run: Run::default(),
            trail: Vec::new(),
            blocked: false,
        }
    }

    /// The names of the variables in the state reached.
    pub(in crate::certify) fn names(&self) -> &[String] {
        &self.names
    }

    /// The entries of a FIFO in the state reached.
    pub(in crate::certify) fn queue(&self, fifo: FifoId) -> &Queue {
        &self.queues[fifo.index()]
    }

    /// What has been run, in SMT-LIB.
    pub(in crate::certify) fn so_far(&self) -> &Run {
        &self.run
    }

    /// Where the statements stand.
    pub(in crate::certify) fn trail(&self) -> &[Span] {
        &self.trail
    }

    /// Whether it is plain that the path cannot be taken.
    pub(in crate::certify) fn is_blocked(&self) -> bool {
        self.blocked
    }

    /// Goes on to the statement at `span`.
    pub(in crate::certify) fn enter(&mut self, span: Span) {
        self.trail.push(span);
    }

    /// Goes on only where the condition holds.
    pub(in crate::certify) fn assume(&mut self, cond: &Cond) {
        self.blocked |= *cond == Cond::Const(false);
        self.run.conditions.push(smtlib::cond(cond, &self.names));
    }

    /// Goes on only where the condition does not hold.
    pub(in crate::certify) fn assume_not(&mut self, cond: &Cond) {
        self.blocked |= *cond == Cond::Const(true);
        let cond = smtlib::cond(cond, &self.names);
        self.run.conditions.push(format!("(not {cond})"));
    }

    /// Runs a statement whose indices are in range; an assertion is assumed to hold.
    pub(in crate::certify) fn run(&mut self, action: &Action, versions: &mut Versions) {
        match action {
            Action::Skip | Action::Fence => {}
            Action::Assume(cond) | Action::Assert(cond, _) => self.assume(cond),
            Action::Assign(place, term) | Action::Store(place, term) => {
                let value = self.term(term);
                self.assign(versions, [(place, Value::Term(value))]);
            }
            Action::Append(fifo, values) => self.append(fifo, values, versions),
            Action::Pop(fifo) => self.pop(fifo, versions),
            Action::Havoc(place) => self.assign(versions, [(place, Value::Arbitrary)]),
            Action::Choose(place, range) => {
                self.assign(versions, [(place, Value::Within(*range))]);
            }
            Action::Load(place, source) => {
                let value = self.read(source);
                self.assign(versions, [(place, Value::Term(value))]);
            }
            Action::Cas(place, target, expected, new) => {
                let old = self.read(target);
                let equal = format!("(= {old} {})", self.term(expected));
                let result = format!("(ite {equal} 1 0)");
                let new = format!("(ite {equal} {} {old})", self.term(new));
                self.assign(
                    versions,
                    [(place, Value::Term(result)), (target, Value::Term(new))],
                );
            }
            Action::Swap(place, target, new) => {
                let (old, new) = (self.read(target), self.term(new));
                self.assign(
                    versions,
                    [(place, Value::Term(old)), (target, Value::Term(new))],
                );
            }
            Action::FetchAdd(place, target, difference) => {
                let old = self.read(target);
                let new = format!("(+ {old} {})", self.term(difference));
                self.assign(
                    versions,
                    [(place, Value::Term(old)), (target, Value::Term(new))],
                );
            }
        }
    }

    /// Puts an entry behind the newest one.
    fn append(&mut self, fifo: &Fifo, values: &[Term], versions: &mut Versions) {
        let values: Vec<String> = values.iter().map(|value| self.term(value)).collect();
        let length = self.names[fifo.length.index()].clone();
        let end = format!("(+ {} {length})", self.queue(fifo.id).first);
        let ends = fifo.oldest.iter().zip(&fifo.newest).zip(values);
        for (field, ((&oldest, &newest), value)) in ends.enumerate() {
            self.define(newest, Value::Term(value), versions);
            let value = self.names[newest.index()].clone();
            let before = &self.names[oldest.index()];
            let first = format!("(ite (= {length} 0) {value} {before})");
            self.define(oldest, Value::Term(first), versions);
            self.define_field(fifo.id, field, (&end, &value), versions);
        }
        let longer = format!("(+ {length} 1)");
        self.define(fifo.length, Value::Term(longer), versions);
    }

    /// Takes the oldest entry, if there is one.
    fn pop(&mut self, fifo: &Fifo, versions: &mut Versions) {
        let length = self.names[fifo.length.index()].clone();
        self.run.conditions.push(format!("(> {length} 0)"));
        self.define(
            fifo.length,
            Value::Term(format!("(- {length} 1)")),
            versions,
        );
        let is_empty = format!("(= {} 0)", self.names[fifo.length.index()]);
        let queue = &mut self.queues[fifo.id.index()];
        queue.first += 1;
        let second = queue.fields.iter();
        let second: Vec<String> = second
            .map(|field| format!("({field} {})", queue.first))
            .collect();
        for (second, (&oldest, &newest)) in second.iter().zip(fifo.oldest.iter().zip(&fifo.newest))
        {
            let first = format!("(ite {is_empty} 0 {second})");
            self.define(oldest, Value::Term(first), versions);
            let last = format!("(ite {is_empty} 0 {})", self.names[newest.index()]);
            self.define(newest, Value::Term(last), versions);
        }
    }

    /// Makes a new version of a field, with another value at one position.
    fn define_field(
        &mut self,
        fifo: FifoId,
        field: usize,
        (position, value): (&str, &str),
        versions: &mut Versions,
    ) {
        versions.0 += 1;
        let queue = &mut self.queues[fifo.index()];
        let name = format!("{}.{}", queue.bases[field], versions.0);
        let before = std::mem::replace(&mut queue.fields[field], name.clone());
        let body = format!("(ite (= at {position}) {value} ({before} at))");
        let text = format!("(define-fun {name} ((at Int)) Int {body})\n");
        self.run.definitions.push(Definition { name, text });
    }

    /// Sets places to values, all of them read in the state before; the places are different.
    fn assign<const N: usize>(&mut self, versions: &mut Versions, values: [(&Place, Value); N]) {
        let before = self.names.clone();
        for (place, value) in values {
            match place {
                Place::Var(var) => self.define(*var, value, versions),
                Place::Choice(index, elements) => {
                    let index = smtlib::term(index, &before);
                    let value = self.shared_value(elements[0], value, versions);
                    for (at, &element) in elements.iter().enumerate() {
                        let old = &before[element.index()];
                        let new = format!("(ite (= {index} {at}) {value} {old})");
                        self.define(element, Value::Term(new), versions);
                    }
                }
            }
        }
    }

    /// A text for a value that several definitions use: an arbitrary or chosen one gets a name, a version of
    /// `var` of its own.
    fn shared_value(&mut self, var: VarId, value: Value, versions: &mut Versions) -> String {
        match value {
            Value::Term(text) => text,
            Value::Arbitrary | Value::Within(_) => {
                self.define(var, value, versions);
                self.names[var.index()].clone()
            }
        }
    }

    /// Makes a new version of a variable.
    fn define(&mut self, var: VarId, value: Value, versions: &mut Versions) {
        versions.0 += 1;
        let name = format!("{}.{}", self.bases[var.index()], versions.0);
        let text = match value {
            Value::Term(text) => format!("(define-fun {name} () Int {text})\n"),
            Value::Arbitrary => format!("(declare-fun {name} () Int)\n"),
            Value::Within(range) => {
                self.run.conditions.push(smtlib::within(&name, range));
                format!("(declare-fun {name} () Int)\n")
            }
        };
        self.names[var.index()] = name.clone();
        self.run.definitions.push(Definition { name, text });
    }

    fn term(&self, term: &Term) -> String {
        smtlib::term(term, &self.names)
    }

    fn read(&self, place: &Place) -> String {
        smtlib::read(place, &self.names)
    }
}
