//! Programs whose buffers grow without bound, and locks of three threads: decided by the backward engine.

use std::path::Path;

use cupola::engine::backward::{Backward, BackwardConfig};
use cupola::engine::explore::{Explore, ExploreConfig};
use cupola::engine::{Context, Engine, Task};
use cupola::fences::{self, Candidates, PlaceKind, Search};
use cupola::front::cup::check::Checked;
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::source::SourceFile;
use cupola::verdict::VerdictKind;
use indexmap::IndexSet;

fn load(name: &str) -> (SourceFile, Checked) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/backward");
    let text = std::fs::read_to_string(dir.join(name)).expect("the program is there");
    let file = SourceFile::new(name, text);
    let checked = cupola::front::cup::load(&file).expect("it is a program");
    (file, checked)
}

fn decide(
    engine: &mut dyn Engine,
    (file, checked): (&SourceFile, &Checked),
    model: Model,
    placement: &Placement,
) -> VerdictKind {
    let fences = placement.in_force(checked, model).expect("its own places");
    let task = Task {
        source: file,
        program: checked,
        model,
        fences: &fences,
        proof: None,
        earlier: &[],
    };
    let outcome = engine
        .run(&task, &Context::default())
        .expect("it is supported");
    outcome.verdict.kind()
}

/// Exploration meets a full buffer; the backward search decides, with and without smaller graphs and forward search.
#[test]
fn programs_with_growing_buffers_are_decided() {
    for (name, models) in [
        ("repeated_stores.cup", &[Model::Tso, Model::Pso][..]),
        ("message_passing_forever.cup", &[Model::Tso]),
        ("peterson_writer.cup", &[Model::Tso, Model::Pso]),
        ("sense_barrier_spinning.cup", &[Model::Tso]),
        ("clh_spinning.cup", &[Model::Tso]),
    ] {
        let (file, checked) = load(name);
        let program = (&file, &checked);
        for &model in models {
            let mut explorer = Explore::new(ExploreConfig {
                buffer: 3,
                ..ExploreConfig::default()
            });
            let explored = decide(&mut explorer, program, model, &Placement::Declared);
            assert_eq!(explored, VerdictKind::Unknown, "{name} {model}");
            for config in [
                BackwardConfig::default(),
                BackwardConfig {
                    forward_buffer: 0,
                    ..BackwardConfig::default()
                },
                BackwardConfig {
                    shrink: false,
                    ..BackwardConfig::default()
                },
            ] {
                let found = decide(
                    &mut Backward::new(config),
                    program,
                    model,
                    &Placement::Declared,
                );
                assert_eq!(found, VerdictKind::Verified, "{name} {model} {config:?}");
            }
        }
    }
}

/// The invariant leaves out what cannot be and changes no verdict.
#[test]
fn verdicts_do_not_depend_on_the_invariant() {
    for name in [
        "peterson_writer.cup",
        "repeated_stores.cup",
        "message_passing_forever.cup",
    ] {
        let (file, checked) = load(name);
        for model in [Model::Tso, Model::Pso] {
            for placement in [Placement::Declared, Placement::None] {
                let [with, without] = [100_000, 0].map(|invariant| {
                    let config = BackwardConfig {
                        forward_buffer: 0,
                        invariant,
                        ..BackwardConfig::default()
                    };
                    decide(
                        &mut Backward::new(config),
                        (&file, &checked),
                        model,
                        &placement,
                    )
                });
                assert_eq!(with, without, "{name} {model}");
                assert_ne!(with, VerdictKind::Unknown, "{name} {model}");
            }
        }
    }
}

/// The locks of three threads with their fences hold under these models, whatever the length of buffers.
fn locks_of_three_threads_hold(locks: &[(&str, &[Model])]) {
    for &(name, models) in locks {
        let (file, checked) = load(&format!("three/{name}.cup"));
        for &model in models {
            let mut engine = Backward::new(BackwardConfig::default());
            let found = decide(&mut engine, (&file, &checked), model, &Placement::Declared);
            assert_eq!(found, VerdictKind::Verified, "{name} {model}");
        }
    }
}

#[test]
fn locks_of_three_threads_are_decided() {
    let both = &[Model::Tso, Model::Pso][..];
    locks_of_three_threads_hold(&[
        ("bakery", both),
        ("dijkstra", both),
        ("filter", both),
        ("lamport_fast", &[Model::Pso]),
        ("szymanski", both),
    ]);
}

#[test]
#[ignore = "it takes several seconds; `make backward` runs it"]
fn lamport_s_lock_of_three_threads_is_decided() {
    locks_of_three_threads_hold(&[("lamport_fast", &[Model::Tso])]);
}

