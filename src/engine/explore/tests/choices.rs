//! Constants, choices, ranges of initial values, quotients and remainders.

use std::collections::BTreeSet;

use super::{check_outcomes, check_verdicts, outcomes, program, run, run_program, verdict};
use crate::engine::explore::ExploreConfig;
use crate::memory::Model;
use crate::program::EdgeId;
use crate::semantics::interpreter::{ReplayError, replay};
use crate::semantics::{Directive, Followed, follow};

#[test]
fn a_choice_yields_every_value_of_its_range_and_no_other() {
    let text = "shared x; thread P { local r; r = choose(-1, 2); x = r; }
        finally within: -1 <= x && x <= 2;";
    check_verdicts(text, ["safe"; 3]);
    check_outcomes(text, &["x"], ["-1 0 1 2"; 3]);
    let wrong = text.replace("<= 2", "<= 1");
    check_verdicts(&wrong, ["within"; 3]);
    let single = "thread P { local r; r = choose(5, 5); }";
    check_outcomes(single, &["P.r"], ["5"; 3]);
}

#[test]
fn a_choice_in_an_atomic_section_is_not_disturbed() {
    let text = "shared x, y;
        thread P { local r; atomic { r = choose(1, 2); x = r; y = r; } }
        thread Q { local a, b; atomic { a = x; b = y; } }
        finally same: Q.a == Q.b;";
    check_verdicts(text, ["safe", "same", "same"]);
    check_outcomes(text, &["Q.a", "x"], ["0,1 0,2 1,1 2,2"; 3]);
}

#[test]
fn a_choice_goes_into_the_element_that_an_index_picks() {
    let text = "thread P { local a[2], i; i = choose(0, 1); a[i] = choose(5, 6); }";
    check_outcomes(text, &["P.a_0", "P.a_1"], ["0,5 0,6 5,0 6,0"; 3]);
    let beyond = text.replace("choose(0, 1)", "choose(0, 2)");
    check_verdicts(&beyond, ["bounds"; 3]);
}

#[test]
fn a_background_block_chooses_anew_in_each_run() {
    let text = "shared x; thread P { local r;
        background { r = choose(1, 3); assume(r != 2); x = r; } skip; }";
    let exploration = run(text, Model::Sc);
    assert_eq!(verdict(&exploration), "safe");
    assert_eq!(outcomes(&exploration, &["x", "P.r"]), ["0,0", "1,1", "3,3"]);
}

#[test]
fn the_ends_of_a_choice_may_differ_from_copy_to_copy() {
    let text = "const N = 2; thread P[N] { local r; r = choose(tid * N, tid * N + 1); }";
    check_outcomes(text, &["P_0.r", "P_1.r"], ["0,2 0,3 1,2 1,3"; 3]);
}

#[test]
fn every_element_starts_with_a_value_of_its_own() {
    let text = "const N = 2; shared x = 1..N, a[N] = -1..0; thread P { local r = 7..8; skip; }
        invariant within: 1 <= x && x <= 2 && -1 <= a[0] && a[1] <= 0 && P.r >= 7 && P.r <= 8;";
    for model in Model::ALL {
        let exploration = run(text, model);
        assert_eq!(verdict(&exploration), "safe");
        assert_eq!(
            outcomes(&exploration, &["x", "a_0", "a_1", "P.r"]).len(),
            16
        );
    }
    let wrong = text.replace("invariant within: 1 <= x", "invariant within: x != 2");
    check_verdicts(&wrong, ["within"; 3]);
}

#[test]
fn constants_stand_wherever_numbers_do() {
    let text = "const LAST = N - 1, N = 2, MINUS = -N;
        shared a[N] = { N, LAST }, b[N + 1] = MINUS;
        thread P[N] { local r, s; r = a[LAST - tid]; s = b[N]; if (r == N) { s = MINUS * r; } }
        finally copies: P[0].r == LAST && P[LAST].r == N && P[LAST].s == MINUS * N;";
    check_verdicts(text, ["safe"; 3]);
    check_outcomes(text, &["P_0.s", "P_1.s"], ["-2,-4"; 3]);
}

/// The explorer and, by the comparison with the naive one, the interpreter.
#[test]
fn quotients_are_rounded_down_and_remainders_are_not_negative() {
    for divisor in 1..=4 {
        let text =
            format!("thread P {{ local r = -7..7, q, m; q = r / {divisor}; m = r % {divisor}; }}");
        let expected: BTreeSet<String> = (-7..=7)
            .map(|value| {
                let quotient = (f64::from(value) / f64::from(divisor)).floor() as i32;
                format!("{value},{quotient},{}", value - divisor * quotient)
            })
            .collect();
        for model in Model::ALL {
            let found = outcomes(&run(&text, model), &["P.r", "P.q", "P.m"]);
            assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
        }
    }
}

#[test]
fn the_smallest_number_is_divided_like_any_other() {
    let text = "thread P { local r = -9223372036854775808, a, b, c, d;
        a = r / 2; b = r % 3; c = r / 9223372036854775807; d = r / 1; }";
    check_outcomes(
        text,
        &["P.a", "P.b", "P.c", "P.d"],
        ["-4611686018427387904,1,-2,-9223372036854775808"; 3],
    );
}

#[test]
fn the_interpreter_refuses_values_outside_their_ranges() {
    let text = "shared x = 0..2; thread P { local r; r = choose(1, 3); }
        forbid three: P.r == 3 && x == 2;";
    let program = program(text);
    let exploration = run_program(&program, Model::Tso, &ExploreConfig::default());
    let trace = exploration
        .trace()
        .cloned()
        .expect("the property is violated");
    assert_eq!(replay(&program, Model::Tso, &trace), Ok(()));
    for value in [-1, 3] {
        let mut wrong = trace.clone();
        wrong.initial[0] = value;
        assert_eq!(
            replay(&program, Model::Tso, &wrong),
            Err(ReplayError::Start)
        );
    }
    for value in [Some(0), Some(4), None] {
        let mut wrong = trace.clone();
        wrong.steps[0].action.path[0].value = value;
        let step = Err(ReplayError::Step(0));
        assert_eq!(replay(&program, Model::Tso, &wrong), step, "{value:?}");
    }
    let mut other = trace.clone();
    other.steps[0].action.path[0].value = Some(2);
    assert_eq!(
        replay(&program, Model::Tso, &other),
        Err(ReplayError::Property)
    );
}

#[test]
fn a_schedule_cannot_choose_what_is_not_there() {
    let program = program("thread P { local r; r = choose(1, 3); } forbid three: P.r == 3;");
    let thread = program.thread_ids().next().expect("there is a thread");
    let edge = EdgeId {
        thread,
        at: program.threads[0].entry,
        number: 0,
    };
    let choose = |value| Directive::Step { edge, value };
    let followed = |value| follow(&program, Model::Sc, &[0], &[choose(value)]);
    assert!(matches!(followed(Some(3)), Followed::Broken(..)));
    assert!(matches!(followed(Some(2)), Followed::Ran(_)));
    assert!(matches!(followed(None), Followed::Ran(_)));
    assert!(matches!(followed(Some(4)), Followed::Impossible));
}
