//! Declared constants, and constant expressions where nothing else may stand: in sizes, numbers of
//! copies and initial values.
//!
//! Constants may use one another in any order, but not in a circle. One that has no value was
//! complained about; what is computed from it has none either, without another complaint.

use indexmap::IndexMap;

use super::suggestions::{list, unknown};
use crate::front::cup::ast::{ConstDecl, Expr, ExprKind, ItemKind, Name, Place, Span, Tree};
use crate::source::Diagnostic;

/// The constants of a program.
pub(super) struct Constants<'t> {
    /// The value of each, by name; `None` if it was complained about. Of two constants with the same
    /// name it is that of the first.
    values: IndexMap<&'t str, Option<i64>>,
    /// What other names stand for, and where they are declared.
    others: IndexMap<&'t str, (&'static str, Span)>,
}

impl<'t> Constants<'t> {
    /// Computes the constants of a program.
    pub(super) fn of(tree: &'t Tree, found: &mut Vec<Diagnostic>) -> Self {
        let mut constants = Constants {
            values: IndexMap::new(),
            others: others(tree),
        };
        let declared = declared(tree);
        for name in declared.keys() {
            constants.values.insert(name, None);
        }
        for name in in_order(&declared, found) {
            let value = constants.evaluate(&declared[name].value, found);
            constants.values.insert(name, value);
        }
        constants
    }

    /// The value of a constant; `None` if it was complained about.
    pub(super) fn value(&self, name: &str) -> Option<i64> {
        self.values.get(name).copied().flatten()
    }

    /// The value of a constant expression; what keeps it from having one is complained about once.
    pub(super) fn evaluate(&self, expr: &Expr, found: &mut Vec<Diagnostic>) -> Option<i64> {
        match &expr.kind {
            ExprKind::Num(value) => Some(*value),
            ExprKind::Tid => {
                found.push(tid(expr.span));
                None
            }
            ExprKind::Place(place) => self.name(place, found),
            ExprKind::Neg(inner) => {
                let inner = self.evaluate(inner, found)?;
                fits(inner.checked_neg(), expr.span, found)
            }
            ExprKind::Binary(op, left, right_side) => {
                let left = self.evaluate(left, found);
                let right = self.evaluate(right_side, found)?;
                if op.divides() && right < 1 {
                    found.push(divisor(right_side.span, right));
                    return None;
                }
                fits(op.checked(left?, right), expr.span, found)
            }
        }
    }

    fn name(&self, place: &Place, found: &mut Vec<Diagnostic>) -> Option<i64> {
        let name = &place.name;
        if place.thread.is_some() || place.index.is_some() {
            found.push(not_constant(place.span, "this is a variable"));
            return None;
        }
        if let Some(value) = self.values.get(name.text.as_str()) {
            return *value;
        }
        found.push(match self.others.get(name.text.as_str()) {
            Some((what, span)) => {
                let label = format!("`{}` is {what}", name.text);
                not_constant(place.span, &label).with_secondary(*span, "declared here")
            }
            None => self.unknown(name),
        });
        None
    }

    fn unknown(&self, name: &Name) -> Diagnostic {
        unknown("constant", name, self.values.keys().copied())
    }
}

/// The constants of a tree; of two with the same name the first.
fn declared(tree: &Tree) -> IndexMap<&str, &ConstDecl> {
    let constants = tree.items.iter().flat_map(|item| match &item.kind {
        ItemKind::Const(constants) => constants.as_slice(),
        ItemKind::Shared(_) | ItemKind::Thread(_) | ItemKind::Placement(_) | ItemKind::Spec(_) => {
            &[]
        }
    });
    let mut declared = IndexMap::new();
    for constant in constants {
        declared
            .entry(constant.name.text.as_str())
            .or_insert(constant);
    }
    declared
}

/// The names of a tree that are no constants: those of the outermost scope before the locals.
fn others(tree: &Tree) -> IndexMap<&str, (&'static str, Span)> {
    let mut others = IndexMap::new();
    let mut locals = Vec::new();
    for item in &tree.items {
        match &item.kind {
            ItemKind::Shared(vars) => {
                for var in vars {
                    let entry = others.entry(var.name.text.as_str());
                    entry.or_insert(("a shared variable", var.name.span));
                }
            }
            ItemKind::Thread(thread) => {
                let entry = others.entry(thread.name.text.as_str());
                entry.or_insert(("a thread", thread.name.span));
                locals.extend(thread.locals.iter().flat_map(|line| &line.vars));
            }
            ItemKind::Const(_) | ItemKind::Placement(_) | ItemKind::Spec(_) => {}
        }
    }
    for var in locals {
        let entry = others.entry(var.name.text.as_str());
        entry.or_insert(("a local", var.name.span));
    }
    others
}

