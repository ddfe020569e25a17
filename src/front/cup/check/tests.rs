//! Tests of the symbol table and of trees that no parser made. The rules are tested in
//! `tests/language`, by programs that break them.

use super::*;
use crate::front::cup::ast::{ExprKind, ItemKind, Rhs, StmtKind};
use crate::front::cup::range::Range;
use crate::front::cup::symbols::{Init, Meaning, Scope};
use crate::front::cup::{load, parse};
use crate::source::SourceFile;

fn checked(text: &str) -> Checked {
    load(&SourceFile::new("text", text)).expect("the program obeys all rules")
}

#[test]
fn the_symbol_table_knows_everything_that_is_declared() {
    let program = checked(
        "thread P[2] { local r, s[2] = { 4, 5 }; l: fence? f; m: skip; }
         shared x = *, a[3] = -1;
         thread Q { n: skip; }",
    );
    let symbols = &program.symbols;
    assert_eq!(symbols.shared["x"].init, [Init::Any]);
    assert_eq!(symbols.shared["a"].init, [Init::Value(-1); 3]);
    assert_eq!(symbols.shared["a"].size, Some(3));
    let thread = &symbols.threads["P"];
    assert_eq!(thread.copies, Some(2));
    assert_eq!(thread.locals["r"].init, [Init::Value(0)]);
    assert_eq!(thread.locals["s"].init, [Init::Value(4), Init::Value(5)]);
    assert_eq!(thread.labels.keys().collect::<Vec<_>>(), ["l", "m"]);
    assert_eq!(thread.optional_fences.keys().collect::<Vec<_>>(), ["f"]);
    assert_eq!(symbols.copies("P"), 2);
    assert_eq!(symbols.copies("Q"), 1);
}

#[test]
fn constants_and_ranges_have_values() {
    let program = checked(
        "const B = A * 2 + 1, A = -(7 / 2), C = -7 / 2 % 3;
         shared x = A..B + 9, y = B..B, a[C + 1] = 0..C;
         thread P[C] { local r = C; skip; }",
    );
    let symbols = &program.symbols;
    let value = |name: &str| symbols.constants[name].value;
    assert_eq!((value("A"), value("B"), value("C")), (-3, -5, 2));
    let range = |low, high| Init::Range(Range::new(low, high).expect("there are values"));
    assert_eq!(symbols.shared["x"].init, [range(-3, 4)]);
    assert_eq!(symbols.shared["y"].init, [Init::Value(-5)]);
    assert_eq!(symbols.shared["a"].init, [range(0, 2); 3]);
    assert_eq!(symbols.threads["P"].copies, Some(2));
    assert_eq!(symbols.meaning(Some("P"), "B"), Some(Meaning::Constant(-5)));
}

/// However long the chain is, and in whatever order it is written.
#[test]
fn constants_may_depend_on_many_others() {
    let chain = |at: usize| format!("const c{at} = c{} + 1;\n", at + 1);
    let count = 20_000;
    let mut text: String = (0..count).map(chain).collect();
    text += &format!("const c{count} = 0;");
    assert_eq!(checked(&text).symbols.constants["c0"].value, 20_000);
    let circle = text.replace(&format!("c{count} = 0"), &format!("c{count} = c0"));
    let errors = load(&SourceFile::new("text", circle)).expect_err("a circle");
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].message, "the constant `c0` depends on itself");
}

#[test]
fn names_have_meanings() {
    let program = checked("shared x, a[11]; thread P { local r, s[2]; skip; }");
    let meaning = |thread, name| program.symbols.meaning(thread, name);
    assert_eq!(
        meaning(None, "x"),
        Some(Meaning::Scalar(Scope::Shared, "x"))
    );
    assert_eq!(
        meaning(None, "a"),
        Some(Meaning::Array(Scope::Shared, "a", 11))
    );
    assert_eq!(
        meaning(None, "a_10"),
        Some(Meaning::Element(Scope::Shared, "a", 10))
    );
    assert_eq!(
        meaning(Some("P"), "s_1"),
        Some(Meaning::Element(Scope::Local, "s", 1))
    );
    assert_eq!(
        meaning(Some("P"), "x"),
        Some(Meaning::Scalar(Scope::Shared, "x"))
    );
    for unknown in ["a_11", "a_01", "a_+1", "a_", "_1", "r", "s"] {
        assert_eq!(meaning(None, unknown), None, "{unknown}");
    }
}

#[test]
fn trees_that_no_parser_made_are_checked_as_well() {
    let negative = |value: i64| {
        let text = "shared a[2]; thread P { local r; r = a[0]; }";
        let (mut tree, _) = parse(&SourceFile::new("text", text));
        let ItemKind::Thread(thread) = &mut tree.items[1].kind else {
            panic!("a thread is expected");
        };
        let StmtKind::Assign(_, Rhs::Expr(expr)) = &mut thread.body.stmts[0].kind else {
            panic!("an assignment is expected");
        };
        let ExprKind::Place(place) = &mut expr.kind else {
            panic!("a load is expected");
        };
        let index = place.index.as_mut().expect("there is an index");
        index.kind = ExprKind::Num(value);
        tree
    };
    assert!(check(negative(1)).is_ok());
    let errors = check(negative(-1)).expect_err("the index is out of range");
    assert_eq!(errors[0].message, "index -1 is out of range");
}

#[test]
fn a_rule_that_is_broken_very_often_is_not_reported_as_often() {
    let text = format!("thread P {{ {} }}", "x = 1; ".repeat(1000));
    let errors = load(&SourceFile::new("text", text)).expect_err("x is unknown");
    assert_eq!(errors.len(), MAX_REPORTED);
    let last = errors.last().expect("there are errors");
    let note = "these are the first 100 messages; there may be more";
    assert_eq!(last.notes.last().map(String::as_str), Some(note));
}
