//! Text to litmus test.
//!
//! Input: a [`SourceFile`]. Output: the [`Test`], or a diagnostic for each thing in it that is wrong or
//! not modelled. Called by `cupola litmus`.
//!
//! `scan` blanks out comments, the grammar (`grammar/litmus.pest`) reads the whole text, and what
//! remains is to sort out what the words mean: `instructions` for the table of threads,
//! `condition` for the final states, this file for everything around them.
//!
//! Invariant: nothing is left out. What herd knows and Cupola does not model is an error.

mod condition;
mod instructions;
mod scan;
#[cfg(test)]
mod tests;

use std::ops::Range;

use indexmap::IndexMap;
use pest::Parser as _;
use pest::error::{Error, ErrorVariant, InputLocation};
use pest::iterators::Pair;

use crate::front::cup::ast::Span;
use crate::source::{Diagnostic, SourceFile};

use super::registers::{Architecture, Named};
use super::syntax::{Location, Register, Test};

/// The length of the longest text that is read.
const MAX_BYTES: usize = 1 << 24;

/// The parser that pest makes from the grammar.
mod grammar {
    #![allow(
        missing_docs,
        reason = "pest derives an item for each rule of the grammar"
    )]

    #[derive(pest_derive::Parser)]
    #[grammar = "grammar/litmus.pest"]
    pub(crate) struct Grammar;
}

use grammar::{Grammar, Rule};

/// Reads a litmus test.
pub fn parse(file: &SourceFile) -> Result<Test, Vec<Diagnostic>> {
    let text = file.text();
    if text.len() > MAX_BYTES {
        let error = Diagnostic::error("this test is too long", Span::default(), "");
        return Err(vec![error.with_note("at most 16 MiB are read")]);
    }
    let readable = readable(text).map_err(|error| vec![error])?;
    let mut pairs = Grammar::parse(Rule::test, &readable)
        .map_err(|error| vec![syntax_error(&readable, &error)])?;
    let test = pairs.next().expect("the rule `test` is one pair");
    Reader::read(file, test)
}

/// The text as the grammar can read it: without comments, and not too deeply nested.
fn readable(text: &str) -> Result<String, Diagnostic> {
    let header = Grammar::parse(Rule::header, text).map_err(|error| syntax_error(text, &error))?;
    let text = scan::without_comments(text, header.as_str().len())?;
    scan::check_nesting(&text)?;
    Ok(text)
}

/// The state of reading one test.
struct Reader {
    architecture: Architecture,
    /// The numbers of the threads.
    threads: Vec<u32>,
    diagnostics: Vec<Diagnostic>,
}

/// The parts of a test, as the grammar found them.
struct Parts<'t> {
    name: Pair<'t, Rule>,
    title: Option<Pair<'t, Rule>>,
    initial: Pair<'t, Rule>,
    program: Pair<'t, Rule>,
    conclusion: Pair<'t, Rule>,
}

impl Reader {
    fn read(file: &SourceFile, test: Pair<'_, Rule>) -> Result<Test, Vec<Diagnostic>> {
        let (architecture, parts) = split(test);
        let Some(known) = Architecture::named(architecture.as_str()) else {
            return Err(vec![unknown_architecture(&architecture)]);
        };
        let mut reader = Reader {
            architecture: known,
            threads: Vec::new(),
            diagnostics: Vec::new(),
        };
        let threads = reader.program(parts.program);
        let initial = reader.initial(parts.initial);
        let (shown, condition) = reader.conclusion(parts.conclusion);
        let test = Test {
            name: test_name(file, &parts.name),
            span: span_of(&parts.name),
            title: parts
                .title
                .map(|title| title.as_str().trim_matches('"').to_owned()),
            initial,
            threads,
            shown,
            condition,
        };
        if reader.diagnostics.is_empty() {
            reader.check_condition(&test);
        }
        let mut diagnostics = reader.diagnostics;
        diagnostics.sort_by_key(|diagnostic| diagnostic.primary.0.start);
        match diagnostics.is_empty() {
            true => Ok(test),
            false => Err(diagnostics),
        }
    }

    fn error(&mut self, message: impl Into<String>, place: Span, label: &str, note: &str) {
        let error = Diagnostic::error(message, place, label);
        self.diagnostics.push(error.with_note(note));
    }

