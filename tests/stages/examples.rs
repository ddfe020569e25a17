//! The programs of `examples/` are what their headers say.
//!
//! Each one parses without warnings and is formatted. The finite ones are explored to the end under
//! every model and placement; the infinite ones as far as the limits allow.

use std::collections::BTreeSet;
use std::fs;

use crate::support::entries;
use crate::support::equivalence::compare;
use crate::support::examples::{self, Example, Expectation, Header};
use cupola::engine::Context;
use cupola::engine::explore::{self, Exploration, ExploreConfig};
use cupola::front::cup;
use cupola::front::cup::check::Checked;
use cupola::front::cup::placement::{Placement, optional_fences};
use cupola::memory::Model;
use cupola::program;
use cupola::reduce::{Flush, ReduceConfig};
use cupola::source::SourceFile;
use cupola::verdict::VerdictKind;
use itertools::Itertools;

/// Longer than any buffer gets in a finite example that is safe.
const BUFFER: usize = 6;

/// Where a buffer gets longer than this, it is taken to grow without bound.
const BOUNDED_BUFFER: usize = 4;

/// Enough for every finite example.
const FINITE_STATES: usize = 1_000_000;

/// Enough for every violation of an infinite example.
const INFINITE_STATES: usize = 50_000;

#[test]
fn examples_load_without_warnings() {
    for example in examples::all() {
        assert_eq!(load(&example).warnings, [], "{}", example.name);
    }
}

#[test]
fn examples_are_formatted() {
    for example in examples::all() {
        assert_eq!(
            cup::print(&load(&example).tree),
            example.text,
            "{}",
            example.name
        );
    }
}

#[test]
fn malformed_headers_are_refused() {
    let header = "// It is.\n//\n// source: S\n// property: P\n// expect: sc=safe\n";
    assert!(header.parse::<Header>().is_ok());
    for (right, wrong) in [
        ("It is.", "It is"),
        ("source: S", "from: S"),
        ("sc=safe", "sc"),
        ("sc=safe", "sc=unknown"),
        ("sc=safe", "rmo=safe"),
        ("sc=safe", "tso{a=safe"),
        ("sc=safe\n", "sc=safe\n// explore: quickly\n"),
        ("sc=safe\n", "sc=safe\n// explore: infinite\n// and more\n"),
    ] {
        let malformed = header.replace(right, wrong);
        assert!(malformed.parse::<Header>().is_err(), "{malformed}");
    }
}

#[test]
fn every_model_is_expected_with_no_fences_and_with_the_declared_ones() {
    for example in examples::correct() {
        let checked = load(&example);
        for model in Model::ALL {
            let bare = expectation(&example, model, &[]);
            assert!(bare.is_some(), "{}: no `{model}=…`", example.name);
            let declared = in_force(&checked, &Placement::Declared, model);
            let expected = expectation(&example, model, &declared);
            assert!(
                expected.is_some_and(|expectation| expectation.safe),
                "{}: no `{model}{{{}}}=safe`",
                example.name,
                declared.join(",")
            );
        }
    }
}

#[test]
fn what_is_broken_under_sc_is_expected_to_be_broken_under_every_model() {
    let broken = |example: &Example| !examples::is_correct(example);
    for example in examples::all().iter().filter(|example| broken(example)) {
        for model in Model::ALL {
            let bare = expectation(example, model, &[]);
            assert!(bare.is_some_and(|bare| !bare.safe), "{}", example.name);
        }
        let expected = &example.header.expectations;
        assert!(expected.iter().all(|one| !one.safe), "{}", example.name);
    }
}

#[test]
fn expectations_name_places_in_source_order_and_once() {
    for example in examples::all() {
        let checked = load(&example);
        let expectations = &example.header.expectations;
        for expectation in expectations {
            let named = Placement::Named(expectation.fences.clone());
            let in_force = in_force(&checked, &named, expectation.model);
            assert_eq!(
                in_force, expectation.fences,
                "{}: {expectation}",
                example.name
            );
        }
        let configurations = expectations.iter().map(|one| (one.model, &one.fences));
        assert!(
            configurations.duplicates().next().is_none(),
            "{}",
            example.name
        );
    }
}

