//! The finite-data front end: from a program to a labelled graph for each thread.
//!
//! A node is a location with values of the locals; a load has an edge for each value that the variable may have, which
//! is each that it may start with and each that some node stores. Both are found together: nodes make values, values
//! make nodes, until nothing is new. What has more values or nodes than a limit is [`Unbounded`], with the variable that
//! grows.
//!
//! Invariant: every step that the program can take from a state with finitely many values is an edge, and each edge is
//! a step of the program; the values of a load are more than memory may hold, never fewer.

use std::collections::BTreeSet;

use indexmap::{IndexMap, IndexSet};
use itertools::Itertools;

use super::graph::{Edge, Graph, MAX_VALUES, Mask, Node, NodeId, Op, Update, Value, one};
use super::live::{in_specs, live};
use super::mentions::Mentions;
use super::seen::Seen;
use crate::memory::Model;
use crate::program::{
    Action, Edge as ProgramEdge, EdgeId, Init, LocId, Program, PropertyId, ThreadId, VarId,
};
use crate::semantics::Directive;
use crate::semantics::eval::View;

/// The most nodes of one thread.
pub(super) const MAX_NODES: usize = 20_000;

/// Says which local has the most values, if there are locals.
fn most_values(local: &str) -> String {
    match local.is_empty() {
        true => String::new(),
        false => format!("; `{local}` has the most values"),
    }
}

/// Why a program has no finite graphs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unbounded {
    /// A variable may have too many values.
    #[error("`{0}` may have more than {MAX_VALUES} values")]
    Values(String),
    /// A thread has too many nodes, above all because of the values of a local.
    #[error(
        "a thread has more than {MAX_NODES} combinations of location and locals{}",
        most_values(.0)
    )]
    Nodes(String),
    /// A variable may have any integer.
    #[error("`{0}` may be any integer")]
    Arbitrary(String),
    /// A value does not fit 64 bits.
    #[error("a value does not fit 64 bits")]
    Overflow,
}

/// What a node stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// A location with values of the thread's locals.
    At(LocId, Vec<i64>),
    /// A property was broken by the step that led here.
    Broken(PropertyId),
    /// A value came about that was not to be.
    Beyond,
}

/// The graphs of a program, with what their nodes stand for.
#[derive(Debug)]
pub(super) struct Unfolded {
    /// By thread: the nodes and edges, all seen alike.
    pub graphs: Vec<Graph>,
    /// By thread: what each node stands for.
    pub places: Vec<Vec<Place>>,
    /// By shared variable: its values.
    pub domains: Vec<Vec<i64>>,
    /// By shared variable: the values that it may start with.
    pub initial: Vec<Mask>,
}

/// Unfolds a program. Locals that are not live are 0 if `only_live`. With `seen`, steps to other values lead to
/// [`Place::Beyond`].
pub(super) fn unfold(
    program: &Program,
    model: Model,
    only_live: bool,
    seen: Option<&Seen>,
) -> Result<Unfolded, Unbounded> {
    let mut domains = Domains::new(program)?;
    let initial: Vec<Mask> = domains.values.iter().map(all).collect();
    let always = in_specs(program);
    if let Some(seen) = seen {
        domains.close(program, seen)?;
    }
    loop {
        let known = domains.len();
        let threads = program.thread_ids().map(|thread| {
            let mut unfolding = Unfolding::new(program, model, thread);
            if only_live {
                unfolding.live = Some(live(program, thread, &always));
            }
            unfolding.close(seen);
            unfolding.run(&mut domains)
        });
        let threads = threads.collect::<Result<Vec<_>, Unbounded>>()?;
        if domains.len() == known {
            let (graphs, places) = threads.into_iter().unzip();
            let domains = domains.values.into_iter();
            return Ok(Unfolded {
                graphs,
                places,
                domains: domains.map(|domain| domain.into_iter().collect()).collect(),
                initial,
            });
        }
    }
}

fn all(domain: &IndexSet<i64>) -> Mask {
    super::graph::full(domain.len())
}

/// The values of the shared variables found so far.
struct Domains {
    values: Vec<IndexSet<i64>>,
    /// Whether no value is added any more.
    closed: bool,
}

impl Domains {
    fn new(program: &Program) -> Result<Self, Unbounded> {
        let shared = program.vars.iter().filter(|var| var.owner.is_none());
        let domains = shared.map(|var| initial_values(var.init, &var.display_name));
        let domains = domains.map(|values| Ok(values?.into_iter().collect()));
        Ok(Domains {
            values: domains.collect::<Result<_, Unbounded>>()?,
            closed: false,
        })
    }

