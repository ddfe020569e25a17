//! Specs of a reduced program.
//!
//! `P@l` also holds at the locations of the inline flush loops before `l`; `finally c` must hold only
//! when all buffers are empty, so it becomes "some buffer is not empty, or c".

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::buffers::Layout;
use super::build::Build;
use crate::front::cup::ast::{CompareOp, Cond, CondKind, Item, ItemKind, SpecKind, Tree};

/// For each thread and label, the labels of the flush loops at the label's location.
pub(super) type Waiting = IndexMap<String, IndexMap<String, Vec<String>>>;

/// The labels that specs name, by thread.
pub(super) fn named_labels(tree: &Tree) -> FxHashMap<String, FxHashSet<String>> {
    let mut named = FxHashMap::default();
    for item in &tree.items {
        if let ItemKind::Spec(spec) = &item.kind {
            collect_labels(&spec.cond, &mut named);
        }
    }
    named
}

/// Makes specs of the source into specs of the reduced program.
pub(super) fn relax(items: &mut [Item], layout: &Layout, waiting: &Waiting) {
    for item in items {
        if let ItemKind::Spec(spec) = &mut item.kind {
            with_waiting(&mut spec.cond, waiting);
            if spec.kind == SpecKind::Finally {
                spec.cond = once_flushed(spec.cond.clone(), layout);
            }
        }
    }
}

/// "Some buffer is not empty, or `cond`".
fn once_flushed(cond: Cond, layout: &Layout) -> Cond {
    let build = Build::at(cond.span);
    let counters = layout.threads().flat_map(|(thread, rules)| {
        let counters = rules.counters().into_iter();
        counters.map(|count| build.local_of(thread, &count))
    });
    let filled = counters.map(|count| build.compare(count, CompareOp::Ne, build.num(0)));
    match build.any(filled) {
        Some(some_filled) => build.or(some_filled, cond),
        None => cond,
    }
}

/// Replaces `P@l` by the disjunction over the locations that are `l` in the source.
fn with_waiting(cond: &mut Cond, waiting: &Waiting) {
    let build = Build::at(cond.span);
    match &mut cond.kind {
        CondKind::Not(operand) => with_waiting(operand, waiting),
        CondKind::And(left, right) | CondKind::Or(left, right) => {
            with_waiting(left, waiting);
            with_waiting(right, waiting);
        }
        CondKind::At(thread, label) => {
            let thread = thread.name.text.clone();
            let others = waiting
                .get(&thread)
                .and_then(|labels| labels.get(&label.text));
            let others = others.into_iter().flatten();
            let others = others.map(|other| build.location(&thread, other));
            if let Some(whole) = build.any([cond.clone()].into_iter().chain(others)) {
                *cond = whole;
            }
        }
        CondKind::True | CondKind::False | CondKind::Any | CondKind::Compare(..) => {}
    }
}

fn collect_labels(cond: &Cond, named: &mut FxHashMap<String, FxHashSet<String>>) {
    match &cond.kind {
        CondKind::Not(operand) => collect_labels(operand, named),
        CondKind::And(left, right) | CondKind::Or(left, right) => {
            collect_labels(left, named);
            collect_labels(right, named);
        }
        CondKind::At(thread, label) => {
            let labels = named.entry(thread.name.text.clone()).or_default();
            labels.insert(label.text.clone());
        }
        CondKind::True | CondKind::False | CondKind::Any | CondKind::Compare(..) => {}
    }
}
