//! Expressions and conditions, in statements and in specs.

use indexmap::{IndexMap, IndexSet};

use super::constants::Fold;
use super::control::{Label, Labels};
use super::evaluate::{divisor, too_large};
use super::suggestions::{list, missing, unknown};
use crate::front::cup::ast::{
    ArithOp, Cond, CondKind, Expr, ExprKind, Name, Place, Span, ThreadRef,
};
use crate::front::cup::print::print_thread_ref;
use crate::front::cup::suggest::closest;
use crate::front::cup::symbols::{Meaning, Scope, Symbols, split_element};
use crate::source::Diagnostic;

/// Where an expression or condition stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Site {
    /// In a statement: locals only.
    Statement,
    /// In an assertion: shared variables too.
    Assert,
    /// In a spec: everything, by full names, and control locations.
    Spec,
}

/// Checks operands of one thread, or of specs.
pub(super) struct Operands<'a> {
    pub symbols: &'a Symbols,
    /// Constants that were complained about.
    pub broken: &'a IndexSet<String>,
    /// The thread that they stand in.
    pub thread: Option<&'a str>,
    /// The labels of all threads, for the control locations of specs.
    pub labels: Option<&'a Labels>,
    /// What is wrong.
    pub found: Vec<Diagnostic>,
    /// Shared places that are read where only locals may be.
    pub shared_reads: Vec<Place>,
}

impl<'a> Operands<'a> {
    /// Checks a condition; `whole` says whether it is the whole condition of a statement.
    pub(super) fn cond(&mut self, cond: &Cond, site: Site, whole: bool) {
        match &cond.kind {
            CondKind::True | CondKind::False => {}
            CondKind::Any => self.any(cond.span, site, whole),
            CondKind::Not(inner) => self.cond(inner, site, false),
            CondKind::And(left, right) | CondKind::Or(left, right) => {
                self.cond(left, site, false);
                self.cond(right, site, false);
            }
            CondKind::Compare(_, left, right) => {
                self.expr(left, site);
                self.expr(right, site);
            }
            CondKind::At(thread, label) => self.location(thread, label, cond.span, site),
        }
    }

    fn any(&mut self, span: Span, site: Site, whole: bool) {
        if site == Site::Spec {
            self.found.push(
                Diagnostic::error(
                    "`*` has no place in a spec",
                    span,
                    "this is either true or false",
                )
                .with_note("a spec says what holds: name the states that are meant"),
            );
        } else if !whole {
            self.found.push(
                Diagnostic::error(
                    "`*` stands alone, as a whole condition",
                    span,
                    "this is part of a larger condition",
                )
                .with_note("set a local to any value, `r = *;`, and test the local here"),
            );
        }
    }

    fn location(&mut self, thread: &ThreadRef, label: &Name, span: Span, site: Site) {
        if site != Site::Spec {
            self.found.push(
                Diagnostic::error(
                    "control locations are for specs",
                    span,
                    "a thread cannot see where threads are",
                )
                .with_note("set a variable where it matters, and test that"),
            );
        } else if self.thread_ref(thread) {
            let labels = self.labels.and_then(|labels| labels.get(&thread.name.text));
            let problem = labels.and_then(|labels| label_problem(thread, label, labels));
            self.found.extend(problem);
        }
    }

    /// Checks an expression and says what is known of its value.
    pub(super) fn expr(&mut self, expr: &Expr, site: Site) -> Fold {
        let folded = match &expr.kind {
            ExprKind::Num(value) => Some(Fold::Same(*value)),
            ExprKind::Tid => Some(self.tid(expr.span)),
            ExprKind::Place(place) => Some(self.read(place, site)),
            ExprKind::Neg(inner) => self.expr(inner, site).negated(),
            ExprKind::Binary(op, left, right) => {
                let (left_fold, right_fold) = (self.expr(left, site), self.expr(right, site));
                self.operation(*op, expr.span, left_fold, (right.span, right_fold))
            }
        };
        folded.unwrap_or_else(|| {
            self.found.push(too_large(expr.span));
            Fold::Broken
        })
    }

    /// Checks what an operator asks of its sides, and says what is known of the result.
    fn operation(
        &mut self,
        op: ArithOp,
        span: Span,
        left: Fold,
        (right_span, right): (Span, Fold),
    ) -> Option<Fold> {
        if op == ArithOp::Mul && left.is_variable() && right.is_variable() {
            self.found.push(product(span));
        }
        if op.divides() {
            let values = right.values();
            let wrong = values.iter().find(|(_, value)| *value < 1);
            let problem = match wrong {
                Some(&(_, value)) => Some(divisor(right_span, value)),
                None => right
                    .is_variable()
                    .then(|| variable_divisor(op, right_span)),
            };
            if let Some(problem) = problem {
                self.found.push(problem);
                return Some(Fold::Broken);
            }
        }
        left.combined(op, right)
    }

