//! What must not be reached: the properties of a program as sets of states of its graphs.
//!
//! What the properties see of a node is its *sight*: whether a property was broken on the way to it, whether the thread
//! has ended, the truth of `P@l` and the values of the locals that a spec mentions. Nodes with the same sight break
//! the same properties, whatever else differs. A spec is evaluated for each combination of sights and of values of the
//! shared variables that it mentions.

use indexmap::{IndexMap, IndexSet};
use itertools::Itertools;

use super::graph::{Bad, Sight, System, one};
use super::mentions::Mentions;
use super::unfold::{Place, Unfolded};
use crate::front::cup::ast::SpecKind;
use crate::memory::Model;
use crate::program::{
    Action, Cond, Edge, EdgeId, LocId, Program, PropertyId, Spec, ThreadId, VarId,
};
use crate::semantics::Directive;
use crate::semantics::eval::View;
use crate::semantics::spec::{self, SpecStatus};

/// The most combinations of sights and values that one property is evaluated for.
const MAX_COMBINATIONS: usize = 1 << 20;

/// Why the properties cannot be stated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unstatable {
    /// There are too many combinations.
    #[error("`{0}` depends on too many values")]
    Combinations(String),
    /// A value does not fit 64 bits.
    #[error("a value in `{0}` does not fit 64 bits")]
    Overflow(String),
}

/// What is seen of a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Seen {
    /// A property was broken.
    Broken(PropertyId),
    /// A value came about that was not to be.
    Beyond,
    /// A step that evaluates shared memory, at this node.
    Checks(LocId, Vec<i64>),
    /// The thread holds the atomic section, so that no spec is evaluated.
    Held,
    /// What the specs mention.
    Open {
        /// Whether the thread has ended.
        ended: bool,
        /// The truth of each `P@l`.
        at: Vec<bool>,
        /// The values of locals; those that no spec mentions are left out.
        locals: Vec<i64>,
    },
}

/// The system of an unfolded program: sights are given to nodes, and properties become sets of states.
pub(super) fn system(
    program: &Program,
    model: Model,
    unfolded: Unfolded,
) -> Result<System, Unstatable> {
    let Unfolded {
        mut graphs,
        places,
        domains,
        initial,
    } = unfolded;
    let mentioned = mentioned(program);
    let mut views = Vec::new();
    for (thread, graph) in program.thread_ids().zip(&mut graphs) {
        let mut sights: IndexMap<Seen, Representative> = IndexMap::new();
        for (node, place) in graph.nodes.iter_mut().zip(&places[thread.index()]) {
            let seen = mentioned.seen(program, thread, place);
            let place = place.clone();
            let entry = sights.entry(seen);
            node.sight = entry.index() as Sight;
            entry.or_insert(Representative { place });
        }
        views.push(sights);
    }
    let mut system = System {
        model,
        domains,
        initial,
        graphs,
        bad: Vec::new(),
    };
    let statement = Statement {
        program,
        views: &views,
    };
    let mut bad = statement.broken(&system);
    bad.extend(statement.checks(&system)?);
    for spec in &program.specs {
        bad.extend(statement.spec(&system, spec)?);
    }
    system.bad = bad;
    Ok(system)
}

/// What the specs of a program mention.
struct Mentioned {
    atoms: IndexSet<(ThreadId, Vec<LocId>)>,
    locals: IndexSet<VarId>,
}

fn mentioned(program: &Program) -> Mentioned {
    let mut atoms = IndexSet::new();
    let mut locals = IndexSet::new();
    for spec in &program.specs {
        for cond in conds(spec) {
            collect_atoms(cond, &mut atoms);
            locals.extend(Mentions::of(program, [cond]).locals);
        }
    }
    Mentioned { atoms, locals }
}

fn conds(spec: &Spec) -> impl Iterator<Item = &Cond> {
    let bounds = spec.bounds.iter().map(|bounds| &bounds.cond);
    bounds.chain([&spec.cond])
}

fn collect_atoms(cond: &Cond, atoms: &mut IndexSet<(ThreadId, Vec<LocId>)>) {
    match cond {
        Cond::Const(_) | Cond::Compare(..) => {}
        Cond::Not(inner) => collect_atoms(inner, atoms),
        Cond::And(left, right) | Cond::Or(left, right) => {
            collect_atoms(left, atoms);
            collect_atoms(right, atoms);
        }
        Cond::At(thread, locations) => drop(atoms.insert((*thread, locations.clone()))),
    }
}

