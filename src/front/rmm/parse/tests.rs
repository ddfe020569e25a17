//! Texts that are right, and texts that are wrong with their messages.

use super::super::syntax::{MemoryKind, StatementKind};
use super::super::{print, translate};
use super::*;
use crate::front::cup;

const HEAD: &str =
    "forbidden L\ndata x = 0 : [0:1] y = *\nprocess registers $r = 0 : [0:2] $s = *\ntext\n";

fn file(text: &str) -> SourceFile {
    SourceFile::new("test.rmm", text)
}

/// The program that a text becomes, the part between the declarations and the property.
fn program(statements: &str) -> String {
    let text = format!("{HEAD}{statements}; L: nop");
    let model = parse(&file(&text)).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
    let tree = translate(&model).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
    let printed = cup::print(&tree);
    let checked = cup::load(&SourceFile::new("test.cup", printed.clone()));
    checked.unwrap_or_else(|errors| panic!("{printed}\n{errors:?}"));
    let again = parse(&file(&print(&model))).expect("the printed text is right");
    assert_eq!(print(&again), print(&model));
    let body = printed.split("thread P0 {").nth(1).expect("a thread");
    let lines = body.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("local"));
    let lines: Vec<&str> = lines.take_while(|line| !line.starts_with("L:")).collect();
    lines.join(" ")
}

/// The errors of a text, each with the place that it is about.
fn errors(text: &str) -> Vec<String> {
    let found = parse(&file(text)).and_then(|model| translate(&model));
    let errors = found.expect_err("the text is wrong");
    for error in &errors {
        assert!(
            !error.notes.is_empty() || error.message.starts_with("expected"),
            "{error:?}"
        );
    }
    let shown = |error: &Diagnostic| {
        let place = &text[error.primary.0.range()];
        format!("{place} | {}", error.message)
    };
    errors.iter().map(shown).collect()
}

fn statement_errors(statements: &str) -> Vec<String> {
    errors(&format!("{HEAD}{statements}; L: nop"))
}

#[test]
fn statements_become_statements() {
    let cases = [
        ("nop", "skip;"),
        ("fence; llfence", "fence; skip;"),
        ("$r := 2", "r = 2;"),
        ("$r := $r + 1", "assume(r + 1 <= 2); r = r + 1;"),
        ("$r := -1", "assume(false); r = -1;"),
        ("$s := $r - $s - 1", "s = r - s - 1;"),
        ("$s := $r - ($s - 1)", "s = r - (s - 1);"),
        (
            "assume: $r = 0 && [$s != 1 || not $s < 2]",
            "assume(r == 0 && (s != 1 || !(s < 2)));",
        ),
        ("write: x := 1", "x = 1;"),
        ("write: x := $r", "assume(r <= 1); x = r;"),
        ("write: x := $s", "assume(s >= 0 && s <= 1); x = s;"),
        ("write: y := $s", "y = s;"),
        ("write: [0] := 1", "x = 1;"),
        ("read: $r := x", "r = x;"),
        (
            "read: $r := y",
            "atomic { r = y; assume(r >= 0 && r <= 2); }",
        ),
        (
            "read: x = $r",
            "atomic { seen = x; assume(seen == r); seen = 0; }",
        ),
        ("locked write: x := 1", "fence; x = 1; fence;"),
        ("locked { write: x := 1 }", "fence; x = 1; fence;"),
        (
            "cas(x, 0, 1)",
            "fence; atomic { seen = cas(x, 0, 1); assume(seen == 1); seen = 0; }",
        ),
        (
            "locked { read: x = 0; write: x := 1 }",
            "fence; atomic { seen = cas(x, 0, 1); assume(seen == 1); seen = 0; }",
        ),
        (
            "locked { read: $r := x; write: x := 1 }",
            "fence; r = swap(x, 1);",
        ),
        (
            "locked { read: $s := y; write: y := $s + 1 }",
            "fence; s = fetch_add(y, 1);",
        ),
        (
            "locked { read: $s := y; write: y := $s - $r }",
            "fence; s = fetch_add(y, -r);",
        ),
        (
            "locked { read: $r := x; write: x := $r + 1 }",
            "fence; atomic { r = fetch_add(x, 1); assume(r + 1 <= 1); }",
        ),
        (
            "locked { read: $r := x; write: x := $r + $r }",
            "fence; atomic { r = x; assume(r + r <= 1); seen = swap(x, r + r); seen = 0; }",
        ),
        (
            "locked { read: $r := x; write: y := $r or nop }",
            "fence; atomic { if (*) { r = x; seen = swap(y, r); } else { skip; } seen = 0; }",
        ),
        (
            "locked { read: $r := x; read: $s := y }",
            "atomic { r = x; s = y; }",
        ),
        (
            "either { nop or $r := 1 or fence }",
            "if (*) { skip; } else if (*) { r = 1; } else { fence; }",
        ),
        (
            "if $r = 0 then nop else { nop; $r := 0 }",
            "if (r == 0) { skip; } else { skip; r = 0; }",
        ),
        (
            "while $r != 0 do read: $r := x",
            "while (r != 0) { r = x; }",
        ),
        ("A: { B: nop; goto A }", "A: B: skip; goto A;"),
        (
            "read: $r := [$r]",
            "if (r == 0) { r = x; } else if (r == 1) { atomic { r = y; assume(r >= 0 && r <= 2); } } else { assume(false); }",
        ),
        (
            "write: [$r - 1] := 0",
            "if (r - 1 == 0) { x = 0; } else if (r - 1 == 1) { y = 0; } else { assume(false); }",
        ),
        ("loop: nop; goto loop", "loop_: skip; goto loop_;"),
    ];
    for (text, expected) in cases {
        assert_eq!(program(text), expected, "{text}");
    }
}