    /// Adds the values that were seen, and no others from now on.
    fn close(&mut self, program: &Program, seen: &Seen) -> Result<(), Unbounded> {
        for (var, values) in seen.values.iter().enumerate() {
            for &value in values {
                self.number(program, VarId::new(var), value)?;
            }
        }
        self.closed = true;
        Ok(())
    }

    fn len(&self) -> usize {
        self.values.iter().map(IndexSet::len).sum()
    }

    /// The number of a value, which may be new; `None` if it is new and must not be.
    fn number(
        &mut self,
        program: &Program,
        var: VarId,
        value: i64,
    ) -> Result<Option<Value>, Unbounded> {
        let values = &mut self.values[var.index()];
        let number = match self.closed {
            true => values.get_index_of(&value),
            false => Some(values.insert_full(value).0),
        };
        match number {
            Some(MAX_VALUES..) => Err(Unbounded::Values(program.var_display_name(var))),
            number => Ok(number.map(|number| number as Value)),
        }
    }

    fn values(&self, var: VarId) -> Vec<i64> {
        self.values[var.index()].iter().copied().collect()
    }
}

/// The values that a variable may start with.
fn initial_values(init: Init, name: &str) -> Result<Vec<i64>, Unbounded> {
    match init {
        Init::Value(value) => Ok(vec![value]),
        Init::Any => Err(Unbounded::Arbitrary(name.to_owned())),
        Init::Range(range) => {
            let values: Vec<i64> = range.values().take(MAX_VALUES + 1).collect();
            match values.len() > MAX_VALUES {
                true => Err(Unbounded::Values(name.to_owned())),
                false => Ok(values),
            }
        }
    }
}

/// The unfolding of one thread.
struct Unfolding<'a> {
    program: &'a Program,
    model: Model,
    thread: ThreadId,
    /// The thread's locals, in order.
    locals: Vec<VarId>,
    live: Option<Vec<BTreeSet<VarId>>>,
    places: IndexMap<Place, NodeId>,
    /// The only places that may be, if that is known.
    allowed: Option<IndexSet<Place>>,
    stores: Vec<Mask>,
    /// The values of all variables; only those of the thread's locals mean something.
    values: Vec<i64>,
}

impl<'a> Unfolding<'a> {
    fn new(program: &'a Program, model: Model, thread: ThreadId) -> Self {
        let own = |id: &VarId| program.vars[id.index()].owner == Some(thread);
        let shared = program.vars.iter().filter(|var| var.owner.is_none());
        Unfolding {
            program,
            model,
            thread,
            locals: program.var_ids().filter(own).collect(),
            live: None,
            places: IndexMap::new(),
            allowed: None,
            stores: vec![0; shared.count()],
            values: vec![0; program.vars.len()],
        }
    }

    fn run(mut self, domains: &mut Domains) -> Result<(Graph, Vec<Place>), Unbounded> {
        let entries = self.entries()?;
        let mut nodes: Vec<Node> = Vec::new();
        while let Some((place, _)) = self.places.get_index(nodes.len()) {
            let (held, edges) = match place.clone() {
                Place::Broken(_) | Place::Beyond => (false, Vec::new()),
                Place::At(at, locals) => {
                    let held = self.program.threads[self.thread.index()].location(at).held;
                    (held, self.edges(at, &locals, domains)?)
                }
            };
            nodes.push(Node {
                held,
                sight: 0,
                edges,
            });
            if self.places.len() > MAX_NODES {
                return Err(Unbounded::Nodes(self.largest_local()));
            }
        }
        let graph = Graph {
            nodes,
            entries,
            stores: self.stores,
        };
        Ok((graph, self.places.into_keys().collect()))
    }

    /// The nodes at which the thread may start.
    fn entries(&mut self) -> Result<Vec<NodeId>, Unbounded> {
        let entry = self.program.threads[self.thread.index()].entry;
        let locals = self.locals.clone().into_iter().map(|var| {
            let name = self.program.var_display_name(var);
            initial_values(self.program.vars[var.index()].init, &name)
        });
        let values = locals.collect::<Result<Vec<Vec<i64>>, Unbounded>>()?;
        let count: usize = values.iter().map(Vec::len).product();
        if count > MAX_NODES {
            return Err(Unbounded::Nodes(self.largest_local()));
        }
        let mut entries = IndexSet::new();
        for choice in values.into_iter().multi_cartesian_product() {
            entries.insert(self.node(entry, choice));
        }
        if self.locals.is_empty() {
            entries.insert(self.node(entry, Vec::new()));
        }
        Ok(entries.into_iter().collect())
    }

    /// The local with the most values so far.
    fn largest_local(&self) -> String {
        let distinct = |index: usize| {
            let values = self.places.keys().filter_map(|place| match place {
                Place::At(_, locals) => Some(locals[index]),
                Place::Broken(_) | Place::Beyond => None,
            });
            values.unique().count()
        };
        let largest = (0..self.locals.len()).max_by_key(|&index| distinct(index));
        let name = largest.map(|index| self.program.var_display_name(self.locals[index]));
        name.unwrap_or_default()
    }