    /// Checks a place that is read, and says what is known of its value.
    fn read(&mut self, place: &Place, site: Site) -> Fold {
        if self.is_broken(place) {
            return Fold::Broken;
        }
        match self.constant(place) {
            Some(value) => Fold::Same(value),
            None => {
                self.place(place, site);
                Fold::Variable
            }
        }
    }

    /// The value of a constant that stands where a place may.
    pub(super) fn constant(&self, place: &Place) -> Option<i64> {
        let plain = place.thread.is_none() && place.index.is_none();
        match self.symbols.meaning(self.thread, &place.name.text) {
            Some(Meaning::Constant(value)) => Some(value).filter(|_| plain),
            Some(Meaning::Scalar(..) | Meaning::Array(..) | Meaning::Element(..)) | None => None,
        }
    }

    fn is_broken(&self, place: &Place) -> bool {
        place.thread.is_none() && self.broken.contains(&place.name.text)
    }

    fn tid(&mut self, span: Span) -> Fold {
        let copies = self
            .thread
            .and_then(|thread| self.symbols.threads.get(thread))
            .and_then(|thread| thread.copies);
        match (copies, self.thread) {
            (Some(copies), _) => Fold::PerCopy((0i64..).take(copies).collect()),
            (None, Some(thread)) => {
                self.found.push(
                    Diagnostic::error(
                        "`tid` stands only in a thread with copies",
                        span,
                        format!("`{thread}` is a single thread"),
                    )
                    .with_note(format!(
                        "declare copies, `thread {thread}[2] {{ … }}`, or write a number"
                    )),
                );
                Fold::Broken
            }
            (None, None) => {
                self.found.push(
                    Diagnostic::error(
                        "`tid` stands only in a thread with copies",
                        span,
                        "a spec is about all copies",
                    )
                    .with_note("write the number of the copy, `P[0].x`"),
                );
                Fold::Broken
            }
        }
    }

    /// Checks a variable that is read, and says whose it is.
    pub(super) fn place(&mut self, place: &Place, site: Site) -> Option<Scope> {
        let meaning = self.meaning(place, site)?;
        let scope = self.shape(place, meaning, site);
        if scope == Some(Scope::Shared) && site == Site::Statement {
            self.shared_reads.push(place.clone());
        }
        scope
    }

    /// Checks a place of which the statement's rules know whether it may be shared.
    pub(super) fn accessed_place(&mut self, place: &Place) -> Option<Scope> {
        let meaning = self.meaning(place, Site::Statement)?;
        self.shape(place, meaning, Site::Statement)
    }

    /// Checks that arrays have an index, and only they, and that a constant index is in range.
    fn shape(&mut self, place: &Place, meaning: Meaning<'_>, site: Site) -> Option<Scope> {
        match (meaning, &place.index) {
            (Meaning::Scalar(scope, _) | Meaning::Element(scope, _, _), None) => Some(scope),
            (Meaning::Constant(_), None) => {
                self.found.push(not_a_variable(place));
                None
            }
            (Meaning::Array(scope, name, size), Some(index)) => {
                let folded = self.expr(index, site);
                self.range(index.span, name, size, &folded);
                Some(scope)
            }
            (Meaning::Array(_, name, _), None) => {
                self.found.push(
                    Diagnostic::error(
                        format!("`{name}` is an array"),
                        place.span,
                        "an index is missing",
                    )
                    .with_note(format!("name an element, for example `{name}[0]`")),
                );
                None
            }
            (Meaning::Scalar(_, name), Some(index)) => {
                self.found.push(not_an_array(name, index.span));
                None
            }
            (Meaning::Constant(_) | Meaning::Element(..), Some(index)) => {
                self.found.push(not_an_array(&place.name.text, index.span));
                None
            }
        }
    }

    fn range(&mut self, span: Span, array: &str, size: usize, index: &Fold) {
        let in_range = |value: i64| usize::try_from(value).is_ok_and(|value| value < size);
        let values = index.values();
        let Some(&(copy, value)) = values.iter().find(|(_, value)| !in_range(*value)) else {
            return;
        };
        let who = match (copy, self.thread) {
            (Some(copy), Some(thread)) => format!(" in copy `{thread}[{copy}]`"),
            _ => String::new(),
        };
        self.found.push(
            Diagnostic::error(
                format!("index {value} is out of range{who}"),
                span,
                format!("`{array}` has {size} elements"),
            )
            .with_note(format!("indices of `{array}` go from 0 to {}", size - 1)),
        );
    }

