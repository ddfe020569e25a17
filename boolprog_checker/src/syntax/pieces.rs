//! Parses a long text piece by piece, on all cores.
//!
//! pest keeps everything that it has matched until the text ends, some forty bytes for each byte of
//! it. Cut into pieces, a long text needs that only for the pieces at hand. `scan` has found the cuts;
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
    let pieces = ranges
        .into_par_iter()
        .map(|(start, end)| Piece::new(start, &scanned.text[start..end]));
    join(pieces.collect::<Option<Vec<_>>>()?)
}

/// What a piece of a text says.
struct Piece {
    /// The next statements of the procedure that the piece begins in.
    rest: Vec<Stmt>,
    /// The declarations and procedures that begin in the piece.
    begun: Tree,
    /// Whether the piece ends inside a procedure.
    open: bool,
}

impl Piece {
    fn new(start: usize, text: &str) -> Option<Self> {
        let later = start > 0;
        let rule = if later {
            Rule::later_piece
        } else {
            Rule::first_piece
        };
        let pairs = Grammar::parse(rule, text).ok()?;
        let mut piece = Self {
            rest: Vec::new(),
            begun: Tree::default(),
            open: later,
        };
        let mut builder = Builder::at(start);
        for pair in pairs.flat_map(Pair::into_inner) {
            match pair.as_rule() {
                Rule::block => piece.rest = builder.block(pair),
                Rule::kw_end => piece.open = false,
                // A procedure that has no end, and not because the piece ends.
                Rule::decl | Rule::open_procedure if piece.open => return None,
                Rule::open_procedure => {
                    let mut parts = pair.clone().into_inner();
                    piece.open = !parts.any(|part| part.as_rule() == Rule::kw_end);
                    builder.part(pair, &mut piece.begun);
                }
                _ => builder.part(pair, &mut piece.begun),
            }
        }
        builder.errors.is_empty().then_some(piece)
    }
}

/// The whole tree, if every piece but the last ends where the next one begins: inside a procedure.
fn join(pieces: Vec<Piece>) -> Option<Tree> {
    let (last, others) = pieces.split_last()?;
    if last.open || others.iter().any(|piece| !piece.open) {
        return None;
    }
    let mut tree = Tree::default();
    for piece in pieces {
        if let Some(procedure) = tree.procedures.last_mut() {
            procedure.body.extend(piece.rest);
        }
        tree.globals.extend(piece.begun.globals);
        tree.procedures.extend(piece.begun.procedures);
    }
    Some(tree)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::syntax::parser::{MAX_NESTING, parse_in_pieces};
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
    /// the pieces gave a tree.
    fn same(text: &str) -> bool {
        let [pieces, whole] = [1, usize::MAX].map(|piece| parse_in_pieces(text, piece));
        assert_eq!(format!("{pieces:?}"), format!("{whole:?}"), "{text}");
        scan(text, MAX_NESTING, 1).is_ok_and(|scanned| super::tree(&scanned).is_some())
    }

    #[test]
    fn pieces_make_no_difference() {
        let texts = texts();
        let cut = texts.iter().filter(|text| same(text)).count();
        assert!(cut > 50, "only {cut} were parsed in pieces");
    }

    #[test]
    fn pieces_make_no_difference_to_broken_texts() {
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
        assert!(parse_in_pieces(text, 1).is_err());
    }
}
