//! Terms and conditions of a program as text of the input language.
//!
//! They are made syntax trees, which the printer of the language prints: there is one place that knows about
//! parentheses. Locals are written with their thread, `P0.o`, as specs and proofs do, so that what is printed
//! for a program can be read back for the same program.

use std::fmt::Write;

use super::choice::{Beyond, spelled_out};
use super::{Cond, LocId, Program, Term, ThreadId, VarId};
use crate::front::cup::ast::{self, CondKind, Expr, ExprKind, Name, Span, ThreadRef};
use crate::front::cup::print::{print_cond, print_expr, print_operand};

/// Which names variables have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// Those of the source: `A[0]`, `P[0].r`.
    Source,
    /// Those of a program without copies and arrays: `A_0`, `P_0.r`.
    Scalar,
}

/// A condition. Choices that are no array are spelled out.
pub fn cond_text(program: &Program, cond: &Cond) -> String {
    print_cond(&cond_tree(program, cond, Names::Source, Beyond::Holds))
}

/// A condition that is to stand behind `!` or beside `&&`: in parentheses if it is composed.
pub fn operand_text(program: &Program, cond: &Cond) -> String {
    print_operand(&cond_tree(program, cond, Names::Source, Beyond::Holds))
}

/// A condition over the program's variables and some others, which have these names.
pub fn cond_text_with(program: &Program, cond: &Cond, others: &[(VarId, String)]) -> String {
    print_cond(&tree_with(program, cond, others))
}

/// The same in parentheses if it is composed.
pub fn operand_text_with(program: &Program, cond: &Cond, others: &[(VarId, String)]) -> String {
    print_operand(&tree_with(program, cond, others))
}

fn tree_with(program: &Program, cond: &Cond, others: &[(VarId, String)]) -> ast::Cond {
    let writer = Writer {
        others,
        ..Writer::new(program, Names::Source)
    };
    writer.spelled_out(cond, Beyond::Holds)
}

/// A term.
pub fn term_text(program: &Program, term: &Term) -> String {
    let writer = Writer::new(program, Names::Source);
    print_expr(&writer.term(term))
}

/// The syntax tree of a condition, which can be printed; it has no places. Choices that are no array are
/// spelled out.
pub(crate) fn cond_tree(program: &Program, cond: &Cond, names: Names, beyond: Beyond) -> ast::Cond {
    Writer::new(program, names).spelled_out(cond, beyond)
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

/// Makes syntax trees of the terms and conditions of a program.
struct Writer<'a> {
    program: &'a Program,
    names: Names,
    /// The names of variables that the program does not have.
    others: &'a [(VarId, String)],
}

impl<'a> Writer<'a> {
    fn new(program: &'a Program, names: Names) -> Self {
        Writer {
            program,
            names,
            others: &[],
        }
    }

    fn spelled_out(&self, cond: &Cond, beyond: Beyond) -> ast::Cond {
        let is_array = |elements: &[Term]| self.array_name(elements).is_some();
        self.cond(&spelled_out(cond, beyond, &is_array))
    }

    fn cond(&self, cond: &Cond) -> ast::Cond {
        let inner = |cond| Box::new(self.cond(cond));
        let kind = match cond {
            Cond::Const(true) => CondKind::True,
            Cond::Const(false) => CondKind::False,
            Cond::Not(cond) => CondKind::Not(inner(cond)),
            Cond::And(left, right) => CondKind::And(inner(left), inner(right)),
            Cond::Or(left, right) => CondKind::Or(inner(left), inner(right)),
            Cond::Compare(op, left, right) => {
                CondKind::Compare(*op, self.term(left), self.term(right))
            }
            Cond::At(thread, locations) => {
                let label = location_name(self.program, *thread, locations);
                CondKind::At(self.thread(*thread), name(label))
            }
        };
        ast::Cond {
            kind,
            span: Span::default(),
        }
    }

    fn term(&self, term: &Term) -> Expr {
        let inner = |term| Box::new(self.term(term));
        let kind = match term {
            Term::Const(value) => ExprKind::Num(*value),
            Term::Var(var) => ExprKind::Place(place(self.var(*var), None)),
            Term::Choice(index, elements) => {
                let array = self.array_name(elements);
                let array = array.unwrap_or_else(|| self.list(elements));
                ExprKind::Place(place(array, Some(inner(index))))
            }
            Term::Neg(term) => ExprKind::Neg(inner(term)),
            Term::Binary(op, left, right) => ExprKind::Binary(*op, inner(left), inner(right)),
        };
        Expr {
            kind,
            span: Span::default(),
        }
    }

    /// The name of the array with these elements, if they are one.
    fn array_name(&self, elements: &[Term]) -> Option<String> {
        let var = |term: &Term| match term {
            Term::Var(var) => Some(self.var(*var)),
            Term::Const(_) | Term::Choice(..) | Term::Neg(_) | Term::Binary(..) => None,
        };
        let element = |array: &str, index: usize| match self.names {
            Names::Source => format!("{array}[{index}]"),
            Names::Scalar => format!("{array}_{index}"),
        };
        let first = var(elements.first()?)?;
        let array = first.strip_suffix(&element("", 0))?;
        let mut elements = elements.iter().enumerate();
        let is_array = elements
            .all(|(index, term)| var(term).is_some_and(|name| name == element(array, index)));
        is_array.then(|| array.to_owned())
    }

    /// What stands for a choice that is no array: the list of its elements.
    fn list(&self, elements: &[Term]) -> String {
        let elements = elements.iter().map(|term| print_expr(&self.term(term)));
        format!("[{}]", elements.collect::<Vec<String>>().join(", "))
    }

    /// The name of a variable, qualified by its thread.
    fn var(&self, var: VarId) -> String {
        let other = self.others.iter().find(|(other, _)| *other == var);
        if let Some((_, name)) = other {
            return name.clone();
        }
        match self.names {
            Names::Source => self.program.var_display_name(var),
            Names::Scalar => self.program.var_name(var),
        }
    }

    fn thread(&self, thread: ThreadId) -> ThreadRef {
        let thread = &self.program.threads[thread.index()];
        let text = match self.names {
            Names::Source => &thread.display_name,
            Names::Scalar => &thread.name,
        };
        ThreadRef {
            name: name(text.clone()),
            copy: None,
            span: Span::default(),
        }
    }
}

/// A place with a name that may be qualified by a thread; it is only printed.
fn place(text: String, index: Option<Box<Expr>>) -> ast::Place {
    ast::Place {
        thread: None,
        name: name(text),
        index,
        span: Span::default(),
    }
}

fn name(text: String) -> Name {
    Name {
        text,
        span: Span::default(),
    }
}