    /// What the name of a place stands for.
    fn meaning(&mut self, place: &Place, site: Site) -> Option<Meaning<'a>> {
        if self.is_broken(place) {
            return None;
        }
        match (&place.thread, site) {
            (Some(thread), Site::Spec) => self.local_of(thread, &place.name),
            (None, Site::Spec) => self.plain_name(&place.name),
            (Some(thread), Site::Statement | Site::Assert) => {
                self.qualified_in_thread(thread, place);
                None
            }
            (None, Site::Statement | Site::Assert) => {
                let meaning = self.symbols.meaning(self.thread, &place.name.text);
                if meaning.is_none() {
                    self.unknown_variable(&place.name);
                }
                meaning
            }
        }
    }

    fn qualified_in_thread(&mut self, thread: &ThreadRef, place: &Place) {
        let own = self.thread == Some(thread.name.text.as_str());
        self.found.push(if own {
            Diagnostic::error(
                "a thread names its locals without its own name",
                thread.span,
                "this is the thread itself",
            )
            .with_note(format!("write `{}`", place.name.text))
        } else {
            Diagnostic::error(
                "a thread cannot see the locals of another",
                thread.span,
                "full names of locals are for specs",
            )
            .with_note("pass the value through a shared variable")
        });
    }

    fn unknown_variable(&mut self, name: &Name) {
        let locals = self
            .thread
            .and_then(|thread| self.symbols.threads.get(thread))
            .into_iter()
            .flat_map(|thread| thread.locals.keys());
        let known = locals
            .chain(self.symbols.shared.keys())
            .chain(self.symbols.constants.keys());
        self.found
            .push(unknown("variable", name, known.map(String::as_str)));
    }

    /// Checks a thread reference.
    fn thread_ref(&mut self, reference: &ThreadRef) -> bool {
        let name = &reference.name;
        let Some(thread) = self.symbols.threads.get(&name.text) else {
            let copied = split_element(&name.text).filter(|(base, copy)| {
                self.symbols.threads.get(*base).and_then(|t| t.copies) > Some(*copy)
            });
            self.found.push(match copied {
                Some((base, copy)) => Diagnostic::error(
                    format!("unknown thread `{}`", name.text),
                    name.span,
                    "this is not declared",
                )
                .with_note(format!("write `{base}[{copy}]`")),
                None => unknown(
                    "thread",
                    name,
                    self.symbols.threads.keys().map(String::as_str),
                ),
            });
            return false;
        };
        let text = &name.text;
        let (message, label, note) = match (thread.copies, &reference.copy) {
            (None, None) => return true,
            (Some(copies), Some(copy)) => {
                let Some(copy) = self.copy(copy, text) else {
                    return false;
                };
                if usize::try_from(copy).is_ok_and(|copy| copy < copies) {
                    return true;
                }
                (
                    format!("`{text}` has {copies} copies"),
                    format!("there is no copy {copy}"),
                    format!("copies go from `{text}[0]` to `{text}[{}]`", copies - 1),
                )
            }
            (Some(copies), None) => (
                format!("`{text}` has {copies} copies"),
                "which one is meant?".to_owned(),
                format!("write `{text}[0]`, …"),
            ),
            (None, Some(_)) => (
                format!("`{text}` has no copies"),
                "a number is not expected here".to_owned(),
                format!("write `{text}`"),
            ),
        };
        self.found
            .push(Diagnostic::error(message, reference.span, label).with_note(note));
        false
    }

    /// The number of a copy, if it is a constant.
    fn copy(&mut self, number: &Expr, thread: &str) -> Option<i64> {
        let folded = self.expr(number, Site::Spec);
        if folded.is_variable() {
            self.found.push(
                Diagnostic::error(
                    "a copy of a thread is named by a constant",
                    number.span,
                    "this depends on variables",
                )
                .with_note(format!("write `{thread}[0]`, `{thread}[1]`, …")),
            );
        }
        let values = folded.values();
        values.first().map(|&(_, value)| value)
    }

    fn local_of(&mut self, reference: &ThreadRef, name: &Name) -> Option<Meaning<'a>> {
        if !self.thread_ref(reference) {
            return None;
        }
        let thread = &reference.name.text;
        let meaning = self.symbols.local_meaning(thread, &name.text);
        if meaning.is_some() {
            return meaning;
        }
        if let Some(global) = self.symbols.meaning(None, &name.text) {
            let what = match global {
                Meaning::Constant(_) => "constant",
                Meaning::Scalar(..) | Meaning::Array(..) | Meaning::Element(..) => {
                    "shared variable"
                }
            };
            self.found.push(
                Diagnostic::error(
                    format!("`{}` is a {what}", name.text),
                    reference.span,
                    "it belongs to no thread",
                )
                .with_note(format!("write `{}`", name.text)),
            );
        } else {
            let locals = self.symbols.threads[thread].locals.keys();
            let thread = print_thread_ref(reference);
            let message = format!("`{thread}` has no local `{}`", name.text);
            self.found
                .push(missing(message, name, locals.map(String::as_str)));
        }
        None
    }

    /// A name without a thread in a spec: shared, or the local of the only thread that has it.
    fn plain_name(&mut self, name: &Name) -> Option<Meaning<'a>> {
        let shared = self.symbols.meaning(None, &name.text);
        if shared.is_some() {
            return shared;
        }
        let symbols = self.symbols;
        let owners: Vec<&str> = symbols
            .threads
            .keys()
            .map(String::as_str)
            .filter(|thread| symbols.local_meaning(thread, &name.text).is_some())
            .collect();
        match owners.as_slice() {
            [] => {
                self.found.push(self.unknown_in_spec(name));
                None
            }
            [owner] if symbols.threads[*owner].copies.unwrap_or(1) == 1 => {
                symbols.local_meaning(owner, &name.text)
            }
            owners => {
                self.found.push(self.ambiguous(name, owners));
                None
            }
        }
    }

    /// A slip in a plain name, or else all names in full.
    fn unknown_in_spec(&self, name: &Name) -> Diagnostic {
        let threads = &self.symbols.threads;
        let symbols = self.symbols;
        let shared = symbols.shared.keys().chain(symbols.constants.keys());
        let locals = threads.values().flat_map(|thread| thread.locals.keys());
        let plain = shared.clone().chain(locals).map(String::as_str);
        if closest(&name.text, plain.clone()).is_some() {
            return unknown("variable", name, plain);
        }
        let locals = threads.iter().flat_map(|(owner, thread)| {
            let names = thread.locals.keys();
            names.flat_map(|local| self.full_names(owner, local))
        });
        let full: Vec<String> = shared.cloned().chain(locals).collect();
        unknown("variable", name, full.iter().map(String::as_str))
    }

    /// A local of a thread, or of its first copies.
    fn full_names(&self, owner: &str, local: &str) -> Vec<String> {
        match self.symbols.threads[owner].copies {
            None => vec![format!("{owner}.{local}")],
            Some(copies) => (0..copies.min(10))
                .map(|copy| format!("{owner}[{copy}].{local}"))
                .collect(),
        }
    }

    fn ambiguous(&self, name: &Name, owners: &[&str]) -> Diagnostic {
        let full_names = owners
            .iter()
            .flat_map(|owner| self.full_names(owner, &name.text));
        let full_names: Vec<String> = full_names.take(10).collect();
        let choices = list(full_names.iter().map(String::as_str)).unwrap_or_default();
        Diagnostic::error(
            format!("several threads have a local `{}`", name.text),
            name.span,
            "which one is meant?",
        )
        .with_note(format!("write one of {choices}"))
    }
}

