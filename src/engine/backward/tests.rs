//! The programs made by hand, and wrong rules that they must notice.

use std::path::Path;

use indexmap::IndexSet;

use super::buffers::Buffers;
use super::engine::{Graphs, Smaller};
use super::pso::{self, StoreBuffers};
use super::search::{End, search};
use super::tso::{self, LoadBuffer};
use crate::engine::Context;
use crate::engine::explore::{ExploreConfig, explore};
use crate::front::cup;
use crate::memory::Model;
use crate::program::{self, Program};
use crate::run::stop::Stop;
use crate::source::SourceFile;
use crate::verdict::VerdictKind;

/// The programs made by hand, by name.
fn programs() -> Vec<(String, Program)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/backward/rules");
    let files = std::fs::read_dir(dir).expect("the programs are there");
    let mut files: Vec<_> = files
        .map(|file| file.expect("it can be read").path())
        .collect();
    files.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("it can be read");
        let file = SourceFile::new(path.display().to_string(), text);
        let checked = cup::load(&file).expect("it is a program");
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        (
            name.into_owned(),
            program::lower(&checked, &IndexSet::new()),
        )
    };
    files.iter().map(read).collect()
}

/// Whether the backward search says that a bad state is reached; `None` if it does not end soon.
fn reached<B: Buffers>(program: &Program, model: Model, smaller: bool) -> Option<bool> {
    let graphs = Graphs::new(program, model, Smaller::new(smaller), None).ok()?;
    match search::<B>(&graphs.small, None, 20_000, &Stop::default()).end {
        End::Safe(_) => Some(false),
        End::Reached => Some(true),
        End::TooMany | End::Stopped => None,
    }
}

/// What exploration with long buffers says.
fn is_violated(program: &Program, model: Model) -> bool {
    let config = ExploreConfig {
        buffer: 6,
        max_states: 200_000,
        ..ExploreConfig::default()
    };
    let found = explore(program, model, &config, &Context::default());
    found.expect("it has no background blocks").kind() == VerdictKind::Violated
}

/// The programs that the right rules decide as exploration does, with its answer.
fn expected(model: Model) -> Vec<(String, Program, bool)> {
    let all = programs().into_iter().map(|(name, program)| {
        let violated = is_violated(&program, model);
        (name, program, violated)
    });
    all.collect()
}

#[test]
fn programs_made_by_hand_are_decided_as_by_exploration() {
    let (mut violated, mut safe) = (0, 0);
    for model in [Model::Tso, Model::Pso] {
        for (name, program, is_violated) in expected(model) {
            for smaller in [true, false] {
                let said = match model {
                    Model::Tso => reached::<LoadBuffer>(&program, model, smaller),
                    Model::Sc | Model::Pso => reached::<StoreBuffers>(&program, model, smaller),
                };
                assert_eq!(
                    said,
                    Some(is_violated),
                    "{name} under {model}, smaller: {smaller}"
                );
            }
            *(if is_violated {
                &mut violated
            } else {
                &mut safe
            }) += 1;
        }
    }
    assert!(
        violated >= 35 && safe >= 35,
        "{violated} violated, {safe} safe"
    );
}

/// The rules for load buffers have exactly the states that the semantics has, and wrong ones do not: this notices what no
/// program does, such as that a message may be read twice, since memory may also send it twice.
#[test]
fn rules_for_load_buffers_are_exact() {
    assert_eq!(tso::naive::wrong::<0>(60), None);
    let wrong = [
        ("own loads", tso::naive::wrong::<5>(60)),
        ("message read twice", tso::naive::wrong::<7>(60)),
        ("newer letters", tso::naive::wrong::<12>(60)),
        ("order: newer", tso::naive::wrong::<13>(60)),
        ("order: older", tso::naive::wrong::<14>(60)),
        ("order: values", tso::naive::wrong::<16>(60)),
        ("another message", tso::naive::wrong::<19>(60)),
    ];
    for (rule, noticed) in wrong {
        assert!(noticed.is_some(), "{rule}");
    }
}

/// The programs of which a wrong rule says something else.
fn noticed_by<B: Buffers>(expected: &[(String, Program, bool)], model: Model) -> Vec<String> {
    let wrong = expected.iter().filter(|(_, program, is_violated)| {
        [false, true]
            .iter()
            .any(|&smaller| reached::<B>(program, model, smaller) != Some(*is_violated))
    });
    wrong.map(|(name, ..)| name.clone()).collect()
}

macro_rules! for_all_mutants {
    ($module:ident, $expected:expr, $model:expr, $($number:literal)*) => {
        vec![$(($number, noticed_by::<$module::mutants::Mutant<$number>>($expected, $model))),*]
    };
}

fn assert_noticed(noticed: &[(usize, Vec<String>)], count: usize) {
    assert_eq!(noticed.len(), count, "every mutant is tried");
    let missed: Vec<usize> = noticed
        .iter()
        .filter(|(number, names)| (*number == 0) != names.is_empty())
        .map(|(number, _)| *number)
        .collect();
    assert!(
        missed.is_empty(),
        "not noticed, or wrongly: {missed:?} of {noticed:?}"
    );
}

/// The wrong rules for load buffers that states notice and no program does.
const BY_STATES: usize = 6;

#[test]
fn wrong_rules_for_load_buffers_are_noticed() {
    let expected = expected(Model::Tso);
    let noticed = for_all_mutants!(tso, &expected, Model::Tso,
        0 1 2 3 4 5 6 8 9 10 11 15 17 18 20 21 22 23 24 25 26 27 28 29
        30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50);
    assert_noticed(&noticed, tso::mutants::COUNT - BY_STATES);
}

#[test]
fn wrong_rules_for_store_buffers_are_noticed() {
    let expected = expected(Model::Pso);
    let noticed = for_all_mutants!(pso, &expected, Model::Pso,
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14
        15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34);
    assert_noticed(&noticed, pso::mutants::COUNT);
}
