//! Proofs are read, printed and harvested.

use indexmap::IndexSet;

use super::*;
use crate::front::cup::{self};
use crate::program;
use crate::source::SourceFile;

const PROGRAM: &str = "shared x, a[2]; thread P { local r; r = x; if (r < 3) { x = 7; } }
    thread Q[2] { local s; s = x; assert(s != 9); }";

fn read(text: &str) -> (Program, Proof, usize) {
    let file = SourceFile::new("p.cup", PROGRAM);
    let checked = cup::load(&file).expect("the program is correct");
    let (proof, warnings) =
        parse(&SourceFile::new("p.proof", text), &checked).expect("the proof is correct");
    let program = program::lower(&checked, &IndexSet::new());
    (program, proof, warnings.len())
}

#[test]
fn what_is_printed_can_be_read_back() {
    let text = "predicates {
  x == 0;
  P.r + 1 <= x;
  Q[0].s == a[1];
  x == 0 || !(P.r < 2 && x < 1);
  a[x] == 2;
}
cubes {
  x == 0 && !(P.r + 1 <= x);
  !(x == 0) && (x == 0 || !(P.r < 2 && x < 1)) && a[x] == 2;
}
";
    let (program, proof, warnings) = read(text);
    assert_eq!(proof.text(&program), text);
    assert_eq!(warnings, 0);
}

/// A star is every copy, the same one throughout an entry; of two threads there are all pairs.
#[test]
fn a_star_stands_for_all_copies() {
    let program =
        "shared x; thread P[3] { local r, q; r = x; q = r; } thread Q[2] { local s; s = x; }";
    let checked = cup::load(&SourceFile::new("p.cup", program)).expect("the program is correct");
    let lines = |text: &str| {
        let parsed = parse(&SourceFile::new("p.proof", text), &checked);
        let program = program::lower(&checked, &IndexSet::new());
        parsed.map(|(proof, _)| proof.lines(&program))
    };
    let (predicates, _) = lines("predicates { P[*].r == P[ * ].q; x * 2 == 4; }").expect("a proof");
    let each = ["P[0].r == P[0].q", "P[1].r == P[1].q", "P[2].r == P[2].q"];
    assert_eq!(predicates[..3], each);
    assert_eq!(predicates.len(), 4);
    let (pairs, _) = lines("predicates { P[*].r <= Q[*].s; }").expect("a proof");
    assert_eq!(pairs.len(), 6);
    assert_eq!(pairs[5], "P[2].r <= Q[1].s");
    let text = "predicates { P[*].r == 0; P[*].q == 0; } cubes { P[*].r == 0 && !(P[*].q == 0); }";
    let (_, cubes) = lines(text).expect("a proof");
    assert_eq!(cubes.expect("cubes").len(), 3);
}

#[test]
fn a_star_is_no_index_of_an_array_and_no_copy_of_a_single_thread() {
    let file = SourceFile::new("p.cup", PROGRAM);
    let checked = cup::load(&file).expect("the program is correct");
    for text in ["a[*] == 2", "P[*].r == 2", "R[*].r == 2", "a[a[*]] == 1"] {
        let text = format!("predicates {{ {text}; }}");
        assert!(parse(&SourceFile::new("p.proof", text), &checked).is_err());
    }
}

#[test]
fn proofs_name_constants_and_divide() {
    let program = "const N = 2, LAST = N - 1; shared x; thread P[N] { local r; r = x; }";
    let checked = cup::load(&SourceFile::new("p.cup", program)).expect("the program is correct");
    let text = "predicates { x < N; P[LAST].r % N == 1; (x + N) / (N + 1) <= LAST; }";
    let (proof, _) = parse(&SourceFile::new("p.proof", text), &checked).expect("a proof");
    let program = program::lower(&checked, &IndexSet::new());
    let texts: Vec<String> = proof.predicates.iter().map(|p| p.text(&program)).collect();
    assert_eq!(texts, ["x < 2", "P[1].r % 2 == 1", "(x + 2) / 3 <= 1"]);
    let (again, _) = parse(&SourceFile::new("p.proof", proof.text(&program)), &checked)
        .expect("what is printed can be read back");
    let formulas = |proof: &Proof| -> Vec<Formula> {
        let predicates = proof.predicates.iter();
        predicates
            .map(|predicate| predicate.formula.clone())
            .collect()
    };
    assert_eq!(formulas(&again), formulas(&proof));
    let unknown = SourceFile::new("p.proof", "predicates { x < M; }");
    assert!(parse(&unknown, &checked).is_err());
}

#[test]
fn the_ends_of_ranges_are_harvested() {
    let text = "shared x = 2..5; thread P { local a[2], r; r = x; a[r - 2] = choose(0, 7); }";
    let checked = cup::load(&SourceFile::new("p.cup", text)).expect("the program is correct");
    let program = program::lower(&checked, &IndexSet::new());
    let (found, _) = harvest(&program);
    let texts: Vec<String> = found.predicates.iter().map(|p| p.text(&program)).collect();
    for text in ["x >= 2", "x <= 5", "P.a[1] >= 0", "P.a[0] <= 7", "P.r <= 5"] {
        let text = text.to_owned();
        assert!(texts.contains(&text), "{text} is not in {texts:?}");
    }
}

#[test]
fn comments_and_negated_literals_are_read() {
    let (_, proof, _) = read(
        "// a proof\npredicates { /* one */ x == 0; // two\n r < 5; }
        cubes { x != 0 && r >= 5; }",
    );
    let cube = &proof.cubes.expect("there is one")[0];
    assert!(cube.literals().iter().all(|literal| !literal.positive));
}

#[test]
fn repeated_and_constant_predicates_are_left_out_with_a_warning() {
    let (_, proof, warnings) = read("predicates { x < 1; x <= 0; 0 == 0; }");
    assert_eq!((proof.predicates.len(), warnings), (1, 2));
}

#[test]
fn predicates_are_harvested_and_follow_copies() {
    let file = SourceFile::new("p.cup", PROGRAM);
    let checked = cup::load(&file).expect("the program is correct");
    let program = program::lower(&checked, &IndexSet::new());
    let (found, cut) = harvest(&program);
    assert!(!cut);
    let texts: Vec<String> = found.predicates.iter().map(|p| p.text(&program)).collect();
    for text in [
        "P.r < 3",
        "x == 7",
        "Q[0].s == 9",
        "x < 3",
        "P.r == 7",
        "x == 9",
    ] {
        assert!(
            texts.contains(&text.to_owned()),
            "{text} is not in {texts:?}"
        );
    }
}

/// However many guards there are.
#[test]
fn what_properties_are_about_is_harvested_first() {
    let guards: String = (0..80).map(|i| format!("assume(r != {i}); ")).collect();
    let text =
        format!("shared x; thread P {{ local r; r = x; {guards} }} invariant small: x <= 1000;");
    let checked = cup::load(&SourceFile::new("p.cup", text)).expect("the program is correct");
    let program = program::lower(&checked, &IndexSet::new());
    let (found, cut) = harvest(&program);
    assert!(cut);
    assert_eq!(found.predicates[0].text(&program), "x <= 1000");
    assert_eq!(found.predicates.len(), 60);
}

#[test]
fn cubes_without_use_are_left_out_with_a_warning() {
    let text = "predicates { x < 1; x == 7; } cubes { x < 1; x == 7 && x != 7; x < 1 && x != 7; x != 7 && x < 1; }";
    let (_, proof, warnings) = read(text);
    assert_eq!(
        (proof.cubes.map(|cubes| cubes.len()), warnings),
        (Some(1), 3)
    );
}
