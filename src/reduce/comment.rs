//! The comments of a reduced program: which source line and statement a group comes from, and the user's own.
//!
//! A comment of the user stays at what it stands at. Two kinds are about the source file alone and stay there: its header,
//! that is what stands at the top with a blank line below it, and lines `// expect: …`, which speak of its verdicts.

use indexmap::{IndexMap, IndexSet};
use itertools::Itertools;

use super::number::number;
use super::{Flush, ReduceConfig, Storage};
use crate::front::cup::ast::{Block, ItemKind, Stmt, Tree, Trivia};
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

/// The comments around a node that a reduced program keeps.
pub(super) fn kept(trivia: &Trivia) -> Trivia {
    Trivia {
        blank_before: trivia.blank_before,
        leading: kept_lines(&trivia.leading),
        trailing: kept_lines(&trivia.trailing),
    }
}

/// The same for the first item of a file, without the header of the file.
pub(super) fn kept_below_header(trivia: &Trivia) -> Trivia {
    let blank = trivia.leading.iter().rposition(String::is_empty);
    let below = blank.map_or(0, |blank| blank + 1);
    kept(&Trivia {
        leading: trivia.leading[below..].to_vec(),
        ..trivia.clone()
    })
}

/// The comments of a list that a reduced program keeps.
pub(super) fn kept_lines(comments: &[String]) -> Vec<String> {
    let expects = |comment: &str| {
        let text = comment.trim_start_matches('/').trim_start();
        text.starts_with("expect:")
    };
    let kept = comments.iter().filter(|comment| !expects(comment));
    // A blank line is neither the first nor the last of a list.
    let mut kept: Vec<String> = kept.cloned().skip_while(String::is_empty).collect();
    while kept.last().is_some_and(String::is_empty) {
        kept.pop();
    }
    kept
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
