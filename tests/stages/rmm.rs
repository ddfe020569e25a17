//! Programs of Memorax: what comes out of them under each model.

use crate::support::{memorax, rounds};
use cupola::front::cup::check::Checked;
use cupola::front::{Format, cup, load, rmm};
use cupola::memory::Model;
use cupola::source::SourceFile;

fn checked(text: &str) -> Checked {
    let loaded = load(SourceFile::new("test.rmm", text), Format::Rmm);
    loaded
        .unwrap_or_else(|rejected| panic!("{text}\n{:?}", rejected.diagnostics))
        .checked
}

/// Whether the forbidden states are reachable, under SC, TSO and PSO: explored, after a round through the
/// language of Cupola, and by the manual.
fn reachable(text: &str) -> [bool; 3] {
    let source = rmm::parse(&SourceFile::new("test.rmm", text)).expect("the text is right");
    let program = checked(text);
    let again = rounds::round(&program).map(|(_, again)| again);
    Model::ALL.map(|model| {
        let (violated, _) = rounds::seen(&program, model).expect("it is small");
        if let Some(again) = &again {
            let (after, _) = rounds::seen(again, model).expect("it is small");
            assert_eq!(violated, after, "{model} after a round: {text}");
        }
        assert_eq!(
            memorax::reachable(&source, model),
            Some(violated),
            "{model}: {text}"
        );
        violated
    })
}

/// Two processes over x, y and z that must not both reach their ends.
fn ends(first: &str, second: &str) -> [bool; 3] {
    let process = |statements: &str| {
        format!("process registers $a = 0 : [0:2] $b = 0 : [0:2] text {statements}; END: nop\n")
    };
    let data = "data x = 0 : [0:2] y = 0 : [0:2] z = 0 : [0:2]";
    reachable(&format!(
        "forbidden END END {data} {}{}",
        process(first),
        process(second)
    ))
}

const ALWAYS: [bool; 3] = [true; 3];
const NEVER: [bool; 3] = [false; 3];
const RELAXED: [bool; 3] = [false, true, true];
const PSO: [bool; 3] = [false, false, true];

#[test]
fn a_locked_write_is_in_memory_at_once() {
    let store =
        |word: &str, of: &str, other: &str| format!("{word}write: {of} := 1; read: {other} = 0");
    let buffering = |word: &str| ends(&store(word, "x", "y"), &store(word, "y", "x"));
    assert_eq!(buffering(""), RELAXED);
    assert_eq!(buffering("locked "), NEVER);
    assert_eq!(
        ends(&store("locked ", "x", "y"), &store("", "y", "x")),
        RELAXED
    );
}

#[test]
fn a_locked_block_that_writes_waits_for_all_stores() {
    for block in [
        "locked write: z := 0",
        "locked { write: z := 1 }",
        "locked { read: $b := z; write: z := $b }",
        "locked { read: $b := z; write: z := 2 - $b }",
        "locked { nop or write: z := 1 }",
        "locked { { nop; locked { write: z := 1; nop } } }",
        "cas(z, 0, 0)",
        "fence",
    ] {
        let side = |of: &str, other: &str| format!("write: {of} := 1; {block}; read: {other} = 0");
        assert_eq!(ends(&side("x", "y"), &side("y", "x")), NEVER, "{block}");
        let writer = format!("write: x := 1; {block}; write: y := 1");
        assert_eq!(ends(&writer, "read: y = 1; read: x = 0"), NEVER, "{block}");
    }
    assert_eq!(
        ends("write: x := 1; write: y := 1", "read: y = 1; read: x = 0"),
        PSO
    );
    let late = "write: x := 1; locked write: y := 1";
    assert_eq!(ends(late, "read: y = 1; read: x = 0"), NEVER);
}

#[test]
fn a_locked_block_without_writes_waits_for_nothing() {
    for block in [
        "locked { read: $b := z }",
        "locked { read: $b := z; read: $b := z }",
        "locked { read: z = 0; nop or assume: false }",
        "llfence",
        "nop",
    ] {
        let side = |of: &str, other: &str| format!("write: {of} := 1; {block}; read: {other} = 0");
        assert_eq!(ends(&side("x", "y"), &side("y", "x")), RELAXED, "{block}");
    }
}

#[test]
fn loads_of_a_locked_block_are_of_one_moment() {
    let writer = "write: x := 1; fence; write: y := 1";
    assert_eq!(
        ends(
            writer,
            "read: $a := y; read: $b := x; assume: $a = 1 && $b = 0"
        ),
        NEVER
    );
    let apart = "read: $b := x; read: $a := y; assume: $a = 1 && $b = 0";
    assert_eq!(ends(writer, apart), ALWAYS);
    let together = "locked { read: $b := x; read: $a := y }; assume: $a = 1 && $b = 0";
    assert_eq!(ends(writer, together), NEVER);
    // They see the process's own stores.
    assert_eq!(
        ends(
            "write: x := 1; locked { read: x = 1; read: y = 0 }",
            "write: y := 1; read: x = 0"
        ),
        RELAXED
    );
}