/// The constants in an order in which each comes behind those that it uses. Those that use one another
/// in a circle, and what depends on them, are left out.
fn in_order<'t>(
    declared: &IndexMap<&'t str, &'t ConstDecl>,
    found: &mut Vec<Diagnostic>,
) -> Vec<&'t str> {
    let uses: Vec<Vec<usize>> = declared
        .values()
        .map(|constant| {
            let mut names = Vec::new();
            collect(&constant.value, &mut names);
            let used = names.into_iter();
            used.filter_map(|name| declared.get_index_of(name))
                .collect()
        })
        .collect();
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); uses.len()];
    for (user, used) in uses.iter().enumerate() {
        used.iter().for_each(|&used| users[used].push(user));
    }
    let mut open: Vec<usize> = uses.iter().map(Vec::len).collect();
    let mut order: Vec<usize> = (0..uses.len()).filter(|&at| open[at] == 0).collect();
    let mut next = 0;
    while next < order.len() {
        for &user in &users[order[next]] {
            open[user] -= 1;
            if open[user] == 0 {
                order.push(user);
            }
        }
        next += 1;
    }
    for circle in circles(&uses, &open) {
        let names = circle.iter().map(|&at| &declared[at].name);
        found.push(circular(&names.collect::<Vec<_>>()));
    }
    let names = order
        .into_iter()
        .map(|at| *declared.get_index(at).expect("it is declared").0);
    names.collect()
}

/// The circles among the constants of which some use is still `open`.
fn circles(uses: &[Vec<usize>], open: &[usize]) -> Vec<Vec<usize>> {
    let mut seen = vec![false; uses.len()];
    let mut circles = Vec::new();
    for start in (0..uses.len()).filter(|&at| open[at] > 0) {
        let mut way: Vec<usize> = Vec::new();
        let mut at = start;
        while !seen[at] {
            seen[at] = true;
            way.push(at);
            let next = uses[at].iter().find(|&&used| open[used] > 0);
            at = *next.expect("an open constant uses an open one");
        }
        if let Some(begin) = way.iter().position(|&other| other == at) {
            circles.push(way.split_off(begin));
        }
    }
    circles
}

/// The plain names in an expression.
fn collect<'t>(expr: &'t Expr, names: &mut Vec<&'t str>) {
    match &expr.kind {
        ExprKind::Num(_) | ExprKind::Tid => {}
        ExprKind::Place(place) => names.push(&place.name.text),
        ExprKind::Neg(inner) => collect(inner, names),
        ExprKind::Binary(_, left, right) => {
            collect(left, names);
            collect(right, names);
        }
    }
}

fn fits(value: Option<i64>, span: Span, found: &mut Vec<Diagnostic>) -> Option<i64> {
    if value.is_none() {
        found.push(too_large(span));
    }
    value
}

/// The error for a constant that leaves 64 bits.
pub(super) fn too_large(span: Span) -> Diagnostic {
    Diagnostic::error(
        "this constant is too large",
        span,
        "its value does not fit in 64 bits",
    )
    .with_note(format!("the largest is {}", i64::MAX))
}

/// The error for a divisor below 1.
pub(super) fn divisor(span: Span, value: i64) -> Diagnostic {
    Diagnostic::error("a divisor is positive", span, format!("this is {value}"))
        .with_note("`a / n` and `a % n` are for constants `n` from 1 on")
}

/// The error for a range without values.
pub(super) fn empty_range(low: (Span, i64), high: (Span, i64)) -> Diagnostic {
    Diagnostic::error(
        "this range has no value",
        low.0.to(high.0),
        format!("{} is greater than {}", low.1, high.1),
    )
    .with_note("the least value comes first, then the greatest; both are included")
}

fn not_constant(span: Span, label: &str) -> Diagnostic {
    Diagnostic::error("a constant is expected here", span, label)
        .with_note("use numbers and constants, which are declared by `const N = 3;`")
}

fn tid(span: Span) -> Diagnostic {
    Diagnostic::error(
        "a constant is expected here",
        span,
        "`tid` differs from copy to copy",
    )
    .with_note("set a local to it by a statement, `r = tid;`")
}

fn circular(names: &[&Name]) -> Diagnostic {
    let [first, others @ ..] = names else {
        unreachable!("a circle has a constant");
    };
    let diagnostic = Diagnostic::error(
        format!("the constant `{}` depends on itself", first.text),
        first.span,
        "declared here",
    );
    let through = list(others.iter().map(|name| name.text.as_str()));
    let diagnostic = others.iter().take(3).fold(diagnostic, |diagnostic, name| {
        diagnostic.with_secondary(name.span, "through this one")
    });
    match through {
        Some(through) => diagnostic.with_note(format!(
            "it uses {through} in a circle: give one of them a number"
        )),
        None => diagnostic.with_note("give it a number"),
    }
}
