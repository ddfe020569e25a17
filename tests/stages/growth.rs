//! Buffers that grow without bound: an execution that can be repeated for ever is found and confirmed, and what only
//! looks like one is rejected.

use cupola::engine::explore::{Explore, ExploreConfig, explore};
use cupola::engine::portfolio::{Portfolio, Subject};
use cupola::engine::predicate::{Predicate, PredicateConfig};
use cupola::engine::{Context, Engine, Limits};
use cupola::front::cup;
use cupola::memory::Model;
use cupola::program::{LocId, Program, ThreadId, VarId, action_text, lower};
use cupola::semantics::interpreter::{ReplayError, replay};
use cupola::semantics::repetition::repeats;
use cupola::semantics::{Move, MoveKind, Step, Taken, Trace};
use cupola::source::SourceFile;
use cupola::verdict::{Growth, Unknown, Verdict, VerdictKind};
use indexmap::IndexSet;

const RELAXED: [Model; 2] = [Model::Tso, Model::Pso];

/// A store in a loop without a fence.
const LOOP: &str = "shared x; thread P { loop { x = 1; } } invariant small: x <= 1;";

/// More stores than a buffer of the explorer may hold, and no loop.
const LONG: &str =
    "shared x; thread P { x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; }
    invariant small: x <= 1;";

/// A loop whose stores are all different.
const COUNTER: &str =
    "shared x; thread P { local p; loop { p = p + 1; x = p; } } invariant x >= 0;";

/// A loop in which a fence empties the buffer.
const FENCED: &str = "shared x; thread P { loop { x = 1; fence; } } invariant small: x <= 1;";

fn program(text: &str) -> Program {
    let file = SourceFile::new("test.cup", text);
    let checked = cup::load(&file).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    lower(&checked, &IndexSet::new())
}

/// The steps of an execution from a number on, once more and again.
fn repeated(trace: &Trace, from: usize, times: usize) -> Trace {
    let again = trace.steps[from..].iter().cycle().cloned();
    let again = again.take(times * (trace.steps.len() - from));
    Trace {
        steps: trace.steps.iter().cloned().chain(again).collect(),
        ..trace.clone()
    }
}

/// That a growth is one: it can be repeated, and its buffers get longer.
#[track_caller]
fn assert_grows(growth: &Growth) {
    let (program, trace) = (growth.run().program(), growth.run().trace());
    let from = growth.repeats_from();
    assert_eq!(repeats(program, trace, from), Ok(()));
    let more = repeated(trace, from, 20);
    assert_eq!(replay(program, trace.model, &more), Ok(()));
    let entries = |step: &Step| -> usize {
        let buffers = step.buffers.iter();
        buffers.map(|buffer| buffer.entries.len()).sum()
    };
    let before = from
        .checked_sub(1)
        .map_or(0, |last| entries(&trace.steps[last]));
    let after = trace.steps.last().map_or(0, entries);
    assert!(after > before, "{before} entries, then {after}");
}

/// What the engines to which a growth matters say of a program, together and each of them alone. (The backward
/// search decides some of these programs.)
fn verdicts(text: &str, model: Model) -> [Verdict; 3] {
    let file = SourceFile::new("test.cup", text);
    let checked = cup::load(&file).expect("a program");
    let subject = Subject {
        source: &file,
        program: &checked,
        proof: None,
    };
    let limits = Limits {
        explore_states: 1000,
        abstract_states: 20_000,
    };
    let context = Context {
        limits,
        ..Context::default()
    };
    let explore = || {
        Box::new(Explore::new(ExploreConfig {
            max_states: limits.explore_states,
            ..ExploreConfig::default()
        }))
    };
    let predicate = || Box::new(Predicate::new(PredicateConfig::default()));
    let engines: [Box<dyn Engine>; 3] = [
        Box::new(Portfolio::new(vec![explore(), predicate()])),
        explore(),
        predicate(),
    ];
    engines.map(|mut engine| {
        let outcome = engine.run(&subject.task(model, &IndexSet::new()), &context);
        outcome.expect("the program is supported").verdict
    })
}

/// The growth that a verdict reports; it must be unknown.
#[track_caller]
fn growth(verdict: &Verdict) -> Option<&Growth> {
    match verdict {
        Verdict::Unknown(Unknown::Incomplete { growth, .. } | Unknown::Overflow { growth, .. }) => {
            growth.as_deref()
        }
        Verdict::Unknown(_) => None,
        Verdict::Verified(_) | Verdict::Violated(_) => panic!("{verdict:?}"),
    }
}

