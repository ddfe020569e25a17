//! Atomic sections, background blocks and when specs are looked at.

use super::{check_outcomes, check_verdicts, named_verdict, outcomes, program, run, verdict};
use crate::engine::Context;
use crate::engine::explore::{ExploreConfig, ExploreError, explore};
use crate::memory::Model;

#[test]
fn an_atomic_section_is_not_interrupted() {
    let text = "shared x;
        thread P[2] { local r; atomic { r = x; x = r + 1; fence; } }";
    check_outcomes(text, &["x"], ["2"; 3]);
    let without_fence = "shared x; thread P[2] { local r; atomic { r = x; x = r + 1; } }";
    check_outcomes(without_fence, &["x"], ["2", "1 2", "1 2"]);
}

#[test]
fn no_other_buffer_is_flushed_inside() {
    let text = "shared x;
        thread P { x = 1; x = 2; }
        thread Q { local a, b; atomic { a = x; b = x; } }";
    check_outcomes(text, &["Q.a", "Q.b"], ["0,0 1,1 2,2"; 3]);
}

#[test]
fn the_holder_flushes_between_its_own_statements() {
    let text = "shared x, y;
        thread P { atomic { x = 1; skip; assert(x == 0, \"not yet\"); } }";
    check_verdicts(text, ["not yet"; 3]);
    let text = "shared x; thread P { atomic { x = 1; assert(x == 1, \"at once\"); } }";
    check_verdicts(text, ["safe", "at once", "at once"]);
}

#[test]
fn blocking_inside_blocks_everyone() {
    let text = "shared x;
        thread P { local r; atomic { r = x; assume(r == 1); } }
        thread Q { x = 1; }";
    // P may take the section before x is 1 and then holds it forever.
    check_outcomes(text, &["P.r"], ["1"; 3]);
    let first = "shared x;
        thread P { local r = 0; atomic { assume(r == 1); x = 7; } }
        thread Q { x = 1; }
        invariant seen: x != 1;";
    // A false condition of the first statement does not take the section.
    check_verdicts(first, ["seen"; 3]);
}

#[test]
fn specs_are_not_looked_at_inside() {
    let text = "shared x;
        thread P { atomic { x = 1; fence; x = 0; fence; } }
        invariant zero: x == 0;";
    check_verdicts(text, ["safe"; 3]);
    let text = "shared x;
        thread P { atomic { x = 1; fence; } atomic { x = 0; fence; } }
        invariant zero: x == 0;";
    check_verdicts(text, ["zero"; 3]);
}

#[test]
fn assertions_are_checked_inside() {
    let text = "thread P { local r; atomic { r = 1; assert(r == 0, \"inside\"); r = 0; } }";
    check_verdicts(text, ["inside"; 3]);
}

#[test]
fn a_section_of_one_statement_or_none_is_one_step() {
    for body in ["atomic { skip; }", "atomic { }", "skip;"] {
        let exploration = run(&format!("thread P {{ {body} }}"), Model::Sc);
        assert_eq!(exploration.states, 2, "{body}");
    }
}

#[test]
fn a_loop_at_the_start_of_a_section_keeps_it() {
    let text = "shared x;
        thread P { local i; atomic { while (i < 2) { x = i + 1; i = i + 1; } } }
        thread Q { local r; r = x; }";
    check_outcomes(text, &["Q.r"], ["0 2", "0 1 2", "0 1 2"]);
    let text = "shared x;
        thread P { local i; atomic { l: x = i + 1; i = i + 1; if (i < 2) { goto l; } } }
        thread Q { local r; r = x; }
        forbid middle: P@l && P.i == 1;";
    check_outcomes(text, &["Q.r"], ["0 2", "0 1 2", "0 1 2"]);
    check_verdicts(text, ["safe"; 3]);
}

#[test]
fn a_label_of_a_section_is_its_entry() {
    let text = "thread P { l: atomic { m: skip; skip; } } thread Q { skip; }
        forbid entry: P@l && P@m && !Q@nowhere;";
    let text = text.replace("&& !Q@nowhere", "");
    check_verdicts(&text, ["entry"; 3]);
}

#[test]
fn finally_waits_for_ends_and_buffers() {
    let text = "shared x; thread P { x = 1; } finally written: x == 1;";
    check_verdicts(text, ["safe"; 3]);
    let text = "shared x; thread P { x = 1; } invariant written: x == 1 || !(x == 0);";
    check_verdicts(text, ["written"; 3]);
    let blocked = "shared x; thread P { local r; assume(r == 1); } finally never: false;";
    check_verdicts(blocked, ["safe"; 3]);
}

#[test]
fn specs_are_looked_at_in_the_initial_state() {
    let text = "shared x = 3; invariant small: x < 3;";
    assert_eq!(named_verdict(text, Model::Sc), "small");
    let exploration = run(text, Model::Sc);
    assert!(exploration.trace().expect("violated").steps.is_empty());
}

#[test]
fn a_background_block_runs_at_any_time_and_after_the_end() {
    let text = "shared x;
        thread P { local c, v;
            background { assume(c > 0); x = v; c = c - 1; }
            atomic { v = 1; c = c + 1; }
            atomic { assume(c == 0); v = 2; c = c + 1; }
        }
        thread Q { local r; r = x; }";
    let exploration = run(text, Model::Sc);
    assert_eq!(
        outcomes(&exploration, &["x", "Q.r"]),
        ["1,0", "1,1", "1,2", "2,0", "2,1", "2,2"]
            .into_iter()
            .filter(|row| *row != "1,2")
            .collect::<Vec<_>>()
    );
}

#[test]
fn a_background_block_runs_whole_and_not_inside_sections() {
    let text = "shared x, y;
        thread P {
            local n;
            background { assume(n < 2); n = n + 1; x = n; y = n; }
            skip;
        }
        thread Q { local a, b; atomic { a = x; b = y; } }
        invariant whole: x == y;
        finally together: Q.a == Q.b;";
    assert_eq!(verdict(&run(text, Model::Sc)), "safe");
}

#[test]
fn background_blocks_branch_choose_and_fail() {
    let text = "shared x;
        thread P {
            local n, v;
            background {
                assume(n == 0);
                n = 1;
                if (*) { v = *; assume(v != 0); x = v; } else { x = 5; }
                assert(x < 5, \"five\");
            }
            skip;
        }";
    let exploration = run(text, Model::Sc);
    assert_eq!(named_verdict(text, Model::Sc), "five");
    assert_eq!(outcomes(&exploration, &["x"]), ["-1", "0", "1"]);
}

#[test]
fn background_blocks_are_for_sc() {
    let program = program("thread P { background { skip; } skip; }");
    for model in [Model::Tso, Model::Pso] {
        let refused = explore(
            &program,
            model,
            &ExploreConfig::default(),
            &Context::default(),
        );
        assert_eq!(refused.err(), Some(ExploreError::Background(model)));
    }
}
