//! A program with a placement written in.
//!
//! Input: the candidates and a placement. Output of [`emit`]: a tree in which the chosen places are `fence;` and
//! there are no optional fences and no `fences` lines any more; of [`emit_line`], for optional fences: the tree in
//! which a `fences` line says what is in force under a model. Comments and labels stay: those of a
//! statement or line that goes move on to what follows.
//!
//! Invariant: every execution of the tree is one of the program with the placement in force, without
//! the steps of the places that are gone.

use std::collections::BTreeSet;

use super::frontier::FenceSet;
use super::places::{Candidates, is_put_in};
use super::search::names;
use crate::front::cup::ast::{
    Block, Item, ItemKind, Name, Placement, Span, Stmt, StmtKind, Tree, Trivia,
};
use crate::memory::Model;

/// The program with `fences` in force and written in.
pub fn emit(candidates: &Candidates, fences: &FenceSet) -> Tree {
    let chosen: BTreeSet<String> = names(candidates, fences).into_iter().collect();
    let mut tree = candidates.checked.tree.clone();
    for item in &mut tree.items {
        if let ItemKind::Thread(thread) = &mut item.kind {
            write_block(&mut thread.body, &chosen);
        }
    }
    drop_placements(&mut tree);
    tree
}

/// The program with a `fences` line for the model that puts `fences` in force; lines for other models stay. A new line
/// stands before the first spec.
pub fn emit_line(candidates: &Candidates, fences: &FenceSet, model: Model) -> Tree {
    let mut tree = candidates.checked.tree.clone();
    let is_of_model = |item: &Item| match &item.kind {
        ItemKind::Placement(placement) => placement.model == model,
        ItemKind::Const(_) | ItemKind::Shared(_) | ItemKind::Thread(_) | ItemKind::Spec(_) => false,
    };
    let old = tree.items.iter().position(is_of_model);
    let is_spec = |item: &Item| matches!(item.kind, ItemKind::Spec(_) | ItemKind::Placement(_));
    let specs = tree.items.iter().position(is_spec);
    let at = old.or(specs).unwrap_or(tree.items.len());
    let span = tree
        .items
        .get(at)
        .map_or(Span { start: 0, end: 0 }, |item| item.span);
    let mut trivia = match old {
        Some(at) => tree.items[at].trivia.clone(),
        None => Trivia::default(),
    };
    if old.is_none()
        && let Some(next) = tree.items.get_mut(at)
    {
        trivia.blank_before = std::mem::take(&mut next.trivia.blank_before);
    }
    let mut number = 0;
    tree.items.retain(|item| {
        number += 1;
        // Only the first of several lines for the model is kept in place; it is written anew.
        !is_of_model(item) || number - 1 == at
    });
    let names = names(candidates, fences).into_iter();
    let places: Vec<Name> = names.map(|text| Name { text, span }).collect();
    let line = Item {
        kind: ItemKind::Placement(Placement { model, places }),
        trivia,
        span,
    };
    match (old, fences.is_empty()) {
        (Some(at), true) => drop(tree.items.remove(at)),
        (Some(at), false) => tree.items[at] = line,
        (None, true) => {}
        (None, false) => tree.items.insert(at, line),
    }
    tree
}

fn drop_placements(tree: &mut Tree) {
    let mut moved = Moved::default();
    for mut item in std::mem::take(&mut tree.items) {
        match item.kind {
            ItemKind::Placement(_) => moved.take(item.trivia),
            ItemKind::Const(_) | ItemKind::Shared(_) | ItemKind::Thread(_) | ItemKind::Spec(_) => {
                moved.give(&mut item.trivia);
                tree.items.push(item);
            }
        }
    }
    moved.end(&mut tree.end_comments);
}

fn write_block(block: &mut Block, chosen: &BTreeSet<String>) {
    let mut moved = Moved::default();
    for mut stmt in std::mem::take(&mut block.stmts) {
        for inner in stmt.kind.blocks_mut() {
            write_block(inner, chosen);
        }
        if let StmtKind::OptionalFence(name) = &stmt.kind {
            if chosen.contains(&name.text) {
                stmt.kind = StmtKind::Fence;
            } else if is_put_in(&stmt) || stmt.labels.is_empty() {
                moved.take_stmt(stmt);
                continue;
            } else {
                stmt.kind = StmtKind::Skip;
            }
        }
        stmt.labels.splice(0..0, moved.labels.drain(..));
        moved.give(&mut stmt.trivia);
        block.stmts.push(stmt);
    }
    moved.end(&mut block.end_comments);
}

/// What statements that are gone leave to the next one.
#[derive(Default)]
struct Moved {
    labels: Vec<Name>,
    comments: Vec<String>,
    blank_before: bool,
}

impl Moved {
    /// A place that was put in is always followed by the statement whose labels it has.
    fn take_stmt(&mut self, stmt: Stmt) {
        self.labels.extend(stmt.labels);
        self.take(stmt.trivia);
    }

    fn take(&mut self, trivia: Trivia) {
        if self.comments.is_empty() {
            self.blank_before |= trivia.blank_before;
        }
        self.comments.extend(trivia.leading);
        self.comments.extend(trivia.trailing);
    }

    fn give(&mut self, trivia: &mut Trivia) {
        if !self.comments.is_empty() && trivia.blank_before {
            self.comments.push(String::new());
            trivia.blank_before = false;
        }
        trivia.leading.splice(0..0, self.comments.drain(..));
        trivia.blank_before |= std::mem::take(&mut self.blank_before);
    }
    /// Nothing follows but the comments at the end, which do not end with a blank line.
    fn end(mut self, comments: &mut Vec<String>) {
        while comments.is_empty() && self.comments.last().is_some_and(String::is_empty) {
            self.comments.pop();
        }
        comments.splice(0..0, self.comments);
    }
}