    fn initial(&mut self, initial: Pair<'_, Rule>) -> IndexMap<Location, i64> {
        let mut values = IndexMap::new();
        for entry in initial.into_inner() {
            match entry.as_rule() {
                Rule::setting => self.setting(entry, &mut values),
                Rule::other_setting => self.error(
                    format!("`{}` is not modelled", one_line(entry.as_str())),
                    span_of(&entry),
                    "in the initial state",
                    "values are numbers, as in `x=1`, `0:EAX=1` or `int x=1`; there are no arrays and no addresses",
                ),
                _ => {}
            }
        }
        values
    }

    fn setting(&mut self, setting: Pair<'_, Rule>, values: &mut IndexMap<Location, i64>) {
        let place = span_of(&setting);
        let mut value = Some(0);
        let mut location = None;
        for part in setting.into_inner() {
            match part.as_rule() {
                Rule::location => location = self.location(part),
                Rule::number => value = self.number(&part),
                _ => {}
            }
        }
        let (Some(location), Some(value)) = (location, value) else {
            return;
        };
        let twice = format!("{location} has two initial values");
        if values.insert(location, value).is_some() {
            self.error(twice, place, "the second one", "keep one of them");
        }
    }

    /// `x`, `[x]` or `0:EAX`.
    fn location(&mut self, location: Pair<'_, Rule>) -> Option<Location> {
        let inner = location
            .into_inner()
            .next()
            .expect("a location is a register or in memory");
        match inner.as_rule() {
            Rule::register_location => self.register_location(inner),
            _ => self.memory_location(inner),
        }
    }

    fn register_location(&mut self, location: Pair<'_, Rule>) -> Option<Location> {
        let mut parts = location.into_inner();
        let thread = parts.next().expect("a register stands behind its thread");
        let register = parts.next().expect("a register stands behind its thread");
        let number = thread.as_str().trim_start_matches('P').parse().ok();
        let Some(number) = number.filter(|number| self.threads.contains(number)) else {
            self.error(
                format!("there is no thread {}", thread.as_str()),
                span_of(&thread),
                "no such thread",
                "the first line of the table names the threads",
            );
            return None;
        };
        let register = self.register(&register)?;
        Some(Location::Register(number, register))
    }

    fn memory_location(&mut self, location: Pair<'_, Rule>) -> Option<Location> {
        let place = span_of(&location);
        let name = location
            .into_inner()
            .next()
            .expect("a location in memory has a name");
        match self.architecture.lookup(name.as_str()) {
            Named::Other => Some(Location::Memory(name.as_str().to_owned())),
            Named::Register(_) | Named::NotModelled => {
                let message = format!("`{}` is a register, not a location", name.as_str());
                let note = format!("say whose register it is: `0:{}`", name.as_str());
                self.error(message, place, "a register without its thread", &note);
                None
            }
        }
    }

    fn register(&mut self, register: &Pair<'_, Rule>) -> Option<Register> {
        let name = register.as_str();
        let message = match self.architecture.lookup(name) {
            Named::Register(register) => return Some(register),
            Named::NotModelled => format!("the register `{name}` is not modelled"),
            Named::Other => format!("`{name}` is not a register"),
        };
        let note = format!("the registers are {}", self.architecture.registers());
        self.error(
            message,
            span_of(register),
            "not a register that is modelled",
            &note,
        );
        None
    }

    /// A number that means the same whatever the width of an access.
    fn number(&mut self, number: &Pair<'_, Rule>) -> Option<i64> {
        let (lowest, note) = match self.architecture {
            Architecture::X86 => (
                i64::from(i32::MIN),
                "numbers are those of 32 bits: -2147483648 to 2147483647",
            ),
            Architecture::X86_64 => (
                0,
                "numbers of X86_64 tests are 0 to 2147483647, which mean the same in all widths",
            ),
        };
        let value = value(number.as_str());
        let fitting = value.filter(|value| (lowest..=i64::from(i32::MAX)).contains(value));
        if fitting.is_none() {
            let message = format!("the number `{}` is not modelled", number.as_str());
            self.error(message, span_of(number), "out of range", note);
        }
        fitting
    }
}

