//! The certificate of a program that the backward search verified: the basis, over the nodes of the program.

use super::buffers::Buffers;
use super::engine::{Graphs, Smaller};
use super::graph::{NodeId, System};
use super::invariant::{Invariant, invariant};
use super::live::{in_specs, live};
use super::moments::Phase;
use super::pso::StoreBuffers;
use super::search::{ANYWHERE, Config, End, search};
use super::sections::as_updates;
use super::seen::seen;
use super::tso::LoadBuffer;
use super::unfold::Place;
use crate::certificate::{
    BasisTable, Body, BufferSet, Certificate, Reached, StateSet, ThreadNodes, VariableValues,
};
use crate::engine::{Context, Task};
use crate::memory::{BufferSizes, Model};
use crate::program::{self, Program, ThreadId, VarId};
use crate::reduce::{Flush, ReduceConfig};
use crate::verdict::Unsupported;

/// The most sets of states of a basis.
const MAX_SETS: usize = 200_000;

/// The most lines of its invariant.
const MAX_LINES: usize = 500_000;

/// The longest buffers with which values are looked for where they seem to have no bound.
const LONGEST: usize = 3;

/// Why there is no certificate.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NoCertificate {
    /// The engine does not support the program.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// An atomic section has too many paths.
    #[error(
        "a basis under TSO has updates in place of atomic sections, and one has too many paths"
    )]
    Sections,
    /// There are too many sets of states, the search was stopped, or it found a bad state.
    #[error("the search for a basis ended without one")]
    NoBasis,
}

/// The certificate of a task that was verified. Its nodes have the values of live locals alone.
pub fn certificate(task: &Task<'_>, context: &Context) -> Result<Certificate, NoCertificate> {
    let program = program::lower(task.program, task.fences);
    context
        .progress
        .begin(format!("{}, searching a basis", task.model));
    let table = match Graphs::new(&program, task.model, Smaller::Locals, None) {
        Ok(graphs) => table(&program, &graphs, context)?,
        Err(reason) => {
            let values = |buffer| seen(&program, task.model, buffer, &context.stop);
            let all = (1..=LONGEST).map_while(values).filter_map(|seen| {
                Graphs::new(&program, task.model, Smaller::Locals, Some(&seen)).ok()
            });
            let mut tables = all.map(|graphs| table(&program, &graphs, context));
            match tables.find(|table| !matches!(table, Err(NoCertificate::NoBasis))) {
                Some(table) => table?,
                None => return Err(reason.error.into()),
            }
        }
    };
    let config = ReduceConfig {
        model: task.model,
        sizes: BufferSizes::ONE,
        fences: task.fences.clone(),
        flush: Flush::default(),
    };
    Ok(Certificate {
        source: task.source.clone(),
        config,
        body: Body::Basis(table),
    })
}

fn table(
    program: &Program,
    graphs: &Graphs,
    context: &Context,
) -> Result<BasisTable, NoCertificate> {
    let system = match graphs.whole.model {
        Model::Tso => as_updates(&graphs.whole).map_err(|_| NoCertificate::Sections)?,
        Model::Sc | Model::Pso => graphs.whole.clone(),
    };
    let system = &system;
    let stop = &context.stop;
    let known = invariant(system, MAX_LINES, stop);
    let numbers = numbers(graphs);
    let sets = match system.model {
        Model::Tso => sets::<LoadBuffer>(system, known.as_ref(), context, &numbers),
        Model::Sc | Model::Pso => sets::<StoreBuffers>(system, known.as_ref(), context, &numbers),
    };
    let shared = program.vars.iter().filter(|var| var.owner.is_none());
    let variables = shared
        .zip(&system.domains)
        .map(|(var, values)| VariableValues {
            name: var.display_name.clone(),
            values: values.clone(),
        });
    let threads = program.thread_ids().zip(&graphs.places);
    let threads = threads.map(|(thread, places)| ThreadNodes {
        name: program.threads[thread.index()].display_name.clone(),
        nodes: nodes(program, thread, places),
    });
    Ok(BasisTable {
        variables: variables.collect(),
        threads: threads.collect(),
        invariant: known.map_or_else(Vec::new, |known| lines(&known, &numbers)),
        sets: sets?,
    })
}

/// The places of a thread, with the values of locals that are live.
fn nodes(program: &Program, thread: ThreadId, places: &[Place]) -> Vec<(u32, Vec<Option<i64>>)> {
    let live = live(program, thread, &in_specs(program));
    let own = |var: &VarId| program.vars[var.index()].owner == Some(thread);
    let own: Vec<VarId> = program.var_ids().filter(own).collect();
    let nodes = places.iter().filter_map(|place| match place {
        Place::At(at, locals) => {
            let live = &live[at.index()];
            let locals = own.iter().zip(locals);
            let locals = locals.map(|(var, value)| live.contains(var).then_some(*value));
            Some((at.index() as u32, locals.collect()))
        }
        Place::Broken(_) | Place::Beyond => None,
    });
    nodes.collect()
}

/// By thread and node: the number among those that are places of the program.
type Numbers = Vec<Vec<Option<usize>>>;

fn numbers(graphs: &Graphs) -> Numbers {
    let threads = graphs.places.iter().map(|places| {
        let mut next = 0..;
        let number = |place: &Place| match place {
            Place::At(..) => next.next(),
            Place::Broken(_) | Place::Beyond => None,
        };
        places.iter().map(number).collect()
    });
    threads.collect()
}

fn lines(known: &Invariant, numbers: &Numbers) -> Vec<Reached> {
    let lines = known.all().filter_map(|(at, memory, known)| {
        let at = at.iter().zip(numbers);
        let at = at.map(|(&at, numbers)| numbers[at as usize]);
        Some(Reached {
            at: at.collect::<Option<Vec<usize>>>()?,
            memory: memory.iter().map(|&value| usize::from(value)).collect(),
            sent: known.iter().map(|known| known.sent.clone()).collect(),
            own: known.iter().map(|known| known.own.clone()).collect(),
        })
    });
    lines.collect()
}

/// The sets of a basis; those with a thread at which something is broken already are left out.
fn sets<B: Buffers + Listed>(
    system: &System,
    known: Option<&Invariant>,
    context: &Context,
    numbers: &Numbers,
) -> Result<Vec<StateSet>, NoCertificate> {
    let found = search::<B>(system, known, MAX_SETS, &context.stop);
    let End::Safe(configs) = found.end else {
        return Err(NoCertificate::NoBasis);
    };
    let listed = configs.iter().filter_map(|config| set(config, numbers));
    Ok(listed.collect())
}

fn set<B: Listed>(config: &Config<B>, numbers: &Numbers) -> Option<StateSet> {
    let number = |(&at, numbers): (&NodeId, &Vec<Option<usize>>)| match at {
        ANYWHERE => Some(None),
        at => numbers[at as usize].map(Some),
    };
    let at = config.at.iter().zip(numbers).map(number);
    Some(StateSet {
        after: config.phase == Phase::After,
        at: at.collect::<Option<Vec<Option<usize>>>>()?,
        memory: config.memory.clone(),
        buffers: config.buffers.iter().map(B::listed).collect(),
    })
}

/// Buffers that a certificate can list.
trait Listed {
    fn listed(&self) -> BufferSet;
}

impl Listed for LoadBuffer {
    fn listed(&self) -> BufferSet {
        self.to_set()
    }
}

impl Listed for StoreBuffers {
    fn listed(&self) -> BufferSet {
        self.to_set()
    }
}
