//! Constrained Horn clauses in SMT-LIB.
//!
//! One predicate, `State`, over the location of each thread and the value of each variable: a clause says that initial
//! states are reached, a clause for each way (see [`super::steps`]) that its end is reached where its beginning is, and a
//! clause for each way that breaks a property, and for each spec, that it is not reached. The clauses are satisfiable if
//! and only if the program is safe; integers are mathematical, and arbitrary values are arbitrary.

use std::fmt::Write;

use crate::program::{Init, LocId, Program, Range, ThreadId};

use super::expr::{Syntax, Writer};
use super::names::Names;
use super::specs::broken;
use super::steps::{End, Way};
use super::symbolic::Symbolic;
use super::{Exported, Refused};

/// Words that SMT-LIB has itself, as far as they can be names here.
const RESERVED: [&str; 32] = [
    "and",
    "or",
    "not",
    "xor",
    "ite",
    "let",
    "forall",
    "exists",
    "match",
    "par",
    "as",
    "true",
    "false",
    "div",
    "mod",
    "abs",
    "distinct",
    "assert",
    "set",
    "select",
    "store",
    "Int",
    "Bool",
    "Real",
    "Array",
    "State",
    "BINARY",
    "DECIMAL",
    "HEXADECIMAL",
    "NUMERAL",
    "STRING",
    "is",
];

/// The program as clauses.
pub(super) fn text(exported: Exported<'_>) -> Result<String, Refused> {
    let program = exported.program();
    let mut export = Chc {
        exported,
        program,
        names: Names::new(program, &RESERVED),
        held: exported.rests_in_sections()?,
        out: String::new(),
    };
    export.header();
    export.initial();
    for thread in program.thread_ids() {
        for at in exported.resting(thread)? {
            for way in exported.ways(thread, at)? {
                export.way(thread, Some(at), &way);
            }
        }
        for block in &program.threads[thread.index()].backgrounds {
            for way in exported.ways(thread, block.entry)? {
                export.way(thread, None, &way);
            }
        }
    }
    export.specs();
    export.out.push_str("(check-sat)\n");
    Ok(export.out)
}

struct Chc<'a> {
    exported: Exported<'a>,
    program: &'a Program,
    names: Names,
    /// Whether a state says if a thread rests in an atomic section: `held` is 1 then, and else 0.
    held: bool,
    out: String,
}

