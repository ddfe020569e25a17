//! Text to litmus test.
//!
//! Input: a [`SourceFile`]. Output: the [`Test`], or a diagnostic for each thing in it that is wrong or
//! not modelled. Called by `cupola litmus`.
//!
//! `scan` blanks out comments, the grammar (`grammar/litmus.pest`) reads the whole text, and what
//! remains is to sort out what the words mean: `initial` for the initial state, `instructions` for the table of
//! threads with `mnemonic` and `memory`, `condition` for the final states, this file for everything around them. Then
//! `resolve` finds the locations, `sizes` the widths, and `flags` says whether all that jumps ask for is defined.
//!
//! Invariant: nothing is left out. What herd knows and Cupola does not model is an error.

mod condition;
mod initial;
mod instructions;
mod memory;
mod mnemonic;
mod scan;
#[cfg(test)]
mod tests;

use std::ops::Range;

use pest::Parser as _;
use pest::error::{Error, ErrorVariant, InputLocation};
use pest::iterators::Pair;

use crate::front::cup::ast::Span;
use crate::source::{Diagnostic, SourceFile};

use super::flags;
use super::flow::Flow;
use super::instruction::{Part, Width};
use super::registers::{Architecture, Named};
use super::report::{Rejection, Report};
use super::resolve::{self, Held, Registers};
use super::sizes::Sizes;
use super::syntax::{Location, Test, Thread};
use initial::Initial;
use instructions::WrittenThread;

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
pub fn parse(file: &SourceFile) -> Result<Test, Rejection> {
    let text = file.text();
    if text.len() > MAX_BYTES {
        let error = Diagnostic::error("this test is too long", Span::default(), "");
        return Err(Rejection::wrong(error.with_note("at most 16 MiB are read")));
    }
    let architecture = architecture(text)?;
    let readable = readable(text).map_err(Rejection::wrong)?;
    let mut pairs = Grammar::parse(Rule::test, &readable)
        .map_err(|error| Rejection::wrong(syntax_error(&readable, &error)))?;
    let test = pairs.next().expect("the rule `test` is one pair");
    Reader::read(file, architecture, test)
}

/// The kinds of tests that herd reads and that are not modelled here, in capitals; another word begins no test.
const OTHERS: [&str; 12] = [
    "AARCH64", "ARM", "ASL", "BELL", "BPF", "C", "CPP", "JAVA", "LISA", "MIPS", "PPC", "RISCV",
];

