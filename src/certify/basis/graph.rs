//! The steps of each thread at the nodes that a basis lists, found anew from the program.

use indexmap::IndexMap;
use itertools::Itertools;

use super::sections;
use crate::certificate::BasisTable;
use crate::certify::describe;
use crate::certify::states::known::{Stuck, View};
use crate::memory::Model;
use crate::program::{self, Action, Edge, Init, LocId, Place, Program, ThreadId, VarId};

/// The most initial values of one variable, and nodes at which a thread may start.
const MAX_STARTS: usize = 4_096;

/// The most values that one step may choose from.
const MAX_CHOICES: usize = 1 << 20;

/// What a step does; values are numbered as the basis lists them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Nothing that other threads see.
    Local,
    /// A load that yields a value.
    Load { var: usize, value: usize },
    /// A store to a buffer.
    Store { var: usize, value: usize },
    /// A store to memory, under SC.
    Write { var: usize, value: usize },
    /// Waits until the thread's stores are in memory.
    Fence,
    /// An atomic operation: memory held these values of variables, and holds those then.
    Update {
        held: Vec<(usize, usize)>,
        written: Vec<(usize, usize)>,
    },
}

impl Act {
    /// The variables of an atomic operation.
    pub(super) fn vars(&self) -> Vec<usize> {
        match self {
            Act::Update { held, written } => {
                held.iter().chain(written).map(|(var, _)| *var).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// What it does.
    pub act: Act,
    /// The node that it leads to; `None` if it breaks a property, or leads to what is not listed.
    pub target: Option<usize>,
}

/// A node.
pub(super) struct Node<'a> {
    /// The location.
    pub at: LocId,
    /// The values of the thread's locals; `None` if it may be any.
    pub locals: &'a [Option<i64>],
    /// The steps.
    pub steps: Vec<Step>,
    /// The steps that evaluate shared memory, and fail or go on.
    pub checks: Vec<&'a Edge>,
}

/// A thread.
pub(super) struct Thread<'a> {
    /// Its nodes.
    pub nodes: Vec<Node<'a>>,
    /// Those at which it may start.
    pub entries: Vec<usize>,
    /// By variable: the values that it stores to buffers.
    pub stores: Vec<u64>,
}

/// The threads of a program.
pub(super) struct Graph<'a> {
    /// The program.
    pub program: &'a Program,
    /// The model.
    pub model: Model,
    /// The values of shared variables.
    pub values: Vec<&'a [i64]>,
    /// By variable: the values that it may start with.
    pub initial: Vec<u64>,
    /// The threads.
    pub threads: Vec<Thread<'a>>,
}

impl<'a> Graph<'a> {
    /// The steps at the listed nodes.
    pub(super) fn new(
        program: &'a Program,
        model: Model,
        table: &'a BasisTable,
    ) -> Result<Self, String> {
        if program.has_background() {
            return Err("the program has background blocks".to_owned());
        }
        let shared: Vec<&crate::program::Var> = program
            .vars
            .iter()
            .filter(|var| var.owner.is_none())
            .collect();
        let names = shared.iter().map(|var| &var.display_name);
        if !names.eq(table.variables.iter().map(|listed| &listed.name)) {
            return Err("the basis lists other shared variables than the program".to_owned());
        }
        let names = program.threads.iter().map(|thread| &thread.display_name);
        if !names.eq(table.threads.iter().map(|listed| &listed.name)) {
            return Err("the basis lists other threads than the program".to_owned());
        }
        let mut graph = Graph {
            program,
            model,
            values: table
                .variables
                .iter()
                .map(|listed| listed.values.as_slice())
                .collect(),
            initial: Vec::new(),
            threads: Vec::new(),
        };
        for (var, listed) in shared.iter().zip(&table.variables) {
            if listed.values.len() > 64 || !listed.values.iter().all_unique() {
                return Err(format!(
                    "the basis lists no values of `{}`, or too many",
                    var.display_name
                ));
            }
            let starts = starts(var.init, &var.display_name)?;
            let mut mask = 0;
            for value in starts {
                let number = listed.values.iter().position(|listed| *listed == value);
                let number = number.ok_or_else(|| {
                    format!(
                        "`{}` starts with {value}, which is not listed",
                        var.display_name
                    )
                })?;
                mask |= 1 << number;
            }
            graph.initial.push(mask);
        }
        for (thread, listed) in program.thread_ids().zip(&table.threads) {
            let thread = graph.thread(thread, &listed.nodes)?;
            graph.threads.push(thread);
        }
        Ok(graph)
    }