#[test]
fn stores_of_a_locked_block_are_of_one_moment() {
    let both = "locked { write: x := 1; write: y := 1 }";
    for order in [
        "read: $a := x; read: $b := y",
        "locked { read: $a := y; read: $b := x }",
    ] {
        assert_eq!(
            ends(both, &format!("{order}; assume: $a = 1 && $b = 0")),
            NEVER,
            "{order}"
        );
    }
    let sees_own = "locked { write: x := 1; read: $a := x; write: y := $a + 1 }; read: y = 2";
    assert_eq!(ends(sees_own, "nop"), ALWAYS);
}

#[test]
fn updates_are_not_lost() {
    let add = "locked { read: $a := x; write: x := $a + 1 }";
    let read = "read: $b := x; write: y := 1";
    assert_eq!(
        ends(
            &format!("{add}; {read}"),
            &format!("{add}; read: y = 1; fence; read: x = 1")
        ),
        NEVER
    );
    let torn = "read: $a := x; write: x := $a + 1";
    assert_eq!(
        ends(
            &format!("{torn}; {read}"),
            &format!("{torn}; read: y = 1; fence; read: x = 1")
        ),
        ALWAYS
    );
    let take = "cas(x, 0, 1)";
    assert_eq!(ends(take, take), NEVER);
    assert_eq!(ends(&format!("{take}; write: x := 0"), take), ALWAYS);
    let swap = "locked { read: $a := x; write: x := 1 }; assume: $a = 0";
    assert_eq!(ends(swap, swap), NEVER);
}

#[test]
fn values_outside_their_domains_block() {
    for (statements, expected) in [
        ("$a := 2", ALWAYS),
        ("$a := 3", NEVER),
        ("$a := $a - 1", NEVER),
        ("$a := 1; $a := $a + $a", ALWAYS),
        ("$a := 2; $a := $a + $a", NEVER),
        ("$a := 2; write: x := $a + 1", NEVER),
        ("$a := 2; write: [$a] := 1; read: z = 1", ALWAYS),
        ("$a := 2; write: [$a + 1] := 1", NEVER),
        (
            "$a := 2; locked { read: $b := x; write: x := $a + 1 }",
            NEVER,
        ),
        ("locked { read: $b := x; write: x := $b - 1 }", NEVER),
        (
            "locked { read: $b := x; write: x := $b - 1 or nop }",
            ALWAYS,
        ),
        ("cas(x, 0, 3)", NEVER),
        ("cas(x, 1, 0)", NEVER),
    ] {
        assert_eq!(ends(statements, "nop"), expected, "{statements}");
    }
}

#[test]
fn choices_go_where_something_is_enabled() {
    let one = "either { assume: false or read: x = 1 or $a := 1 }; assume: $a = 1";
    assert_eq!(ends(one, "nop"), ALWAYS);
    assert_eq!(
        ends("either { assume: false or read: x = 1 }", "nop"),
        NEVER
    );
    assert_eq!(
        ends("either { assume: false or read: x = 1 }", "write: x := 1"),
        ALWAYS
    );
    let turns = "$a := 2; while $a > 0 do { $a := $a - 1; locked { read: $b := x; write: x := $b + 1 } }; read: x = 2";
    assert_eq!(ends(turns, "nop"), ALWAYS);
}

#[test]
fn any_first_value_is_tried() {
    let text = |init: &str, wanted: &str| {
        format!("forbidden END process registers $r = {init} text assume: $r = {wanted}; END: nop")
    };
    assert_eq!(reachable(&text("* : [3:5]", "5")), ALWAYS);
    assert_eq!(reachable(&text("* : [3:5]", "6")), NEVER);
    assert_eq!(reachable(&text("4 : [3:5]", "5")), NEVER);
    let loops = "forbidden END process registers $r = * : [0:1] $s = 0 : [0:1] text \
                 goto B; A: $r := 0; B: $s := $r; assume: $s = 1; END: nop";
    assert_eq!(reachable(loops), ALWAYS);
}

#[test]
fn examples_are_the_same_after_a_round() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cup"))
        .collect();
    files.sort();
    let (mut fit, mut plain) = (0, 0);
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a text");
        let source = cup::load(&SourceFile::new("test.cup", text)).expect("an example");
        let compared = rounds::compare(&source).unwrap_or_else(|found| panic!("{path:?}: {found}"));
        fit += usize::from(compared.is_some_and(|(models, _)| models > 0));
        let finals = cup::check(rounds::with_trivial_property(source.tree)).expect("it is right");
        let compared = rounds::compare(&finals).unwrap_or_else(|found| panic!("{path:?}: {found}"));
        plain += usize::from(compared.is_some_and(|(models, _)| models > 0));
    }
    assert!(
        fit >= 10 && plain >= 18,
        "{fit} fit, {plain} without their properties"
    );
}