impl Chc<'_> {
    fn header(&mut self) {
        for line in self.exported.header() {
            let _ = writeln!(self.out, "; {line}");
        }
        self.out.push_str(
            "; `sat` means that the program is safe, `unsat` that a property can be broken.\n",
        );
        self.out.push_str("(set-logic HORN)\n");
        let arguments = vec!["Int"; self.arguments().len()].join(" ");
        let _ = writeln!(self.out, "(declare-fun State ({arguments}) Bool)");
    }

    fn arguments(&self) -> Vec<String> {
        let threads = self.program.thread_ids();
        let places = threads.map(|thread| format!("at_{}", self.names.thread(thread)));
        let held = self.held.then(|| "held".to_owned());
        places.chain(held).chain(self.variables()).collect()
    }

    fn variables(&self) -> Vec<String> {
        let vars = self.program.var_ids();
        vars.map(|var| self.names.var(var).to_owned()).collect()
    }

    /// The state with these values; a predicate without arguments is a constant.
    fn state(&self, arguments: &[String]) -> String {
        match arguments {
            [] => "State".to_owned(),
            some => format!("(State {})", some.join(" ")),
        }
    }

    fn clause(&mut self, more: &[String], body: &[String], head: &str, comment: &str) {
        let names = [self.arguments(), more.to_vec()].concat();
        let names: Vec<String> = names.iter().map(|name| format!("({name} Int)")).collect();
        let body = self.writer(|w| w.all(body));
        let clause = match names.is_empty() {
            true => format!("(=> {body} {head})"),
            false => format!("(forall ({}) (=> {body} {head}))", names.join(" ")),
        };
        let _ = writeln!(self.out, "; {comment}\n(assert {clause})");
    }

    fn initial(&mut self) {
        let mut body = Vec::new();
        for thread in self.program.thread_ids() {
            body.push(self.is_at(thread, self.program.threads[thread.index()].entry));
        }
        body.extend(self.held.then(|| "(= held 0)".to_owned()));
        for (var, name) in self.program.vars.iter().zip(self.variables()) {
            match var.init {
                Init::Value(value) => {
                    body.push(self.writer(|w| w.equal(&name, &w.constant(value))))
                }
                Init::Range(range) => body.push(self.within(&name, range)),
                Init::Any => {}
            }
        }
        let head = self.state(&self.arguments());
        self.clause(&[], &body, &head, "the initial states");
    }

    fn way(&mut self, thread: ThreadId, at: Option<LocId>, way: &Way) {
        let mut chosen = Vec::new();
        let mut within = Vec::new();
        let mut next = |range: Option<Range>| {
            let name = format!("chosen_{}", chosen.len());
            within.extend(range.map(|range| self.within(&name, range)));
            chosen.push(name.clone());
            name
        };
        let mut symbolic = Symbolic::new(self.program, Syntax::Smt, self.variables(), &mut next);
        let (last, before) = way.edges.split_last().expect("a way has an edge");
        before.iter().for_each(|id| symbolic.pass(*id));
        match &way.end {
            End::At(_) => symbolic.pass(*last),
            End::Breaks(property, cond) => symbolic.fail(*last, *property, cond),
        }
        let (values, guards) = (symbolic.values, symbolic.guards);
        let mut body = vec![self.state(&self.arguments())];
        body.extend(at.map(|at| self.is_at(thread, at)));
        body.extend(
            (self.held && !self.begins_in_section(thread, at)).then(|| "(= held 0)".to_owned()),
        );
        body.extend(guards);
        body.extend(within);
        let comments: indexmap::IndexSet<String> = way
            .edges
            .iter()
            .map(|id| self.exported.comment(*id))
            .collect();
        let mut comment = comments.into_iter().collect::<Vec<_>>().join(" | ");
        let head = match &way.end {
            End::At(target) => self.state(&self.after(thread, at.map(|_| *target), values)),
            End::Breaks(property, _) => {
                let _ = write!(comment, ": {}", self.exported.property(*property));
                "false".to_owned()
            }
        };
        self.clause(&chosen, &body, &head, &comment);
    }

    /// The arguments of the state behind a way; a `background` block leaves its thread where it is.
    fn after(&self, thread: ThreadId, target: Option<LocId>, values: Vec<String>) -> Vec<String> {
        let threads = self.program.thread_ids();
        let places = threads.map(|other| match target {
            Some(target) if other == thread => target.index().to_string(),
            _ => format!("at_{}", self.names.thread(other)),
        });
        let held = target.map_or("held".to_owned(), |target| {
            let held = self.program.threads[thread.index()].location(target).held;
            u8::from(held).to_string()
        });
        let held = self.held.then_some(held);
        places.chain(held).chain(values).collect()
    }

    fn specs(&mut self) {
        for spec in &self.program.specs {
            let broken = self.writer(|w| w.cond(&broken(spec, self.program)));
            let mut body = vec![self.state(&self.arguments()), broken];
            body.extend(self.held.then(|| "(= held 0)".to_owned()));
            let comment = self.exported.property(spec.property);
            self.clause(&[], &body, "false", &comment);
        }
    }

    /// Whether the thread holds the section where a way begins; a `background` block begins outside.
    fn begins_in_section(&self, thread: ThreadId, at: Option<LocId>) -> bool {
        let graph = &self.program.threads[thread.index()];
        at.is_some_and(|at| graph.location(at).held)
    }

    fn is_at(&self, thread: ThreadId, at: LocId) -> String {
        self.writer(|w| {
            w.equal(
                &format!("at_{}", self.names.thread(thread)),
                &at.index().to_string(),
            )
        })
    }

    fn within(&self, name: &str, range: Range) -> String {
        let (low, high) = range.ends();
        self.writer(|w| format!("(<= {} {name} {})", w.constant(low), w.constant(high)))
    }

    fn writer<T>(&self, with: impl FnOnce(&Writer<'_>) -> T) -> T {
        with(&Writer {
            syntax: Syntax::Smt,
            var: &|var| self.names.var(var).to_owned(),
            at: &|thread| format!("at_{}", self.names.thread(thread)),
        })
    }
}
