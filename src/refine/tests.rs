//! Candidates: what the pool has and what its filter drops, images under swaps, marches.

use indexmap::IndexSet;

use super::symmetry::{is_between_alike, orbits, swaps};
use super::{Pool, definitions, unknown_to, without_marches};
use crate::front::cup;
use crate::logic::{Formula, Predicate};
use crate::program::{Program, lower};
use crate::proof::{Proof, parse};
use crate::source::SourceFile;

const TICKET: &str = "shared num, next;
    thread P0 { local a, s; loop { a = fetch_add(num, 1); do { s = next; } while (s != a); next = s + 1; } }
    thread P1 { local a, s; loop { a = fetch_add(num, 1); do { s = next; } while (s != a); next = s + 1; } }
    invariant num >= 0;";

fn program(text: &str) -> Program {
    let file = SourceFile::new("test.cup", text);
    lower(&cup::load(&file).expect("it is right"), &IndexSet::new())
}

fn proof(text: &str, predicates: &str) -> Proof {
    let file = SourceFile::new("test.cup", text);
    let checked = cup::load(&file).expect("it is right");
    let file = SourceFile::new("test.proof", format!("predicates {{ {predicates} }}"));
    parse(&file, &checked).expect("it is right").0
}

fn texts(program: &Program, predicates: &[Predicate]) -> Vec<String> {
    predicates.iter().map(|p| p.text(program)).collect()
}

#[test]
fn the_pool_relates_the_variables_of_a_class() {
    let program = program(TICKET);
    let pool = Pool::of(&program);
    let pairs = texts(&program, &pool.pairs);
    for wanted in [
        "num == next",
        "next == P0.a",
        "P0.a == P0.s",
        "P0.a == P1.a",
    ] {
        assert!(
            pairs.iter().any(|text| text == wanted),
            "{wanted}: {pairs:?}"
        );
    }
    let orders = texts(&program, &pool.orders);
    assert!(
        orders.contains(&"next <= num".to_owned()),
        "it always holds: {orders:?}"
    );
    // Since the number never passes `num`, it says the same as `num == P0.a`.
    assert!(!orders.contains(&"num <= P0.a".to_owned()), "{orders:?}");
    let shifted = texts(&program, &pool.shifted);
    assert!(
        !shifted.contains(&"num <= next - 1".to_owned()),
        "never so: {shifted:?}"
    );
}

#[test]
fn equalities_that_never_vary_and_opposites_are_dropped() {
    let program = program(
        "shared x, b, c = 7, d = 7; thread P { local r; loop { r = choose(0, 3); x = r; } }
        thread Q { local s; loop { b = 1; b = 0; s = c; s = d; assert(s == 7); } }",
    );
    let pool = Pool::of(&program);
    let constants = texts(&program, &pool.constants);
    let has = |wanted: &str| constants.iter().any(|text| text == wanted);
    assert!(has("x == 3"), "a value that was seen: {constants:?}");
    assert!(
        has("b == 0") && !has("b == 1"),
        "the opposite: {constants:?}"
    );
    assert!(!has("c == 7"), "always so: {constants:?}");
    let pairs = texts(&program, &pool.pairs);
    assert!(
        !pairs.contains(&"c == d".to_owned()),
        "always so: {pairs:?}"
    );
}

#[test]
fn the_pool_is_the_same_again() {
    let program = program(TICKET);
    let all = |pool: Pool| {
        let Pool {
            constants,
            pairs,
            offsets,
            orders,
            shifted,
            bounds,
        } = pool;
        texts(
            &program,
            &[constants, pairs, offsets, orders, shifted, bounds].concat(),
        )
    };
    assert_eq!(all(Pool::of(&program)), all(Pool::of(&program)));
}

#[test]
fn alike_threads_are_swapped() {
    let program = program(TICKET);
    let swaps = swaps(&program);
    assert_eq!(swaps.len(), 1);
    let given = proof(TICKET, "P0.a < num; P1.s == P1.a; num == next; P1.a < num;");
    let orbits = orbits(&given.predicates, &swaps);
    let orbits: Vec<Vec<String>> = orbits.iter().map(|orbit| texts(&program, orbit)).collect();
    assert_eq!(
        orbits,
        [
            vec!["P0.a < num", "P1.a < num"],
            vec!["P1.s == P1.a", "P0.s == P0.a"],
            vec!["num == next"]
        ]
    );
}

#[test]
fn threads_that_differ_are_not_swapped() {
    let unlike = TICKET.replacen("s = next;", "skip;", 1);
    assert!(swaps(&program(&unlike)).is_empty());
    // One variable would have to go to two others.
    let crossed = "shared x, y; thread P { x = 1; x = 2; } thread Q { x = 1; y = 2; }";
    assert!(swaps(&program(crossed)).is_empty());
}

#[test]
fn a_fourth_comparison_of_a_difference_marches() {
    let program = program(TICKET);
    let known = proof(TICKET, "num == next; num == next + 1; num <= next + 2;");
    let more = proof(TICKET, "num == next + 3; num <= next + 4; num == P0.a;").predicates;
    let fewer = without_marches(&known, more.clone());
    assert_eq!(
        texts(&program, &fewer),
        ["num <= next + 3", "num >= next + 3", "num == P0.a"]
    );
    let known = proof(TICKET, "num == next; num == next + 1;");
    assert_eq!(without_marches(&known, more).len(), 3);
}

#[test]
fn what_a_proof_has_is_no_candidate() {
    let program = program(TICKET);
    let known = proof(TICKET, "num <= next;");
    let candidates = proof(TICKET, "next < num; num == next; P0.a == P0.s;").predicates;
    let new = unknown_to(&known, [candidates.clone(), candidates].concat());
    assert_eq!(texts(&program, &new), ["num == next", "P0.a == P0.s"]);
}

#[test]
fn statements_say_what_they_define() {
    let text = "shared N0, N1, E; thread P { local n, m, e; loop { e = E; assume(e == 1); n = N1; m = N1; if (n < m) { n = m; }
        N0 = n + 1; do { m = N1; } while (m != 0 && m <= n + 1); E = 0; } }
        thread Q { local a; loop { a = fetch_add(N1, 1); } } forbid P.n == 7;";
    let program = program(text);
    let said: Vec<Formula> = definitions(&program)
        .into_iter()
        .map(|predicate| predicate.formula)
        .collect();
    let says = |line: &str| {
        let wanted = &proof(text, line).predicates[0].formula;
        said.contains(wanted) || said.contains(&wanted.negated())
    };
    let wanted = [
        "P.e == 1;",
        "E == 1;",
        "P.n < P.m;",
        // `m` is only ever loaded, from `N1`.
        "P.n < N1;",
        "P.m == 0;",
        "N1 == 0;",
        "P.m <= P.n + 1;",
        "N1 <= P.n + 1;",
        "P.n == 7;",
        "N0 == P.n + 1;",
        "N1 == Q.a + 1;",
        "P.n >= 0;",
        "P.m == N1;",
    ];
    for wanted in wanted {
        assert!(says(wanted), "{wanted} {said:?}");
    }
    // `n` is computed too, and flags are told apart by their values.
    assert!(!says("P.n == N1;") && !says("P.e == E;"), "{said:?}");
}

#[test]
fn orders_between_alike_threads_are_told_apart() {
    let swaps = swaps(&program(TICKET));
    let given = proof(TICKET, "P0.a <= P1.a; P0.a <= P1.s; P0.a <= num;");
    let between = given.predicates.iter();
    let between: Vec<bool> = between
        .map(|predicate| is_between_alike(predicate, &swaps))
        .collect();
    assert_eq!(between, [true, false, false]);
}