fn product(span: Span) -> Diagnostic {
    Diagnostic::error(
        "a product needs a constant side",
        span,
        "both sides depend on variables",
    )
    .with_note("multiply by repeated addition in a loop, or make one side a number")
}

fn variable_divisor(op: ArithOp, span: Span) -> Diagnostic {
    let what = match op {
        ArithOp::Mod => "%",
        _ => "/",
    };
    Diagnostic::error(
        format!("`{what}` needs a constant on its right"),
        span,
        "this depends on variables",
    )
    .with_note("divide by repeated subtraction in a loop, or make this a number or a constant")
}

fn not_a_variable(place: &Place) -> Diagnostic {
    Diagnostic::error(
        format!("`{}` is a constant", place.name.text),
        place.span,
        "a variable is expected here",
    )
    .with_note("a constant keeps its value: declare a local or a shared variable instead")
}

fn not_an_array(name: &str, index: Span) -> Diagnostic {
    Diagnostic::error(
        format!("`{name}` is not an array"),
        index,
        "it has no elements to choose from",
    )
    .with_note(format!(
        "write `{name}`, or declare it with a size, `{name}[2]`"
    ))
}

/// What is wrong with naming a label of a thread in a spec.
fn label_problem(
    thread: &ThreadRef,
    name: &Name,
    labels: &IndexMap<String, Label>,
) -> Option<Diagnostic> {
    let Some(label) = labels.get(&name.text) else {
        let message = format!(
            "`{}` has no label `{}`",
            print_thread_ref(thread),
            name.text
        );
        return Some(missing(message, name, labels.keys().map(String::as_str)));
    };
    label.held.then(|| {
        Diagnostic::warning(
            format!("no thread is ever observed at `{}`", name.text),
            name.span,
            "specs are not evaluated while a thread holds the atomic section",
        )
        .with_secondary(
            label.span,
            "this label stands in the middle of an `atomic` block",
        )
        .with_note("use `assert` inside the block, or put the label on the `atomic` statement")
    })
}
