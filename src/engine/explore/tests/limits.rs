//! When not everything was seen.

use std::time::Instant;

use super::{
    Limit, VerdictKind, broken, named_verdict, outcomes, program, run, run_program, verdict,
};
use crate::engine::Context;
use crate::engine::explore::{ExploreConfig, explore};
use crate::memory::Model;
use crate::program::PropertyKind;
use crate::run::stop::Stop;
use crate::semantics::HavocRange;

const FILLS: &str = "shared x, y; thread P { x = 1; y = 1; x = 2; y = 2; }";

#[test]
fn a_full_buffer_cuts_the_path() {
    let program = program(FILLS);
    let with_buffer = |model, buffer| {
        let config = ExploreConfig {
            buffer,
            ..ExploreConfig::default()
        };
        run_program(&program, model, &config)
    };
    assert_eq!(verdict(&with_buffer(Model::Tso, 3)), "unknown: buffer");
    assert_eq!(verdict(&with_buffer(Model::Tso, 4)), "safe");
    assert_eq!(verdict(&with_buffer(Model::Pso, 1)), "unknown: buffer");
    assert_eq!(verdict(&with_buffer(Model::Pso, 2)), "safe");
    assert_eq!(verdict(&with_buffer(Model::Sc, 1)), "safe");
}

#[test]
fn the_longest_buffer_is_known() {
    let exploration = run(FILLS, Model::Tso);
    assert_eq!(exploration.max_buffer, 4);
    assert_eq!(exploration.buffer_exceeds(3), Some(true));
    assert_eq!(exploration.buffer_exceeds(4), Some(false));
    assert_eq!(run(FILLS, Model::Pso).max_buffer, 2);
    assert_eq!(run(FILLS, Model::Sc).max_buffer, 0);
}

#[test]
fn a_search_that_stops_early_does_not_know_the_longest_buffer() {
    let program = program(&format!("{FILLS} invariant low: x < 1;"));
    let exploration = explore(
        &program,
        Model::Tso,
        &ExploreConfig::default(),
        &Context::default(),
    )
    .expect("no background");
    assert_eq!(exploration.kind(), VerdictKind::Violated);
    assert_eq!(exploration.buffer_exceeds(exploration.max_buffer), None);
}

#[test]
fn the_number_of_states_is_limited() {
    let program = program("thread P { local i; while (i < 100) { i = i + 1; } }");
    let with_limit = |max_states| {
        let config = ExploreConfig {
            max_states,
            ..ExploreConfig::default()
        };
        run_program(&program, Model::Sc, &config)
    };
    let all = with_limit(1_000_000);
    assert_eq!(verdict(&all), "safe");
    assert_eq!(verdict(&with_limit(all.states)), "safe");
    let fewer = with_limit(all.states - 1);
    assert_eq!(verdict(&fewer), "unknown: states");
    assert_eq!(fewer.states, all.states - 1);
}

#[test]
fn time_is_limited() {
    let program = program("thread P { local i; loop { i = i + 1; } }");
    let context = Context {
        stop: Stop {
            deadline: Some(Instant::now()),
            ..Stop::default()
        },
        ..Context::default()
    };
    let config = ExploreConfig::default();
    let exploration = explore(&program, Model::Sc, &config, &context).expect("no background");
    assert_eq!(verdict(&exploration), "unknown: timeout");
}

#[test]
fn arbitrary_values_are_never_all_seen() {
    let text = "thread P { local r; r = *; }";
    let exploration = run(text, Model::Sc);
    assert_eq!(verdict(&exploration), "unknown: star");
    assert_eq!(outcomes(&exploration, &["P.r"]), ["-1", "0", "1"]);
    let unreachable = "thread P { local r; loop { skip; } r = *; }";
    assert_eq!(verdict(&run(unreachable, Model::Sc)), "safe");
}

#[test]
fn arbitrary_initial_values() {
    let text =
        "shared x = *, a[2] = *; thread P { local r; r = x; } forbid both: a[0] == 2 && x == 1;";
    let config = ExploreConfig {
        havoc: HavocRange::new(1, 2).expect("not empty"),
        ..ExploreConfig::default()
    };
    let program = program(text);
    let exploration = run_program(&program, Model::Tso, &config);
    assert_eq!(broken(&program, &exploration), "both");
    let found = outcomes(&exploration, &["x", "a_0", "a_1", "P.r"]);
    assert_eq!(found.len(), 8);
    assert!(found.contains(&"2,1,2,2".to_owned()));
}

