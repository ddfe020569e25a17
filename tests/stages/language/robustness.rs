//! Any text gets an answer: no panic, no stack overflow, no time that explodes.

use std::fmt::Write as _;

use cupola::front::cup::{load, parse, print};
use cupola::source::{Diagnostic, SourceFile};
use proptest::prelude::*;

use super::round_trip::read;
use super::samples::{EVERYTHING, render};

/// The messages about a text, rendered to be sure that they can be.
fn mistakes(text: &str) -> Vec<Diagnostic> {
    let file = SourceFile::new("text", text);
    match load(&file) {
        Ok(checked) => {
            print(&checked.tree);
            render(&file, &checked.warnings);
            Vec::new()
        }
        Err(found) => {
            assert!(!render(&file, &found).is_empty());
            found
        }
    }
}

/// The messages about a text that must have some.
fn only_message(text: &str) -> String {
    let found = mistakes(text);
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].message.clone()
}

/// A thread `P` with a local `r` and these statements.
fn in_thread(stmts: &str) -> String {
    format!("thread P {{ local r; {stmts} }}")
}

#[test]
fn truncated_programs_are_answered() {
    for end in 0..EVERYTHING.len() {
        mistakes(&EVERYTHING[..end]);
        mistakes(&EVERYTHING[end..]);
    }
}

#[test]
fn programs_without_a_byte_are_answered() {
    for at in 0..EVERYTHING.len() {
        mistakes(&format!("{}{}", &EVERYTHING[..at], &EVERYTHING[at + 1..]));
    }
}

#[test]
fn empty_texts_are_programs() {
    for text in [
        "",
        "\n",
        " \t\r\n",
        "\u{feff}",
        "// only a comment",
        "/* */\n\n",
    ] {
        assert_eq!(mistakes(text), []);
        assert!(read(text).items.is_empty());
    }
    assert_eq!(print(&read("// only a comment")), "// only a comment\n");
}

#[test]
fn line_ends_and_byte_order_marks_do_not_matter() {
    let windows = format!("\u{feff}{}", EVERYTHING.replace('\n', "\r\n"));
    assert_eq!(print(&read(&windows)), EVERYTHING);
    let file = SourceFile::new("text", windows.replace("loop {", "lop {"));
    let (_, found) = parse(&file);
    assert!(
        render(&file, &found).contains("text:51:7"),
        "{}",
        render(&file, &found)
    );
    // A `//` comment ends with its line, however the line ends.
    assert_eq!(read("// c\rshared x;\r").items.len(), 1);
}

#[test]
fn brackets_nest_within_limits() {
    let nested =
        |depth: usize| in_thread(&format!("r = {}r{};", "(".repeat(depth), ")".repeat(depth)));
    assert_eq!(mistakes(&nested(100)), []);
    assert_eq!(
        only_message(&nested(101)),
        "brackets nest more than 100 deep"
    );
    assert_eq!(
        only_message(&nested(1_000_000)),
        "brackets nest more than 100 deep"
    );
    let open = in_thread(&format!("r = {};", "a[".repeat(100_000)));
    assert_eq!(only_message(&open), "brackets nest more than 100 deep");
    // Brackets that other statements leave open do not add up.
    let many = in_thread(&"assume((r == 1; ".repeat(40));
    assert!(
        mistakes(&many)
            .iter()
            .all(|m| m.message.starts_with("expected `)`"))
    );
}

#[test]
fn blocks_nest_within_limits() {
    let nested = |depth: usize| {
        let depth = depth - 1;
        in_thread(&format!(
            "{}{}",
            "loop { ".repeat(depth),
            "} ".repeat(depth)
        ))
    };
    assert_eq!(mistakes(&nested(100)), []);
    assert_eq!(only_message(&nested(101)), "blocks nest more than 100 deep");
    assert_eq!(
        only_message(&nested(20_000)),
        "blocks nest more than 100 deep"
    );
    let open = "thread P { ".to_owned() + &"if (*) { ".repeat(20_000);
    assert!(!mistakes(&open).is_empty());
    let unbraced = in_thread(&("if (*) ".repeat(20_000) + "skip;"));
    assert!(!mistakes(&unbraced).is_empty());
    let broken = in_thread(&"x ( { ".repeat(20_000));
    assert!(!mistakes(&broken).is_empty());
}