    /// The number of shared variables.
    pub(super) fn vars(&self) -> usize {
        self.values.len()
    }

    /// All values of a variable.
    pub(super) fn all(&self, var: usize) -> u64 {
        let bits = self.values[var].len();
        u64::MAX.checked_shr(64 - bits as u32).unwrap_or(0)
    }

    /// Whether a thread holds the atomic section at a node. Under TSO it never does: `sections` has other steps.
    pub(super) fn held(&self, thread: usize, at: usize) -> bool {
        self.model != Model::Tso && self.is_inside(thread, at)
    }

    /// Whether a node is inside an atomic section, so that no spec is evaluated there.
    pub(super) fn is_inside(&self, thread: usize, at: usize) -> bool {
        let location = self.threads[thread].nodes[at].at;
        self.program.threads[thread].location(location).held
    }

    /// The name of a thread.
    pub(super) fn name(&self, thread: usize) -> &str {
        &self.program.threads[thread].display_name
    }

    /// A node in words.
    pub(super) fn describe(&self, thread: usize, at: usize) -> String {
        let location = self.threads[thread].nodes[at].at;
        let edges = &self.program.threads[thread].location(location).edges;
        let text = edges
            .first()
            .map(|edge| self.program.statement(edge.stmt).text.as_str());
        let text = describe::short(text.unwrap_or("the end"));
        format!("{}: {text}", self.name(thread))
    }

    fn thread(
        &self,
        id: ThreadId,
        listed: &'a [(u32, Vec<Option<i64>>)],
    ) -> Result<Thread<'a>, String> {
        let thread = &self.program.threads[id.index()];
        let own = |var: &VarId| self.program.vars[var.index()].owner == Some(id);
        let own: Vec<VarId> = self.program.var_ids().filter(own).collect();
        let numbers = Numbers::new(thread, own.len(), listed)?;
        let entries = self.entries(thread, &own, &numbers)?;
        let mut stores = vec![0; self.vars()];
        let mut nodes = Vec::new();
        for (at, locals) in listed {
            let at = LocId::new(*at as usize);
            let steps = Steps {
                graph: self,
                own: &own,
                numbers: &numbers,
                locals,
            };
            let mut node = Node {
                at,
                locals,
                steps: Vec::new(),
                checks: Vec::new(),
            };
            for edge in &thread.location(at).edges {
                steps.add(edge, &mut node)?;
            }
            for step in &node.steps {
                if let Act::Store { var, value } = step.act {
                    stores[var] |= 1 << value;
                }
            }
            nodes.push(node);
        }
        if self.model == Model::Tso {
            let inside = nodes.iter().map(|node| thread.location(node.at).held);
            let inside: Vec<bool> = inside.collect();
            sections::as_updates(&mut nodes, &inside, &entries)?;
        }
        Ok(Thread {
            nodes,
            entries,
            stores,
        })
    }

    /// The nodes at which a thread may start.
    fn entries(
        &self,
        thread: &program::Thread,
        own: &[VarId],
        numbers: &Numbers<'_>,
    ) -> Result<Vec<usize>, String> {
        let missing = || format!("an initial node of {} is not listed", thread.display_name);
        let at = thread.entry.index() as u32;
        let kept = numbers.kept.get(&at).ok_or_else(missing)?;
        let starts = own.iter().zip(kept).map(|(var, kept)| {
            let var = &self.program.vars[var.index()];
            match kept {
                true => Ok(starts(var.init, &var.display_name)?
                    .into_iter()
                    .map(Some)
                    .collect()),
                false => Ok(vec![None]),
            }
        });
        let starts = starts.collect::<Result<Vec<Vec<Option<i64>>>, String>>()?;
        let count = starts
            .iter()
            .try_fold(1_usize, |all, one| all.checked_mul(one.len()));
        if count.is_none_or(|count| count > MAX_STARTS) {
            return Err(format!(
                "{} has too many initial nodes",
                thread.display_name
            ));
        }
        let mut entries = Vec::new();
        for locals in starts.into_iter().multi_cartesian_product() {
            let entry = numbers.numbers.get(&(at, locals.as_slice()));
            entries.push(*entry.ok_or_else(missing)?);
        }
        match entries.is_empty() {
            true => Err(format!("{} starts nowhere", thread.display_name)),
            false => Ok(entries),
        }
    }
}

