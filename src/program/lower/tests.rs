//! Tests of lowering: programs in, graphs as text out.

use indexmap::IndexSet;

use crate::front::cup;
use crate::program::{Program, lower};
use crate::source::SourceFile;

fn lowered(text: &str, fences: &[&str]) -> Program {
    let checked = cup::load(&SourceFile::new("test.cup", text));
    let checked = checked.unwrap_or_else(|errors| panic!("the program is well-formed: {errors:?}"));
    let fences: IndexSet<String> = fences.iter().map(|&name| name.to_owned()).collect();
    lower(&checked, &fences)
}

/// Checks the graphs, without the list of variables.
#[track_caller]
fn check(text: &str, expected: &str) {
    let found = lowered(text, &["on"]).to_string();
    let lines = found.lines().filter(|line| !line.starts_with("var "));
    let found: String = lines.map(|line| format!("{line}\n")).collect();
    assert_eq!(found, expected, "found:\n{found}");
}

#[test]
fn arrays_and_copies_become_scalars_and_threads() {
    let program = lowered(
        "shared x = 3, a[2] = {4, 5}; thread P[2] { local r = *, b[2] = 1; }",
        &[],
    );
    let vars: Vec<String> = program
        .var_ids()
        .map(|var| {
            let init = program.vars[var.index()].init;
            format!(
                "{} {} {init:?}",
                program.var_name(var),
                program.var_display_name(var)
            )
        })
        .collect();
    let expected = [
        "x x Value(3)",
        "a_0 a[0] Value(4)",
        "a_1 a[1] Value(5)",
        "P_0.r P[0].r Any",
        "P_0.b_0 P[0].b[0] Value(1)",
        "P_0.b_1 P[0].b[1] Value(1)",
        "P_1.r P[1].r Any",
        "P_1.b_0 P[1].b[0] Value(1)",
        "P_1.b_1 P[1].b[1] Value(1)",
    ];
    assert_eq!(vars, expected);
}

#[test]
fn constants_are_resolved_and_ranges_kept() {
    let text = "const N = 2, M = N * N - 1; shared a[N] = M, x = -1..N, y = N..2;
        thread P[N] { local r, s; a[N - 1] = M; r = a[tid] ; r = N; r = choose(-tid, M);
            s = (r + N) / M % (1 + 1); }
        invariant P[N - 1].r <= M;";
    let found = lowered(text, &[]).to_string();
    let expected = "\
var a_0 = 3
var a_1 = 3
var x = -1..2
var y = 2
var P_0.r = 0
var P_0.s = 0
var P_1.r = 0
var P_1.s = 0
thread P_0 from 0
  0: store a_1 = 3 -> 1
  1: P_0.r = load a_0 -> 2
  2: P_0.r = 2 -> 3
  3: P_0.r = choose(0, 3) -> 4
  4: P_0.s = (((P_0.r + 2) / 3) % 2) -> end
thread P_1 from 0
  0: store a_1 = 3 -> 1
  1: P_1.r = load a_1 -> 2
  2: P_1.r = 2 -> 3
  3: P_1.r = choose(-1, 3) -> 4
  4: P_1.s = (((P_1.r + 2) / 3) % 2) -> end
invariant: P_1.r <= 3
";
    assert_eq!(found, expected, "found:\n{found}");
}