/// With fewer fences behind stores they break, even if only two of the three threads run.
#[test]
fn locks_of_three_threads_have_the_fewest_fences() {
    for name in ["bakery", "dijkstra", "filter", "lamport_fast", "szymanski"] {
        let (file, checked) = load(&format!("three/{name}.cup"));
        let is_fence = |line: &&str| line.trim_start().starts_with("fence");
        let always = file.text().lines().filter(|line| line.trim() == "fence;");
        let always = always.count();
        let lines = file.text().lines().filter(|line| !is_fence(line));
        let lines = lines.map(|line| match line.starts_with("forbid ") {
            true => "forbid mutex: P[0]@cs && P[1]@cs;".to_owned(),
            false => line.replace("thread P[3]", "thread P[2]"),
        });
        let two = SourceFile::new(name, lines.collect::<Vec<_>>().join("\n"));
        let without = cupola::front::cup::load(&two).expect("it is a program");
        let candidates = Candidates::new(&two, &without, Some(PlaceKind::Stores));
        let candidates = candidates.expect("there are places behind stores");
        for model in [Model::Tso, Model::Pso] {
            let search = Search {
                source: &two,
                candidates: &candidates,
                proof: None,
                model,
                max_sets: None,
            };
            let mut engine = Backward::new(BackwardConfig::default());
            let found = fences::search(&search, &mut engine, &Context::default(), &mut |_| {});
            let found = found.expect("it is supported");
            assert!(found.undecided.is_empty(), "{name} {model}");
            let fewest = found.proved.iter().map(|set| set.fences.len()).min();
            let declared = Placement::Declared.in_force(&checked, model);
            let declared = declared.expect("its own places").len();
            assert_eq!(fewest, Some(always + declared), "{name} {model}");
        }
    }
}

/// Short programs on which rules that seemed right were wrong, and what is true of them.
#[test]
fn programs_that_wrong_rules_misjudged_are_decided() {
    use VerdictKind::{Verified, Violated};
    for (name, model, expected) in [
        // Old values of x twice behind a newer y, without and with a load of the newest own store before.
        ("pso_old_twice", Model::Pso, Violated),
        ("pso_old_twice_own", Model::Pso, Violated),
        ("pso_old_twice", Model::Tso, Verified),
        // A store that a foreign one has overwritten is not read again.
        ("own_older_than_read", Model::Tso, Verified),
        // Both rules for foreign loads are needed.
        ("two_moments", Model::Tso, Violated),
        // An update leaves no own store behind: with y = 1 at first it waits for the other thread's stores, with y = 0
        // the first thread may run alone.
        ("update_after_others", Model::Tso, Verified),
        ("update_after_store", Model::Tso, Violated),
        // The stores of a section reach memory one by one.
        ("section_stores", Model::Tso, Violated),
        // Memory is behind what a property over load buffers would see.
        ("memory_ahead", Model::Tso, Violated),
    ] {
        let (file, checked) = load(&format!("rules/{name}.cup"));
        for forward_buffer in [6, 0] {
            let mut engine = Backward::new(BackwardConfig {
                forward_buffer,
                ..BackwardConfig::default()
            });
            let found = decide(&mut engine, (&file, &checked), model, &Placement::Declared);
            assert_eq!(found, expected, "{name} {model}");
        }
    }
}

/// Two loads of one section see one moment, which no rule under TSO has. Under PSO sections are exact.
#[test]
fn sections_that_equal_no_update_are_unsupported_under_tso() {
    let text = "\
shared x, y;
thread P { x = 1; y = 1; }
thread Q { local r, s; atomic { r = y; s = x; } done: skip; }
forbid old: Q@done && Q.r == 1 && Q.s == 0;
";
    let file = SourceFile::new("two_loads.cup", text);
    let checked = cupola::front::cup::load(&file).expect("it is a program");
    let run = |model| {
        let task = Task {
            source: &file,
            program: &checked,
            model,
            fences: &IndexSet::new(),
            proof: None,
            earlier: &[],
        };
        Backward::default().run(&task, &Context::default())
    };
    let error = run(Model::Tso).expect_err("it is not supported");
    let reason = "an atomic section under TSO has a load that is neither its first access nor behind a fence";
    assert!(error.to_string().contains(reason), "{error}");
    let found = run(Model::Pso).expect("it is supported");
    assert_eq!(found.verdict.kind(), VerdictKind::Violated);
}

/// Programs made by hand, each with a construct or an order of accesses that is easy to get wrong, have the verdict of an
/// exploration that sees everything; with every setting of the engine.
#[test]
fn programs_made_by_hand_have_the_verdict_of_exploration() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/backward/compared");
    let files = std::fs::read_dir(dir).expect("the programs are there");
    let mut names: Vec<String> = files
        .map(|file| file.expect("it can be read").file_name())
        .map(|name| format!("compared/{}", name.to_string_lossy()))
        .collect();
    names.sort();
    let mut compared = [0, 0];
    for name in names {
        let (file, checked) = load(&name);
        let program = (&file, &checked);
        for model in [Model::Sc, Model::Tso, Model::Pso] {
            let mut explorer = Explore::new(ExploreConfig::default());
            let explored = decide(&mut explorer, program, model, &Placement::Declared);
            if explored == VerdictKind::Unknown {
                continue;
            }
            compared[usize::from(explored == VerdictKind::Violated)] += 1;
            for (forward_buffer, shrink) in [(6, true), (0, true), (0, false)] {
                let config = BackwardConfig {
                    forward_buffer,
                    shrink,
                    ..BackwardConfig::default()
                };
                let mut engine = Backward::new(config);
                let found = decide(&mut engine, program, model, &Placement::Declared);
                assert_eq!(found, explored, "{name} {model} {config:?}");
            }
        }
    }
    assert!(compared.iter().all(|count| *count > 40), "{compared:?}");
}