#[test]
fn operators_nest_within_limits() {
    let chain = |length: usize| in_thread(&format!("r = r{};", " + 1".repeat(length)));
    assert_eq!(mistakes(&chain(1000)), []);
    let message = "more than 1000 operators stand above one another";
    assert_eq!(only_message(&chain(1001)), message);
    assert_eq!(only_message(&chain(300_000)), message);
    let signs = |length: usize| in_thread(&format!("r = {}r;", "-".repeat(length)));
    assert_eq!(mistakes(&signs(1000)), []);
    assert_eq!(only_message(&signs(300_000)), message);
    let nots = in_thread(&format!("assume({}true);", "! ".repeat(300_000)));
    assert_eq!(only_message(&nots), message);
    // Chains within brackets add up along the way down.
    let terms = format!("({}", "r".to_owned() + &" - 1".repeat(400));
    let deep = format!("r = {0} - {0} - {0} - r))) - 1;", terms);
    assert_eq!(only_message(&in_thread(&deep)), message);
}

#[test]
fn all_limits_may_be_reached_at_once() {
    let expr = format!(
        "{}r{}{}",
        "(".repeat(99),
        " - 1".repeat(1000),
        ")".repeat(99)
    );
    let blocks = |stmt: &str| format!("{}{stmt}{}", "loop { ".repeat(99), "} ".repeat(99));
    assert_eq!(
        mistakes(&in_thread(&blocks(&format!("assume({expr} == 0);")))).len(),
        1
    );
    let expr = expr.replacen(" - 1", "", 1);
    assert_eq!(
        mistakes(&in_thread(&blocks(&format!("assume({expr} == 0);")))),
        []
    );
}

#[test]
fn else_if_chains_may_be_long() {
    let text = in_thread(&format!(
        "if (*) {{}}{}",
        " else if (r == 0) {}".repeat(20_000)
    ));
    assert_eq!(mistakes(&text), []);
}

#[test]
fn numbers_fit_in_64_bits() {
    let set = |number: &str| in_thread(&format!("r = {number};"));
    assert_eq!(mistakes(&set("9223372036854775807")), []);
    assert_eq!(
        only_message(&set("9223372036854775808")),
        "this number is too large"
    );
    assert_eq!(
        only_message(&set(&"9".repeat(100_000))),
        "this number is too large"
    );
    assert_eq!(mistakes("shared x = -9223372036854775808;"), []);
    assert_eq!(
        only_message("shared x = -9223372036854775809;"),
        "this number is too large"
    );
    assert_eq!(
        only_message("shared x[99999999999999999999];"),
        "this number is too large"
    );
}

#[test]
fn long_programs_are_read() {
    let mut text = "shared x, y;\nthread P {\n  local r, s;\n".to_owned();
    let mut count = 0;
    while text.len() < 1_000_000 {
        let _ = writeln!(
            text,
            "  // step {count}\n  r = x;\n  while (r < {count}) {{ s = r + 1; y = s; }}"
        );
        count += 1;
    }
    text += "}\n";
    let tree = read(&text);
    assert_eq!(mistakes(&text), []);
    assert_eq!(print(&read(&print(&tree))), print(&tree));
}

#[test]
fn long_nonsense_is_answered() {
    for part in [
        "}", "{", "(", ";", "x y;", "x = 1 ", "\"", "/*", "if (", "$", "thread ", "- ", "\0", "é",
    ] {
        let text = part.repeat(100_000 / part.len());
        assert!(!mistakes(&text).is_empty(), "{part}");
        assert!(!mistakes(&in_thread(&text)).is_empty(), "{part}");
    }
}

proptest! {
    #![proptest_config(super::cases(300))]

    #[test]
    fn shuffled_tokens_are_answered(tokens in proptest::collection::vec(token(), 0..60)) {
        mistakes(&tokens.join(" "));
    }

    #[test]
    fn any_text_is_answered(text in "\\PC{0,80}") {
        mistakes(&text);
        mistakes(&in_thread(&text));
    }
}

fn token() -> impl Strategy<Value = &'static str> {
    let words: Vec<&str> = EVERYTHING.split_whitespace().collect();
    let symbols = [
        "{",
        "}",
        ";",
        "(",
        ")",
        "[",
        "]",
        "*",
        "thread P {",
        "\n",
        "\"",
        "@",
        ":",
    ];
    proptest::sample::select([words, symbols.to_vec()].concat())
}
