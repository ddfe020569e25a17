//! A run of statements, as SMT-LIB definitions and assertions.
//!
//! Every assignment defines a new version of its variable from the versions before (`v.x`, `v.x.7`,
//! `v.x.8`, …), so the text grows with the number of statements and not with the size of the values.
//! Versions have numbers that no other path has, unless it is a continuation of the same one.
//! The statements are those of the reduced program, which runs under SC: a load reads and a store
//! writes main memory, and a fence does nothing.

use crate::front::cup::ast::Span;
use crate::program::{Action, Cond, Place, Program, Range, Term, VarId};

use super::smtlib;

/// What has been run so far.
#[derive(Clone, Debug)]
pub(super) struct Path {
    bases: Vec<String>,
    names: Vec<String>,
    run: Run,
    trail: Vec<Span>,
    blocked: bool,
}

/// What a path means in SMT-LIB.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    /// The definitions of versions, each of which refers to earlier ones only.
    pub definitions: Vec<Definition>,
    /// The conditions under which the path is taken.
    pub conditions: Vec<String>,
}

/// The definition of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Definition {
    /// The name.
    pub name: String,
    /// The whole command.
    pub text: String,
}

/// Numbers for versions.
#[derive(Debug, Default)]
pub(super) struct Versions(usize);

/// What a variable is set to.
enum Value {
    Term(String),
    Arbitrary,
    Within(Range),
}

impl Path {
    /// Nothing has been run.
    pub(super) fn new(program: &Program) -> Self {
        Path {
            bases: smtlib::names(program),
            names: smtlib::names(program),
            run: Run::default(),
            trail: Vec::new(),
            blocked: false,
        }
    }

    /// The names of the variables in the state reached.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// What has been run, in SMT-LIB.
    pub(super) fn so_far(&self) -> &Run {
        &self.run
    }

    /// Where the statements stand.
    pub(super) fn trail(&self) -> &[Span] {
        &self.trail
    }

    /// Whether it is plain that the path cannot be taken.
    pub(super) fn is_blocked(&self) -> bool {
        self.blocked
    }

    /// Goes on to the statement at `span`.
    pub(super) fn enter(&mut self, span: Span) {
        self.trail.push(span);
    }

    /// Goes on only where the condition holds.
    pub(super) fn assume(&mut self, cond: &Cond) {
        self.blocked |= *cond == Cond::Const(false);
        self.run.conditions.push(smtlib::cond(cond, &self.names));
    }

    /// Goes on only where the condition does not hold.
    pub(super) fn assume_not(&mut self, cond: &Cond) {
        self.blocked |= *cond == Cond::Const(true);
        let cond = smtlib::cond(cond, &self.names);
        self.run.conditions.push(format!("(not {cond})"));
    }

    /// Runs a statement whose indices are in range; an assertion is assumed to hold.
    pub(super) fn run(&mut self, action: &Action, versions: &mut Versions) {
        match action {
            Action::Skip | Action::Fence => {}
            Action::Assume(cond) | Action::Assert(cond, _) => self.assume(cond),
            Action::Assign(place, term) | Action::Store(place, term) => {
                let value = self.term(term);
                self.assign(versions, [(place, Value::Term(value))]);
            }
            Action::Append(..) | Action::Pop(_) => unreachable!("programs with FIFOs are refused"),
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
