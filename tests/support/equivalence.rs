//! Holds a reduction against the semantics: a program under a model, with bounded buffers, and its
//! translation under SC must have the same verdicts, final values and overflows.

use std::collections::{BTreeMap, BTreeSet};

use cupola::engine::Context;
use cupola::engine::explore::{Exploration, ExploreConfig, explore};
use cupola::front::cup::check::Checked;
use cupola::front::cup::{self};
use cupola::memory::Model;
use cupola::program::{Program, PropertyKind, VarId, lower};
use cupola::reduce::{self, ReduceConfig, ReduceError, Reduction, Storage};
use cupola::semantics::HavocRange;
use cupola::source::SourceFile;
use cupola::verdict::{Limit, VerdictKind};
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

type Reduce = fn(&SourceFile, &Checked, &ReduceConfig) -> Result<Reduction, ReduceError>;

/// The final values of the source's variables, in their order.
type Finals = BTreeSet<Vec<i64>>;

/// How far each exploration goes.
const MAX_STATES: usize = 3_000_000;

/// How far with FIFOs: the numbers of stores that they hold grow where a FIFO is never empty.
const MAX_FIFO_STATES: usize = 100_000;

/// Compares `checked`, the program in `file`, under the model of `config` with its translation under
/// SC. The error describes the difference; `Ok(Err(TooLarge))` means that a limit was hit other than
/// that of the buffers.
pub fn compare(
    file: &SourceFile,
    checked: &Checked,
    config: &ReduceConfig,
) -> Result<Result<Agreement, TooLarge>, String> {
    compare_with(file, checked, config, Storage::Slots)
}

/// The same for either way to store what is in the buffers. FIFOs are explored up to the sizes of `config`, as the
/// buffers of the model are.
pub fn compare_with(
    file: &SourceFile,
    checked: &Checked,
    config: &ReduceConfig,
    storage: Storage,
) -> Result<Result<Agreement, TooLarge>, String> {
    let (reduce, overflow): (Reduce, _) = match storage {
        Storage::Slots => (reduce::reduce, Limit::Overflow),
        Storage::Fifos => (reduce::reduce_to_fifos, Limit::Buffer),
    };
    let reduction = reduce(file, checked, config).map_err(|error| error.to_string())?;
    let source = &reduction.source;
    let reduced = reparsed(&cup::print(reduction.tree()))?;
    let reduced = lower(&reduced, &IndexSet::new());
    let graphs = [&reduction.program, &reduced].map(Program::to_string);
    same("graphs", &graphs[0], &graphs[1])?;
    let properties = [&reduction.program, &reduced].map(named_properties);
    same("properties", &properties[0], &properties[1])?;

    let most = match storage {
        Storage::Slots => MAX_STATES,
        Storage::Fifos => MAX_FIFO_STATES,
    };
    let ours = run(source, config, true, most);
    let theirs = run(&reduced, &under_sc(config), true, most);
    if !is_comparable(&ours) || !is_comparable(&theirs) {
        return Ok(Err(TooLarge));
    }
    let overflows = ours.limits.contains(&Limit::Buffer);
    same("overflows", &overflows, &theirs.limits.contains(&overflow))?;
    same("verdict", &is_violated(&ours), &is_violated(&theirs))?;
    if is_violated(&ours) {
        compare_specs(source, &reduced, config)?;
    }
    let finals = rows(&ours);
    same("finals", finals, &own_finals(rows(&theirs), &reduction))?;
    Ok(Ok(Agreement {
        overflows,
        violated: is_violated(&ours),
        outcomes: finals.len(),
    }))
}

/// The program that is read back from a printed translation, which printing leaves as it is.
fn reparsed(text: &str) -> Result<Checked, String> {
    let file = SourceFile::new("translation.cup", text);
    let checked = cup::load(&file)
        .map_err(|errors| format!("the printed translation is rejected: {errors:?}\n{text}"))?;
    let again = cup::print(&checked.tree);
    match again == text {
        true => Ok(checked),
        false => Err(format!("printing is not stable:\n{text}\nbecomes\n{again}")),
    }
}

/// The kinds and names of properties, of which the text of a graph says nothing.
fn named_properties(program: &Program) -> Vec<(PropertyKind, Option<String>)> {
    let properties = program.properties.iter();
    properties
        .map(|property| (property.kind, property.name.clone()))
        .collect()
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
        let ours = run(&only(source), config, false, MAX_STATES);
        let theirs = run(&only(reduced), &under_sc(config), false, MAX_STATES);
        let what = match choice {
            Some(index) => {
                let property = source.property(source.specs[index].property);
                format!("verdict on spec {index} ({})", property.name_text())
            }
            None => "verdict on the assertions".to_owned(),
        };
        same(&what, &is_violated(&ours), &is_violated(&theirs))?;
    }
    Ok(())
}

/// The same for a program under SC, which has no buffers.
fn under_sc(config: &ReduceConfig) -> ReduceConfig {
    ReduceConfig {
        model: Model::Sc,
        ..config.clone()
    }
}

fn run(program: &Program, bounds: &ReduceConfig, outcomes: bool, most: usize) -> Exploration {
    let config = ExploreConfig {
        buffer: bounds.sizes.default_entries(),
        buffer_of: own_sizes(program, bounds),
        max_states: most,
        havoc: HavocRange::default(),
        outcomes,
    };
    let explored = explore(program, bounds.model, &config, &Context::default());
    explored.expect("no background block under a relaxed model")
}

/// The sizes of the buffers of single variables: an element goes before its array.
fn own_sizes(program: &Program, bounds: &ReduceConfig) -> BTreeMap<VarId, usize> {
    let own = bounds.sizes.own();
    let size = |var: VarId| {
        let (name, shown) = (program.var_name(var), program.var_display_name(var));
        let array = shown.split('[').next().unwrap_or(&shown);
        let written = [name.as_str(), shown.as_str(), array];
        written.into_iter().find_map(|name| own.get(name).copied())
    };
    let vars = program.var_ids();
    vars.filter_map(|var| Some((var, size(var)?))).collect()
}

/// Whether nothing was cut but what exceeds the buffers.
fn is_comparable(exploration: &Exploration) -> bool {
    let allowed = [Limit::Buffer, Limit::Overflow, Limit::Havoc];
    exploration
        .limits
        .iter()
        .all(|limit| allowed.contains(limit))
}

fn is_violated(exploration: &Exploration) -> bool {
    exploration.kind() == VerdictKind::Violated
}

/// The values of all variables in the final states.
fn rows(exploration: &Exploration) -> &Finals {
    let outcomes = exploration.outcomes.as_ref();
    outcomes.expect("outcomes were asked for").rows()
}

/// The values of the source's variables in the final states of the reduced program in which all
/// buffers are empty.
fn own_finals(rows: &Finals, reduction: &Reduction) -> Finals {
    let slots = reduction.buffers().iter().map(|buffer| buffer.count);
    let fifos = reduction.fifos().iter().map(|vars| vars.fifo.length);
    let lengths: Vec<VarId> = slots.chain(fifos).collect();
    let is_flushed = |row: &&Vec<i64>| lengths.iter().all(|length| row[length.index()] == 0);
    let own = |row: &Vec<i64>| {
        let vars = reduction.source.var_ids();
        vars.map(|var| row[reduction.reduced_var(var).index()])
            .collect()
    };
    rows.iter().filter(is_flushed).map(own).collect()
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, source: &T, reduced: &T) -> Result<(), String> {
    match source == reduced {
        true => Ok(()),
        false => Err(format!(
            "different {what}:\n  in the source {source:?}\n  in the translation {reduced:?}"
        )),
    }
}
