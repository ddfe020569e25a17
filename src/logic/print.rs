//! Terms and conditions of a program as text of the input language.
//!
//! Locals are written with their thread, `P0.o`, as specs and proofs do, so that what is printed for
//! a program can be read back for the same program.

use std::fmt::Write;

use super::choice::{Beyond, spelled_out};
use crate::lang::ast::{ArithOp, CompareOp};
use crate::program::{Cond, LocId, Program, Term, ThreadId};

/// How tightly an operator binds; the text of a part is put in parentheses where it binds less.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Not,
    Sum,
    Product,
    Atom,
}

/// A condition. Choices that are no array are spelled out.
pub fn cond_text(program: &Program, cond: &Cond) -> String {
    print_cond(program, &printable(program, cond), Level::Or)
}

/// A condition that is to stand behind `!` or beside `&&`: in parentheses if it is composed.
pub fn operand_text(program: &Program, cond: &Cond) -> String {
    print_cond(program, &printable(program, cond), Level::Not)
}

/// A term.
pub fn term_text(program: &Program, term: &Term) -> String {
    print_term(program, term, Level::Sum)
}

/// The name of a set of locations of a thread: its first label, or the locations' numbers.
pub fn location_name(program: &Program, thread: ThreadId, locations: &[LocId]) -> String {
    let thread = &program.threads[thread.index()];
    let label = locations
        .iter()
        .find_map(|location| thread.locations[location.index()].labels.first());
    match label {
        Some(label) => label.clone(),
        None if locations == [thread.end] => "end".to_owned(),
        None => locations
            .iter()
            .fold(String::from("loc"), |mut text, location| {
                write!(text, "_{}", location.index()).expect("writing to a string succeeds");
                text
            }),
    }
}

/// The condition as the language can write it.
fn printable(program: &Program, cond: &Cond) -> Cond {
    let is_array = |elements: &[Term]| array_name(&texts(program, elements)).is_some();
    spelled_out(cond, Beyond::Holds, &is_array)
}

fn print_cond(program: &Program, cond: &Cond, least: Level) -> String {
    let cond_at = |cond: &Cond, level| print_cond(program, cond, level);
    let (text, level) = match cond {
        Cond::Const(value) => (value.to_string(), Level::Atom),
        Cond::Not(inner) => match **inner {
            Cond::Const(_) | Cond::At(..) | Cond::Not(_) => {
                (format!("!{}", cond_at(inner, Level::Not)), Level::Not)
            }
            Cond::Compare(..) | Cond::And(..) | Cond::Or(..) => {
                (format!("!({})", cond_at(inner, Level::Or)), Level::Not)
            }
        },
        Cond::And(a, b) => {
            let text = format!("{} && {}", cond_at(a, Level::And), cond_at(b, Level::Not));
            (text, Level::And)
        }
        Cond::Or(a, b) => {
            let text = format!("{} || {}", cond_at(a, Level::Or), cond_at(b, Level::And));
            (text, Level::Or)
        }
        Cond::Compare(op, a, b) => {
            let (a, b) = (term_text(program, a), term_text(program, b));
            (format!("{a} {} {b}", compare_text(*op)), Level::Sum)
        }
        Cond::At(thread, locations) => {
            let name = location_name(program, *thread, locations);
            let thread = &program.threads[thread.index()].display_name;
            (format!("{thread}@{name}"), Level::Atom)
        }
    };
    parenthesised(text, level < least)
}

fn print_term(program: &Program, term: &Term, least: Level) -> String {
    let term_at = |term: &Term, level| print_term(program, term, level);
    let (text, level) = match term {
        Term::Const(value) if *value < 0 => (value.to_string(), Level::Product),
        Term::Const(value) => (value.to_string(), Level::Atom),
        Term::Var(var) => (program.var_display_name(*var), Level::Atom),
        Term::Choice(index, elements) => {
            let index = term_at(index, Level::Sum);
            (
                format!("{}[{index}]", array_text(program, elements)),
                Level::Atom,
            )
        }
        Term::Neg(inner) => (format!("-{}", term_at(inner, Level::Atom)), Level::Product),
        Term::Binary(op, a, b) => {
            let (symbol, level, right) = match op {
                ArithOp::Add => ('+', Level::Sum, Level::Product),
                ArithOp::Sub => ('-', Level::Sum, Level::Product),
                ArithOp::Mul => ('*', Level::Product, Level::Atom),
            };
            let text = format!("{} {symbol} {}", term_at(a, level), term_at(b, right));
            (text, level)
        }
    };
    parenthesised(text, level < least)
}

/// The array that some terms are the elements of: its name, or the list of the terms.
fn array_text(program: &Program, elements: &[Term]) -> String {
    let texts = texts(program, elements);
    match array_name(&texts) {
        Some(name) => name.to_owned(),
        None => format!("[{}]", texts.join(", ")),
    }
}

fn texts(program: &Program, elements: &[Term]) -> Vec<String> {
    let texts = elements
        .iter()
        .map(|term| print_term(program, term, Level::Sum));
    texts.collect()
}

/// The name of the array with these elements, if they are one.
fn array_name(texts: &[String]) -> Option<&str> {
    let name = texts.first()?.strip_suffix("[0]")?;
    let mut elements = texts.iter().enumerate();
    let is_array = elements.all(|(index, text)| *text == format!("{name}[{index}]"));
    is_array.then_some(name)
}

fn parenthesised(text: String, needed: bool) -> String {
    if needed { format!("({text})") } else { text }
}

fn compare_text(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}
