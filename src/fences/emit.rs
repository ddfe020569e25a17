//! A program with a placement written in.
//!
//! Input: the candidates and a placement. Output: a tree in which the chosen places are `fence;` and
//! there are no optional fences and no `fences` lines any more. Comments and labels stay: those of a
//! statement or line that goes move on to what follows.
//!
//! Invariant: every execution of the tree is one of the program with the placement in force, without
//! the steps of the places that are gone.

use std::collections::BTreeSet;

use super::frontier::FenceSet;
use super::places::{Candidates, is_put_in};
use super::search::names;
use crate::front::cup::ast::{Block, ItemKind, Name, Stmt, StmtKind, Tree, Trivia};

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
