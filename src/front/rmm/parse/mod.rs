//! Text to a program of Memorax.
//!
//! Input: a [`SourceFile`]. Output: the [`Model`], or a diagnostic for each thing in it that is wrong or not
//! modelled. `scan` blanks out comments, `macros` puts macros in, and the grammar (`grammar/rmm.pest`) reads
//! the whole text; `statements` and `expressions` build the tree. Where the grammar cannot go on,
//! `recovery` says why, puts something harmless in place of what is broken, and the text is read again,
//! so that several mistakes are reported at once.
//!
//! Invariant: nothing is left out but what stands behind `predicates`, which is advice to Memorax on how to
//! search and no part of the program.

mod expressions;
mod macros;
mod recovery;
mod scan;
mod statements;
#[cfg(test)]
mod tests;

use pest::Parser as _;
use pest::iterators::Pair;

use crate::front::build::name_at;
use crate::front::cup::ast::Name;
use crate::front::litmus::span;
use crate::source::{Diagnostic, SourceFile, Span, sort_and_limit};

use super::syntax::{Domain, Model, Process, Row, Variable};
use macros::Expanded;

/// The length of the longest text that is read.
const MAX_BYTES: usize = 1 << 24;
/// How many mistakes are reported.
const MAX_MISTAKES: usize = 50;
/// How many processes there may be.
const MAX_PROCESSES: usize = 1024;

/// The parser that pest makes from the grammar.
mod grammar {
    #![allow(
        missing_docs,
        reason = "pest derives an item for each rule of the grammar"
    )]

    #[derive(pest_derive::Parser)]
    #[grammar = "grammar/rmm.pest"]
    pub(crate) struct Grammar;
}

use grammar::{Grammar, Rule};

/// Reads a program of Memorax.
pub fn parse(file: &SourceFile) -> Result<Model, Vec<Diagnostic>> {
    let text = file.text();
    if text.len() > MAX_BYTES {
        let error = Diagnostic::error("this program is too long", Span::default(), "");
        return Err(vec![error.with_note("at most 16 MiB are read")]);
    }
    let expanded = scan::without_comments(text).and_then(Expanded::of);
    let expanded = expanded.map_err(|error| vec![error])?;
    read(&expanded).map_err(|mut diagnostics| {
        for diagnostic in &mut diagnostics {
            relocate(diagnostic, &expanded);
        }
        sort_and_limit(&mut diagnostics, MAX_MISTAKES);
        diagnostics
    })
}

/// Whether `text` may be the name of a memory location or label.
pub(super) fn is_name(text: &str) -> bool {
    Grammar::parse(Rule::name, text).is_ok_and(|pairs| pairs.as_str().len() == text.len())
}

fn read(expanded: &Expanded) -> Result<Model, Vec<Diagnostic>> {
    let text = &expanded.text;
    scan::check_depth(&scan::tokens(text)).map_err(|error| vec![error])?;
    let mut pairs = match Grammar::parse(Rule::file, text) {
        Ok(pairs) => pairs,
        Err(error) => return Err(recovery::mistakes(text, error)),
    };
    let file = pairs.next().expect("the rule `file` is one pair");
    let mut reader = Reader {
        expanded,
        diagnostics: Vec::new(),
    };
    let model = reader.file(file);
    match reader.diagnostics.is_empty() {
        true => Ok(model),
        false => Err(reader.diagnostics),
    }
}

fn relocate(diagnostic: &mut Diagnostic, expanded: &Expanded) {
    diagnostic.primary.0 = expanded.place(diagnostic.primary.0);
    for (place, _) in &mut diagnostic.secondary {
        *place = expanded.place(*place);
    }
}

