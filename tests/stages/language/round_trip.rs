//! Printing and parsing are inverse to each other.

use cupola::front::cup::ast::Tree;
use cupola::front::cup::{load, parse, print};
use cupola::source::SourceFile;
use proptest::prelude::*;

use super::samples::{EVERYTHING, examples};
use super::trees;

/// Reads a text that must have the right syntax.
pub fn read(text: &str) -> Tree {
    let (tree, mistakes) = parse(&SourceFile::new("text", text));
    assert_eq!(mistakes, [], "in the text\n{text}");
    tree
}

#[test]
fn the_sample_is_canonical_and_correct() {
    assert_eq!(print(&read(EVERYTHING)), EVERYTHING);
    load(&SourceFile::new("sample", EVERYTHING)).expect("the sample obeys all rules");
}

#[test]
fn examples_read_back() {
    for (path, text) in examples() {
        let tree = read(&text);
        let printed = print(&tree);
        assert_eq!(print(&read(&printed)), printed, "{}", path.display());
        assert_eq!(
            read(&printed).without_spans(),
            tree.without_spans(),
            "{}",
            path.display()
        );
    }
}

#[test]
fn parentheses_stay_only_where_they_matter() {
    let check = |from: &str, to: &str| {
        let text = |cond: &str| format!("invariant {cond};\n");
        assert_eq!(print(&read(&text(from))), text(to));
    };
    check("((a) + (b)) == (1)", "a + b == 1");
    check("a - (b - c) == 0", "a - (b - c) == 0");
    check("(a - b) - c == 0", "a - b - c == 0");
    check("(a + b) * 2 == -(c)", "(a + b) * 2 == -c");
    check("2 * (3 * a) == - - a", "2 * (3 * a) == --a");
    check("-(a + b) == (-a) * 2", "-(a + b) == -a * 2");
    check(
        "(a == 0 && b == 0) || (c == 0)",
        "a == 0 && b == 0 || c == 0",
    );
    check(
        "a == 0 && (b == 0 || c == 0)",
        "a == 0 && (b == 0 || c == 0)",
    );
    check(
        "a == 0 && (b == 0 && c == 0)",
        "a == 0 && (b == 0 && c == 0)",
    );
    check(
        "!a == 0 && !(b == 0 || true)",
        "!(a == 0) && !(b == 0 || true)",
    );
    check("!!(P@l)", "!!P@l");
}

proptest! {
    #![proptest_config(super::cases(400))]

    #[test]
    fn what_is_printed_reads_back(tree in trees::tree()) {
        let printed = print(&tree);
        let (again, mistakes) = parse(&SourceFile::new("printed", printed.as_str()));
        prop_assert!(mistakes.is_empty(), "{mistakes:?} in\n{printed}");
        prop_assert_eq!(print(&again), printed.clone());
        prop_assert_eq!(again.without_spans(), tree, "{}", printed);
    }
}
