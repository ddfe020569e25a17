//! Lists of states written by hand: right ones, and wrong ones that a careless check would accept.

use crate::certificate::{StateTable, Stored, StoredBody};
use crate::certify::{self, CertifyError, FailedStep, Rejection, Solver, Unknown, Verdict};
use crate::front::cup;
use crate::memory::{BufferSizes, Model};
use crate::reduce::{Flush, ReduceConfig, Reduction, reduce};
use crate::source::SourceFile;

/// A program reduced for a model with buffers of one entry.
fn reduction(program: &str, model: Model) -> (SourceFile, ReduceConfig, Reduction) {
    let source = SourceFile::new("test.cup", program);
    let config = ReduceConfig {
        model,
        sizes: BufferSizes::ONE,
        fences: Default::default(),
        flush: Flush::Background,
    };
    let checked = cup::load(&source).unwrap_or_else(|errors| panic!("a program: {errors:?}"));
    let reduction = reduce(&source, &checked, &config).expect("a program that can be reduced");
    (source, config, reduction)
}

/// The certificate of a program with buffers of one entry and the states of a table, which is given without the
/// line with their number.
fn stored(program: &str, model: Model, table: &str) -> Stored {
    let (source, config, reduction) = reduction(program, model);
    let lines = table.trim().lines().map(|line| line.trim());
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let text = format!("states {}\n{}\n", lines.len() - 1, lines.join("\n"));
    Stored {
        source,
        config,
        reduced: cup::print(reduction.tree()),
        body: StoredBody::States(StateTable::parse(&text).expect("a table")),
    }
}

fn check(program: &str, model: Model, table: &str) -> Result<Verdict, CertifyError> {
    let report = certify::check(&stored(program, model, table), &Solver::Library)?;
    Ok(report.verdict)
}

#[track_caller]
fn accepted(program: &str, model: Model, table: &str) {
    let verdict = check(program, model, table).expect("a report");
    assert_eq!(verdict, Verdict::Accepted, "{verdict:?}");
}

/// What is wrong with a list.
#[track_caller]
fn rejected(program: &str, model: Model, table: &str) -> FailedStep {
    match check(program, model, table).expect("a report") {
        Verdict::Rejected(Rejection::Step(failed)) => *failed,
        verdict => panic!("{verdict:?}"),
    }
}

