//! Programs whose buffers grow without bound, and locks of three threads: decided by the backward engine.

use std::path::Path;

use cupola::engine::backward::{Backward, BackwardConfig};
use cupola::engine::explore::{Explore, ExploreConfig};
use cupola::engine::{Context, Engine, Task};
use cupola::front::cup::check::Checked;
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::source::SourceFile;
use cupola::verdict::VerdictKind;

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

/// Without the fences that they declare for PSO these break there. (That of Szymanski needs a long execution.)
#[test]
fn locks_of_three_threads_need_their_fences() {
    for name in ["bakery", "filter", "lamport_fast"] {
        let (file, checked) = load(&format!("three/{name}.cup"));
        let mut engine = Backward::new(BackwardConfig::default());
        let found = decide(&mut engine, (&file, &checked), Model::Pso, &Placement::None);
        assert_eq!(found, VerdictKind::Violated, "{name}");
    }
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
            for (forward_buffer, shrink) in [(3, true), (0, true), (0, false)] {
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