#[test]
fn finite_examples_are_as_expected() {
    for example in examples::finite() {
        assert_verdicts(&example, VerdictKind::Verified, FINITE_STATES);
    }
}

/// Under each model, with the fences in force and without, an example and its translation have the same
/// verdicts, final values and overflows.
#[test]
fn finite_examples_agree_with_their_translations() {
    for example in examples::finite() {
        let file = SourceFile::new(format!("{}.cup", example.name), &*example.text);
        let checked = load(&example);
        let settings = [
            (1, Placement::None),
            (1, Placement::Declared),
            (2, Placement::Declared),
        ];
        for (model, (k, placement)) in [Model::Tso, Model::Pso]
            .into_iter()
            .cartesian_product(settings)
        {
            let fences = placement.in_force(&checked, model).expect("its own places");
            let config = ReduceConfig {
                model,
                sizes: entries(k),
                fences,
                flush: Flush::Background,
            };
            let compared = compare(&file, &checked, &config);
            let agreement = compared.unwrap_or_else(|difference| {
                panic!("{}, {model}, k = {k}: {difference}", example.name)
            });
            agreement.unwrap_or_else(|_| panic!("{} is too large", example.name));
        }
    }
}

#[test]
fn infinite_examples_are_as_expected_as_far_as_exploration_goes() {
    for example in examples::infinite() {
        assert_verdicts(&example, VerdictKind::Unknown, INFINITE_STATES);
    }
}

#[test]
fn finite_examples_have_the_expected_minimal_placements_and_declare_one() {
    for example in examples::finite() {
        let checked = load(&example);
        for model in [Model::Tso, Model::Pso] {
            let minimal = minimal_placements(&checked, model);
            let expected = example
                .header
                .minimal_placements(model)
                .into_iter()
                .map(<[String]>::to_vec);
            assert_eq!(
                minimal,
                expected.collect(),
                "{} under {model}",
                example.name
            );
            let declared = in_force(&checked, &Placement::Declared, model);
            assert!(
                minimal.contains(&declared) || !examples::is_correct(&example),
                "{} under {model}: {declared:?}",
                example.name
            );
        }
    }
}

#[test]
fn infinite_examples_need_their_declared_fences() {
    for example in examples::infinite() {
        let checked = load(&example);
        for model in [Model::Tso, Model::Pso] {
            let declared = in_force(&checked, &Placement::Declared, model);
            for place in &declared {
                let rest: Vec<String> = declared
                    .iter()
                    .filter(|&one| one != place)
                    .cloned()
                    .collect();
                assert!(
                    is_unfit(&checked, model, &rest),
                    "{}: {model} does not need `{place}`",
                    example.name
                );
            }
        }
    }
}

#[test]
fn proofs_name_variables_of_their_programs() {
    for path in examples::proofs() {
        let proof = fs::read_to_string(&path).expect("a proof can be read");
        let program =
            fs::read_to_string(path.with_extension("cup")).expect("a proof has a program");
        let as_specs = predicates(&proof).map(|predicate| format!("invariant {predicate};\n"));
        let file = SourceFile::new(
            path.display().to_string(),
            program + &as_specs.collect::<String>(),
        );
        assert!(cup::load(&file).is_ok(), "{}", path.display());
    }
}

#[test]
fn the_table_of_examples_is_true() {
    let path = examples::directory()
        .with_file_name("docs")
        .join("examples.md");
    let docs = fs::read_to_string(path).expect("docs/examples.md can be read");
    let rows = docs
        .lines()
        .filter(|line| line.starts_with("| ["))
        .join("\n");
    let expected = examples::all().iter().map(table_row).join("\n");
    assert_eq!(rows, expected);
}

