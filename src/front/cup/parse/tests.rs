//! Tests of spans and of where comments go. Whole programs are tested in `tests/language`.

use super::*;
use crate::front::cup::ast::{ExprKind, ItemKind, Rhs, Stmt, StmtKind};

/// The statements of a thread with this text.
fn stmts(text: &str) -> (String, Vec<Stmt>) {
    let text = format!("thread P {{ {text} }}");
    let (tree, mistakes) = parse(&SourceFile::new("text", text.as_str()));
    assert_eq!(mistakes, []);
    let [item] = tree.items.as_slice() else {
        panic!("one item is expected");
    };
    let ItemKind::Thread(thread) = &item.kind else {
        panic!("a thread is expected");
    };
    assert_eq!(item.span, span(0, text.len()));
    (text, thread.body.stmts.clone())
}

#[test]
fn spans_cover_what_they_are_about() {
    let (text, stmts) =
        stmts("l: x = a /* c */ + b [ 1 ] ; while ( c == 0 ) /* d */ { skip ; } fence;");
    let texts: Vec<&str> = stmts.iter().map(|stmt| &text[stmt.span.range()]).collect();
    assert_eq!(
        texts,
        [
            "l: x = a /* c */ + b [ 1 ] ;",
            "while ( c == 0 ) /* d */ { skip ; }",
            "fence;"
        ]
    );
    let StmtKind::Assign(target, Rhs::Expr(value)) = &stmts[0].kind else {
        panic!("an assignment is expected");
    };
    assert_eq!(&text[target.span.range()], "x");
    assert_eq!(&text[value.span.range()], "a /* c */ + b [ 1 ]");
    let ExprKind::Binary(_, left, right) = &value.kind else {
        panic!("a sum is expected");
    };
    assert_eq!(&text[left.span.range()], "a");
    assert_eq!(&text[right.span.range()], "b [ 1 ]");
    let StmtKind::While(cond, block) = &stmts[1].kind else {
        panic!("a loop is expected");
    };
    assert_eq!(&text[cond.span.range()], "c == 0");
    assert_eq!(&text[block.span.range()], "{ skip ; }");
}

#[test]
fn parentheses_belong_to_the_span_of_what_they_enclose() {
    let (text, stmts) = stmts("assume((a == 1) && b == 2);");
    let StmtKind::Assume(cond) = &stmts[0].kind else {
        panic!("an assumption is expected");
    };
    assert_eq!(&text[cond.span.range()], "(a == 1) && b == 2");
}

#[test]
fn comments_go_to_their_nodes() {
    let (_, stmts) = stmts("\n// one\n\n// two\n\nskip; // three\n/* four */ skip;");
    assert_eq!(stmts[0].trivia.leading, ["// one", "", "// two", ""]);
    assert_eq!(stmts[0].trivia.trailing, ["// three"]);
    assert_eq!(stmts[1].trivia.leading, ["/* four */"]);
    assert!(!stmts[1].trivia.blank_before);
}