    /// Lets only those places be that were seen.
    fn close(&mut self, seen: Option<&Seen>) {
        self.allowed = seen.map(|seen| {
            let places = seen.places[self.thread.index()].iter();
            let places = places.map(|(at, locals)| self.place(*at, locals.clone()));
            places.collect()
        });
    }

    /// The node for a location and values of the locals.
    fn node(&mut self, at: LocId, locals: Vec<i64>) -> NodeId {
        let place = self.place(at, locals);
        let allowed = self.allowed.as_ref();
        match allowed.is_none_or(|allowed| allowed.contains(&place)) {
            true => self.number(place),
            false => self.number(Place::Beyond),
        }
    }

    /// A location with values of the locals, without those that are not live.
    fn place(&self, at: LocId, mut locals: Vec<i64>) -> Place {
        if let Some(live) = &self.live {
            for (value, var) in locals.iter_mut().zip(&self.locals) {
                if !live[at.index()].contains(var) {
                    *value = 0;
                }
            }
        }
        Place::At(at, locals)
    }

    fn number(&mut self, place: Place) -> NodeId {
        let next = self.places.len() as NodeId;
        *self.places.entry(place).or_insert(next)
    }

    fn edges(
        &mut self,
        at: LocId,
        locals: &[i64],
        domains: &mut Domains,
    ) -> Result<Vec<Edge>, Unbounded> {
        for (&var, &value) in self.locals.iter().zip(locals) {
            self.values[var.index()] = value;
        }
        let program = self.program;
        let thread = &program.threads[self.thread.index()];
        let mut edges = Vec::new();
        for (number, edge) in thread.location(at).edges.iter().enumerate() {
            let id = EdgeId {
                thread: self.thread,
                at,
                number,
            };
            Step {
                unfolding: &mut *self,
                domains,
                locals,
                edge,
                id,
                edges: &mut edges,
            }
            .add()?;
        }
        Ok(edges)
    }
}

/// One step of the program at one node.
struct Step<'s, 'a> {
    unfolding: &'s mut Unfolding<'a>,
    domains: &'s mut Domains,
    locals: &'s [i64],
    edge: &'a ProgramEdge,
    id: EdgeId,
    edges: &'s mut Vec<Edge>,
}