#[test]
fn names_and_initial_values_are_those_of_the_processes() {
    let text = "forbidden * L M; K * *\n\
                data skip = 1 : [0:2], free = * : Z, P1 = * : [2:2]\n\
                process(2) data flag = * : [0:1] registers $flag = * : [0:3] $skip = * : [0:1] text\n\
                  K: write: flag[my] := 1; L: read: $flag := flag[0]; write: skip := $skip\n\
                process data flag = 0 : [0:1] text M: read: flag[1] = 0; write: flag[my] := 0";
    let model = parse(&file(text)).expect("the text is right");
    let expected = "\
shared skip_ = 1, free = *, P1_ = 2, flag_0 = 0..1, flag_1 = 0..1, flag_2;

thread P0 {
  local flag, skip__ = 0..1;
K: flag_0 = 1;
L: flag = flag_1;
  skip_ = skip__;
}

thread P1 {
  local flag, skip__ = 0..1;
K: flag_1 = 1;
L: flag = flag_0;
  skip_ = skip__;
}

thread P2 {
  local seen;
M: atomic {
    seen = flag_1;
    assume(seen == 0);
    seen = 0;
  }
  flag_2 = 0;
}

forbid forbidden_1: P1@L && P2@M;
forbid forbidden_2: P0@K;
";
    assert_eq!(
        cup::print(&translate(&model).expect("it is right")),
        expected
    );
}

#[test]
fn several_mistakes_are_reported_at_once() {
    let text =
        format!("{HEAD}write x := 1; nop; read: $r = x; if ($r = 0) then nop; $r := 1 +; L: nop;");
    assert_eq!(
        errors(&text),
        [
            "x | expected `:`, found `x`",
            "= | expected `:=`, found `=`",
            "= | expected `)`, found `=`",
            "; | expected an expression, found `;`",
            " | expected a statement, found the end of the file",
        ]
        .map(str::to_owned)
    );
}

#[test]
fn what_is_not_modelled_is_named() {
    let cases = [
        (
            "ssfence",
            "ssfence | the store-store fence `ssfence` is not modelled",
        ),
        (
            "slocked write: x := 1",
            "slocked write: x := 1 | `slocked write`, a store with a store-store fence, is not modelled",
        ),
        (
            "syncwr: x := 1",
            "syncwr: x := 1 | `syncwr`, a store past the caches of VIPS-M, is not modelled",
        ),
        (
            "syncrd: $r := x",
            "syncrd: $r := x | `syncrd`, a load past the caches of VIPS-M, is not modelled",
        ),
        (
            "syncrd: x = 1",
            "syncrd: x = 1 | `syncrd`, a load past the caches of VIPS-M, is not modelled",
        ),
        ("$r := me", "me | `me` is not modelled"),
        ("$r := other 1", "other 1 | `other 1` is not modelled"),
        ("$r := @ 1", "@ 1 | `@ 1` is not modelled"),
        ("M@0: nop", "@ | `@` is not modelled"),
        ("goto L@1", "@ | `@` is not modelled"),
        ("write: x@1 := 1", "@ | `@` is not modelled"),
        ("write: x[@1] := 1", "@ | `@` is not modelled"),
        ("write: x[me] := 1", "me | `me` is not modelled"),
        ("read: $r := x[other 0]", "other | `other` is not modelled"),
    ];
    for (text, expected) in cases {
        assert_eq!(statement_errors(text), [expected], "{text}");
    }
}

