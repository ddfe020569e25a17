//! Parses a long text chunk by chunk, on all cores.
//!
//! pest keeps everything that it has matched until the text ends, some forty bytes for each byte of
//! it. Cut into chunks, a long text needs that only for the chunks at hand. `scan` has found the cuts;
//! where they, or the text, turn out to be wrong there is no result, and `parser` takes the whole.

use itertools::chain;
use pest::Parser;
use pest::iterators::Pair;
use rayon::prelude::*;

use super::ast::{Stmt, Tree};
use super::parser::{Builder, Grammar, Rule};
use super::scan::Scanned;

/// The tree of a text that has cuts, if nothing is wrong with it.
pub(super) fn tree(scanned: &Scanned) -> Option<Tree> {
    if scanned.cuts.is_empty() {
        return None;
    }
    let starts: Vec<usize> = chain([0], scanned.cuts.iter().copied()).collect();
    let ends = starts[1..].iter().copied().chain([scanned.text.len()]);
    let ranges: Vec<_> = starts.iter().copied().zip(ends).collect();
    let chunks = ranges
        .into_par_iter()
        .map(|(start, end)| Chunk::new(start, &scanned.text[start..end]));
    join(chunks.collect::<Option<Vec<_>>>()?)
}

/// What a chunk of a text says.
struct Chunk {
    /// The next statements of the procedure that the chunk begins in.
    rest: Vec<Stmt>,
    /// The declarations and procedures that begin in the chunk.
    begun: Tree,
    /// Whether the chunk ends inside a procedure.
    open: bool,
}

impl Chunk {
    fn new(start: usize, text: &str) -> Option<Self> {
        let later = start > 0;
        let rule = if later {
            Rule::later_piece
        } else {
            Rule::first_piece
        };
        let pairs = Grammar::parse(rule, text).ok()?;
        let mut chunk = Self {
            rest: Vec::new(),
            begun: Tree::default(),
            open: later,
        };
        let mut builder = Builder::at(start);
        for pair in pairs.flat_map(Pair::into_inner) {
            match pair.as_rule() {
                Rule::block => chunk.rest = builder.block(pair),
                Rule::kw_end => chunk.open = false,
                // A procedure that has no end, and not because the chunk ends.
                Rule::decl | Rule::open_procedure if chunk.open => return None,
                Rule::open_procedure => {
                    let mut parts = pair.clone().into_inner();
                    chunk.open = !parts.any(|part| part.as_rule() == Rule::kw_end);
                    builder.part(pair, &mut chunk.begun);
                }
                _ => builder.part(pair, &mut chunk.begun),
            }
        }
        builder.errors.is_empty().then_some(chunk)
    }
}

/// The whole tree, if every chunk but the last ends where the next one begins: inside a procedure.
fn join(chunks: Vec<Chunk>) -> Option<Tree> {
    let (last, others) = chunks.split_last()?;
    if last.open || others.iter().any(|chunk| !chunk.open) {
        return None;
    }
    let mut tree = Tree::default();
    for chunk in chunks {
        if let Some(procedure) = tree.procedures.last_mut() {
            procedure.body.extend(chunk.rest);
        }
        tree.globals.extend(chunk.begun.globals);
        tree.procedures.extend(chunk.begun.procedures);
    }
    Some(tree)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::syntax::parser::{MAX_NESTING, parse_in_chunks};
    use crate::syntax::scan::scan;

    /// The texts of all test programs.
    fn texts() -> Vec<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
        let entries = std::fs::read_dir(folder).expect("the folder is there");
        let read = |entry: std::io::Result<std::fs::DirEntry>| {
            std::fs::read_to_string(entry.expect("an entry").path()).expect("a text")
        };
        entries.map(read).collect()
    }

    /// Cut wherever possible or not at all: the tree, its places and the errors are the same. Whether
    /// the chunks gave a tree.
    fn same(text: &str) -> bool {
        let [chunks, whole] = [1, usize::MAX].map(|chunk| parse_in_chunks(text, chunk));
        assert_eq!(format!("{chunks:?}"), format!("{whole:?}"), "{text}");
        scan(text, MAX_NESTING, 1).is_ok_and(|scanned| super::tree(&scanned).is_some())
    }

    #[test]
    fn chunks_make_no_difference() {
        let texts = texts();
        let cut = texts.iter().filter(|text| same(text)).count();
        assert!(cut > 50, "only {cut} were parsed in chunks");
    }

    #[test]
    fn chunks_make_no_difference_to_broken_texts() {
        let mut refused = 0;
        for text in texts() {
            let lines: Vec<&str> = text.lines().collect();
            for gone in 0..lines.len() {
                let mut lines = lines.clone();
                lines.remove(gone);
                refused += usize::from(!same(&lines.join("\n")));
            }
        }
        assert!(refused > 50, "only {refused} were refused");
    }

    #[test]
    fn keywords_as_labels_mislead_nobody() {
        for text in [
            "decl a; void main() begin begin: a := T; goto begin; end",
            "decl a; void main() begin if a then od: a := T; a := F; goto od; fi a := F; end",
            "decl a; void main() begin decl: a := T; end: a := F; a := T; end",
        ] {
            same(text);
        }
    }

    #[test]
    fn a_procedure_without_an_end_is_an_error() {
        let text = "decl a; void f() begin a := T; a := F; void main() begin a := T; f(); end";
        assert!(!same(text));
        assert!(parse_in_chunks(text, 1).is_err());
    }
}
