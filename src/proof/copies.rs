//! `T[*].x` in a proof: an entry that stands for one entry per copy of the thread `T`.
//!
//! A star stands where the number of a copy does, and nowhere else may one stand within brackets. So the text is read
//! with a 0 in the place of each star, which changes no position, and each condition is then repeated with the numbers of the copies. All
//! stars at one thread's name within an entry have the same number at a time; for two threads there is every pair.

use std::collections::BTreeSet;

use indexmap::IndexSet;

use crate::front::cup::ast::{Cond, CondKind, Expr, ExprKind, Place, Span};
use crate::program::Program;
use crate::source::SourceFile;

/// The text of a proof without its stars, and where they stood.
pub(super) struct Starred {
    /// The text with zeros in their places.
    pub file: SourceFile,
    stars: BTreeSet<usize>,
}

/// Called with each number that a star stands for, and the name of the thread before it, if there is one.
type Visit<'a> = dyn FnMut(Option<&str>, &mut Expr) + 'a;

impl Starred {
    pub(super) fn new(file: &SourceFile) -> Self {
        let text = file.text();
        let is_star = |&(at, _): &(usize, &str)| {
            let before = text[..at].trim_end().ends_with('[');
            before && text[at + 1..].trim_start().starts_with(']')
        };
        let stars: BTreeSet<usize> = text
            .match_indices('*')
            .filter(is_star)
            .map(|m| m.0)
            .collect();
        let mut bytes = text.as_bytes().to_vec();
        stars.iter().for_each(|&at| bytes[at] = b'0');
        let without = String::from_utf8(bytes).expect("a star is one byte, and so is a zero");
        let file = SourceFile::new(file.name(), without);
        Starred { file, stars }
    }

    /// A condition for each choice of copies, just itself where it has no star; or a star that is at no thread's name.
    pub(super) fn copies(&self, cond: &Cond, program: &Program) -> Result<Vec<Cond>, Span> {
        let mut threads: IndexSet<String> = IndexSet::new();
        let mut misplaced = None;
        let mut all = vec![cond.clone()];
        self.visit_cond(&mut all[0], &mut |thread, number| match thread {
            Some(thread) => _ = threads.insert(thread.to_owned()),
            None => misplaced = Some(number.span),
        });
        if let Some(span) = misplaced {
            return Err(span);
        }
        for name in threads {
            let count = copies(&name, program).max(1);
            let with = |number: usize, mut cond: Cond| {
                self.visit_cond(&mut cond, &mut |thread, copy| {
                    if thread == Some(&name) {
                        copy.kind = ExprKind::Num(number as i64);
                    }
                });
                cond
            };
            let numbered = all
                .iter()
                .flat_map(|cond| (0..count).map(move |number| (number, cond)));
            all = numbered
                .map(|(number, cond)| with(number, cond.clone()))
                .collect();
        }
        Ok(all)
    }

    fn visit_cond(&self, cond: &mut Cond, visit: &mut Visit<'_>) {
        match &mut cond.kind {
            CondKind::True | CondKind::False | CondKind::Any | CondKind::At(..) => {}
            CondKind::Not(inner) => self.visit_cond(inner, visit),
            CondKind::And(a, b) | CondKind::Or(a, b) => {
                self.visit_cond(a, visit);
                self.visit_cond(b, visit);
            }
            CondKind::Compare(_, a, b) => {
                self.visit_expr(a, visit);
                self.visit_expr(b, visit);
            }
        }
    }

    fn visit_expr(&self, expr: &mut Expr, visit: &mut Visit<'_>) {
        match &mut expr.kind {
            ExprKind::Num(_) | ExprKind::Tid => {}
            ExprKind::Place(place) => self.visit_place(place, visit),
            ExprKind::Neg(inner) => self.visit_expr(inner, visit),
            ExprKind::Binary(_, a, b) => {
                self.visit_expr(a, visit);
                self.visit_expr(b, visit);
            }
        }
    }

    fn visit_place(&self, place: &mut Place, visit: &mut Visit<'_>) {
        let is_star = |number: &Expr| self.stars.contains(&(number.span.start as usize));
        if let Some(thread) = &mut place.thread
            && let Some(copy) = thread.copy.as_mut().filter(|copy| is_star(copy))
        {
            visit(Some(&thread.name.text), copy);
        }
        match &mut place.index {
            Some(index) if is_star(index) => visit(None, index),
            Some(index) => self.visit_expr(index, visit),
            None => {}
        }
    }
}

/// The number of copies of a thread.
fn copies(name: &str, program: &Program) -> usize {
    let of = |display: &str| {
        display
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('['))
    };
    let threads = program.threads.iter();
    threads.filter(|thread| of(&thread.display_name)).count()
}