#[test]
fn values_that_do_not_fit_cut_the_path() {
    for statement in [
        "r = r + 1;",
        "r = 0 - r - 2;",
        "r = r * 2;",
        "assume(r + 1 > 0);",
        "x = r + 1;",
    ] {
        let text = format!(
            "shared x; thread P {{ local r = 9223372036854775807; if (*) {{ skip; }} else {{ {statement} }} }}"
        );
        let exploration = run(&text, Model::Tso);
        assert_eq!(verdict(&exploration), "unknown: values", "{statement}");
        assert_eq!(outcomes(&exploration, &["P.r"]), ["9223372036854775807"]);
    }
    let negation = "thread P { local r = -9223372036854775808; r = -r; }";
    assert_eq!(verdict(&run(negation, Model::Sc)), "unknown: values");
    let sum = "shared x = 9223372036854775807; thread P { local r; r = fetch_add(x, 1); }";
    assert_eq!(verdict(&run(sum, Model::Sc)), "unknown: values");
    let spec = "shared x = 9223372036854775807; invariant x + 1 > 0;";
    assert_eq!(verdict(&run(spec, Model::Sc)), "unknown: values");
}

/// A reduced program that overflows, then breaks a user's property if `user` holds.
fn overflowing(user: &str) -> String {
    format!(
        "shared overflow;
         thread P {{ overflow = 1; assert(overflow == 0, \"overflow\"); assume(false); }}
         thread Q {{ local r; skip; skip; skip; assert(r == {user}, \"user\"); }}"
    )
}

#[test]
fn an_overflow_is_no_violation() {
    let program = program(&overflowing("0"));
    let exploration = run_program(&program, Model::Sc, &ExploreConfig::default());
    assert_eq!(verdict(&exploration), "unknown: overflow");
    let trace = exploration.trace().expect("the overflow is shown");
    let property = program.property(trace.property.expect("the overflow check"));
    assert_eq!(property.kind, PropertyKind::Overflow);
    assert_eq!(trace.steps.len(), 2);
}

#[test]
fn a_users_property_comes_before_an_overflow() {
    let program = program(&overflowing("1"));
    for outcomes in [false, true] {
        let config = ExploreConfig {
            outcomes,
            ..ExploreConfig::default()
        };
        let exploration = explore(&program, Model::Sc, &config, &Context::default()).expect("SC");
        assert_eq!(broken(&program, &exploration), "user");
        assert!(exploration.limits.contains(&Limit::Overflow));
    }
}

#[test]
fn only_the_exact_check_is_an_overflow() {
    let check = |declared: &str, assertion: &str| {
        let text = format!("shared {declared}; thread P {{ local r; {assertion} }}");
        named_verdict(&text, Model::Sc)
    };
    let yes = "unknown: overflow";
    assert_eq!(
        check(
            "overflow = 1",
            "assert(overflow == 0, \"overflow\"); assume(false);"
        ),
        yes
    );
    assert_eq!(
        check(
            "overflow__ = 1",
            "assert(overflow__ == 0, \"overflow\"); assume(false);"
        ),
        yes
    );
    assert_eq!(
        check(
            "overflow = 1",
            "assert(overflow == 0, \"overflow\"); r = 1;"
        ),
        "overflow"
    );
    assert_eq!(
        check("overflow = 1", "assert(overflow == 0, \"other\");"),
        "other"
    );
    assert_eq!(check("overflow = 1", "assert(overflow == 0);"), "unnamed");
    assert_eq!(
        check("overflow = 1", "assert(overflow < 1, \"overflow\");"),
        "overflow"
    );
    assert_eq!(
        check("overflows = 1", "assert(overflows == 0, \"overflow\");"),
        "overflow"
    );
    assert_eq!(
        check("overflow = 0", "assert(overflow == 1, \"overflow\");"),
        "overflow"
    );
}

#[test]
fn arbitrary_values_close_to_zero_come_first() {
    let values = |low, high| -> Vec<i64> {
        HavocRange::new(low, high)
            .expect("a range")
            .values()
            .collect()
    };
    assert_eq!(values(-2, 3), [0, 1, -1, 2, -2, 3]);
    assert_eq!(values(2, 4), [2, 3, 4]);
    assert_eq!(values(-4, -2), [-2, -3, -4]);
    let most = HavocRange::new(i64::MIN, i64::MAX).expect("a range");
    assert_eq!(most.values().take(3).collect::<Vec<_>>(), [0, 1, -1]);
}
