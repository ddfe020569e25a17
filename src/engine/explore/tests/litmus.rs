//! The classical small shapes: what each memory model lets happen.

use super::{check_outcomes, outcomes, program_with, run_program};
use crate::engine::explore::ExploreConfig;
use crate::memory::Model;

const SB: &str = "shared x, y;
    thread P { local r; x = 1; fence? f; r = y; }
    thread Q { local r; y = 1; fence? f; r = x; }";

#[test]
fn store_buffering() {
    let relaxed = "0,0 0,1 1,0 1,1";
    check_outcomes(SB, &["P.r", "Q.r"], ["0,1 1,0 1,1", relaxed, relaxed]);
}

#[test]
fn store_buffering_with_fences() {
    let program = program_with(SB, &["f"]);
    for model in Model::ALL {
        let exploration = run_program(&program, model, &ExploreConfig::default());
        assert_eq!(
            outcomes(&exploration, &["P.r", "Q.r"]),
            ["0,1", "1,0", "1,1"]
        );
    }
}

#[test]
fn message_passing() {
    let text = "shared x, y;
        thread P { x = 1; y = 1; }
        thread Q { local a, b; a = y; b = x; }";
    let strong = "0,0 0,1 1,1";
    check_outcomes(text, &["Q.a", "Q.b"], [strong, strong, "0,0 0,1 1,0 1,1"]);
}

#[test]
fn load_buffering() {
    let text = "shared x, y;
        thread P { local r; r = x; y = 1; }
        thread Q { local r; r = y; x = 1; }";
    let strong = "0,0 0,1 1,0";
    check_outcomes(text, &["P.r", "Q.r"], [strong, strong, strong]);
}

#[test]
fn two_plus_two_writes() {
    let text = "shared x, y;
        thread P { x = 1; y = 2; }
        thread Q { y = 1; x = 2; }";
    let strong = "1,2 2,1 2,2";
    check_outcomes(text, &["x", "y"], [strong, strong, "1,1 1,2 2,1 2,2"]);
}

#[test]
fn r_shape() {
    let text = "shared x, y;
        thread P { x = 1; y = 1; }
        thread Q { local r; y = 2; r = x; }";
    let relaxed = "1,0 1,1 2,0 2,1";
    check_outcomes(text, &["y", "Q.r"], ["1,0 1,1 2,1", relaxed, relaxed]);
}

#[test]
fn s_shape() {
    let text = "shared x, y;
        thread P { x = 2; y = 1; }
        thread Q { local r; r = y; x = 1; }";
    let strong = "0,1 0,2 1,1";
    check_outcomes(text, &["Q.r", "x"], [strong, strong, "0,1 0,2 1,1 1,2"]);
}

#[test]
fn independent_reads_of_independent_writes() {
    let text = "shared x, y;
        thread A { x = 1; }
        thread B { y = 1; }
        thread C { local a, b; a = x; b = y; }
        thread D { local a, b; a = y; b = x; }";
    for model in Model::ALL {
        let found = outcomes(&super::run(text, model), &["C.a", "C.b", "D.a", "D.b"]);
        assert_eq!(
            found.len(),
            15,
            "all but the one on which the readers disagree"
        );
        assert!(!found.contains(&"1,0,1,0".to_owned()));
    }
}

#[test]
fn coherence_of_reads() {
    let text = "shared x;
        thread P { x = 1; x = 2; }
        thread Q { local a, b; a = x; b = x; }";
    let expected = "0,0 0,1 0,2 1,1 1,2 2,2";
    check_outcomes(text, &["Q.a", "Q.b"], [expected; 3]);
}

#[test]
fn a_thread_reads_its_own_buffered_stores() {
    let text = "shared x, y;
        thread P { local a, b; x = 1; a = x; b = y; }
        thread Q { local a, b; y = 1; a = y; b = x; }";
    let relaxed = "1,0,1,0 1,0,1,1 1,1,1,0 1,1,1,1";
    let names = ["P.a", "P.b", "Q.a", "Q.b"];
    check_outcomes(text, &names, ["1,0,1,1 1,1,1,0 1,1,1,1", relaxed, relaxed]);
}

#[test]
fn the_newest_buffered_store_is_forwarded() {
    let text = "shared x, y;
        thread P { local a; x = 1; y = 5; x = 2; a = x; }";
    check_outcomes(text, &["P.a", "x", "y"], ["2,2,5"; 3]);
}