/// Why a list makes no sense.
#[track_caller]
fn refused(program: &str, model: Model, table: &str) -> String {
    match check(program, model, table) {
        Err(error @ CertifyError::List(_)) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

/// A table without one of its lines.
fn without(table: &str, line: &str) -> String {
    let line = line.trim();
    let kept: Vec<&str> = table.lines().filter(|other| other.trim() != line).collect();
    assert_eq!(kept.len() + 1, table.lines().count(), "{line}");
    kept.join("\n")
}

const UNLISTED: &str = "the step leads to a state that is not listed";

/// A thread that reads its own store.
const OWN: &str =
    "shared x; thread P { local r; x = 1; r = x; assert(r == 1); } finally done: x == 1;";

const OWN_TSO: &str = "
    P | x overflow P.r P.lhs_1_t0 P.rhs_1_t0 P.cnt_t0
    0 | 0 0 0 - - 0
    8 | 0 0 0 0 1 1
    8 | 1 0 0 - - 0
    10 | 0 0 1 0 1 1
    10 | 1 0 1 - - 0
    11 | 0 0 1 0 1 1
    11 | 1 0 1 - - 0
";

#[test]
fn all_states_without_unused_entries_are_enough() {
    accepted(OWN, Model::Tso, OWN_TSO);
    let sc = "P | x P.r\n0 | 0 0\n1 | 1 0\n2 | 1 1\n3 | 1 1";
    accepted(OWN, Model::Sc, sc);
}

#[test]
fn every_listed_state_is_needed() {
    for line in OWN_TSO.trim().lines().skip(1) {
        let failed = rejected(OWN, Model::Tso, &without(OWN_TSO, line));
        assert!(failed.reached.is_some(), "{line}: {failed:?}");
    }
    let failed = rejected(OWN, Model::Tso, OWN_TSO.trim().lines().next().unwrap_or(""));
    assert_eq!(failed.failure, "an initial state is not listed");
}

/// The last entry is in use, but its value is left out: what the load reads would be a guess.
#[test]
fn an_entry_that_is_read_must_be_listed() {
    let table = OWN_TSO.replacen("8 | 0 0 0 0 1 1", "8 | 0 0 0 0 - 1", 1);
    let failed = rejected(OWN, Model::Tso, &table);
    assert!(
        failed.failure.contains("the value of P.rhs_1_t0 is needed"),
        "{failed:?}"
    );
    let table = OWN_TSO.replacen("8 | 0 0 0 0 1 1", "8 | 0 0 0 - - 1", 1);
    let failed = rejected(OWN, Model::Tso, &table);
    assert!(
        failed.failure.contains("the value of P.lhs_1_t0 is needed"),
        "{failed:?}"
    );
}

/// Values of entries that are not in use may be listed, but then these states alone are.
#[test]
fn unused_entries_may_be_listed() {
    let table = "
        P | x overflow P.r P.lhs_1_t0 P.rhs_1_t0 P.cnt_t0
        0 | 0 0 0 0 0 0
        8 | 0 0 0 0 1 1
        8 | 1 0 0 0 1 0
        10 | 0 0 1 0 1 1
        10 | 1 0 1 0 1 0
        11 | 0 0 1 0 1 1
        11 | 1 0 1 0 1 0
    ";
    accepted(OWN, Model::Tso, table);
    let table = table.replacen("8 | 1 0 0 0 1 0", "8 | 1 0 0 0 0 0", 1);
    assert_eq!(rejected(OWN, Model::Tso, &table).failure, UNLISTED);
}

/// A flush of a thread that has ended is a step, too.
#[test]
fn buffers_are_flushed_after_the_end() {
    let program = "shared x; thread P { x = 1; } thread Q { local r; r = x; assert(r == 0); }";
    // Nothing of what follows the flush.
    let table = "
        P Q | x overflow P.lhs_1_t0 P.rhs_1_t0 P.cnt_t0 Q.r
        0 0 | 0 0 - - 0 0
        0 1 | 0 0 - - 0 0
        0 2 | 0 0 - - 0 0
        8 0 | 0 0 0 1 1 0
        8 1 | 0 0 0 1 1 0
        8 2 | 0 0 0 1 1 0
    ";
    let failed = rejected(program, Model::Tso, table);
    assert_eq!(
        (failed.failure.as_str(), failed.step.as_str()),
        (UNLISTED, "P, background block 1")
    );
    // `finally` does not matter while a buffer holds a store.
    let program = "shared x; thread P { x = 1; } finally never: x == 0;";
    let table = "
        P | x overflow P.lhs_1_t0 P.rhs_1_t0 P.cnt_t0
        0 | 0 0 - - 0
        8 | 0 0 0 1 1
        8 | 1 0 - - 0
    ";
    assert_eq!(
        rejected(program, Model::Tso, table).failure,
        "finally never is broken"
    );
    accepted(&program.replace("x == 0", "x == 1"), Model::Tso, table);
}

#[test]
fn a_buffer_must_not_overflow() {
    let program = "shared x, y; thread P { x = 1; y = 1; }";
    let table = "
        P | x y overflow P.lhs_1_t0 P.rhs_1_t0 P.cnt_t0
        0 | 0 0 0 - - 0
        8 | 0 0 0 0 1 1
        8 | 1 0 0 - - 0
        16 | 1 0 0 1 1 1
        16 | 1 1 0 - - 0
    ";
    assert_eq!(
        rejected(program, Model::Tso, table).failure,
        "a buffer overflows"
    );
}

/// Under PSO the store to `y` may reach memory before the one to `x`.
#[test]
fn buffers_are_flushed_in_any_order() {
    let program = "shared x, y; thread P { x = 1; y = 1; } invariant ordered: x == 1 || y == 0;";
    let in_order = "
        P | x y overflow P.x_1_t0 P.x_cnt_t0 P.y_1_t0 P.y_cnt_t0
        0 | 0 0 0 - 0 - 0
        7 | 0 0 0 1 1 - 0
        7 | 1 0 0 - 0 - 0
        14 | 0 0 0 1 1 1 1
        14 | 1 0 0 - 0 1 1
        14 | 1 1 0 - 0 - 0
    ";
    let failed = rejected(program, Model::Pso, in_order);
    assert_eq!(failed.failure, UNLISTED);
    assert_eq!(failed.step, "P, background block 2");
    let all = format!("{in_order}\n14 | 0 1 0 1 1 - 0");
    let failed = rejected(program, Model::Pso, &all);
    assert_eq!(failed.failure, "invariant ordered is broken");
    let weaker = program.replace("x == 1 || y == 0", "x <= 1");
    accepted(&weaker, Model::Pso, &all);
}

#[test]
fn a_program_without_variables_has_an_initial_state() {
    let program = "thread P { skip; }";
    accepted(program, Model::Sc, "P |\n0 |\n1 |");
    let failed = rejected(program, Model::Sc, "P |");
    assert_eq!(failed.failure, "an initial state is not listed");
    assert_eq!(rejected(program, Model::Sc, "P |\n0 |").failure, UNLISTED);
}

#[test]
fn all_initial_values_of_a_range_are_initial_states() {
    let program = "shared x = 0..2, y = -1..0; thread P { local r; r = x; } invariant x <= 2;";
    let table = "
        P | x y P.r
        0 | 0 0 0\n 0 | 1 0 0\n 0 | 2 0 0\n 0 | 0 -1 0\n 0 | 1 -1 0\n 0 | 2 -1 0
        1 | 0 0 0\n 1 | 1 0 1\n 1 | 2 0 2\n 1 | 0 -1 0\n 1 | 1 -1 1\n 1 | 2 -1 2
    ";
    accepted(program, Model::Sc, table);
    for line in ["0 | 2 0 0\n", "0 | 0 -1 0", "0 | 0 0 0\n"] {
        let failed = rejected(program, Model::Sc, &without(table, line));
        assert_eq!(failed.failure, "an initial state is not listed", "{line}");
    }
    // Nothing reads `y`, so its value can be left out.
    let table = "P | x P.r\n0 | 0 0\n0 | 1 0\n0 | 2 0\n1 | 0 0\n1 | 1 1\n1 | 2 2";
    accepted(program, Model::Sc, table);
}

#[test]
fn all_chosen_values_are_tried() {
    let program = "thread P { local r; r = choose(-1, 1); } invariant r <= 1;";
    let table = "P | P.r\n0 | 0\n1 | -1\n1 | 0\n1 | 1\n";
    accepted(program, Model::Sc, table);
    for line in ["1 | -1\n", "1 | 0\n", "1 | 1\n"] {
        assert_eq!(
            rejected(program, Model::Sc, &without(table, line)).failure,
            UNLISTED
        );
    }
}

#[test]
fn arbitrary_values_cannot_be_listed() {
    let failed = rejected(
        "shared x = *; thread P { skip; }",
        Model::Sc,
        "P |\n0 |\n1 |",
    );
    assert_eq!(failed.failure, "x starts with an arbitrary value");
    let program = "thread P { local r; r = *; }";
    let failed = rejected(program, Model::Sc, "P |\n0 |\n1 |");
    assert_eq!(failed.failure, "an arbitrary value is chosen");
    accepted(
        "thread P { local r; assume(false); r = *; }",
        Model::Sc,
        "P |\n0 |",
    );
}

#[test]
fn loops_in_sections_are_run_through() {
    let program =
        "shared x; thread P { local n; atomic { n = 0; while (n < 3) { n = n + 1; x = n; } } }";
    let table = "P | x P.n\n0 | 0 0\n4 | 3 3";
    accepted(program, Model::Sc, table);
    let failed = rejected(program, Model::Sc, "P | x P.n\n0 | 0 0\n4 | 0 0");
    assert_eq!(failed.failure, UNLISTED);
    // What fails in the second round only.
    let program = program.replace("x = n;", "assert(n != 2); x = n;");
    let table = "P | x P.n\n0 | 0 0\n5 | 3 3";
    assert_eq!(
        rejected(&program, Model::Sc, table).failure,
        "the assertion fails"
    );
    // A loop that is left at any time, and one that is never left.
    let program = "thread P { local n; atomic { while (*) { n = 1 - n; } } }";
    accepted(program, Model::Sc, "P | P.n\n0 | 0\n3 | 0\n3 | 1");
    assert_eq!(
        rejected(program, Model::Sc, "P | P.n\n0 | 0\n3 | 0").failure,
        UNLISTED
    );
    let program = "thread P { local n; atomic { loop { n = 1 - n; } } }";
    accepted(program, Model::Sc, "P | P.n\n0 | 0");
}

#[test]
fn a_section_without_end_is_not_followed_for_ever() {
    let program = "thread P { local n; atomic { loop { n = n + 1; } } }";
    let verdict = check(program, Model::Sc, "P | P.n\n0 | 0").expect("a report");
    assert!(
        matches!(verdict, Verdict::Unknown(Unknown::LongGroup { .. })),
        "{verdict:?}"
    );
    let program = "thread P { local n; n = choose(0, 1000000000000); }";
    let table = "P |\n0 |\n1 |";
    let verdict = check(program, Model::Sc, table).expect("a report");
    assert!(
        matches!(verdict, Verdict::Unknown(Unknown::LongGroup { .. })),
        "{verdict:?}"
    );
}

#[test]
fn initial_states_are_not_counted_for_ever() {
    let program = "shared x = 0..1000000000000; thread P { skip; }";
    let verdict = check(program, Model::Sc, "P |\n0 |\n1 |").expect("a report");
    assert!(
        matches!(verdict, Verdict::Unknown(Unknown::ManyStarts { .. })),
        "{verdict:?}"
    );
}

/// The failing statement is in the middle of a section that nothing gets through.
#[test]
fn assertions_inside_sections_are_checked() {
    let program =
        "shared x; thread P { atomic { x = 1; assert(x == 1, \"set\"); x = 2; assume(false); } }";
    accepted(program, Model::Sc, "P | x\n0 | 0");
    let program = program.replace("x == 1, ", "x == 2, ");
    let failed = rejected(&program, Model::Sc, "P | x\n0 | 0");
    assert_eq!(failed.failure, "the assertion \"set\" fails");
    assert_eq!(failed.step, "P, line 1: assert(x == 2, \"set\");");
    // An assertion that may hold or not.
    let failed = rejected("thread P { assert(*); }", Model::Sc, "P |\n0 |\n1 |");
    assert_eq!(failed.failure, "the assertion fails");
}

/// Background blocks run between sections, not inside them, and other threads neither.
#[test]
fn nothing_runs_in_the_middle_of_a_section() {
    let flush = "thread Q { background { x = 1; } }";
    let program = format!(
        "shared x; thread P {{ local r, s; atomic {{ r = x; s = x; }} assert(r == s); }} {flush}"
    );
    let table = "
        P Q | x P.r P.s
        0 0 | 0 0 0\n 0 0 | 1 0 0
        2 0 | 0 0 0\n 2 0 | 1 0 0\n 2 0 | 1 1 1
        3 0 | 0 0 0\n 3 0 | 1 0 0\n 3 0 | 1 1 1
    ";
    accepted(&program, Model::Sc, table);
    for line in ["0 0 | 1 0 0", "2 0 | 1 0 0", "3 0 | 1 1 1"] {
        assert_eq!(
            rejected(&program, Model::Sc, &without(table, line)).failure,
            UNLISTED
        );
    }
    let open = program.replace("atomic { r = x; s = x; }", "r = x; s = x;");
    let table = "
        P Q | x P.r P.s
        0 0 | 0 0 0\n 0 0 | 1 0 0
        1 0 | 0 0 0\n 1 0 | 1 0 0\n 1 0 | 1 1 0
        2 0 | 0 0 0\n 2 0 | 1 0 0\n 2 0 | 1 1 1
        3 0 | 0 0 0\n 3 0 | 1 0 0\n 3 0 | 1 1 1
    ";
    let failed = rejected(&open, Model::Sc, table);
    assert_eq!(failed.failure, UNLISTED);
    let reached = failed.reached.expect("the state");
    assert!(
        reached.values.contains(&("P.s".to_owned(), "1".to_owned())),
        "{reached:?}"
    );
}

/// The same with another thread in place of the background block.
#[test]
fn no_other_thread_steps_in_the_middle_of_a_section() {
    let program = "shared x; thread P { local r, s; atomic { r = x; s = x; } } thread Q { x = 1; } \
                   finally same: P.r == P.s;";
    let table = "
        P Q | x P.r P.s
        0 0 | 0 0 0\n 0 1 | 1 0 0
        2 0 | 0 0 0\n 2 1 | 1 0 0\n 2 1 | 1 1 1
    ";
    accepted(program, Model::Sc, table);
    let open = program.replace("atomic { r = x; s = x; }", "r = x; s = x;");
    let table = "
        P Q | x P.r P.s
        0 0 | 0 0 0\n 0 1 | 1 0 0
        1 0 | 0 0 0\n 1 1 | 1 0 0\n 1 1 | 1 1 0
        2 0 | 0 0 0\n 2 1 | 1 0 0\n 2 1 | 1 1 1
    ";
    assert_eq!(rejected(&open, Model::Sc, table).failure, UNLISTED);
    let table = format!("{table}\n2 1 | 1 0 1");
    assert_eq!(
        rejected(&open, Model::Sc, &table).failure,
        "finally same is broken"
    );
}

/// A thread may flush its own buffer in the middle of a section. The table is closed under all other steps.
#[test]
fn own_stores_may_be_flushed_inside_a_section() {
    let program = "shared x; thread P { atomic { x = 1; assert(x == 0); } }";
    let end = reduction(program, Model::Tso).2.program.threads[0]
        .end
        .index();
    let table = format!(
        "
        P | x overflow P.lhs_1_t0 P.rhs_1_t0 P.cnt_t0
        0 | 0 0 - - 0
        {end} | 0 0 0 1 1
        {end} | 1 0 - - 0
    "
    );
    let failed = rejected(program, Model::Tso, &table);
    assert_eq!(failed.failure, "the assertion fails");
    accepted(&program.replace("x == 0", "x <= 1"), Model::Tso, &table);
}

/// A state without values stands for all states at its locations.
#[test]
fn a_state_with_too_few_values_proves_nothing() {
    let program =
        "shared x; thread P { local r; x = 1; r = x; assert(r == 1); } invariant small: x <= 1;";
    let failed = rejected(program, Model::Sc, "P |\n0 |\n1 |\n2 |\n3 |");
    assert!(
        failed.failure.contains("the value of x is needed"),
        "{failed:?}"
    );
    let unchecked = program.replace(" invariant small: x <= 1;", "");
    let failed = rejected(&unchecked, Model::Sc, "P |\n0 |\n1 |\n2 |\n3 |");
    assert!(
        failed.failure.contains("the value of x is needed"),
        "{failed:?}"
    );
    let failed = rejected(&unchecked, Model::Sc, "P | x\n0 | 0\n1 | 1\n2 | 1\n3 | 1");
    assert!(
        failed.failure.contains("the value of P.r is needed"),
        "{failed:?}"
    );
    // `r` is set before it is read, so it may be left out until then.
    let table = "P | x P.r\n0 | 0 -\n1 | 1 -\n2 | 1 1\n3 | - -";
    accepted(&unchecked, Model::Sc, table);
}

/// A value that a state does not give cannot come back.
#[test]
fn what_is_not_known_does_not_become_known() {
    let program = "thread P { local r; skip; skip; assert(r == 0); }";
    accepted(program, Model::Sc, "P | P.r\n0 | 0\n1 | 0\n2 | 0\n3 | -");
    let failed = rejected(program, Model::Sc, "P | P.r\n0 | 0\n1 | -\n2 | 0\n3 | 0");
    assert_eq!((failed.failure.as_str(), failed.state), (UNLISTED, Some(2)));
}

#[test]
fn names_must_be_those_of_the_program() {
    let program = "shared x; thread P { x = 1; }";
    accepted(program, Model::Sc, "P | x\n0 | 0\n1 | 1");
    let error = refused(program, Model::Sc, "P | x x\n0 | 0 1\n1 | 1 1");
    assert!(error.contains("`x` twice"), "{error}");
    let error = refused(program, Model::Sc, "P | x y\n0 | 0 1\n1 | 1 1");
    assert!(error.contains("`y`"), "{error}");
    let error = refused(program, Model::Sc, "Q | x\n0 | 0\n1 | 1");
    assert!(error.contains("threads `Q`"), "{error}");
    let error = refused(program, Model::Sc, "P P | x\n0 0 | 0\n1 1 | 1");
    assert!(error.contains("threads `P P`"), "{error}");
    // Two columns in another order are as good.
    let program = "shared x, y; thread P { x = 1; y = 2; }";
    accepted(program, Model::Sc, "P | y x\n0 | 0 0\n1 | 0 1\n2 | 2 1");
    assert_eq!(
        rejected(program, Model::Sc, "P | x y\n0 | 0 0\n1 | 0 1\n2 | 2 1").failure,
        UNLISTED
    );
}

#[test]
fn locations_must_be_those_between_groups() {
    let program =
        "shared x; thread P { background { x = 1; x = 0; } atomic { x = 0; x = 2; x = 0; } }";
    let good = "P | x\n0 | 0\n3 | 0";
    accepted(program, Model::Sc, good);
    for (location, reason) in [
        ("1", "hold the atomic section"),
        ("2", "hold the atomic section"),
        ("4", "where it never is"),
        ("5", "where it never is"),
        ("99", "where it never is"),
    ] {
        let error = refused(program, Model::Sc, &format!("{good}\n{location} | 0"));
        assert!(
            error.starts_with("state 3 ") && error.contains(reason),
            "{error}"
        );
    }
    let error = refused(program, Model::Sc, &format!("{good}\n3 | 0"));
    assert_eq!(error, "state 3 is listed before");
}

#[test]
fn numbers_that_do_not_fit_are_rejected() {
    let program = "thread P { local r = 9223372036854775807; r = r + 1; }";
    let least = "P | P.r\n0 | 9223372036854775807\n1 | -9223372036854775808";
    assert_eq!(
        rejected(program, Model::Sc, least).failure,
        "a number does not fit 64 bits"
    );
    let program = "shared x = 9223372036854775807; thread P { local r; r = fetch_add(x, 1); }";
    let least = "P | x\n0 | 9223372036854775807\n1 | -9223372036854775808";
    assert_eq!(
        rejected(program, Model::Sc, least).failure,
        "a number does not fit 64 bits"
    );
    let program = "shared x; thread P { skip; } invariant x - 2 < 9223372036854775807;";
    accepted(program, Model::Sc, "P | x\n0 | 0\n1 | 0");
    let failed = rejected(
        program,
        Model::Sc,
        "P | x\n0 | 0\n1 | 0\n1 | -9223372036854775808",
    );
    assert_eq!(failed.failure, "a number does not fit 64 bits");
}

#[test]
fn indices_must_be_in_range() {
    let program = "shared a[2]; thread P { local i = 2; if (i < 2) { a[i] = 1; } a[i - 1] = 1; }";
    accepted(
        program,
        Model::Sc,
        "P | a_0 a_1 P.i\n0 | 0 0 2\n2 | 0 0 2\n3 | 0 1 2",
    );
    let program = "shared a[2]; thread P { local i = 2, r; r = a[i]; }";
    let failed = rejected(program, Model::Sc, "P | P.i\n0 | 2\n1 | 2");
    assert_eq!(failed.failure, "an index is out of range");
    let program = "shared a[2], i; thread P { i = 2; } invariant filled: a[i] == 0;";
    let failed = rejected(program, Model::Sc, "P | a_0 a_1 i\n0 | 0 0 0\n1 | 0 0 2");
    assert_eq!(failed.failure, "invariant filled has an index out of range");
}

#[test]
fn specs_hold_in_every_listed_state() {
    let program =
        "shared x; thread P { a: x = 1; b: x = 0; } forbid high: P@a && x == 1; invariant x >= 0;";
    let table = "P | x\n0 | 0\n1 | 1\n2 | 0";
    accepted(program, Model::Sc, table);
    let failed = rejected(program, Model::Sc, &format!("{table}\n0 | 1"));
    assert_eq!(failed.failure, "forbid high is broken");
    let failed = rejected(program, Model::Sc, &format!("{table}\n2 | -1"));
    assert_eq!(failed.failure, "invariant at line 1 is broken");
    // Inside a section a spec may be broken.
    let program = "shared x; thread P { atomic { x = -1; x = 0; } } invariant x >= 0;";
    accepted(program, Model::Sc, "P | x\n0 | 0\n2 | 0");
}

#[test]
fn atomic_operations_go_all_ways() {
    let program = "shared x = 0..1; thread P { local r; r = cas(x, 0, 5); r = swap(x, r); r = fetch_add(x, 2); }";
    let table = "
        P | x P.r
        0 | 0 0\n 0 | 1 0
        1 | 5 1\n 1 | 1 0
        2 | 1 5\n 2 | 0 1
        3 | 3 1\n 3 | 2 0
    ";
    accepted(program, Model::Sc, table);
    for line in table.trim().lines().skip(1) {
        let failed = rejected(program, Model::Sc, &without(table, line));
        assert!(failed.reached.is_some(), "{failed:?}");
    }
}

/// Every thread has its turn in every state.
#[test]
fn steps_of_all_threads_are_taken() {
    let program = "shared x; thread P { x = 1; } thread Q { local r; r = x; }";
    let table = "
        P Q | x Q.r
        0 0 | 0 0
        0 1 | 0 0
        1 0 | 1 0
        1 1 | 1 0
        1 1 | 1 1
    ";
    accepted(program, Model::Sc, table);
    for line in ["0 1 | 0 0", "1 0 | 1 0", "1 1 | 1 0", "1 1 | 1 1"] {
        assert_eq!(
            rejected(program, Model::Sc, &without(table, line)).failure,
            UNLISTED
        );
    }
}

#[test]
fn quotients_and_remainders_are_those_of_the_language() {
    let program = "thread P { local r = -7, s; s = r / 2; r = r % 2; assert(s == -4 && r == 1); }";
    accepted(
        program,
        Model::Sc,
        "P | P.r P.s\n0 | -7 0\n1 | -7 -4\n2 | 1 -4\n3 | 1 -4",
    );
    let rounded = "P | P.r P.s\n0 | -7 0\n1 | -7 -3\n2 | -1 -3\n3 | -1 -3";
    assert_eq!(rejected(program, Model::Sc, rounded).failure, UNLISTED);
}
