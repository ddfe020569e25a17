//! Certificates of the kind `basis`: accepted as the engine gives them, rejected where something is missing.

use std::path::Path;

use cupola::certificate::{
    self, BasisTable, BufferSet, Existing, MarkSet, StateSet, Stored, StoredBody,
};
use cupola::certify::{self, Solver, Verdict};
use cupola::engine::explore::{ExploreConfig, explore};
use cupola::engine::{Context, Task, backward};
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::program::lower;
use cupola::source::SourceFile;
use cupola::verdict::VerdictKind;
use indexmap::IndexSet;

use crate::support::random::Random;

/// Programs with the models under which their certificates are small.
const PROGRAMS: [(&str, &[Model]); 12] = [
    ("examples/dekker.cup", &[Model::Tso, Model::Pso]),
    (
        "examples/dekker_simple.cup",
        &[Model::Sc, Model::Tso, Model::Pso],
    ),
    ("examples/peterson.cup", &[Model::Tso, Model::Pso]),
    ("examples/burns.cup", &[Model::Tso, Model::Pso]),
    ("examples/dijkstra.cup", &[Model::Tso]),
    ("examples/lamport_fast.cup", &[Model::Tso]),
    ("examples/clh.cup", &[Model::Tso]),
    ("examples/sense_barrier.cup", &[Model::Tso]),
    (
        "examples/increasing_sequence.cup",
        &[Model::Tso, Model::Pso],
    ),
    (
        "tests/programs/backward/message_passing_forever.cup",
        &[Model::Tso, Model::Pso],
    ),
    (
        "tests/programs/backward/repeated_stores.cup",
        &[Model::Tso, Model::Pso],
    ),
    (
        "tests/programs/backward/rules/sb_fences.cup",
        &[Model::Tso, Model::Pso],
    ),
];

/// A certificate that is right, and what it is about.
pub struct Sample {
    pub name: &'static str,
    pub stored: Stored,
}

fn samples() -> Vec<Sample> {
    let all = PROGRAMS.iter();
    let all = all.flat_map(|&(name, models)| models.iter().map(move |&model| (name, model)));
    all.map(|(name, model)| sample(name, model)).collect()
}

pub fn sample(name: &'static str, model: Model) -> Sample {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let text = std::fs::read_to_string(path).expect("the program is there");
    of_text(name, text, model)
}

/// The certificate of a program that is safe under a model.
pub fn of_text(name: &'static str, text: impl Into<String>, model: Model) -> Sample {
    let file = SourceFile::new(name, text);
    let checked = cupola::front::cup::load(&file).expect("it is a program");
    let fences = Placement::Declared
        .in_force(&checked, model)
        .expect("its own places");
    let task = Task {
        source: &file,
        program: &checked,
        model,
        fences: &fences,
        proof: None,
        earlier: &[],
    };
    let found = backward::certificate(&task, &Context::default()).expect("there is a certificate");
    let stored = certify::prepare(&found).expect("it can be stored");
    Sample { name, stored }
}

pub fn verdict(stored: &Stored) -> Verdict {
    certify::check(stored, &Solver::Library)
        .expect("it makes sense")
        .verdict
}

pub fn table(stored: &mut Stored) -> &mut BasisTable {
    match &mut stored.body {
        StoredBody::Basis(table) => table,
        StoredBody::Invariant(_) | StoredBody::States(_) | StoredBody::Facts(_) => {
            panic!("it is a basis")
        }
    }
}

#[test]
fn certificates_of_safe_programs_are_accepted_and_survive_their_files() {
    for Sample { name, stored } in samples() {
        assert_eq!(
            verdict(&stored),
            Verdict::Accepted,
            "{name} {}",
            stored.config.model
        );
        let dir = tempfile::tempdir().expect("a directory");
        let dir = dir.path().join("certificate");
        certificate::write(&dir, &stored, Existing::Refuse).expect("it can be written");
        let mut read = certificate::read(&dir).expect("it can be read");
        let mut stored = stored;
        assert_eq!(table(&mut read), table(&mut stored), "{name}");
        assert_eq!(verdict(&read), Verdict::Accepted, "{name}");
    }
}

/// Changes after which an obligation does not hold, whatever the program is.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// Without sets a bad state of the invariant is in none: there were sets because there is one.
    NoSets,
    /// A line of the invariant was reached, so that it is missing now.
    LineDropped,
    /// A value of the invariant was reached in a buffer.
    ValueDropped,
    /// The set of all states has the initial ones.
    EverythingBad,
    /// A variable has one value less than are stored to it.
    DomainNarrowed,
    /// A node that a thread comes to is missing: numbers mean other nodes now.
    NodeDropped,
}

const CHANGES: [Change; 6] = [
    Change::NoSets,
    Change::LineDropped,
    Change::ValueDropped,
    Change::EverythingBad,
    Change::DomainNarrowed,
    Change::NodeDropped,
];