impl Mentioned {
    fn seen(&self, program: &Program, thread: ThreadId, place: &Place) -> Seen {
        let (at, locals) = match place {
            Place::Broken(property) => return Seen::Broken(*property),
            Place::Beyond => return Seen::Beyond,
            Place::At(at, locals) => (*at, locals),
        };
        let graph = &program.threads[thread.index()];
        let location = graph.location(at);
        let mut edges = location.edges.iter();
        if edges.any(|edge| !shared_of(program, edge).is_empty()) {
            return Seen::Checks(at, locals.clone());
        }
        if location.held {
            return Seen::Held;
        }
        let atoms = self.atoms.iter().filter(|(of, _)| *of == thread);
        let own = |id: &VarId| program.vars[id.index()].owner == Some(thread);
        let own = program.var_ids().filter(own).zip(locals);
        let shown = own.filter(|(id, _)| self.locals.contains(id));
        Seen::Open {
            ended: at == graph.end,
            at: atoms
                .map(|(_, locations)| locations.contains(&at))
                .collect(),
            locals: shown.map(|(_, value)| *value).collect(),
        }
    }
}

/// The shared variables that a step evaluates; a load, a store or an update evaluates none.
fn shared_of(program: &Program, edge: &Edge) -> Vec<VarId> {
    let bounds = edge.bounds.iter().map(|bounds| &bounds.cond);
    let asserted = match &edge.action {
        Action::Assert(cond, _) => Some(cond),
        _ => None,
    };
    let mentions = Mentions::of(program, bounds.chain(asserted));
    mentions.shared.into_iter().collect()
}

/// A node that has a sight.
struct Representative {
    place: Place,
}

/// The properties of a program over the sights of its threads.
struct Statement<'a> {
    program: &'a Program,
    views: &'a [IndexMap<Seen, Representative>],
}