/// The value of a number as it is written, if it fits 64 bits.
fn value(text: &str) -> Option<i64> {
    let text = text.trim_start_matches('$');
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let hexadecimal = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
    let magnitude = match hexadecimal {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    magnitude.ok().map(|magnitude| sign * magnitude)
}

fn split(test: Pair<'_, Rule>) -> (Pair<'_, Rule>, Parts<'_>) {
    let mut parts = test.into_inner();
    let mut next = || parts.next().expect("the grammar gives a test these parts");
    let mut header = next().into_inner();
    let architecture = header.next().expect("a test begins with its architecture");
    let name = header.next().expect("a test has a name");
    let title = header.find(|part| part.as_rule() == Rule::title);
    next(); // What herd's tools note between the name and the initial state.
    let parts = Parts {
        name,
        title,
        initial: next(),
        program: next(),
        conclusion: next(),
    };
    (architecture, parts)
}

/// The name of a test; `--` stands for the name of its file.
fn test_name(file: &SourceFile, name: &Pair<'_, Rule>) -> String {
    if name.as_str() != "--" {
        return name.as_str().to_owned();
    }
    let path = std::path::Path::new(file.name());
    path.file_stem().map_or_else(
        || "--".to_owned(),
        |stem| stem.to_string_lossy().into_owned(),
    )
}

fn unknown_architecture(architecture: &Pair<'_, Rule>) -> Diagnostic {
    let message = format!("tests of `{}` are not modelled", architecture.as_str());
    Diagnostic::error(message, span_of(architecture), "not x86")
        .with_note("a test begins with `X86` or `X86_64` and its name")
}

/// The span of a range of bytes.
pub(crate) fn span(range: Range<usize>) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span {
        start: offset(range.start),
        end: offset(range.end),
    }
}

/// Where a pair stands, without blanks behind it.
fn span_of(pair: &Pair<'_, Rule>) -> Span {
    let start = pair.as_span().start();
    span(start..start + pair.as_str().trim_end().len())
}

/// A text on one line, for messages; cut if it is long.
fn one_line(text: &str) -> String {
    const LIMIT: usize = 40;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LIMIT) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// What pest says about a text that it could not read, at the first character that it could not.
fn syntax_error(text: &str, error: &Error<Rule>) -> Diagnostic {
    let at = match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    };
    let at = at + (text[at..].len() - text[at..].trim_start().len());
    let found = text[at..].chars().next();
    let message = match found {
        Some(_) => "this is not the syntax of a litmus test".to_owned(),
        None => "the test ends too early".to_owned(),
    };
    let place = span(at..at + found.map_or(0, char::len_utf8));
    Diagnostic::error(message, place, expectation(&error.variant))
}

fn expectation(variant: &ErrorVariant<Rule>) -> String {
    let ErrorVariant::ParsingError { positives, .. } = variant else {
        return "unexpected".to_owned();
    };
    let mut words: Vec<&str> = positives
        .iter()
        .filter_map(|&rule| in_words(rule))
        .collect();
    words.dedup();
    match words.split_last() {
        None => "unexpected".to_owned(),
        Some((last, [])) => format!("expected {last}"),
        Some((last, others)) => format!("expected {} or {last}", others.join(", ")),
    }
}

/// What a rule stands for in messages; `None` for what goes without saying.
fn in_words(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::architecture => "`X86` or `X86_64`",
        Rule::test_name => "the name of the test",
        Rule::open | Rule::initial => "the initial state in `{ … }`",
        Rule::setting | Rule::other_setting => "an initial value like `x=1`",
        Rule::close => "`}`",
        Rule::threads | Rule::thread | Rule::program => "the names of the threads, `P0 | P1 ;`",
        Rule::instruction | Rule::other_instruction | Rule::mnemonic => "an instruction",
        Rule::operand => "an operand",
        Rule::bar => "`|`",
        Rule::semi => "`;`",
        Rule::row => "a line of the table",
        Rule::conclusion | Rule::condition | Rule::quantifier => "`exists`, `~exists` or `forall`",
        Rule::kw_exists => "`exists`",
        Rule::kw_forall => "`forall`",
        Rule::prop | Rule::negation | Rule::comparison => "a proposition",
        Rule::location => "a location like `x` or `0:EAX`",
        Rule::relation | Rule::equal => "`=`",
        Rule::right => "a number or location",
        Rule::kind => "a model's name and quantifier, `tso: exists`",
        Rule::name => "a name",
        Rule::and => "`/\\`",
        Rule::or => "`\\/`",
        Rule::rparen => "`)`",
        Rule::rbracket => "`]`",
        Rule::number => "a number",
        Rule::symbol => "the name of a location",
        Rule::note | Rule::EOI => "the end",
        _ => return None,
    })
}