#[test]
fn rules_that_are_broken_are_located() {
    let cases = [
        ("$t := 1", "$t | this process has no register `$t`"),
        ("$r := $q", "$q | this process has no register `$q`"),
        (
            "write: z := 1",
            "z | there is no global memory location `z`",
        ),
        (
            "write: x[my] := 1",
            "x[my] | process 0 declares no memory location `x`",
        ),
        (
            "write: x[0] := 1",
            "x[0] | process 0 has 0 others, and no number 0 among them",
        ),
        (
            "write: [2] := 1",
            "[2] | this pointer points to no memory location",
        ),
        ("goto M", "M | process 0 has no label `M`"),
        (
            "A: nop; A: nop",
            "A | there are two labels `A` in this process",
        ),
        (
            "locked { A: nop }",
            "A | a locked block has no labels inside",
        ),
        (
            "locked { fence }",
            "fence | this statement does not stand in a locked block",
        ),
        (
            "locked { if $r = 0 then nop }",
            "if $r = 0 then nop | this statement does not stand in a locked block",
        ),
        (
            "locked { write: [$r] := 0; nop }",
            "[$r] | a pointer is a choice, which a locked block does not hold",
        ),
        (
            "$r := 99999999999999999999",
            "99999999999999999999 | this number is too large",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(statement_errors(text), [expected], "{text}");
    }
    let cases = [
        (
            "forbidden L L process text L: nop",
            "L L | this state has 2 labels, but there is 1 process",
        ),
        (
            "forbidden M process text L: nop",
            "M | process 0 has no label `M`",
        ),
        (
            "forbidden L data x = 2 : [0:1] process text L: nop",
            "x = 2 : [0:1] | the initial value of `x` is not in its domain",
        ),
        (
            "forbidden L data x = 2 : [2:1] process text L: nop",
            ": [2:1] | this domain is empty",
        ),
        (
            "forbidden L data x = 2 : N process text L: nop",
            "N | `N` is no domain",
        ),
        (
            "forbidden L data x = 0 x = 1 process text L: nop",
            "x | `x` is declared twice",
        ),
        (
            "forbidden L process registers $r = 0 $r = 1 text L: nop",
            "$r | `$r` is declared twice",
        ),
        (
            "forbidden L process data x = 0 data y = 0 text L: nop",
            "data y = 0 | a process declares its data once, and its registers once",
        ),
        (
            "forbidden L process(0) text L: nop",
            "0 | `0` is no number of processes",
        ),
        (
            "forbidden L process(2000) text L: nop",
            "2000 | `2000` is no number of processes",
        ),
        (
            "process text L: nop",
            "process | expected `forbidden`, found `process`",
        ),
        (
            "forbidden L /* process text L: nop",
            "/* | this comment is not closed",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(errors(text), [expected], "{text}");
    }
}

#[test]
fn copies_have_their_mistakes_once() {
    let text = "forbidden L L L process(3) text L: write: x := $r";
    let expected = ["x | there is no global memory location `x`"];
    assert_eq!(errors(text), expected);
}

#[test]
fn predicates_and_macros_are_read() {
    let text = "forbidden CS predicates $0 = $1; $0 < 2\n\
                macro wait(m, v) W: read: $r := m; if $r != v then goto W endmacro\n\
                data x = 0 : [0:1]\n\
                process registers $r = 0 : [0:1] text wait(x, 1); CS: nop";
    let model = parse(&file(text)).expect("the text is right");
    assert_eq!(model.processes[0].body.len(), 3);
    let StatementKind::ReadTo(_, memory) = &model.processes[0].body[0].kind else {
        panic!("the macro is put in");
    };
    let MemoryKind::Global(name) = &memory.kind else {
        panic!("the argument is put in");
    };
    assert_eq!(&text[name.span.range()], "x");
    let wrong = text.replace("wait(x, 1)", "wait(q, 1)");
    assert_eq!(
        errors(&wrong),
        ["q | there is no global memory location `q`"]
    );
}

#[test]
fn deep_and_long_texts_are_refused() {
    let nested = |depth: usize| format!("{}nop{}", "{".repeat(depth), "}".repeat(depth));
    assert_eq!(program(&nested(50)), "skip;");
    for text in [
        nested(100_000),
        "if true then ".repeat(100_000) + "nop",
        format!("$s := {}1{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("assume: {}true{}", "[".repeat(100_000), "]".repeat(100_000)),
    ] {
        let found = statement_errors(&text);
        assert!(
            found[0].ends_with("this nests more than 60 deep"),
            "{}",
            found[0]
        );
    }
    let minus = "-".repeat(500);
    assert_eq!(program(&format!("$s := {minus}1")), "s = 1;");
    for text in [
        format!("$s := 1{}", " + 1".repeat(10_000)),
        format!("assume: true{}", " && true".repeat(10_000)),
    ] {
        assert!(statement_errors(&text)[0].ends_with("this is too long"));
    }
}
