//! Certificates made from concrete runs: what always held in the states that were seen.
//!
//! States are kept apart by location and by some of the predicates. The cube of each has every literal that held whenever
//! it was seen. So it is not known whether such a certificate is inductive; the predicates are chosen such that it
//! is, and the check says so.

use cupola::certificate::{
    Body, Certificate, FactsState, FactsStep, FactsTable, Literal, Predicate, Way, read_predicates,
};
use cupola::front::cup;
use cupola::front::cup::placement::Placement;
use cupola::memory::{BufferSizes, Model};
use cupola::program::LocId;
use cupola::reduce::{Flush, ReduceConfig, Reduction, reduce_to_fifos};
use cupola::source::SourceFile;
use indexmap::{IndexMap, IndexSet};

use super::runs::{Runs, holds};
use crate::enumerate::State;

/// A program with predicates that prove it.
#[derive(Clone, Copy)]
pub struct Sample {
    pub name: &'static str,
    pub text: &'static str,
    pub model: Model,
    /// The predicates; states are kept apart by the first `split` of them.
    pub predicates: &'static [&'static str],
    pub split: usize,
    /// How many runs there are.
    pub runs: usize,
    /// How long FIFOs get in them.
    pub longest: usize,
}

/// A sample with what was made of it.
pub struct Made {
    pub name: &'static str,
    pub reduction: Reduction,
    pub predicates: Vec<Predicate>,
    pub runs: Runs,
    pub certificate: Certificate,
    pub table: FactsTable,
}

type Key = (Vec<LocId>, Vec<bool>);

impl Sample {
    /// Runs the program and lists what was seen.
    pub fn make(&self) -> Made {
        let source = SourceFile::new(format!("{}.cup", self.name), self.text);
        let checked = cup::load(&source).expect("a program");
        let config = ReduceConfig {
            model: self.model,
            sizes: BufferSizes::ONE,
            fences: Placement::None
                .in_force(&checked, self.model)
                .expect("no fences"),
            flush: Flush::Background,
        };
        let reduction = reduce_to_fifos(&source, &checked, &config).expect("it can be reduced");
        let texts: Vec<String> = self
            .predicates
            .iter()
            .map(|text| (*text).to_owned())
            .collect();
        let predicates = read_predicates(&reduction.checked, &reduction.program, &texts);
        let predicates = predicates.expect("predicates");
        let runs = Runs::of(&reduction.program, self.runs, 120, self.longest);
        let table = table(texts, &predicates, self.split, &runs);
        Made {
            name: self.name,
            certificate: Certificate {
                source,
                config: reduction.config.clone(),
                body: Body::Facts(table.clone()),
            },
            table,
            reduction,
            predicates,
            runs,
        }
    }
}

fn table(texts: Vec<String>, predicates: &[Predicate], split: usize, runs: &Runs) -> FactsTable {
    let key = |state: &State| -> Key {
        let split = predicates[..split].iter();
        (
            state.at.clone(),
            split.map(|predicate| holds(predicate, state)).collect(),
        )
    };
    // By key, for each predicate whether it held always and whether it never did.
    let mut seen: IndexMap<Key, Vec<[bool; 2]>> = IndexMap::new();
    for state in runs.states() {
        let always = seen
            .entry(key(state))
            .or_insert_with(|| vec![[true; 2]; predicates.len()]);
        for (predicate, [always, never]) in predicates.iter().zip(always) {
            let holds = holds(predicate, state);
            *always &= holds;
            *never &= !holds;
        }
    }
    let mut steps: IndexMap<(usize, &Way), IndexSet<usize>> = IndexMap::new();
    let number = |state: &State| seen.get_index_of(&key(state)).expect("it was seen");
    for step in &runs.steps {
        let targets = steps.entry((number(&step.from), &step.way)).or_default();
        targets.insert(number(&step.to));
    }
    let states = seen.iter().enumerate().map(|(index, ((at, _), known))| {
        let literals = known.iter().zip(predicates).enumerate();
        let cube = literals.filter_map(|(place, ([always, never], predicate))| {
            let is_fact = matches!(predicate, Predicate::Fact(_));
            (*always || *never && !is_fact).then_some(Literal {
                predicate: place,
                holds: *always,
            })
        });
        let own = steps.iter().filter(|((from, _), _)| *from == index);
        let own = own.map(|((_, way), to)| FactsStep {
            way: (*way).clone(),
            to: to.iter().copied().collect(),
        });
        FactsState {
            at: at.clone(),
            cube: cube.collect(),
            steps: own.collect(),
        }
    });
    FactsTable {
        states: states.collect(),
        start: vec![number(&runs.start)],
        predicates: texts,
    }
}
