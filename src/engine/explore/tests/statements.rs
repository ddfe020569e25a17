//! The semantics of every statement.

use super::{check_outcomes, check_verdicts, named_verdict, run};
use crate::memory::Model;

/// Two threads that store, run an atomic operation and load.
fn with_operation(first: &str, second: &str) -> String {
    format!(
        "shared x, y, z, w;
         thread P {{ local r, s; x = 1; s = {first}; r = y; }}
         thread Q {{ local r, s; y = 1; s = {second}; r = x; }}"
    )
}

const STRONG: &str = "0,1 1,0 1,1";
const RELAXED: &str = "0,0 0,1 1,0 1,1";

#[test]
fn an_atomic_operation_drains_the_buffer_under_tso_but_only_its_own_fifo_under_pso() {
    for operation in ["cas(V, 0, 1)", "swap(V, 1)", "fetch_add(V, 0)"] {
        let text = with_operation(&operation.replace('V', "z"), &operation.replace('V', "w"));
        check_outcomes(&text, &["P.r", "Q.r"], [STRONG, STRONG, RELAXED]);
        let text = with_operation(&operation.replace('V', "x"), &operation.replace('V', "y"));
        check_outcomes(&text, &["P.r", "Q.r"], [STRONG; 3]);
    }
}

#[test]
fn cas_succeeds_once() {
    let text = "shared x;
        thread P[2] { local r; r = cas(x, 0, tid + 5); }
        thread Q { local r; r = cas(x, 9, 1); }";
    check_outcomes(
        text,
        &["P_0.r", "P_1.r", "Q.r", "x"],
        ["0,1,0,6 1,0,0,5"; 3],
    );
}

#[test]
fn swap_and_fetch_add_return_the_old_value() {
    let text = "shared x = 7, y = 3;
        thread P { local r, s; r = swap(x, 2); s = fetch_add(y, 0 - 5); }";
    check_outcomes(text, &["P.r", "x", "P.s", "y"], ["7,2,3,-2"; 3]);
}

#[test]
fn fetch_add_loses_no_update() {
    let text = "shared x; thread P[3] { local r; r = fetch_add(x, 1); } finally sum: x == 3;";
    check_verdicts(text, ["safe"; 3]);
    let lossy = "shared x; thread P[2] { local r; r = x; x = r + 1; } finally sum: x == 2;";
    check_verdicts(lossy, ["sum"; 3]);
}

#[test]
fn a_fence_waits_for_all_fifos() {
    let text = "shared x, y, z;
        thread P { local r; x = 1; z = 1; fence; r = y; }
        thread Q { local r; y = 1; fence; r = x; }";
    check_outcomes(text, &["P.r", "Q.r"], [STRONG; 3]);
}

#[test]
fn assume_blocks_and_loads_see_memory() {
    let text = "shared x, y;
        thread P { x = 5; y = 1; }
        thread Q { local r, s; r = y; assume(r == 1); s = x; }";
    check_outcomes(text, &["Q.r", "Q.s"], ["1,5", "1,5", "1,0 1,5"]);
    let never = "thread P { local r; assume(r == 1); }";
    check_outcomes(never, &["P.r"], [""; 3]);
}

#[test]
fn assertions_read_main_memory() {
    let text = "shared x; thread P { x = 1; assert(x == 1, \"flushed\"); }";
    check_verdicts(text, ["safe", "flushed", "flushed"]);
    let fenced = "shared x; thread P { x = 1; fence; assert(x == 1, \"flushed\"); }";
    check_verdicts(fenced, ["safe"; 3]);
}

#[test]
fn an_arbitrary_assertion_can_fail() {
    check_verdicts("thread P { assert(*, \"luck\"); }", ["luck"; 3]);
}

#[test]
fn nothing_runs_after_a_failed_assertion() {
    let text = "shared x; thread P { assert(x == 1); x = 7; }";
    check_verdicts(text, ["unnamed"; 3]);
    check_outcomes(text, &["x"], [""; 3]);
}

#[test]
fn branches_and_loops() {
    let text = "thread P {
        local i, sum, odd;
        while (i < 10) {
            i = i + 1;
            if (i == 3) { continue; } else if (i == 8) { break; } else { odd = odd + 1; }
            sum = sum + i;
        }
        do { sum = sum * 2; } while (sum < 100);
        loop { i = i + 1; if (i > 20) { break; } }
        goto out;
        sum = 0;
    out: skip;
    }";
    check_outcomes(text, &["P.i", "P.sum", "P.odd"], ["21,100,6"; 3]);
}

#[test]
fn continue_in_a_do_loop_evaluates_the_condition() {
    let text = "thread P { local i; do { i = i + 1; continue; i = 100; } while (i < 3); }";
    check_outcomes(text, &["P.i"], ["3"; 3]);
}