/// All engines say why no bound is enough, alone and together.
#[test]
fn a_store_in_a_loop_makes_a_buffer_grow() {
    for model in RELAXED {
        for verdict in verdicts(LOOP, model) {
            assert_grows(growth(&verdict).expect("the buffer grows"));
        }
    }
    let [all, ..] = verdicts(LOOP, Model::Sc);
    assert!(matches!(all, Verdict::Verified(_)), "{all:?}");
}

#[test]
fn a_long_buffer_does_not_grow() {
    for model in RELAXED {
        for verdict in verdicts(LONG, model) {
            assert!(growth(&verdict).is_none(), "{verdict:?}");
        }
    }
}

/// The buffer of a counter grows, but no part of an execution can be repeated.
#[test]
fn a_counter_is_not_said_to_grow() {
    for model in RELAXED {
        for verdict in verdicts(COUNTER, model) {
            assert!(growth(&verdict).is_none(), "{verdict:?}");
        }
    }
}

#[test]
fn a_fence_in_the_loop_bounds_the_buffer() {
    for model in RELAXED {
        for verdict in verdicts(FENCED, model) {
            assert!(matches!(verdict, Verdict::Verified(_)), "{verdict:?}");
        }
    }
}

/// Of the limits of an exploration, only a full buffer makes it look for a growth.
#[test]
fn an_exploration_that_sees_everything_has_no_growth() {
    let config = ExploreConfig {
        buffer: 10,
        ..ExploreConfig::default()
    };
    for model in RELAXED {
        let seen = explore(&program(LONG), model, &config, &Context::default());
        let seen = seen.expect("it has no background blocks");
        assert!(seen.limits.is_empty() && seen.growth.is_none());
    }
}

/// An execution made by hand: `P: x = 1` is a statement, with the value that it chooses behind ` -> `, and `P flushes x` a
/// flush.
fn by_hand(program: &Program, model: Model, script: &[&str]) -> Trace {
    let mut at: Vec<LocId> = program.threads.iter().map(|thread| thread.entry).collect();
    let steps = script.iter().map(|line| {
        let action = match line.split_once(" flushes ") {
            Some((thread, var)) => Move {
                thread: thread_named(program, thread),
                kind: MoveKind::Flush(var_named(program, var)),
                path: Vec::new(),
            },
            None => statement(program, &mut at, line),
        };
        Step::from(action)
    });
    let steps = steps.collect();
    let vars = program.vars.iter();
    Trace {
        model,
        initial: vars.map(|_| 0).collect(),
        steps,
        property: None,
        seen: Vec::new(),
    }
}

fn statement(program: &Program, at: &mut [LocId], line: &str) -> Move {
    let (thread, text) = line.split_once(": ").expect("a thread and a statement");
    let (text, value) = match text.split_once(" -> ") {
        Some((text, value)) => (text, Some(value.parse().expect("a value"))),
        None => (text, None),
    };
    let thread = thread_named(program, thread);
    let here = at[thread.index()];
    let edges = &program.threads[thread.index()].location(here).edges;
    let mut numbered = edges.iter().enumerate();
    let found = numbered.find(|(_, edge)| action_text(program, &edge.action) == text);
    let (number, edge) = found.unwrap_or_else(|| panic!("no `{text}` here\n{program}"));
    at[thread.index()] = edge.target;
    Move {
        thread,
        kind: MoveKind::Statement,
        path: vec![Taken {
            at: here,
            edge: number,
            value,
        }],
    }
}

fn thread_named(program: &Program, name: &str) -> ThreadId {
    let mut threads = program.thread_ids();
    let found = threads.find(|id| program.threads[id.index()].display_name == name);
    found.expect("a thread of the program")
}

fn var_named(program: &Program, name: &str) -> VarId {
    let mut vars = program.var_ids();
    let found = vars.find(|var| program.var_display_name(*var) == name);
    found.expect("a variable of the program")
}

/// What the steps before and behind a bar are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Those behind it can be repeated for ever and make a buffer longer each time.
    Repeats,
    /// They can be taken once, and not again.
    Once,
    /// They can be taken again, but no buffer gets longer, or it is not shown that this goes on.
    NotShown,
    /// They are no execution.
    Impossible,
}

/// What `repeats` says of an execution by hand, whose part is behind the line `|`.
fn part(text: &str, model: Model, script: &[&str]) -> Part {
    let program = program(text);
    let from = script.iter().position(|line| *line == "|");
    let from = from.expect("a bar before the part");
    let steps: Vec<&str> = script.iter().copied().filter(|line| *line != "|").collect();
    let trace = by_hand(&program, model, &steps);
    let again = |times| replay(&program, model, &repeated(&trace, from, times)).is_ok();
    match repeats(&program, &trace, from) {
        Err(ReplayError::Step(_)) => {
            assert!(!again(0), "the interpreter runs it");
            Part::Impossible
        }
        Ok(()) => {
            assert!(again(20), "it cannot be repeated");
            Part::Repeats
        }
        Err(_) if again(1) => Part::NotShown,
        Err(_) => {
            assert!(again(0), "it is an execution");
            Part::Once
        }
    }
}

