//! The link from a reduced program to its source, held against the semantics on random programs: a random run
//! of the reduced program, with each step replaced by what its origin says, is an execution of the source with real
//! buffers that ends with the same values of all variables and the same entries of all buffers.

use std::collections::BTreeMap;

use cupola::front::cup::placement::Placement;
use cupola::memory::{BufferSizes, Model};
use cupola::program::{Action, Program, VarId};
use cupola::reduce::{
    FifoVars, Flush, Origin, ReduceConfig, Reduction, Storage, reduce, reduce_to_fifos,
};
use cupola::semantics::{Directive, Followed, MoveKind, Trace, follow};
use cupola::source::SourceFile;

use crate::support::compared::Compared;
use crate::support::random::{Flavour, program_of};
use crate::support::walk::Walk;

/// How many steps a run has at most, an atomic section being one.
const STEPS: usize = 25;

/// How many programs of each family are tried where nothing else is asked for.
const PROGRAMS: u64 = 200;

/// The values of the source's variables and, of each buffer, the entries: variable and value.
type End = (Vec<i64>, Vec<Vec<(VarId, i64)>>);

#[test]
fn runs_of_reduced_programs_are_executions_of_their_sources() {
    for flavour in Flavour::ALL {
        let (mut compared, mut flushes) = (Compared::default(), 0);
        let reductions = for_all_reductions(flavour, PROGRAMS, |reduction, seed| {
            let run = check(reduction, seed);
            compared.count(run.steps > 5);
            flushes += usize::from(run.flushes > 0);
        });
        // An index that is out of range ends a run, and a section with a loop may hold a whole one.
        let least = if flavour == Flavour::Mixed { 60 } else { 40 };
        compared.assert_percent(least);
        assert!(
            4 * flushes >= reductions,
            "{flavour:?}: {flushes} of {reductions} runs have a flush"
        );
    }
}

/// Calls `check` with the reductions of so many programs of a family, or as many as are asked for, and with their
/// seeds; returns how many there are.
pub fn for_all_reductions(
    flavour: Flavour,
    programs: u64,
    mut check: impl FnMut(&Reduction, u64),
) -> usize {
    let setting = std::env::var("CUPOLA_RANDOM_PROGRAMS").ok();
    let programs = setting.map_or(programs, |text| text.parse().expect("a number"));
    let mut count = 0;
    for seed in 0..programs {
        let text = cupola::front::cup::print(&program_of(flavour, seed));
        for reduction in reductions(text) {
            check(&reduction, seed);
            count += 1;
        }
    }
    count
}

/// The reductions of a program under both models, with background blocks and with loops of flushes, to slots and to
/// FIFOs.
pub fn reductions(text: String) -> Vec<Reduction> {
    let file = SourceFile::new("program.cup", text);
    let checked = cupola::front::cup::load(&file).expect("the program is right");
    let configs = [Model::Tso, Model::Pso].into_iter().flat_map(|model| {
        let fences = Placement::Declared.in_force(&checked, model);
        let fences = fences.expect("its own placement");
        Flush::ALL.map(|flush| ReduceConfig {
            model,
            sizes: BufferSizes::uniform(2).expect("small"),
            fences: fences.clone(),
            flush,
        })
    });
    let reductions = configs.flat_map(|config| {
        [reduce, reduce_to_fifos].map(|reduce| reduce(&file, &checked, &config))
    });
    let reductions = reductions.map(|reduction| reduction.expect("it can be reduced"));
    reductions.collect()
}

/// What a run was like.
struct Run {
    steps: usize,
    flushes: usize,
}

fn check(reduction: &Reduction, seed: u64) -> Run {
    let mut walk = Walk::new(&reduction.program, seed);
    let initial = own_values(reduction, &walk.values);
    for _ in 0..STEPS {
        if walk.step().is_none() {
            break;
        }
    }
    let directives = directives(reduction, &walk);
    let shown = || format!("seed {seed}\n{walk:?}\n{}", reduction.program);
    let trace = match follow(&reduction.source, reduction.model(), &initial, &directives) {
        Followed::Ran(trace) | Followed::Broken(_, trace) => trace,
        Followed::Impossible => panic!("the source has no such execution: {}", shown()),
    };
    assert_eq!(trace.steps.len(), directives.len(), "{}", shown());
    let found = end(&reduction.source, &trace);
    match reduction.storage {
        Storage::Slots => assert_eq!(found, reduced_end(reduction, &walk), "{}", shown()),
        Storage::Fifos => {
            let values = own_values(reduction, &walk.values);
            assert_eq!(found.0, values, "{}", shown());
            assert_eq!(
                newest_values(&found.1, &found.0),
                newest_fields(reduction, &walk),
                "{}",
                shown()
            );
        }
    }
    let is_flush = |directive: &&Directive| {
        let flush = Directive::FlushOldest;
        let oldest = |thread| **directive == flush(thread);
        let mut threads = reduction.source.thread_ids();
        matches!(directive, Directive::Flush { .. }) || threads.any(oldest)
    };
    Run {
        steps: directives.len(),
        flushes: directives.iter().filter(is_flush).count(),
    }
}

