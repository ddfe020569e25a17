//! Reads predicates, which have the syntax of the language's conditions.
//!
//! A predicate is read as the condition of a spec of the reduced program, so that the language's own
//! parser, checks and lowering say what it means. An index out of range picks the array's last element:
//! a predicate is a total function of the state.

use crate::front::cup::ast::{self, CondKind, Item, ItemKind, Tree};
use crate::front::cup::{self, Checked};
use crate::program::{Cond, Program, lower};
use crate::source::{Diagnostic, Severity, SourceFile};

/// The longest text that is quoted.
const WIDTH: usize = 200;

/// A reduced program and the predicates over its scalars.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The reduced program.
    pub program: Program,
    /// The predicates, without control locations.
    pub predicates: Vec<Cond>,
}

/// Why a predicate cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("predicate {number}, `{text}`: {reason}")]
pub struct PredicateError {
    /// Its number, from 1.
    pub number: usize,
    /// Its text, shortened.
    pub text: String,
    /// What is wrong.
    pub reason: String,
}

impl Subject {
    /// Reads predicates over the program of a checked reduced tree.
    pub fn new(reduced: &Checked, predicates: &[String]) -> Result<Self, PredicateError> {
        let mut items = Vec::new();
        for (index, text) in predicates.iter().enumerate() {
            items.push(parse(text).map_err(|reason| error(index, text, reason))?);
        }
        let (program, predicates) = conditions(&reduced.tree, predicates, &items)?;
        Ok(Subject {
            program,
            predicates,
        })
    }
}

/// The program of a tree, and what specs that are no part of it mean; `texts` are those of the predicates that they
/// were made from.
pub(super) fn conditions(
    tree: &Tree,
    texts: &[String],
    items: &[Item],
) -> Result<(Program, Vec<Cond>), PredicateError> {
    let checked = with_specs(tree, items).map_err(|_| culprit(tree, texts, items))?;
    let mut program = lower(&checked, &Default::default());
    let specs = program.specs.split_off(program.specs.len() - items.len());
    Ok((program, specs.into_iter().map(|spec| spec.cond).collect()))
}

/// Reads one predicate as a spec.
pub(super) fn parse(text: &str) -> Result<Item, String> {
    let file = SourceFile::new("predicate", format!("invariant {text};"));
    let (tree, mistakes) = cup::parse(&file);
    if let Some(mistake) = mistakes.first() {
        return Err(mistake.message.clone());
    }
    match <[Item; 1]>::try_from(tree.items) {
        Ok([item]) => match &item.kind {
            ItemKind::Spec(spec) if names_location(&spec.cond) => {
                Err("a predicate names no control location".to_owned())
            }
            ItemKind::Spec(spec) if spec.name.is_some() => {
                Err("a predicate has no name".to_owned())
            }
            ItemKind::Spec(_) => Ok(item),
            ItemKind::Const(_)
            | ItemKind::Shared(_)
            | ItemKind::Thread(_)
            | ItemKind::Placement(_) => Err("it is not a condition".to_owned()),
        },
        Err(_) => Err("it is not a single condition".to_owned()),
    }
}

fn names_location(cond: &ast::Cond) -> bool {
    match &cond.kind {
        CondKind::True | CondKind::False | CondKind::Any | CondKind::Compare(..) => false,
        CondKind::Not(inner) => names_location(inner),
        CondKind::And(left, right) | CondKind::Or(left, right) => {
            names_location(left) || names_location(right)
        }
        CondKind::At(..) => true,
    }
}

/// The program with more specs.
fn with_specs(tree: &Tree, items: &[Item]) -> Result<Checked, Vec<Diagnostic>> {
    let mut tree = tree.clone();
    tree.items.extend_from_slice(items);
    cup::check(tree)
}

/// The first predicate that the checks refuse.
fn culprit(tree: &Tree, predicates: &[String], items: &[Item]) -> PredicateError {
    let mut refused = items.iter().enumerate().filter_map(|(index, item)| {
        let diagnostics = with_specs(tree, std::slice::from_ref(item)).err()?;
        let mut errors = diagnostics
            .into_iter()
            .filter(|found| found.severity == Severity::Error);
        Some(error(index, &predicates[index], errors.next()?.message))
    });
    refused
        .next()
        .expect("specs without names are checked one by one")
}

pub(super) fn error(index: usize, text: &str, reason: String) -> PredicateError {
    let text = match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_owned(),
    };
    PredicateError {
        number: index + 1,
        text,
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::super::print::print;
    use super::*;

    fn checked() -> Checked {
        let text = "shared x, A[2]; thread P[2] { local r, b[2]; x = r; }";
        cup::load(&SourceFile::new("test.cup", text)).expect("a program")
    }

    #[test]
    fn predicates_survive_their_text() {
        let texts = [
            "x == 0",
            "x - (A[0] - P[1].r) >= -3 * P[0].b[1]",
            "!(x < 1 && (A[x] != 2 || true)) || !(false)",
            "P[0].b[A[P[1].b[x + 1]]] <= -(x + 1)",
            "x == -9223372036854775807 - 1",
        ]
        .map(str::to_owned);
        let subject = Subject::new(&checked(), &texts).expect("predicates");
        let printed: Vec<String> = subject
            .predicates
            .iter()
            .map(|predicate| print(&subject.program, predicate).expect("no control location"))
            .collect();
        assert_eq!(printed[1], "x - (A_0 - P_1.r) >= -3 * P_0.b_1");
        // Names are printed as in a reduced program, in which copies are threads of their own.
        let text = "shared x, A[2]; thread P_0 { local r, b[2]; x = r; } thread P_1 { local r, b[2]; x = r; }";
        let reduced = cup::load(&SourceFile::new("test.cup", text)).expect("a program");
        let again = Subject::new(&reduced, &printed).expect("predicates");
        assert_eq!(again.predicates, subject.predicates);
    }
}
