//! Writes predicates in the syntax of the language's conditions. Only what makes a certificate needs
//! this: what is written is read again by the check.

use crate::front::cup::print::print_cond;
use crate::program::{Beyond, Cond, Names, Program, cond_tree};

/// The text of a predicate over the scalars of `program`; `None` if it names a control location. Choices
/// that are no array are spelled out.
pub(crate) fn print(program: &Program, predicate: &Cond) -> Option<String> {
    let tree = || cond_tree(program, predicate, Names::Scalar, Beyond::Last);
    (!names_location(predicate)).then(|| print_cond(&tree()))
}

fn names_location(cond: &Cond) -> bool {
    match cond {
        Cond::Const(_) | Cond::Compare(..) => false,
        Cond::Not(inner) => names_location(inner),
        Cond::And(left, right) | Cond::Or(left, right) => {
            names_location(left) || names_location(right)
        }
        Cond::At(..) => true,
    }
}