#[track_caller]
fn check(text: &str, script: &[&str], expected: [Part; 2]) {
    let found = RELAXED.map(|model| part(text, model, script));
    assert_eq!(found, expected, "{script:?}");
}

use Part::{Impossible, NotShown, Once, Repeats};

#[test]
fn a_store_can_be_repeated_behind_the_same_store() {
    check(LOOP, &["P: x = 1", "|", "P: x = 1"], [Repeats; 2]);
    check(
        LOOP,
        &["P: x = 1", "|", "P: x = 1", "P: x = 1"],
        [Repeats; 2],
    );
    // Before the first store there is no newest entry.
    check(LOOP, &["|", "P: x = 1"], [NotShown; 2]);
    check(LOOP, &["P: x = 1", "P: x = 1", "|"], [NotShown; 2]);
}

#[test]
fn there_is_no_part_behind_the_end() {
    let program = program(LOOP);
    let trace = by_hand(&program, Model::Tso, &["P: x = 1", "P: x = 1"]);
    assert!(repeats(&program, &trace, 3).is_err());
}

#[test]
fn under_sc_no_buffer_grows() {
    assert_eq!(
        part(LOOP, Model::Sc, &["P: x = 1", "|", "P: x = 1"]),
        NotShown
    );
}

const CHOICE: &str = "shared x; thread P { local r; loop { r = choose(1, 2); x = r; r = 0; } }";

/// The steps of one turn of `CHOICE`.
fn turn(value: &'static str) -> [&'static str; 3] {
    [value, "P: x = P.r", "P: P.r = 0"]
}

