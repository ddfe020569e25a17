//! Writes predicates in the syntax of the language's conditions. Only whoever makes a certificate needs
//! this: what is written is read again by the check.

use crate::lang::ast::{self, CondKind, Expr, ExprKind, Name, Place, Span};
use crate::lang::print::print_cond;
use crate::logic::{Beyond, spelled_out};
use crate::program::{Cond, Program, Term};

/// The text of a predicate over the scalars of `program`; `None` if it names a control location. Choices
/// that are no array are spelled out.
pub(crate) fn print(program: &Program, predicate: &Cond) -> Option<String> {
    let is_array = |elements: &[Term]| array_name(program, elements).is_some();
    let predicate = spelled_out(predicate, Beyond::Last, &is_array);
    tree_cond(program, &predicate).map(|cond| print_cond(&cond))
}

/// The name of the array with these elements, if they are one.
fn array_name(program: &Program, elements: &[Term]) -> Option<String> {
    let name = |term: &Term| match term {
        Term::Var(var) => Some(program.var_name(*var)),
        Term::Const(_) | Term::Choice(..) | Term::Neg(_) | Term::Binary(..) => None,
    };
    let first = name(elements.first()?)?;
    let array = first.strip_suffix("_0")?;
    let mut elements = elements.iter().enumerate();
    let is_array =
        elements.all(|(index, term)| name(term).is_some_and(|n| n == format!("{array}_{index}")));
    is_array.then(|| array.to_owned())
}

fn tree_cond(program: &Program, cond: &Cond) -> Option<ast::Cond> {
    let inner = |cond| tree_cond(program, cond).map(Box::new);
    let kind = match cond {
        Cond::Const(true) => CondKind::True,
        Cond::Const(false) => CondKind::False,
        Cond::Not(cond) => CondKind::Not(inner(cond)?),
        Cond::And(left, right) => CondKind::And(inner(left)?, inner(right)?),
        Cond::Or(left, right) => CondKind::Or(inner(left)?, inner(right)?),
        Cond::Compare(op, left, right) => {
            CondKind::Compare(*op, tree_term(program, left), tree_term(program, right))
        }
        Cond::At(..) => return None,
    };
    Some(ast::Cond {
        kind,
        span: Span::default(),
    })
}

fn tree_term(program: &Program, term: &Term) -> Expr {
    let inner = |term| Box::new(tree_term(program, term));
    let kind = match term {
        Term::Const(value) => ExprKind::Num(*value),
        Term::Var(var) => ExprKind::Place(tree_place(program.var_name(*var), None)),
        Term::Choice(index, elements) => {
            let array = array_name(program, elements);
            let array = array.expect("other choices are spelled out");
            ExprKind::Place(tree_place(array, Some(inner(index))))
        }
        Term::Neg(term) => ExprKind::Neg(inner(term)),
        Term::Binary(op, left, right) => ExprKind::Binary(*op, inner(left), inner(right)),
    };
    Expr {
        kind,
        span: Span::default(),
    }
}

/// A place with a name that may be qualified by a thread; it is only printed.
fn tree_place(name: String, index: Option<Box<Expr>>) -> Place {
    let span = Span::default();
    Place {
        thread: None,
        name: Name { text: name, span },
        index,
        span,
    }
}