/// The numbers of a thread's nodes.
struct Numbers<'a> {
    /// By location: which locals its nodes have values of.
    kept: IndexMap<u32, Vec<bool>>,
    numbers: IndexMap<(u32, &'a [Option<i64>]), usize>,
}

impl<'a> Numbers<'a> {
    fn new(
        thread: &program::Thread,
        locals: usize,
        listed: &'a [(u32, Vec<Option<i64>>)],
    ) -> Result<Self, String> {
        let mut numbers = Numbers {
            kept: IndexMap::new(),
            numbers: IndexMap::new(),
        };
        for (number, (at, values)) in listed.iter().enumerate() {
            let kept: Vec<bool> = values.iter().map(Option::is_some).collect();
            let makes_sense = (*at as usize) < thread.locations.len()
                && values.len() == locals
                && *numbers.kept.entry(*at).or_insert_with(|| kept.clone()) == kept
                && numbers.numbers.insert((*at, values), number).is_none();
            if !makes_sense {
                return Err(format!(
                    "node {number} of {} makes no sense",
                    thread.display_name
                ));
            }
        }
        Ok(numbers)
    }

    /// The node for a location and what is known of the locals, if it is listed.
    fn find(&self, at: LocId, mut locals: Vec<Option<i64>>) -> Result<Option<usize>, String> {
        let at = at.index() as u32;
        let Some(kept) = self.kept.get(&at) else {
            return Ok(None);
        };
        for (local, kept) in locals.iter_mut().zip(kept) {
            match kept {
                false => *local = None,
                true if local.is_none() => {
                    return Err(
                        "a node has the value of a local that is left out before".to_owned()
                    );
                }
                true => {}
            }
        }
        Ok(self.numbers.get(&(at, locals.as_slice())).copied())
    }
}

/// The values that a variable may start with.
fn starts(init: Init, name: &str) -> Result<Vec<i64>, String> {
    let values: Vec<i64> = match init {
        Init::Value(value) => vec![value],
        Init::Range(range) => range.values().take(MAX_STARTS + 1).collect(),
        Init::Any => return Err(format!("`{name}` starts with an arbitrary value")),
    };
    match values.len() > MAX_STARTS {
        true => Err(format!("`{name}` has too many initial values")),
        false => Ok(values),
    }
}

/// The steps at one node.
struct Steps<'g, 'a> {
    graph: &'g Graph<'a>,
    own: &'g [VarId],
    numbers: &'g Numbers<'a>,
    locals: &'a [Option<i64>],
}

/// The value of an evaluation that must not fail.
fn known<T>(result: Result<T, Stuck>) -> Result<T, String> {
    result.map_err(|stuck| match stuck {
        Stuck::TooLarge => "a value does not fit 64 bits".to_owned(),
        Stuck::Unknown(_) | Stuck::Index | Stuck::Location => {
            "a step cannot be evaluated".to_owned()
        }
    })
}

