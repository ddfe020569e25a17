//! How explorations are told.

use indexmap::IndexSet;

use crate::engine::Context;
use crate::engine::explore::{ExploreConfig, explore};
use crate::front::cup;
use crate::memory::Model;
use crate::program;
use crate::render::{ExploreReport, Page};
use crate::source::SourceFile;

const SB: &str = "shared x, y;
thread P[1] {
  local r = 7;
  x = tid + 1;
  l: r = y;
}
thread Q {
  local r = 7, s;
  y = 1;
  r = x; // reads memory
  if (r == 0) { s = 5; }
}
forbid both: P[0].r == 0 && Q.s == 5;
";

/// What `show` makes of the report on the program.
fn report<T>(
    text: &str,
    model: Model,
    config: &ExploreConfig,
    show: impl Fn(&ExploreReport<'_>) -> T,
) -> T {
    let source = SourceFile::new("test.cup", text);
    let checked = cup::load(&source).expect("the program is correct");
    let program = program::lower(&checked, &IndexSet::new());
    let exploration = explore(&program, model, config, &Context::default());
    let exploration = exploration.expect("the model fits");
    show(&ExploreReport {
        source: &source,
        program: &program,
        model,
        fences: &IndexSet::new(),
        config,
        exploration: &exploration,
        warnings: &[],
        deadlocks: false,
    })
}

#[track_caller]
fn check_text(text: &str, model: Model, config: &ExploreConfig, expected: &str) {
    let found = report(text, model, config, |report| {
        report.text(&Page::unlimited())
    });
    assert_eq!(found, expected, "found:\n{found}");
}

#[test]
fn a_violation_is_told_step_by_step() {
    let expected = "\
test.cup under tso: violated, forbid `both` (45 states, at most 1 store buffered)

step  thread  line  statement            reads  writes  P[0] buffer  Q buffer
   1  P[0]       4  x = tid + 1;                x = 1   x = 1
   2  P[0]       5  r = y;               y = 0  r = 0   x = 1
   3  Q          9  y = 1;                      y = 1   x = 1        y = 1
   4  Q         10  r = x;               x = 0  r = 0   x = 1        y = 1
   5  Q         11  if (r == 0) is true  r = 0          x = 1        y = 1
   6  Q         11  s = 5;                      s = 5   x = 1        y = 1
broken: forbid both: P[0].r == 0 && Q.s == 5; (line 13), with P[0].r = 0, Q.s = 5
";
    check_text(SB, Model::Tso, &ExploreConfig::default(), expected);
}

#[test]
fn unknown_says_what_to_try() {
    let config = ExploreConfig {
        buffer: 1,
        ..ExploreConfig::default()
    };
    let text = "shared x; thread P { x = 1; x = 2; }";
    let expected = "\
test.cup under pso: unknown, not everything was seen (5 states, at most 1 store buffered)
  a store met a full buffer, the limit being 1: allow longer buffers; stores in a loop without a fence fill any buffer
";
    check_text(text, Model::Pso, &config, expected);
}

#[test]
fn outcomes_are_listed_in_order() {
    let config = ExploreConfig {
        outcomes: true,
        ..ExploreConfig::default()
    };
    let text = "shared a[2]; thread P[2] { local r; a[tid] = -1; r = a[1 - tid]; }";
    let expected = "\
test.cup under sc: safe (13 states)

3 final states
a[0]  a[1]  P[0].r  P[1].r
  -1    -1      -1      -1
  -1    -1      -1       0
  -1    -1       0      -1
";
    check_text(text, Model::Sc, &config, expected);
}

#[test]
fn background_steps_are_shown_as_such() {
    let text = "shared x;
thread P {
  local v = 3;
  background {
    x = v;
  }
  skip;
}
invariant zero: x == 0;
";
    let expected = "\
test.cup under sc: violated, invariant `zero` (3 states)

step  thread  line  statement   reads  writes
   1  P          4  background  v = 3  x = 3
broken: invariant zero: x == 0; (line 9), with x = 3
";
    check_text(text, Model::Sc, &ExploreConfig::default(), expected);
}

#[test]
fn an_unnamed_property_is_named_by_its_line() {
    let text = "thread P {\n  local i = 5, a[2];\n  skip;\n  l:\n  assert(i == 4);\n}\n";
    let expected = "\
test.cup under sc: violated, assertion `line 5` (2 states)

step  thread  line  statement        reads
   1  P          3  skip;
   2  P          5  assert(i == 4);  i = 5
broken: assert(i == 4); (line 5)
";
    check_text(text, Model::Sc, &ExploreConfig::default(), expected);
}

#[test]
fn optional_fences_are_shown_as_off() {
    let text = "thread P {\n  fence? a;\n  fence;\n  assert(false);\n}\n";
    let expected = "\
test.cup under tso: violated, assertion `line 4` (3 states)

step  thread  line  statement         P buffer
   1  P          2  fence? a; is off
   2  P          3  fence;
   3  P          4  assert(false);
broken: assert(false); (line 4)
";
    check_text(text, Model::Tso, &ExploreConfig::default(), expected);
}

#[test]
fn json_carries_the_same() {
    let json = report(SB, Model::Tso, &ExploreConfig::default(), |report| {
        report.json()
    });
    assert_eq!(json["schema"], 2);
    assert_eq!(json["verdict"], "violated");
    assert_eq!(json["property"], "both");
    assert_eq!(json["reason"], serde_json::Value::Null);
    let steps = json["trace"]["steps"].as_array().expect("steps");
    assert_eq!(steps[0]["thread"], "P[0]");
    assert_eq!(steps[0]["line"], 4);
    assert_eq!(steps[0]["statement"], "x = tid + 1;");
    assert_eq!(steps[0]["writes"][0]["variable"], "x");
    assert_eq!(steps[0]["buffers"][0]["entries"][0]["value"], 1);
    assert_eq!(json["trace"]["initial"]["P[0].r"], 7);
}

#[test]
fn json_says_verified_and_gives_reasons() {
    let config = ExploreConfig {
        outcomes: true,
        ..ExploreConfig::default()
    };
    let json = report(
        "shared x; thread P { x = 1; }",
        Model::Sc,
        &config,
        |report| report.json(),
    );
    assert_eq!(json["verdict"], "verified");
    assert_eq!(json["trace"], serde_json::Value::Null);
    assert_eq!(json["outcomes"][0]["x"], 1);
    let json = report("shared x = *;", Model::Sc, &config, |report| report.json());
    assert_eq!(json["verdict"], "unknown");
    assert_eq!(json["reason"], "star");
    assert_eq!(json["limits"][0]["limit"], "star");
}