/// Applies a change; whether there is something to change.
fn apply(change: Change, stored: &mut Stored, random: &mut Random) -> bool {
    let model = stored.config.model;
    let table = table(stored);
    match change {
        Change::NoSets => {
            let any = !table.sets.is_empty();
            table.sets.clear();
            any
        }
        Change::LineDropped => {
            let line = random.below(table.invariant.len());
            table.invariant.remove(line);
            !table.invariant.is_empty()
        }
        Change::ValueDropped => {
            let start = random.below(table.invariant.len());
            let lines = table.invariant.iter_mut().skip(start);
            for line in lines {
                let mut masks = line.own.iter_mut().flatten();
                if let Some(mask) = masks.find(|mask| **mask != 0) {
                    *mask &= *mask - 1;
                    return true;
                }
            }
            false
        }
        Change::EverythingBad => {
            let vars = table.variables.len();
            let full = |values: usize| u64::MAX >> (64 - values);
            let memory = table.variables.iter().map(|var| full(var.values.len()));
            let buffers = match model {
                Model::Tso => BufferSet::Load {
                    word: Vec::new(),
                    own: vec![MarkSet::Past(0); vars],
                },
                Model::Sc | Model::Pso => BufferSet::Store(vec![(Vec::new(), false); vars]),
            };
            let set = StateSet {
                after: false,
                at: vec![None; table.threads.len()],
                memory: memory.collect(),
                buffers: vec![buffers; table.threads.len()],
            };
            table.sets.push(set);
            true
        }
        Change::DomainNarrowed => {
            let var = random.below(table.variables.len());
            let values = &mut table.variables[var].values;
            values.pop();
            !values.is_empty()
        }
        Change::NodeDropped => {
            let thread = random.below(table.threads.len());
            table.threads[thread].nodes.pop();
            true
        }
    }
}

#[test]
fn certificates_with_something_missing_are_rejected() {
    let mut random = Random::new(15);
    let samples = samples();
    let mut rejected = 0;
    for round in 0..3 {
        for Sample { name, stored } in &samples {
            for change in CHANGES {
                let mut changed = stored.clone();
                if apply(change, &mut changed, &mut random) {
                    let found = certify::check(&changed, &Solver::Library);
                    let accepted = found.is_ok_and(|report| report.verdict == Verdict::Accepted);
                    assert!(
                        !accepted,
                        "{name} {} round {round}: {change:?}",
                        stored.config.model
                    );
                    rejected += 1;
                }
            }
        }
    }
    assert!(rejected >= 250, "{rejected}");
}

/// A set that is left out was a bad one or led to one; it is missed unless another set has its states.
#[test]
fn a_set_that_is_left_out_is_missed() {
    let mut random = Random::new(16);
    let (mut tried, mut missed) = (0, 0);
    for Sample { stored, .. } in samples() {
        for _ in 0..6 {
            let mut changed = stored.clone();
            let sets = &mut table(&mut changed).sets;
            if sets.is_empty() {
                continue;
            }
            let gone = random.below(sets.len());
            sets.remove(gone);
            tried += 1;
            missed += usize::from(verdict(&changed) != Verdict::Accepted);
        }
    }
    assert!(
        tried >= 60 && 10 * missed >= 9 * tried,
        "{missed} of {tried}"
    );
}

/// No certificate shows that an unsafe program is safe: neither that of the same program with its fences, nor one with
/// further changes.
#[test]
fn certificates_of_unsafe_programs_are_rejected() {
    let mut random = Random::new(17);
    let mut rejected = 0;
    for Sample { name, stored } in samples() {
        let mut unsafe_one = stored.clone();
        unsafe_one.config.fences = IndexSet::new();
        if !is_violated(&unsafe_one) {
            continue;
        }
        for round in 0..12 {
            let mut changed = unsafe_one.clone();
            if round > 0 {
                shake(table(&mut changed), &mut random);
            }
            let found = certify::check(&changed, &Solver::Library);
            let accepted = found.is_ok_and(|report| report.verdict == Verdict::Accepted);
            assert!(!accepted, "{name} {} round {round}", stored.config.model);
            rejected += 1;
        }
    }
    assert!(rejected >= 60, "{rejected}");
}

/// Changes a few sets and lines at random.
fn shake(table: &mut BasisTable, random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        match random.below(4) {
            0 if !table.sets.is_empty() => {
                let set = random.below(table.sets.len());
                table.sets.remove(set);
            }
            1 if !table.sets.is_empty() => {
                let set = random.below(table.sets.len());
                let thread = random.below(table.threads.len());
                table.sets[set].at[thread] = None;
            }
            2 if !table.invariant.is_empty() => {
                let line = random.below(table.invariant.len());
                table.invariant[line]
                    .own
                    .iter_mut()
                    .flatten()
                    .for_each(|mask| *mask = 0);
            }
            _ => table
                .invariant
                .truncate(random.below(1 + table.invariant.len())),
        }
    }
}

pub fn is_violated(stored: &Stored) -> bool {
    let checked = cupola::front::cup::load(&stored.source).expect("it is a program");
    let program = lower(&checked, &stored.config.fences);
    let config = ExploreConfig {
        buffer: 4,
        max_states: 100_000,
        ..ExploreConfig::default()
    };
    let found = explore(&program, stored.config.model, &config, &Context::default());
    found.expect("it has no background blocks").kind() == VerdictKind::Violated
}