impl Statement<'_> {
    /// The nodes at which a property was broken, or a value came about that was not to be.
    fn broken(&self, system: &System) -> Vec<Bad> {
        let mut bad = Vec::new();
        for (thread, sights) in self.views.iter().enumerate() {
            for (sight, seen) in sights.keys().enumerate() {
                if let Seen::Broken(_) | Seen::Beyond = seen {
                    bad.push(self.alone(system, thread, sight));
                }
            }
        }
        bad
    }

    /// The states in which one thread is seen so, and the others are anywhere.
    fn alone(&self, system: &System, thread: usize, sight: usize) -> Bad {
        let mut sights = vec![None; self.views.len()];
        sights[thread] = Some(sight as Sight);
        Bad {
            sights,
            memory: system.any_memory(),
            drained: false,
            step: None,
        }
    }

    /// The states in which a step that evaluates shared memory fails.
    fn checks(&self, system: &System) -> Result<Vec<Bad>, Unstatable> {
        let mut bad = Vec::new();
        for (thread, sights) in self.program.thread_ids().zip(self.views) {
            for (sight, seen) in sights.keys().enumerate() {
                let Seen::Checks(at, locals) = seen else {
                    continue;
                };
                let own = |id: &VarId| self.program.vars[id.index()].owner == Some(thread);
                let own: Vec<VarId> = self.program.var_ids().filter(own).collect();
                let mut values = vec![0; self.program.vars.len()];
                own.iter()
                    .zip(locals)
                    .for_each(|(var, &value)| values[var.index()] = value);
                let edges = &self.program.threads[thread.index()].location(*at).edges;
                for (number, edge) in edges.iter().enumerate() {
                    let shared = shared_of(self.program, edge);
                    if shared.is_empty() {
                        continue;
                    }
                    let id = EdgeId {
                        thread,
                        at: *at,
                        number,
                    };
                    let step = Directive::Step {
                        edge: id,
                        value: None,
                    };
                    for choice in self.values(system, &shared, edge_name(self.program, edge))? {
                        assign(&mut values, &shared, &choice, system);
                        let failed = fails(edge, &values);
                        let failed = failed
                            .ok_or_else(|| Unstatable::Overflow(edge_name(self.program, edge)))?;
                        if failed {
                            let mut one = self.alone(system, thread.index(), sight);
                            restrict(&mut one, &shared, &choice);
                            one.step = Some(step);
                            bad.push(one);
                        }
                    }
                }
            }
        }
        Ok(bad)
    }

    /// All values of shared variables, by number.
    fn values(
        &self,
        system: &System,
        shared: &[VarId],
        name: String,
    ) -> Result<Vec<Vec<u8>>, Unstatable> {
        let sizes = shared.iter().map(|var| system.domains[var.index()].len());
        let count = sizes
            .clone()
            .try_fold(1_usize, |all, one| all.checked_mul(one));
        if count.is_none_or(|count| count > MAX_COMBINATIONS) {
            return Err(Unstatable::Combinations(name));
        }
        let values = sizes.map(|size| 0..size as u8).multi_cartesian_product();
        Ok(match shared.is_empty() {
            true => vec![Vec::new()],
            false => values.collect(),
        })
    }

    /// The states that break a spec.
    fn spec(&self, system: &System, spec: &Spec) -> Result<Vec<Bad>, Unstatable> {
        let name = || self.program.property(spec.property).name_text();
        let mentions = Mentions::of(self.program, conds(spec));
        let is_final = spec.kind == SpecKind::Finally;
        let sights = self.program.thread_ids().map(|thread| {
            let mentioned = is_final || mentions.threads.contains(&thread);
            match mentioned {
                false => vec![None],
                true => self.open(thread, is_final).into_iter().map(Some).collect(),
            }
        });
        let sights: Vec<Vec<Option<Sight>>> = sights.collect();
        let shared: Vec<VarId> = mentions.shared.iter().copied().collect();
        let choices = self.values(system, &shared, name())?;
        let count = sights
            .iter()
            .try_fold(choices.len(), |all, one| all.checked_mul(one.len()));
        if count.is_none_or(|count| count > MAX_COMBINATIONS) {
            return Err(Unstatable::Combinations(name()));
        }
        let mut bad = Vec::new();
        let mut vectors: Vec<Vec<Option<Sight>>> =
            sights.into_iter().multi_cartesian_product().collect();
        if self.views.is_empty() {
            vectors = vec![Vec::new()];
        }
        for sights in vectors {
            let (mut values, at) = self.representative(&sights);
            for choice in &choices {
                assign(&mut values, &shared, choice, system);
                let view = View {
                    values: &values,
                    at: &at,
                };
                match spec::status(spec, view, is_final) {
                    SpecStatus::Holds => {}
                    SpecStatus::OutOfI64 => return Err(Unstatable::Overflow(name())),
                    SpecStatus::Broken(_) => {
                        let mut one = Bad {
                            sights: sights.clone(),
                            memory: system.any_memory(),
                            drained: is_final,
                            step: None,
                        };
                        restrict(&mut one, &shared, choice);
                        bad.push(one);
                    }
                }
            }
        }
        Ok(bad)
    }

    /// The sights of a thread in which specs are evaluated; those at its end alone if `ended`.
    fn open(&self, thread: ThreadId, only_ended: bool) -> Vec<Sight> {
        let program = self.program;
        let graph = &program.threads[thread.index()];
        let sights = self.views[thread.index()].iter().enumerate();
        let sights = sights.filter(|(_, (seen, _))| match seen {
            Seen::Broken(_) | Seen::Beyond | Seen::Held => false,
            Seen::Open { ended, .. } => *ended || !only_ended,
            Seen::Checks(at, _) => !only_ended && !graph.location(*at).held,
        });
        sights.map(|(sight, _)| sight as Sight).collect()
    }

    /// Values and locations of nodes with these sights.
    fn representative(&self, sights: &[Option<Sight>]) -> (Vec<i64>, Vec<LocId>) {
        let program = self.program;
        let mut values = vec![0; program.vars.len()];
        let mut at: Vec<LocId> = program.threads.iter().map(|thread| thread.entry).collect();
        for (thread, sight) in program.thread_ids().zip(sights) {
            let Some(sight) = sight else { continue };
            let views = &self.views[thread.index()];
            let shown = views.get_index(*sight as usize).map(|(_, shown)| shown);
            let Some(Place::At(place, locals)) = shown.map(|shown| &shown.place) else {
                continue;
            };
            at[thread.index()] = *place;
            let own = |id: &VarId| program.vars[id.index()].owner == Some(thread);
            let own = program.var_ids().filter(own).zip(locals);
            own.for_each(|(var, &value)| values[var.index()] = value);
        }
        (values, at)
    }
}

fn edge_name(program: &Program, edge: &Edge) -> String {
    program.statement(edge.stmt).text.clone()
}

/// Whether a step breaks a property in a state; `None` if a value does not fit.
fn fails(edge: &Edge, values: &[i64]) -> Option<bool> {
    let view = View { values, at: &[] };
    if let Some(bounds) = &edge.bounds
        && !view.cond(&bounds.cond)?
    {
        return Some(true);
    }
    match &edge.action {
        Action::Assert(cond, _) => view.cond(cond).map(|holds| !holds),
        _ => Some(false),
    }
}

/// Sets shared variables to the values with these numbers.
fn assign(values: &mut [i64], shared: &[VarId], choice: &[u8], system: &System) {
    for (var, &number) in shared.iter().zip(choice) {
        values[var.index()] = system.domains[var.index()][usize::from(number)];
    }
}

/// Restricts memory to the values with these numbers.
fn restrict(bad: &mut Bad, shared: &[VarId], choice: &[u8]) {
    for (var, &number) in shared.iter().zip(choice) {
        bad.memory[var.index()] = one(number);
    }
}
