//! Rules about specs and placements.

use indexmap::{IndexMap, IndexSet};

use super::control::Labels;
use super::names::Names;
use super::operands::{Operands, Site};
use super::suggestions::unknown;
use crate::front::cup::ast::{Item, ItemKind, Placement, Span, Spec, Tree};
use crate::memory::Model;
use crate::source::Diagnostic;

/// Checks all specs and placements.
pub(super) fn check(tree: &Tree, names: &Names, labels: &Labels, found: &mut Vec<Diagnostic>) {
    let mut checker = Checker {
        operands: Operands {
            symbols: &names.symbols,
            broken: &names.broken,
            thread: None,
            labels: Some(labels),
            found: Vec::new(),
            shared_reads: Vec::new(),
        },
        names: IndexMap::new(),
        lines: Vec::new(),
    };
    for item in &tree.items {
        checker.item(item);
    }
    found.append(&mut checker.operands.found);
}

struct Checker<'a> {
    operands: Operands<'a>,
    /// The names of specs so far.
    names: IndexMap<&'a str, Span>,
    /// The placements so far.
    lines: Vec<(Model, Span)>,
}

impl<'a> Checker<'a> {
    fn item(&mut self, item: &'a Item) {
        match &item.kind {
            ItemKind::Placement(placement) => self.placement(placement, item.span),
            ItemKind::Spec(spec) => self.spec(spec),
            ItemKind::Const(_) | ItemKind::Shared(_) | ItemKind::Thread(_) => {}
        }
    }

    fn spec(&mut self, spec: &'a Spec) {
        if let Some(name) = &spec.name {
            if let Some(&first) = self.names.get(name.text.as_str()) {
                self.operands.found.push(
                    Diagnostic::error(
                        format!("two specs are called `{}`", name.text),
                        name.span,
                        "again here",
                    )
                    .with_secondary(first, "first here")
                    .with_note("rename one of the two, or leave out its name"),
                );
            } else {
                self.names.insert(&name.text, name.span);
            }
        }
        self.operands.cond(&spec.cond, Site::Spec, true);
    }

    fn placement(&mut self, placement: &Placement, span: Span) {
        let model = placement.model;
        if let Some(&(_, first)) = self.lines.iter().find(|(known, _)| *known == model) {
            self.operands.found.push(
                Diagnostic::error(
                    format!("two `fences` lines for {model}"),
                    span,
                    "again here",
                )
                .with_secondary(first, "first here")
                .with_note("put all names on one line"),
            );
        }
        self.lines.push((model, span));
        let threads = self.operands.symbols.threads.values();
        let known = threads.flat_map(|thread| thread.optional_fences.keys());
        let known: IndexSet<&str> = known.map(String::as_str).collect();
        let mut named: IndexMap<&str, Span> = IndexMap::new();
        for place in &placement.places {
            if !known.contains(place.text.as_str()) {
                let diagnostic = unknown("optional fence", place, known.iter().copied());
                self.operands.found.push(diagnostic);
            } else if let Some(&first) = named.get(place.text.as_str()) {
                self.operands.found.push(
                    Diagnostic::warning(
                        format!("`{}` is named twice", place.text),
                        place.span,
                        "once is enough",
                    )
                    .with_secondary(first, "first here"),
                );
            }
            named.entry(&place.text).or_insert(place.span);
        }
    }
}