/// Explores an example as its header says; `safe` is the verdict where no violation is expected.
fn assert_verdicts(example: &Example, safe: VerdictKind, max_states: usize) {
    let checked = load(example);
    for expectation in &example.header.expectations {
        let seen = explore(&checked, expectation.model, &expectation.fences, max_states);
        let expected = if expectation.safe {
            safe
        } else {
            VerdictKind::Violated
        };
        assert_eq!(seen.kind(), expected, "{}: {expectation}", example.name);
    }
}

fn load(example: &Example) -> Checked {
    let file = SourceFile::new(format!("{}.cup", example.name), example.text.clone());
    cup::load(&file).unwrap_or_else(|errors| panic!("{}: {errors:?}", example.name))
}

fn in_force(checked: &Checked, placement: &Placement, model: Model) -> Vec<String> {
    let places = placement
        .in_force(checked, model)
        .expect("the places are the program's");
    places.into_iter().collect()
}

fn expectation<'a>(
    example: &'a Example,
    model: Model,
    fences: &[String],
) -> Option<&'a Expectation> {
    let mut expectations = example.header.expectations.iter();
    expectations.find(|one| one.model == model && one.fences == fences)
}

fn explore(checked: &Checked, model: Model, fences: &[String], max_states: usize) -> Exploration {
    let program = program::lower(checked, &fences.iter().cloned().collect());
    let config = ExploreConfig {
        buffer: BUFFER,
        max_states,
        ..ExploreConfig::default()
    };
    let explored = explore::explore(&program, model, &config, &Context::default());
    explored.expect("an example has no background blocks")
}

/// The smallest placements under which a finite example is safe.
fn minimal_placements(checked: &Checked, model: Model) -> BTreeSet<Vec<String>> {
    let mut minimal: BTreeSet<Vec<String>> = BTreeSet::new();
    // The power set comes by size, so that a placement is met after all that are below it.
    for placement in optional_fences(checked).into_iter().powerset() {
        let is_new = |known: &Vec<String>| !known.iter().all(|place| placement.contains(place));
        if minimal.iter().all(is_new)
            && explore(checked, model, &placement, FINITE_STATES).kind() == VerdictKind::Verified
        {
            minimal.insert(placement);
        }
    }
    minimal
}

/// Whether an infinite example is violated, or has buffers that grow.
fn is_unfit(checked: &Checked, model: Model, fences: &[String]) -> bool {
    let seen = explore(checked, model, fences, INFINITE_STATES);
    seen.kind() == VerdictKind::Violated || seen.max_buffer > BOUNDED_BUFFER
}

/// The predicates of a proof that has no cubes.
fn predicates(proof: &str) -> impl Iterator<Item = &str> {
    let inside = proof
        .trim()
        .strip_prefix("predicates {")
        .and_then(|rest| rest.strip_suffix('}'));
    let inside = inside.expect("a proof is a block of predicates");
    inside
        .split(';')
        .map(str::trim)
        .filter(|predicate| !predicate.is_empty())
}

/// The row of `docs/examples.md` that an example's header asks for.
fn table_row(example: &Example) -> String {
    let name = &example.name;
    let link = format!("[`{name}`](../examples/{name}.cup)");
    let header = &example.header;
    let verdicts = Model::ALL
        .iter()
        .map(|&model| verdict_cell(example, model))
        .join(" | ");
    format!(
        "| {link} | {} | {} | {} | {verdicts} |",
        header.title, header.source, header.property
    )
}

fn verdict_cell(example: &Example, model: Model) -> String {
    let minimal = example.header.minimal_placements(model);
    let placements = || {
        minimal
            .iter()
            .map(|fences| format!("{{{}}}", fences.join(",")))
            .join(" or ")
    };
    match minimal.as_slice() {
        [] => "violated".to_owned(),
        [[]] => "safe".to_owned(),
        _ => format!("violated; safe with {}", placements()),
    }
}