impl Step<'_, '_> {
    fn view(&self) -> View<'_> {
        View {
            values: &self.unfolding.values,
            at: &[],
        }
    }

    /// Whether the step evaluates shared variables, as an assertion may. Then `bad` has the states in which it fails,
    /// and the step goes on in any case.
    fn sees_memory(&self) -> bool {
        let bounds = self.edge.bounds.iter().map(|bounds| &bounds.cond);
        let asserted = match &self.edge.action {
            Action::Assert(cond, _) => Some(cond),
            _ => None,
        };
        let mentions = Mentions::of(self.unfolding.program, bounds.chain(asserted));
        !mentions.shared.is_empty()
    }

    fn add(mut self) -> Result<(), Unbounded> {
        let edge = self.edge;
        if self.sees_memory() {
            return self.go(Op::Silent, None, None);
        }
        if let Some(bounds) = &edge.bounds
            && !self.view().cond(&bounds.cond).ok_or(Unbounded::Overflow)?
        {
            self.broken(bounds.property);
            return Ok(());
        }
        match &edge.action {
            Action::Skip => self.go(Op::Silent, None, None),
            Action::Assume(cond) => match self.view().cond(cond).ok_or(Unbounded::Overflow)? {
                true => self.go(Op::Silent, None, None),
                false => Ok(()),
            },
            Action::Assert(cond, property) => {
                match self.view().cond(cond).ok_or(Unbounded::Overflow)? {
                    true => self.go(Op::Silent, None, None)?,
                    false => self.broken(*property),
                }
                Ok(())
            }
            Action::Assign(place, term) => {
                let value = self.view().term(term).ok_or(Unbounded::Overflow)?;
                let var = self.view().place(place).ok_or(Unbounded::Overflow)?;
                self.go(Op::Silent, Some((var, value)), None)
            }
            Action::Append(..) | Action::Pop(_) => unreachable!("programs with FIFOs are refused"),
            Action::Havoc(place) => {
                let var = self.view().place(place).ok_or(Unbounded::Overflow)?;
                let name = self.unfolding.program.var_display_name(var);
                Err(Unbounded::Arbitrary(name))
            }
            Action::Choose(place, range) => {
                let var = self.view().place(place).ok_or(Unbounded::Overflow)?;
                let name = || self.unfolding.program.var_display_name(var);
                if range.values().nth(MAX_NODES).is_some() {
                    return Err(Unbounded::Nodes(name()));
                }
                for value in range.values() {
                    self.go(Op::Silent, Some((var, value)), Some(value))?;
                }
                Ok(())
            }
            Action::Fence => self.go(Op::Fence, None, None),
            Action::Load(place, source) => {
                let var = self.view().place(place).ok_or(Unbounded::Overflow)?;
                let source = self.view().place(source).ok_or(Unbounded::Overflow)?;
                for (number, value) in self.domains.values(source).into_iter().enumerate() {
                    let op = Op::Read(source.index(), one(number as Value));
                    self.go(op, Some((var, value)), None)?;
                }
                Ok(())
            }
            Action::Store(place, term) => {
                let var = self.view().place(place).ok_or(Unbounded::Overflow)?;
                let value = self.view().term(term).ok_or(Unbounded::Overflow)?;
                let Some(number) = self.number(var, value)? else {
                    self.beyond(Op::Silent);
                    return Ok(());
                };
                match self.unfolding.model {
                    Model::Sc => {
                        let update = Update {
                            guards: Vec::new(),
                            writes: vec![(var.index(), number)],
                        };
                        self.go(Op::Update(update), None, None)
                    }
                    Model::Tso | Model::Pso => {
                        self.unfolding.stores[var.index()] |= one(number);
                        self.go(Op::Write(var.index(), number), None, None)
                    }
                }
            }
            Action::Cas(place, target, expected, new) => {
                let expected = self.view().term(expected).ok_or(Unbounded::Overflow)?;
                let new = self.view().term(new).ok_or(Unbounded::Overflow)?;
                self.change((place, target), |old| match old == expected {
                    true => Some((1, Some(new))),
                    false => Some((0, None)),
                })
            }
            Action::Swap(place, target, new) => {
                let new = self.view().term(new).ok_or(Unbounded::Overflow)?;
                self.change((place, target), |old| Some((old, Some(new))))
            }
            Action::FetchAdd(place, target, difference) => {
                let difference = self.view().term(difference).ok_or(Unbounded::Overflow)?;
                let add = |old: i64| Some((old, Some(old.checked_add(difference)?)));
                self.change((place, target), add)
            }
        }
    }

    /// An atomic operation: `change` says what an old value gives the local, and the new value if there is one.
    fn change(
        &mut self,
        (place, target): (&crate::program::Place, &crate::program::Place),
        change: impl Fn(i64) -> Option<(i64, Option<i64>)>,
    ) -> Result<(), Unbounded> {
        let local = self.view().place(place).ok_or(Unbounded::Overflow)?;
        let target = self.view().place(target).ok_or(Unbounded::Overflow)?;
        for (number, old) in self.domains.values(target).into_iter().enumerate() {
            let (result, new) = change(old).ok_or(Unbounded::Overflow)?;
            let mut update = Update {
                guards: vec![(target.index(), one(number as Value))],
                writes: Vec::new(),
            };
            if let Some(new) = new {
                let Some(new) = self.number(target, new)? else {
                    self.beyond(Op::Update(update));
                    continue;
                };
                update.writes.push((target.index(), new));
            }
            self.go(Op::Update(update), Some((local, result)), None)?;
        }
        Ok(())
    }

    fn number(&mut self, var: VarId, value: i64) -> Result<Option<Value>, Unbounded> {
        self.domains.number(self.unfolding.program, var, value)
    }

    /// The edge of a step that makes a value that was not to be.
    fn beyond(&mut self, op: Op) {
        let target = self.unfolding.number(Place::Beyond);
        self.push(op, target, None);
    }

    /// The edge to a node at which a property is broken.
    fn broken(&mut self, property: PropertyId) {
        let target = self.unfolding.number(Place::Broken(property));
        self.push(Op::Silent, target, None);
    }

    /// The edge to the step's target, where a local may have a new value.
    fn go(
        &mut self,
        op: Op,
        local: Option<(VarId, i64)>,
        chosen: Option<i64>,
    ) -> Result<(), Unbounded> {
        let mut locals = self.locals.to_vec();
        if let Some((var, value)) = local {
            let own = self.unfolding.locals.iter().position(|&own| own == var);
            locals[own.expect("a step sets a local of its own thread")] = value;
        }
        let target = self.unfolding.node(self.edge.target, locals);
        self.push(op, target, chosen);
        Ok(())
    }

    fn push(&mut self, op: Op, target: NodeId, value: Option<i64>) {
        let edge = self.id;
        self.edges.push(Edge {
            op,
            target,
            steps: vec![Directive::Step { edge, value }],
        });
    }
}