/// A load could see the difference.
#[test]
fn the_newest_entry_must_be_the_same() {
    let one = turn("P: P.r = choose(1, 2) -> 1");
    let two = turn("P: P.r = choose(1, 2) -> 2");
    let script = |part: &[[&'static str; 3]]| [&one[..], &["|"], &part.concat()].concat();
    check(CHOICE, &script(&[one]), [Repeats; 2]);
    check(CHOICE, &script(&[two]), [NotShown; 2]);
    check(CHOICE, &script(&[two, one]), [Repeats; 2]);
    check(CHOICE, &script(&[one, two]), [NotShown; 2]);
}

#[test]
fn locals_must_be_the_same() {
    let script = [
        "P: P.p = P.p + 1",
        "P: x = P.p",
        "|",
        "P: P.p = P.p + 1",
        "P: x = P.p",
    ];
    check(COUNTER, &script, [NotShown; 2]);
}

#[test]
fn locations_must_be_the_same() {
    let text = "shared x; thread P { loop { x = 1; } } thread Q { skip; }";
    check(text, &["P: x = 1", "|", "P: x = 1", "Q: skip"], [Once; 2]);
    check(
        text,
        &["P: x = 1", "Q: skip", "|", "P: x = 1"],
        [Repeats; 2],
    );
}

/// What is flushed must be refilled with the same values, which is not looked at.
#[test]
fn an_entry_of_the_longer_buffer_must_not_be_flushed() {
    let script = [
        "P: x = 1",
        "P flushes x",
        "P: x = 1",
        "|",
        "P: x = 1",
        "P: x = 1",
        "P flushes x",
    ];
    check(LOOP, &script, [NotShown; 2]);
}

/// Under PSO the buffer of another variable may be emptied meanwhile; under TSO the older store is flushed first.
#[test]
fn another_buffer_may_be_flushed() {
    let text = "shared x, y; thread P { loop { x = 1; y = 1; } }";
    let turn = ["P: x = 1", "P: y = 1", "P flushes y"];
    let script = [&turn[..], &["|"], &turn].concat();
    check(text, &script, [Impossible, Repeats]);
}

/// The other thread can flush its store once.
#[test]
fn the_buffer_of_another_thread_must_not_get_shorter() {
    let text = "shared x, y; thread P { loop { x = 1; } } thread Q { y = 1; y = 1; }";
    let start = ["Q: y = 1", "Q flushes y", "Q: y = 1", "P: x = 1"];
    let script = [&start[..], &["|", "P: x = 1", "Q flushes y"]].concat();
    check(text, &script, [Once; 2]);
}

#[test]
fn a_fence_in_the_part_is_passed_once() {
    let text = "shared x; thread P { loop { fence; x = 1; } }";
    check(text, &["|", "P: fence", "P: x = 1"], [Once; 2]);
    let again = ["P: fence", "P: x = 1", "|", "P: fence", "P: x = 1"];
    check(text, &again, [Impossible; 2]);
    // The fence of another thread is no obstacle.
    let text = "shared x; thread P { loop { x = 1; } } thread Q { loop { fence; } }";
    check(
        text,
        &["P: x = 1", "|", "Q: fence", "P: x = 1"],
        [Repeats; 2],
    );
}

/// An atomic operation waits for the buffer of its variable, under TSO for the whole buffer.
#[test]
fn an_atomic_operation_waits_for_its_buffer() {
    let text = |var: &str| {
        format!("shared x, y; thread P {{ local r; loop {{ r = swap({var}, 0); x = 1; }} }}")
    };
    let script = |swap: &'static str| [swap, "P: x = 1", "|", swap, "P: x = 1"];
    check(&text("x"), &script("P: P.r = swap(x, 0)"), [Impossible; 2]);
    check(
        &text("y"),
        &script("P: P.r = swap(y, 0)"),
        [Impossible, Repeats],
    );
    let first = ["|", "P: P.r = swap(x, 0)", "P: x = 1"];
    check(&text("x"), &first, [Once; 2]);
}

/// The first time the load reads memory, the second time the store of the first.
#[test]
fn a_load_of_a_variable_without_an_entry_sees_the_new_one() {
    let text = "shared x; thread P { local r; loop { r = x; assume(r == 0); x = 1; } }";
    let turn = ["P: P.r = x", "P: assume(P.r == 0)", "P: x = 1"];
    check(text, &[&["|"], &turn[..]].concat(), [Once; 2]);
    // The same with an entry for another variable.
    let text = "shared x, y; thread P { local r; y = 1; loop { r = x; assume(r == 0); x = 1; } }";
    check(text, &[&["P: y = 1", "|"], &turn[..]].concat(), [Once; 2]);
}

#[test]
fn a_load_of_the_newest_entry_may_be_repeated() {
    let text = "shared x; thread P { local r; loop { r = x; x = 1; } }";
    let turn = ["P: P.r = x", "P: x = 1"];
    // The first load reads memory.
    check(text, &[&turn[..], &["|"], &turn].concat(), [NotShown; 2]);
    let script = [&turn[..], &turn, &["|"], &turn].concat();
    check(text, &script, [Repeats; 2]);
}

/// Another thread reads what is flushed in the part, so that memory differs.
#[test]
fn memory_must_be_the_same() {
    let text = "shared x; thread P { loop { x = 1; } }
        thread Q { local s; loop { s = x; assume(s == 0); } }";
    let start = ["P: x = 1", "P: x = 1", "|"];
    let reads = ["Q: Q.s = x", "Q: assume(Q.s == 0)"];
    let grows = ["P: x = 1", "P: x = 1"];
    let script = [&start[..], &reads, &grows, &["P flushes x"]].concat();
    check(text, &script, [Once; 2]);
    let script = [&start[..], &reads, &grows].concat();
    check(text, &script, [Repeats; 2]);
}

/// Loops made by hand, and under which of TSO and PSO a buffer of theirs grows for ever.
const BY_HAND: [(&str, [bool; 2]); 7] = [
    // What the loop reads comes from its own buffer, and is the same only in every second round.
    (
        "shared X; thread P { local r; loop { r = X; X = 1 - r; } }",
        [true, true],
    ),
    (
        "shared X, Y; thread P { loop { X = 1; Y = 1; fence; } }",
        [false, false],
    ),
    // Under PSO an atomic operation waits for its own variable alone.
    (
        "shared X, Y; thread P { local r; loop { X = 1; r = cas(Y, 0, 0); } }",
        [false, true],
    ),
    // A loop that ends.
    (
        "shared X; thread P { local r; while (r < 6) { X = r; r = r + 1; } }",
        [false, false],
    ),
    // Only the buffer of the thread without a fence grows.
    (
        "shared X, Y; thread P { local r; loop { r = choose(0, 1); X = r; fence; } }
         thread Q { local s; loop { s = X; Y = s; } }",
        [true, true],
    ),
    // A store of another thread would end the loop.
    (
        "shared X, Y; thread P { local r; loop { X = 1; r = Y; assume(r == 0); } } thread Q { Y = 1; }",
        [true, true],
    ),
    (
        "shared X; thread P { atomic { loop { X = 1; } } }",
        [true, true],
    ),
];

#[test]
fn loops_made_by_hand_grow_where_they_should() {
    for (text, grows) in BY_HAND {
        for (model, grows) in RELAXED.into_iter().zip(grows) {
            let [_, explored, proved] = verdicts(text, model);
            match grows {
                true => {
                    let found = growth(&explored).or_else(|| growth(&proved));
                    assert_grows(found.unwrap_or_else(|| panic!("{model}: {text}")));
                }
                false => assert_eq!(explored.kind(), VerdictKind::Verified, "{model}: {text}"),
            }
        }
    }
}