#[test]
fn conditions_can_be_arbitrary() {
    let text = "thread P { local a, b;
        if (*) { a = 1; } else { a = 2; }
        do { b = b + 1; assume(b < 4); } while (*);
        assume(*);
    }";
    let all = "1,1 1,2 1,3 2,1 2,2 2,3";
    check_outcomes(text, &["P.a", "P.b"], [all; 3]);
}

#[test]
fn an_empty_loop_never_ends() {
    let text = "shared x; thread P { loop { } x = 1; } thread Q { x = 2; }";
    check_outcomes(text, &["x"], [""; 3]);
    check_verdicts("thread P { loop { } }", ["safe"; 3]);
}

#[test]
fn copies_know_their_number() {
    let text = "shared a[3];
        thread P[3] { local r; a[tid] = tid * 2 + 1; r = a[tid]; }
        finally all: a[0] == 1 && a[1] == 3 && a_2 == 5 && P[2].r == 5;";
    check_verdicts(text, ["safe"; 3]);
}

#[test]
fn locations_of_copies() {
    let text = "shared x;
        thread P[2] { cs: skip; }
        forbid both: P[0]@cs && P[1]@cs;";
    check_verdicts(text, ["both"; 3]);
    let text = "thread P[2] { skip; cs: skip; } forbid first: P[0]@cs && !P[1]@cs;";
    check_verdicts(text, ["first"; 3]);
}

#[test]
fn labels_are_where_the_first_step_is() {
    let at =
        |body: &str| format!("thread P {{ local r; skip; {body} }} forbid here: P@l && P.r == 1;");
    check_verdicts(&at("l: if (r == 0) { r = 1; } skip;"), ["safe"; 3]);
    check_verdicts(&at("l: loop { r = r + 1; assume(r < 2); }"), ["here"; 3]);
    check_verdicts(&at("l: do { r = 1; } while (r == 0);"), ["safe"; 3]);
    check_verdicts(&at("l: while (r == 0) { r = 1; }"), ["here"; 3]);
}

#[test]
fn dynamic_indices_pick_their_element() {
    let text = "shared a[3] = {5, 6, 7};
        thread P { local i = 2, r, b[2]; r = a[i]; a[i - 1] = r + 1; b[i - 2] = r; b[1] = b[i - 2] + b[0]; }";
    let expected = "5,8,7,7,7,14";
    check_outcomes(
        text,
        &["a_0", "a_1", "a_2", "P.r", "P.b_0", "P.b_1"],
        [expected; 3],
    );
}

#[test]
fn indices_nest() {
    let text = "thread P { local a[2] = {7, 8}, b[2] = {1, 0}, j, r; r = a[b[j]]; j = b[j]; r = r + a[b[b[j]]]; }";
    check_outcomes(text, &["P.r", "P.j"], ["16,1"; 3]);
}

#[test]
fn indices_out_of_range_are_errors() {
    let index =
        |index: &str| format!("shared a[2]; thread P {{ local i = {index}, r; r = a[i]; }}");
    check_verdicts(&index("1"), ["safe"; 3]);
    check_verdicts(&index("2"), ["bounds"; 3]);
    check_verdicts(&index("-1"), ["bounds"; 3]);
}

#[test]
fn inner_indices_are_checked_first() {
    let text = "thread P { local a[2], b[2] = {0, 5}, j, r; r = a[b[j]]; j = 1; r = a[b[j]]; }";
    check_verdicts(text, ["bounds"; 3]);
    let text = "thread P { local a[2], b[2], j = 9, r; r = a[b[j]]; }";
    check_verdicts(text, ["bounds"; 3]);
}

#[test]
fn statements_check_indices_that_their_conditions_short_circuit() {
    let text = "thread P { local a[2], i = 2; if (i < 2 && a[i] == 0) { skip; } }";
    check_verdicts(text, ["bounds"; 3]);
}

#[test]
fn specs_check_the_indices_that_they_need() {
    let text = "thread P { local a[2], i; i = 2; } invariant P.i == 2 || P.a[P.i] == 0;";
    check_verdicts(text, ["safe"; 3]);
    let text = "thread P { local a[2], i; i = 2; } invariant i > 5 || a[i] == 0;";
    check_verdicts(text, ["bounds"; 3]);
}

#[test]
fn stores_to_an_unknown_element_wait_in_the_fifo_of_that_element() {
    let text = "shared a[2], y;
        thread P { local i = 1, r; a[i] = 1; r = fetch_add(a[0], 0); r = y; }
        thread Q { local r; y = 1; fence; r = a[1]; }";
    check_outcomes(text, &["P.r", "Q.r"], [STRONG, STRONG, RELAXED]);
}

#[test]
fn shortest_violation_comes_first() {
    let text = "thread P { local r; if (*) { skip; skip; assert(false, \"late\"); } else { assert(false, \"soon\"); } }";
    let exploration = run(text, Model::Sc);
    assert_eq!(named_verdict(text, Model::Sc), "soon");
    assert_eq!(exploration.trace().expect("violated").steps.len(), 2);
}