/// The steps of the source that a run stands for.
fn directives(reduction: &Reduction, walk: &Walk<'_>) -> Vec<Directive> {
    let directive = |&(edge, value)| match reduction.origin(edge) {
        Origin::Statement(edge) | Origin::Bounds(edge) => Some(Directive::Step { edge, value }),
        Origin::Flush { thread, var } => Some(Directive::Flush { thread, var }),
        Origin::FlushOldest(thread) => Some(Directive::FlushOldest(thread)),
        Origin::Further(_) | Origin::Overflow(_) | Origin::Flushing => None,
    };
    walk.taken.iter().filter_map(directive).collect()
}

/// What each buffer that is not empty is like: its length, and what a load of its thread reads of each variable that is
/// not what memory has.
type Shape = Vec<(usize, BTreeMap<VarId, i64>)>;

fn newest_values(buffers: &[Vec<(VarId, i64)>], memory: &[i64]) -> Shape {
    let shape = |entries: &Vec<(VarId, i64)>| {
        let newest: BTreeMap<VarId, i64> = entries.iter().copied().collect();
        let differ = newest.into_iter();
        let differ = differ.filter(|(var, value)| memory[var.index()] != *value);
        (entries.len(), differ.collect())
    };
    buffers.iter().map(shape).collect()
}

/// The same of the FIFOs of a reduced program.
fn newest_fields(reduction: &Reduction, walk: &Walk<'_>) -> Shape {
    let shape = |vars: &FifoVars| {
        let entries = &walk.fifos[vars.fifo.id.index()];
        let newest = entries.last()?;
        let fields = vars.stored.iter().filter(|stored| match stored.numbering {
            Some(numbering) => newest[numbering.field] > walk.values[numbering.done.index()],
            None => true,
        });
        let fields = fields.map(|stored| (stored.var, newest[stored.field]));
        let fields = fields.filter(|(var, value)| walk.values[var.index()] != *value);
        Some((entries.len(), fields.collect()))
    };
    reduction.fifos().iter().filter_map(shape).collect()
}

fn own_values(reduction: &Reduction, values: &[i64]) -> Vec<i64> {
    let vars = reduction.source.var_ids();
    vars.map(|var| values[reduction.reduced_var(var).index()])
        .collect()
}

/// Where a run of the reduced program ends.
fn reduced_end(reduction: &Reduction, walk: &Walk<'_>) -> End {
    let value = |var: VarId| walk.values[var.index()];
    let buffers = reduction.buffers().iter().map(|buffer| {
        let count = usize::try_from(value(buffer.count)).expect("a number of entries");
        let slots = buffer.slots[..count].iter();
        let entries = slots.map(|slot| {
            let scalar = match slot.lhs {
                Some(lhs) => VarId::new(value(lhs) as usize),
                None => buffer.scalars[0],
            };
            (scalar, value(slot.value))
        });
        entries.collect::<Vec<(VarId, i64)>>()
    });
    let filled = buffers.filter(|entries| !entries.is_empty());
    (own_values(reduction, &walk.values), filled.collect())
}

/// Where an execution of the source ends.
fn end(source: &Program, trace: &Trace) -> End {
    let mut values = trace.initial.clone();
    for step in &trace.steps {
        let is_buffered = step.action.kind == MoveKind::Statement
            && step.action.path.iter().any(|taken| {
                let thread = &source.threads[step.action.thread.index()];
                let edge = &thread.location(taken.at).edges[taken.edge];
                matches!(edge.action, Action::Store(..))
            });
        for write in step.writes.iter().filter(|_| !is_buffered) {
            values[write.var.index()] = write.value;
        }
    }
    let last = trace.steps.last();
    let buffers = last.into_iter().flat_map(|step| &step.buffers);
    let buffers = buffers.map(|buffer| {
        let entries = buffer.entries.iter();
        entries.map(|entry| (entry.var, entry.value)).collect()
    });
    (values, buffers.collect())
}