/// The architecture that a text begins with; what follows looks different for each.
fn architecture(text: &str) -> Result<Architecture, Rejection> {
    let wrong = |error| Rejection::wrong(syntax_error(text, &error));
    let mut pairs = Grammar::parse(Rule::header, text).map_err(wrong)?;
    let header = pairs.next().expect("the rule `header` is one pair");
    let name = header
        .into_inner()
        .next()
        .expect("a test begins with its architecture");
    Architecture::named(name.as_str()).ok_or_else(|| Rejection {
        diagnostics: vec![unknown_architecture(&name)],
        not_modelled: OTHERS.contains(&name.as_str().to_ascii_uppercase().as_str()),
    })
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
    /// What the initial state says.
    initial: Initial,
    /// The widths of locations.
    sizes: Sizes,
    report: Report,
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
    fn read(
        file: &SourceFile,
        architecture: Architecture,
        test: Pair<'_, Rule>,
    ) -> Result<Test, Rejection> {
        let parts = split(test);
        let mut reader = Reader {
            architecture,
            threads: Vec::new(),
            initial: Initial::default(),
            sizes: Sizes::default(),
            report: Report::default(),
        };
        let threads = reader.program(parts.program);
        reader.read_initial(parts.initial);
        let (threads, ends) = reader.understood(threads);
        let (shown, filter, condition) = reader.conclusion(parts.conclusion);
        let initial = reader.values();
        let test = Test {
            architecture,
            name: test_name(file, &parts.name),
            span: span_of(&parts.name),
            title: parts
                .title
                .map(|title| title.as_str().trim_matches('"').to_owned()),
            initial,
            widths: std::mem::take(&mut reader.sizes).known(),
            unsigned: std::mem::take(&mut reader.initial.unsigned),
            threads,
            shown,
            filter,
            condition,
        };
        if reader.report.is_empty() {
            reader.check_condition(&test, &ends);
        }
        reader.report.unless_empty(test)
    }

    /// The threads with locations for addresses and a width for each instruction, and what their registers hold at
    /// the end.
    fn understood(&mut self, threads: Vec<WrittenThread>) -> (Vec<Thread>, Vec<Option<Registers>>) {
        let types = self.initial.types.clone();
        if !self.report.is_empty() {
            self.sizes = Sizes::new(types, std::iter::empty(), &mut self.report);
            return (Vec::new(), Vec::new());
        }
        let mut ends = Vec::new();
        let mut resolved = Vec::new();
        for thread in threads {
            let flow = Flow::new(&thread.instructions, &thread.labels, &mut self.report);
            let start = self.initial.registers(thread.number);
            let arrays = &self.initial.arrays;
            let (instructions, end) =
                resolve::resolve(thread.instructions, &flow, start, arrays, &mut self.report);
            ends.push(end);
            resolved.push((
                thread.number,
                thread.span,
                thread.labels,
                flow,
                instructions,
            ));
        }
        let instructions = resolved.iter().flat_map(|(.., instructions)| instructions);
        self.sizes = Sizes::new(types, instructions, &mut self.report);
        let mut threads = Vec::new();
        for (number, span, end_labels, flow, instructions) in resolved {
            let whole = self.architecture.width();
            let sized = instructions.into_iter();
            let sized = sized.map(|each| self.sizes.sized(each, whole, &mut self.report));
            let instructions: Vec<_> = sized.collect();
            flags::check(&instructions, &flow, &mut self.report);
            flags::check_shifts(&instructions, &mut self.report);
            threads.push(Thread {
                number,
                span,
                instructions,
                end_labels,
            });
        }
        (threads, ends)
    }

    fn error(&mut self, message: impl Into<String>, place: Span, label: &str, note: &str) {
        self.report.error(message, place, label, note);
    }

    fn refuse(&mut self, message: impl Into<String>, place: Span, label: &str, note: &str) {
        self.report.refuse(message, place, label, note);
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
        let mut parts = location.into_inner();
        let name = parts.next().expect("a location in memory has a name");
        match self.architecture.lookup(name.as_str()) {
            Named::Other => self.element(name.as_str(), parts.next(), place),
            Named::Register(_) | Named::NotModelled | Named::InstructionPointer => {
                let message = format!("`{}` is a register, not a location", name.as_str());
                let note = format!("say whose register it is: `0:{}`", name.as_str());
                self.error(message, place, "a register without its thread", &note);
                None
            }
        }
    }

    /// A location, or an element of an array.
    fn element(
        &mut self,
        name: &str,
        element: Option<Pair<'_, Rule>>,
        place: Span,
    ) -> Option<Location> {
        let length = self.initial.arrays.get(name).map(|(length, _)| *length);
        let index = element.map(|element| {
            let index = element.into_inner().next();
            index
                .expect("an element has a number")
                .as_str()
                .parse::<usize>()
        });
        match (length, index) {
            (None, None) => Some(Location::Memory(name.to_owned())),
            (Some(length), Some(Ok(index))) if index < length => {
                Some(Location::Memory(format!("{name}[{index}]")))
            }
            (length, _) => {
                let message = match length {
                    None => format!("`{name}` is no array"),
                    Some(length) => format!("`{name}` is an array of {length} elements"),
                };
                let note = format!(
                    "arrays are declared in the initial state, `int {name}[2]`, and `{name}[0]` is the first element"
                );
                self.error(message, place, "not a location", &note);
                None
            }
        }
    }

    fn register(&mut self, register: &Pair<'_, Rule>) -> Option<Part> {
        let name = register.as_str();
        let place = span_of(register);
        let note = format!("the registers are {}", self.architecture.registers());
        match self.architecture.lookup(name) {
            Named::Register(part) => return Some(part),
            Named::NotModelled | Named::InstructionPointer => {
                let message = format!("the register `{name}` is not modelled");
                self.refuse(message, place, "not modelled", &note);
            }
            Named::Other => {
                let message = format!("`{name}` is not a register");
                self.error(message, place, "not a register", &note);
            }
        }
        None
    }

    /// A number of at most 64 bits, with or without a sign.
    fn number(&mut self, number: &Pair<'_, Rule>) -> Option<i128> {
        let fitting = value(number.as_str()).filter(|&value| Width::Quad.fit(value).is_some());
        if fitting.is_none() {
            let message = format!("the number `{}` is too large", number.as_str());
            let note = "numbers have at most 64 bits";
            self.error(message, span_of(number), "out of range", note);
        }
        fitting
    }

    /// A number as a value of a location.
    fn fitting(&mut self, number: i128, width: Width, place: Span) -> Option<i64> {
        let fitting = width.fit(number);
        if fitting.is_none() {
            let message = format!("the number {number} does not fit {} bits", width.bits());
            let note = "a value has the bits of its register, or of the type of its location";
            self.error(message, place, "out of range", note);
        }
        fitting
    }

    /// Refuses the final value of a register that holds an address.
    fn check_is_number(&mut self, held: &Held, location: &Location, place: Span) {
        if !matches!(held, Held::Number(_)) {
            let message = format!("{location} may hold an address at the end");
            let note = "ask for numbers";
            self.refuse(message, place, "an address", note);
        }
    }
}

/// The value of a number as it is written.
fn value(text: &str) -> Option<i128> {
    let text = text.trim_start_matches('$');
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let hexadecimal = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
    let magnitude = match hexadecimal {
        Some(digits) => i128::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    magnitude.ok().map(|magnitude| sign * magnitude)
}

fn split(test: Pair<'_, Rule>) -> Parts<'_> {
    let mut parts = test.into_inner();
    let mut next = || parts.next().expect("the grammar gives a test these parts");
    let mut header = next().into_inner();
    header.next(); // The architecture, which is known.
    let name = header.next().expect("a test has a name");
    let title = header.find(|part| part.as_rule() == Rule::title);
    next(); // What herd's tools note between the name and the initial state.
    Parts {
        name,
        title,
        initial: next(),
        program: next(),
        conclusion: next(),
    }
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
    let name = architecture.as_str();
    let (message, note) = match name {
        "C" => (
            "tests of kind `C` are not modelled".to_owned(),
            "first it would have to be decided what their accesses mean: a model of C's memory orders and data races, or a mapping of each access to x86 instructions, as compilers have several",
        ),
        _ => (
            format!("tests of `{name}` are not modelled"),
            "a test begins with `X86` or `X86_64` and its name",
        ),
    };
    Diagnostic::error(message, span_of(architecture), "not x86").with_note(note)
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