/// The state of reading one file.
struct Reader<'t> {
    expanded: &'t Expanded,
    /// What is wrong, at places of the text with macros put in.
    diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn error(&mut self, message: impl Into<String>, place: Span, label: &str, note: &str) {
        let error = Diagnostic::error(message, place, label);
        self.diagnostics.push(error.with_note(note));
    }

    /// Where a pair stands in the file.
    fn place(&self, pair: &Pair<'_, Rule>) -> Span {
        self.expanded.place(span_of(pair))
    }

    fn name(&self, pair: &Pair<'_, Rule>) -> Name {
        name_at(pair.as_str(), self.place(pair))
    }

    fn file(&mut self, file: Pair<'_, Rule>) -> Model {
        let mut model = Model {
            forbidden: Vec::new(),
            data: Vec::new(),
            processes: Vec::new(),
        };
        for part in file.into_inner() {
            match part.as_rule() {
                Rule::forbidden => model.forbidden = self.forbidden(part),
                Rule::data => model.data = self.variables(part),
                Rule::process => {
                    let process = self.process(part);
                    model.processes.push(process);
                }
                _ => {}
            }
        }
        let copies: usize = model.processes.iter().map(|process| process.copies).sum();
        if copies > MAX_PROCESSES {
            let place = model.processes.last().map_or(Span::default(), |p| p.span);
            let message = format!("there are {copies} processes");
            let note = format!("at most {MAX_PROCESSES} are read");
            self.error(message, place, "the last of them", &note);
        }
        model
    }

    fn forbidden(&self, forbidden: Pair<'_, Rule>) -> Vec<Row> {
        let rows = parts(forbidden, Rule::row);
        let label = |label: Pair<'_, Rule>| match label.as_rule() {
            Rule::name => Some(self.name(&label)),
            _ => None,
        };
        let row = |row: Pair<'_, Rule>| Row {
            span: self.place(&row),
            labels: row.into_inner().map(label).collect(),
        };
        rows.map(row).collect()
    }

    fn process(&mut self, process: Pair<'_, Rule>) -> Process {
        let mut read = Process {
            copies: 1,
            data: Vec::new(),
            registers: Vec::new(),
            body: Vec::new(),
            span: self.place(&process),
        };
        let mut sections = Vec::new();
        for part in process.into_inner() {
            if matches!(part.as_rule(), Rule::data | Rule::registers) {
                if sections.contains(&part.as_rule()) {
                    let message = "a process declares its data once, and its registers once";
                    let note = "put all declarations of a kind behind one word";
                    self.error(message, span_of(&part), "the second time", note);
                }
                sections.push(part.as_rule());
            }
            match part.as_rule() {
                Rule::kw_process => read.span = self.place(&part),
                Rule::number => read.copies = self.copies(&part),
                Rule::data => read.data = self.variables(part),
                Rule::registers => read.registers = self.variables(part),
                Rule::statements => read.body = self.statements(part),
                _ => {}
            }
        }
        read
    }

    fn copies(&mut self, number: &Pair<'_, Rule>) -> usize {
        let copies = number.as_str().parse().unwrap_or(usize::MAX);
        if !(1..=MAX_PROCESSES).contains(&copies) {
            let message = format!("`{}` is no number of processes", number.as_str());
            let note = format!("the number of copies is from 1 to {MAX_PROCESSES}");
            self.error(message, span_of(number), "out of range", &note);
            return 1;
        }
        copies
    }

    fn variables(&mut self, section: Pair<'_, Rule>) -> Vec<Variable> {
        let declared = section
            .into_inner()
            .filter(|part| matches!(part.as_rule(), Rule::variable | Rule::register_variable));
        declared.map(|part| self.variable(part)).collect()
    }

    fn variable(&mut self, variable: Pair<'_, Rule>) -> Variable {
        let place = span_of(&variable);
        let mut read = Variable {
            name: name_at("", Span::default()),
            initial: None,
            domain: Domain::Integers,
        };
        for part in variable.into_inner() {
            match part.as_rule() {
                Rule::name | Rule::register => read.name = self.name(&part),
                Rule::initial => {
                    let integer = parts(part, Rule::integer).next();
                    read.initial = integer.map(|integer| self.integer(integer));
                }
                Rule::domain => read.domain = self.domain(part),
                _ => {}
            }
        }
        if let Some(value) = read.initial
            && !read.domain.contains(value)
        {
            let message = format!(
                "the initial value of `{}` is not in its domain",
                read.name.text
            );
            let note = "give it a value of its domain, or `*` for any of them";
            self.error(message, place, "outside its domain", note);
        }
        read
    }

    fn domain(&mut self, domain: Pair<'_, Rule>) -> Domain {
        let place = span_of(&domain);
        let note = "a domain is `[low:high]`, or `Z` for all integers";
        for part in domain.into_inner() {
            match part.as_rule() {
                Rule::range => {
                    let ends = parts(part, Rule::integer);
                    let ends: Vec<i64> = ends.map(|end| self.integer(end)).collect();
                    if ends[0] > ends[1] {
                        self.error("this domain is empty", place, "no value lies in it", note);
                        return Domain::Integers;
                    }
                    return Domain::Range(ends[0], ends[1]);
                }
                Rule::name if part.as_str() != "Z" => {
                    let message = format!("`{}` is no domain", part.as_str());
                    self.error(message, span_of(&part), "unknown", note);
                }
                _ => {}
            }
        }
        Domain::Integers
    }

    fn integer(&mut self, integer: Pair<'_, Rule>) -> i64 {
        let place = span_of(&integer);
        let text: String = integer.into_inner().map(|part| part.as_str()).collect();
        self.value(&text, place)
    }

    /// The value of digits, perhaps with a sign.
    fn value(&mut self, text: &str, place: Span) -> i64 {
        text.parse().unwrap_or_else(|_| {
            let note = format!("numbers are from {} to {}", i64::MIN, i64::MAX);
            self.error("this number is too large", place, "too large", &note);
            0
        })
    }
}

/// The parts of a pair that a rule made.
fn parts(pair: Pair<'_, Rule>, rule: Rule) -> impl Iterator<Item = Pair<'_, Rule>> {
    pair.into_inner().filter(move |part| part.as_rule() == rule)
}

/// Where a pair stands in the text that is read, without blanks behind it.
fn span_of(pair: &Pair<'_, Rule>) -> Span {
    let start = pair.as_span().start();
    span(start..start + pair.as_str().trim_end().len())
}