#[test]
fn simple_statements_are_one_step_each() {
    let text = "shared x, y;
        thread P { local r;
            r = 1 + 2; x = r; r = y; r = *; r = cas(x, 0, r); r = swap(x, 1); r = fetch_add(y, -1);
            fence; fence? on; fence? off; skip; assume(r < 2); assert(x == 0, \"m\"); }";
    let expected = "\
thread P from 0
  0: P.r = 3 -> 1
  1: store x = P.r -> 2
  2: P.r = load y -> 3
  3: P.r = * -> 4
  4: P.r = cas(x, 0, P.r) -> 5
  5: P.r = swap(x, 1) -> 6
  6: P.r = fetch_add(y, -1) -> 7
  7: fence -> 8
  8: fence -> 9
  9: skip -> 10
  10: skip -> 11
  11: assume P.r < 2 -> 12
  12: assert x == 0 -> end
";
    check(text, expected);
}

#[test]
fn conditions_are_one_step_per_arm() {
    let text = "thread P { local r; if (r == 0) { r = 1; } else if (*) { } else { r = 3; } skip; }";
    let expected = "\
thread P from 0
  0: assume P.r == 0 -> 1
  0: assume !(P.r == 0) -> 4
  1: P.r = 1 -> 2
  2: skip -> end
  4: skip -> 2
  4: skip -> 5
  5: P.r = 3 -> 2
";
    check(text, expected);
}

#[test]
fn loops_and_jumps() {
    let text = "thread P { local r;
        a: while (r < 1) { b: continue; }
        c: do { break; } while (r < 2);
        d: loop { e: goto a; }
    }";
    let expected = "\
thread P from 0
  0 a: assume P.r < 1 -> 1
  0 a: assume !(P.r < 1) -> 2
  1 b: skip -> 0
  2 c: skip -> 3
  3 d e: skip -> 0
";
    check(text, expected);
}

#[test]
fn a_section_is_entered_by_its_first_step() {
    let text = "shared x; thread P { local r; atomic { x = 1; r = x; x = 2; } skip; }";
    let expected = "\
thread P from 0
  0: store x = 1 -> 1
  1 (held): P.r = load x -> 2
  2 (held): store x = 2 -> 3
  3: skip -> end
";
    check(text, expected);
}

#[test]
fn a_section_that_jumps_to_its_first_step_has_two_locations_for_it() {
    let text = "thread P { local r; l: atomic { m: while (r < 3) { r = r + 1; } } }
        forbid P@m && P@l;";
    let expected = "\
thread P from 0
  0 l m: assume P.r < 3 -> 1
  0 l m: assume !(P.r < 3) -> end
  1 (held): P.r = (P.r + 1) -> 2
  2 m (held): assume P.r < 3 -> 1
  2 m (held): assume !(P.r < 3) -> end
forbid: (P@{0,2} && P@{0})
";
    check(text, expected);
}

#[test]
fn empty_blocks() {
    let text = "thread P { atomic { } if (*) { loop { } } atomic { loop { } } }";
    let expected = "\
thread P from 0
  0: skip -> 1
  1: skip -> 2
  1: skip -> 3
  2: skip -> 2
  3: skip -> 4
  4 (held): skip -> 4
";
    check(text, expected);
}

#[test]
fn background_blocks_are_held_fragments() {
    let text = "shared x; thread P { local c;
        background { assume(c > 0); if (c == 1) { x = 1; } }
        background { }
        c = 1; }";
    let expected = "\
thread P from 0
  background from 2
  background from 5
  0: P.c = 1 -> end
  2 (held): assume P.c > 0 -> 3
  3 (held): assume P.c == 1 -> 4
  3 (held): assume !(P.c == 1) -> end
  4 (held): store x = 1 -> end
  5 (held): skip -> end
";
    check(text, expected);
}

#[test]
fn constant_indices_pick_their_scalar_and_others_are_bounded() {
    let text = "shared a[2]; thread P[2] { local r, b[2];
        a[1 - tid] = 1;
        r = a[b[r]];
        assume(r > 0 || b[r] == b_1);
    }";
    let thread = |copy: usize| {
        format!(
            "thread P_{copy} from 0
  0: store a_{} = 1 -> 1
  1: [((0 <= P_{copy}.r && P_{copy}.r < 2) && (0 <= {{P_{copy}.b_0, P_{copy}.b_1}}[P_{copy}.r] && {{P_{copy}.b_0, P_{copy}.b_1}}[P_{copy}.r] < 2))] P_{copy}.r = load {{a_0, a_1}}[{{P_{copy}.b_0, P_{copy}.b_1}}[P_{copy}.r]] -> 2
  2: [(0 <= P_{copy}.r && P_{copy}.r < 2)] assume (P_{copy}.r > 0 || {{P_{copy}.b_0, P_{copy}.b_1}}[P_{copy}.r] == P_{copy}.b_1) -> end
",
            1 - copy
        )
    };
    check(text, &(thread(0) + &thread(1)));
}

#[test]
fn specs_bound_the_indices_that_they_meet() {
    let text = "shared a[2], i; thread P { local r; skip; } invariant i > 1 || a[i] == r;";
    let expected = "\
thread P from 0
  0: skip -> end
invariant: [(i > 1 || (0 <= i && i < 2))] (i > 1 || {a_0, a_1}[i] == P.r)
";
    check(text, expected);
}

#[test]
fn unreachable_code_is_left_out() {
    let text = "thread P { loop { skip; } l: skip; } forbid P@l;";
    let expected = "\
thread P from 0
  0: skip -> 0
forbid: P@{}
";
    check(text, expected);
}