impl<'a> Steps<'_, 'a> {
    fn values(&self) -> Vec<Option<i64>> {
        let mut values = vec![None; self.graph.program.vars.len()];
        for (var, value) in self.own.iter().zip(self.locals) {
            values[var.index()] = *value;
        }
        values
    }

    /// Adds the steps of an edge.
    fn add(&self, edge: &'a Edge, node: &mut Node<'a>) -> Result<(), String> {
        let values = self.values();
        let view = View {
            values: &values,
            at: &[],
        };
        let bounds = edge.bounds.as_ref().map(|bounds| view.cond(&bounds.cond));
        match bounds {
            Some(Err(Stuck::Unknown(_))) => {
                node.checks.push(edge);
                node.steps.push(self.go(edge, Act::Local, None)?);
                return Ok(());
            }
            Some(bounds) if !known(bounds)? => {
                node.steps.push(Step {
                    act: Act::Local,
                    target: None,
                });
                return Ok(());
            }
            Some(_) | None => {}
        }
        match &edge.action {
            Action::Skip => node.steps.push(self.go(edge, Act::Local, None)?),
            Action::Assume(cond) => {
                if known(view.cond(cond))? {
                    node.steps.push(self.go(edge, Act::Local, None)?);
                }
            }
            Action::Assert(cond, _) => match view.cond(cond) {
                Err(Stuck::Unknown(_)) => {
                    node.checks.push(edge);
                    node.steps.push(self.go(edge, Act::Local, None)?);
                }
                Ok(false) => node.steps.push(Step {
                    act: Act::Local,
                    target: None,
                }),
                holds => {
                    known(holds)?;
                    node.steps.push(self.go(edge, Act::Local, None)?);
                }
            },
            Action::Assign(place, term) => {
                let set = (known(view.place(place))?, known(view.term(term))?);
                node.steps.push(self.go(edge, Act::Local, Some(set))?);
            }
            Action::Append(..) | Action::Pop(_) => unreachable!("programs with FIFOs are refused"),
            Action::Havoc(_) => return Err("an arbitrary value is chosen".to_owned()),
            Action::Choose(place, range) => {
                let var = known(view.place(place))?;
                if range.values().nth(MAX_CHOICES).is_some() {
                    return Err("a value is chosen from too many".to_owned());
                }
                for value in range.values() {
                    let step = self.go(edge, Act::Local, Some((var, value)))?;
                    // Where the local is left out, all values give the same step.
                    if node.steps.last() != Some(&step) {
                        node.steps.push(step);
                    }
                }
            }
            Action::Fence => node.steps.push(self.go(edge, Act::Fence, None)?),
            Action::Load(place, from) => {
                let (local, var) = (known(view.place(place))?, known(view.place(from))?.index());
                for (value, &loaded) in self.graph.values[var].iter().enumerate() {
                    let act = Act::Load { var, value };
                    node.steps.push(self.go(edge, act, Some((local, loaded)))?);
                }
            }
            Action::Store(place, term) => {
                let var = known(view.place(place))?.index();
                let step = match self.number(var, known(view.term(term))?) {
                    None => Step {
                        act: Act::Local,
                        target: None,
                    },
                    Some(value) if self.graph.model == Model::Sc => {
                        self.go(edge, Act::Write { var, value }, None)?
                    }
                    Some(value) => self.go(edge, Act::Store { var, value }, None)?,
                };
                node.steps.push(step);
            }
            Action::Cas(place, target, expected, new) => {
                let (expected, new) = (known(view.term(expected))?, known(view.term(new))?);
                self.update(edge, (place, target), view, node, |old| {
                    match old == expected {
                        true => Some((1, new)),
                        false => Some((0, old)),
                    }
                })?;
            }
            Action::Swap(place, target, new) => {
                let new = known(view.term(new))?;
                self.update(edge, (place, target), view, node, |old| Some((old, new)))?;
            }
            Action::FetchAdd(place, target, difference) => {
                let difference = known(view.term(difference))?;
                let add = |old: i64| Some((old, old.checked_add(difference)?));
                self.update(edge, (place, target), view, node, add)?;
            }
        }
        Ok(())
    }

    fn update(
        &self,
        edge: &'a Edge,
        (place, target): (&Place, &Place),
        view: View<'_>,
        node: &mut Node<'a>,
        change: impl Fn(i64) -> Option<(i64, i64)>,
    ) -> Result<(), String> {
        let local = known(view.place(place))?;
        let var = known(view.place(target))?.index();
        for (old, &value) in self.graph.values[var].iter().enumerate() {
            let (result, new) = change(value).ok_or("a value does not fit 64 bits")?;
            let step = match self.number(var, new) {
                None => Step {
                    act: Act::Update {
                        held: vec![(var, old)],
                        written: Vec::new(),
                    },
                    target: None,
                },
                Some(new) => {
                    let act = Act::Update {
                        held: vec![(var, old)],
                        written: vec![(var, new)],
                    };
                    self.go(edge, act, Some((local, result)))?
                }
            };
            node.steps.push(step);
        }
        Ok(())
    }

    /// The number of a value, if it is listed.
    fn number(&self, var: usize, value: i64) -> Option<usize> {
        let values = self.graph.values[var].iter();
        values.clone().position(|listed| *listed == value)
    }

    /// The step to an edge's target, where a local may have a new value.
    fn go(&self, edge: &Edge, act: Act, set: Option<(VarId, i64)>) -> Result<Step, String> {
        let mut locals = self.locals.to_vec();
        if let Some((var, value)) = set
            && let Some(place) = self.own.iter().position(|own| *own == var)
        {
            locals[place] = Some(value);
        }
        let target = self.numbers.find(edge.target, locals)?;
        Ok(Step { act, target })
    }
}
