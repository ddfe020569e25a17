//! The comments of a reduced program: which source line and statement a group comes from.
//!
//! The user's own comments are about the source (its `expect:` line even speaks of its verdicts), so
//! they stay there and the line numbers lead back to them.

use indexmap::{IndexMap, IndexSet};
use itertools::Itertools;

use super::number::number;
use super::{Flush, ReduceConfig, Storage};
use crate::front::cup::ast::{Block, ItemKind, Stmt, Tree};
use crate::front::cup::print::print_stmt_head;
use crate::memory::{BufferSizes, Model};
use crate::source::SourceFile;

/// The comments on the statements of a source whose statements are numbered.
pub(super) struct Comments {
    by_number: IndexMap<usize, String>,
}

impl Comments {
    /// The comments on all statements of `tree`.
    pub(super) fn new(file: &SourceFile, tree: &Tree) -> Self {
        let mut comments = Comments {
            by_number: IndexMap::new(),
        };
        for item in &tree.items {
            if let ItemKind::Thread(thread) = &item.kind {
                let backgrounds = thread.backgrounds.iter();
                let blocks = backgrounds.map(|background| &background.body);
                for block in blocks.chain([&thread.body]) {
                    comments.add_block(file, block);
                }
            }
        }
        comments
    }

    /// `// line 12: flag0 = 1;`, the statement as the source has it, without its labels.
    pub(super) fn of(&self, stmt: &Stmt) -> String {
        self.by_number[&number(stmt)].clone()
    }

    fn add_block(&mut self, file: &SourceFile, block: &Block) {
        for stmt in &block.stmts {
            let (line, text) = (file.line(stmt.start), print_stmt_head(&stmt.kind));
            let comment = format!("// line {line}: {text}");
            self.by_number.insert(number(stmt), comment);
            for inner in stmt.kind.blocks() {
                self.add_block(file, inner);
            }
        }
    }
}

/// The comment at the top: what this is a reduction of.
pub(super) fn header(file: &SourceFile, config: &ReduceConfig, storage: Storage) -> Vec<String> {
    let name = file.file_name().replace(char::is_control, "?");
    let fences = fences(&config.fences);
    match config.model {
        Model::Sc => vec![
            format!("// {name} under SC, its copies and optional fences resolved."),
            format!("// {fences}"),
        ],
        Model::Tso | Model::Pso => {
            let model = config.model.to_string().to_uppercase();
            let flush = match config.flush {
                Flush::Background => "background blocks",
                Flush::Inline => "loops after each statement",
            };
            vec![
                format!("// {name} under {model} as a program under SC."),
                match storage {
                    Storage::Slots => format!(
                        "// Store buffers of {} are locals, flushes are {flush}.",
                        entries(&config.sizes)
                    ),
                    Storage::Fifos => {
                        format!("// Store buffers are FIFOs of any length, flushes are {flush}.")
                    }
                },
                format!("// {fences}"),
            ]
        }
    }
}

/// `k = 1 entry`, or `k = 1 entry (Tail: 3)` where sizes differ.
fn entries(sizes: &BufferSizes) -> String {
    let k = sizes.default_entries();
    let entries = if k == 1 { "entry" } else { "entries" };
    let own = sizes.own().iter();
    match own.map(|(name, k)| format!("{name}: {k}")).join(", ") {
        own if own.is_empty() => format!("k = {k} {entries}"),
        own => format!("k = {k} {entries} ({own})"),
    }
}

fn fences(in_force: &IndexSet<String>) -> String {
    if in_force.is_empty() {
        return "Optional fences in force: none.".to_owned();
    }
    let names: Vec<&str> = in_force.iter().map(String::as_str).collect();
    format!("Optional fences in force: {}.", names.join(", "))
}
