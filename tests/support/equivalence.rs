//! Holds a reduction against the semantics: a program under a model, with bounded buffers, and its
//! translation under SC must have the same verdicts, final values and overflows.

use std::collections::{BTreeMap, BTreeSet};

use cupola::explore::{Exploration, ExploreConfig, Limit, Outcomes, Star, Verdict, explore};
use cupola::lang::check::Checked;
use cupola::lang::source::SourceFile;
use cupola::lang::{self};
use cupola::model::Model;
use cupola::program::{Program, lower};
use cupola::reduce::{self, Layout, ReduceConfig};
use indexmap::IndexSet;

/// What a comparison that found no difference has seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Whether some buffer exceeds k.
    pub overflows: bool,
    /// Whether some property is broken by a run in which no buffer exceeds k.
    pub violated: bool,
    /// The number of final states, as far as the program's own variables go.
    pub outcomes: usize,
}

/// Why two explorations say nothing about each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// The final values of the program's own variables.
type Finals = BTreeSet<BTreeMap<String, i64>>;

/// How far each exploration goes.
const MAX_STATES: usize = 3_000_000;

/// Compares `checked`, the program in `file`, under the model of `config` with its translation under
/// SC. The error describes the difference; `Ok(Err(TooLarge))` means that a limit was hit other than
/// that of the buffers.
pub fn compare(
    file: &SourceFile,
    checked: &Checked,
    config: &ReduceConfig,
) -> Result<Result<Agreement, TooLarge>, String> {
    let source = lower(checked, &config.fences);
    let reduced = reparsed(&translation(file, checked, config)?)?;
    let reduced = lower(&reduced, &IndexSet::new());
    let layout = reduce::layout(file, checked, config);

    let ours = run(&source, config.model, config.k, true);
    let theirs = run(&reduced, Model::Sc, config.k, true);
    if !is_comparable(&ours) || !is_comparable(&theirs) {
        return Ok(Err(TooLarge));
    }
    let overflows = ours.limits.contains(&Limit::Buffer);
    same(
        "overflows",
        &overflows,
        &theirs.limits.contains(&Limit::Overflow),
    )?;
    same("verdict", &is_violated(&ours), &is_violated(&theirs))?;
    if is_violated(&ours) {
        compare_specs(&source, &reduced, config)?;
    }
    let finals = own_finals(&ours, &source, &Layout::default());
    same("finals", &finals, &own_finals(&theirs, &source, &layout))?;
    Ok(Ok(Agreement {
        overflows,
        violated: is_violated(&ours),
        outcomes: finals.len(),
    }))
}

/// The printed translation. The tree that the reduction made must pass the checks itself, since later
/// stages use it unprinted.
fn translation(
    file: &SourceFile,
    checked: &Checked,
    config: &ReduceConfig,
) -> Result<String, String> {
    let tree = reduce::reduce(file, checked, config).map_err(|error| error.to_string())?;
    let text = lang::print(&tree);
    match lang::check(tree) {
        Ok(_) => Ok(text),
        Err(errors) => Err(format!("the reduced tree is rejected: {errors:?}\n{text}")),
    }
}

/// The program that is read back from a printed translation, which printing leaves as it is.
fn reparsed(text: &str) -> Result<Checked, String> {
    let file = SourceFile::new("translation.cup", text);
    let checked = lang::load(&file)
        .map_err(|errors| format!("the printed translation is rejected: {errors:?}\n{text}"))?;
    let again = lang::print(&checked.tree);
    match again == text {
        true => Ok(checked),
        false => Err(format!("printing is not stable:\n{text}\nbecomes\n{again}")),
    }
}

/// Compares the verdict on each spec by itself, and on the assertions without any spec.
fn compare_specs(source: &Program, reduced: &Program, config: &ReduceConfig) -> Result<(), String> {
    same("number of specs", &source.specs.len(), &reduced.specs.len())?;
    let choices = (0..source.specs.len()).map(Some).chain([None]);
    for choice in choices {
        let only = |program: &Program| Program {
            specs: choice
                .map(|index| program.specs[index].clone())
                .into_iter()
                .collect(),
            ..program.clone()
        };
        let ours = run(&only(source), config.model, config.k, false);
        let theirs = run(&only(reduced), Model::Sc, config.k, false);
        let what = match choice {
            Some(index) => format!("verdict on spec {index} ({:?})", source.specs[index].name),
            None => "verdict on the assertions".to_owned(),
        };
        same(&what, &is_violated(&ours), &is_violated(&theirs))?;
    }
    Ok(())
}

fn run(program: &Program, model: Model, buffer: usize, outcomes: bool) -> Exploration {
    let config = ExploreConfig {
        buffer,
        max_states: MAX_STATES,
        star: Star::default(),
        outcomes,
        ..ExploreConfig::default()
    };
    explore(program, model, &config).expect("no background block under a relaxed model")
}

/// Whether nothing was cut but what exceeds the buffers.
fn is_comparable(exploration: &Exploration) -> bool {
    let allowed = [Limit::Buffer, Limit::Overflow, Limit::Star];
    exploration
        .limits
        .iter()
        .all(|limit| allowed.contains(limit))
}

fn is_violated(exploration: &Exploration) -> bool {
    exploration.verdict == Verdict::Violated
}

/// The values of the source's variables in the final states in which the buffers of `layout`, which
/// are locals, are empty.
fn own_finals(exploration: &Exploration, source: &Program, layout: &Layout) -> Finals {
    let outcomes: &Outcomes = exploration
        .outcomes
        .as_ref()
        .expect("outcomes were asked for");
    let counters: Vec<String> = layout
        .threads
        .iter()
        .flat_map(|(thread, buffers)| {
            let counters = buffers.counters().into_iter();
            counters.map(move |count| format!("{thread}.{count}"))
        })
        .collect();
    let own: Vec<String> = source.var_ids().map(|var| source.var_name(var)).collect();
    let rows = outcomes.rows().iter().map(|row| {
        let names = outcomes.names().iter().cloned();
        names
            .zip(row.iter().copied())
            .collect::<BTreeMap<String, i64>>()
    });
    let flushed = rows.filter(|row| counters.iter().all(|count| row[count] == 0));
    let restricted = flushed.map(|row| own.iter().map(|name| (name.clone(), row[name])).collect());
    restricted.collect()
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, source: &T, reduced: &T) -> Result<(), String> {
    match source == reduced {
        true => Ok(()),
        false => Err(format!(
            "different {what}:\n  in the source {source:?}\n  in the translation {reduced:?}"
        )),
    }
}
