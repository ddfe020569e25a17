//! The backward engine against exploration, and against itself with other settings.
//!
//! `CUPOLA_RANDOM_PROGRAMS=N` sets how many programs are tried; `make backward` is a long run.

pub mod generate;

use std::collections::BTreeSet;

use cupola::engine::backward::{Backward, BackwardConfig};
use cupola::engine::explore::{ExploreConfig, explore};
use cupola::engine::{Context, Engine, Limits, Task};
use cupola::front::cup::ast::Tree;
use cupola::front::cup::check::Checked;
use cupola::memory::Model;
use cupola::program::lower;
use cupola::source::SourceFile;
use cupola::verdict::{Limit, VerdictKind};
use indexmap::IndexSet;

use crate::support::random::shrink;

/// Programs where nothing else is asked for.
const SHORT_RUN: u64 = 250;

fn programs() -> u64 {
    let asked = std::env::var("CUPOLA_RANDOM_PROGRAMS");
    asked.map_or(SHORT_RUN, |text| text.parse().expect("a number"))
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    /// Programs and models that the engine supports.
    decided: usize,
    /// Those of them about which exploration says the same.
    explored: usize,
    /// Those that are safe although a buffer grows without bound, or longer than explored.
    beyond: usize,
    /// Violations.
    violated: usize,
    /// Violations that need a buffer of two or more.
    long: usize,
    /// Answers that are unknown, since a limit is met.
    unknown: usize,
}

/// The engine with its settings: as it is, without the forward search, and without smaller graphs.
const SETTINGS: [(bool, bool); 3] = [(true, true), (false, true), (false, false)];

fn backward(
    (file, checked): (&SourceFile, &Checked),
    model: Model,
    (forward, smaller): (bool, bool),
) -> Option<VerdictKind> {
    let mut config = BackwardConfig {
        shrink: smaller,
        ..BackwardConfig::default()
    };
    if !forward {
        config.forward_buffer = 0;
    }
    let task = Task {
        source: file,
        program: checked,
        model,
        fences: &IndexSet::new(),
        proof: None,
        earlier: &[],
    };
    let context = Context {
        limits: Limits {
            explore_states: 300_000,
            ..Limits::default()
        },
        ..Context::default()
    };
    let outcome = Backward::new(config).run(&task, &context);
    outcome.ok().map(|outcome| outcome.verdict.kind())
}

/// What exploration says, and what kept it from seeing everything.
fn explored(checked: &Checked, model: Model, buffer: usize) -> (VerdictKind, BTreeSet<Limit>) {
    let config = ExploreConfig {
        buffer,
        max_states: 20_000,
        ..ExploreConfig::default()
    };
    let program = lower(checked, &IndexSet::new());
    let found = explore(&program, model, &config, &Context::default());
    let found = found.expect("it has no background blocks");
    (found.kind(), found.limits)
}

/// Whether a program is safe as long as no buffer has more than one entry.
fn needs_two(checked: &Checked, model: Model) -> bool {
    let (kind, limits) = explored(checked, model, 1);
    kind == VerdictKind::Unknown && limits == BTreeSet::from([Limit::Buffer])
}

/// Compares a program under both models.
fn compare(tree: &Tree) -> Result<Tally, String> {
    let file = SourceFile::new("random.cup", cupola::front::cup::print(tree));
    let checked = cupola::front::cup::load(&file).map_err(|errors| format!("{errors:?}"))?;
    let mut tally = Tally::default();
    for model in [Model::Tso, Model::Pso] {
        let said = SETTINGS.map(|settings| backward((&file, &checked), model, settings));
        let known = said.iter().flatten();
        let mut known = known.filter(|kind| **kind != VerdictKind::Unknown);
        let unknown = said
            .iter()
            .filter(|one| **one == Some(VerdictKind::Unknown));
        tally.unknown += unknown.count();
        let Some(&kind) = known.next() else { continue };
        if said.contains(&None) || known.any(|other| *other != kind) {
            return Err(format!("{model}: settings disagree: {said:?}"));
        }
        let (explored_kind, _) = explored(&checked, model, 4);
        tally.decided += 1;
        match explored_kind {
            VerdictKind::Unknown => tally.beyond += usize::from(kind == VerdictKind::Verified),
            other if other == kind => tally.explored += 1,
            other => return Err(format!("{model}: {kind:?}, exploration says {other:?}")),
        }
        if kind == VerdictKind::Violated {
            tally.violated += 1;
            tally.long += usize::from(needs_two(&checked, model));
        }
    }
    Ok(tally)
}

fn tree(text: &str) -> Tree {
    let file = SourceFile::new("random.cup", text.to_owned());
    let checked = cupola::front::cup::load(&file);
    checked.expect("it is a program").tree
}

/// The same verdict as exploration where that ends, the same with every setting, and unknown only where a limit is
/// met, which is rare.
#[test]
#[allow(clippy::print_stderr)] // The figures of a long run.
fn verdicts_are_those_of_exploration() {
    let mut total = Tally::default();
    let count = programs();
    for seed in 0..count {
        let tree = tree(&generate::program(seed));
        match compare(&tree) {
            Ok(tally) => {
                total.decided += tally.decided;
                total.explored += tally.explored;
                total.beyond += tally.beyond;
                total.violated += tally.violated;
                total.long += tally.long;
                total.unknown += tally.unknown;
            }
            Err(error) => {
                let valid = |tree: &Tree| cupola::front::cup::check(tree.clone()).is_ok();
                let smallest = shrink(tree, |tree| valid(tree) && compare(tree).is_err());
                let text = cupola::front::cup::print(&smallest);
                let message = compare(&smallest).expect_err("shrinking keeps the failure");
                panic!("seed {seed}: {error}\nshrunk: {message}\n{text}");
            }
        }
    }
    let count = usize::try_from(count).expect("not that many");
    eprintln!("{count} programs: {total:?}");
    assert!(total.decided > count * 3 / 2, "{total:?}");
    assert!(total.unknown <= count / 100, "{total:?}");
    assert!(total.explored > count, "{total:?}");
    assert!(total.beyond > count / 20, "{total:?}");
    assert!(total.long > count / 16, "{total:?}");
}
