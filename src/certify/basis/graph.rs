//! The steps of each thread at the nodes that a basis lists, found anew from the program.

use indexmap::IndexMap;
use itertools::Itertools;

use crate::certificate::BasisTable;
use crate::certify::describe;
use crate::certify::states::known::{Stuck, View};
use crate::memory::Model;
use crate::program::{Action, Edge, Init, LocId, Place, Program, ThreadId, VarId};

/// The most initial values of one variable, and nodes at which a thread may start.
const MAX_STARTS: usize = 4_096;

/// The most values that one step may choose from.
const MAX_CHOICES: usize = 1 << 20;

/// What a step does; values are numbered as the basis lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// An atomic operation on a variable.
    Update {
        var: usize,
        old: usize,
        new: Option<usize>,
    },
}

/// A step.
#[derive(Clone, Copy, Debug)]
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
    /// The values of the thread's locals.
    pub locals: &'a [i64],
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

    /// Whether a thread holds the atomic section at a node.
    pub(super) fn held(&self, thread: usize, at: usize) -> bool {
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

    fn thread(&self, id: ThreadId, listed: &'a [(u32, Vec<i64>)]) -> Result<Thread<'a>, String> {
        let thread = &self.program.threads[id.index()];
        let own = |var: &VarId| self.program.vars[var.index()].owner == Some(id);
        let own: Vec<VarId> = self.program.var_ids().filter(own).collect();
        let mut numbers = IndexMap::new();
        for (number, (at, locals)) in listed.iter().enumerate() {
            let exists = (*at as usize) < thread.locations.len() && locals.len() == own.len();
            if !exists || numbers.insert((*at, locals.as_slice()), number).is_some() {
                return Err(format!(
                    "node {number} of {} makes no sense",
                    thread.display_name
                ));
            }
            let held = thread.location(LocId::new(*at as usize)).held;
            if held && self.model == Model::Tso {
                return Err("a basis under TSO has no atomic sections".to_owned());
            }
        }
        let starts = own.iter().map(|var| {
            let var = &self.program.vars[var.index()];
            starts(var.init, &var.display_name)
        });
        let starts = starts.collect::<Result<Vec<Vec<i64>>, String>>()?;
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
            let entry = (thread.entry.index() as u32, locals.as_slice());
            let entry = numbers.get(&entry).copied();
            let missing = || format!("an initial node of {} is not listed", thread.display_name);
            entries.push(entry.ok_or_else(missing)?);
        }
        if entries.is_empty() {
            return Err(format!("{} starts nowhere", thread.display_name));
        }
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
        Ok(Thread {
            nodes,
            entries,
            stores,
        })
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
    numbers: &'g IndexMap<(u32, &'a [i64]), usize>,
    locals: &'a [i64],
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
            values[var.index()] = Some(*value);
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
                node.steps.push(self.go(edge, Act::Local, None));
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
            Action::Skip => node.steps.push(self.go(edge, Act::Local, None)),
            Action::Assume(cond) => {
                if known(view.cond(cond))? {
                    node.steps.push(self.go(edge, Act::Local, None));
                }
            }
            Action::Assert(cond, _) => match view.cond(cond) {
                Err(Stuck::Unknown(_)) => {
                    node.checks.push(edge);
                    node.steps.push(self.go(edge, Act::Local, None));
                }
                Ok(false) => node.steps.push(Step {
                    act: Act::Local,
                    target: None,
                }),
                holds => {
                    known(holds)?;
                    node.steps.push(self.go(edge, Act::Local, None));
                }
            },
            Action::Assign(place, term) => {
                let set = (known(view.place(place))?, known(view.term(term))?);
                node.steps.push(self.go(edge, Act::Local, Some(set)));
            }
            Action::Append(..) | Action::Pop(_) => unreachable!("programs with FIFOs are refused"),
            Action::Havoc(_) => return Err("an arbitrary value is chosen".to_owned()),
            Action::Choose(place, range) => {
                let var = known(view.place(place))?;
                if range.values().nth(MAX_CHOICES).is_some() {
                    return Err("a value is chosen from too many".to_owned());
                }
                for value in range.values() {
                    node.steps
                        .push(self.go(edge, Act::Local, Some((var, value))));
                }
            }
            Action::Fence => node.steps.push(self.go(edge, Act::Fence, None)),
            Action::Load(place, from) => {
                let (local, var) = (known(view.place(place))?, known(view.place(from))?.index());
                for (value, &loaded) in self.graph.values[var].iter().enumerate() {
                    let act = Act::Load { var, value };
                    node.steps.push(self.go(edge, act, Some((local, loaded))));
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
                        self.go(edge, Act::Write { var, value }, None)
                    }
                    Some(value) => self.go(edge, Act::Store { var, value }, None),
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
                        var,
                        old,
                        new: None,
                    },
                    target: None,
                },
                Some(new) => {
                    let new = Some(new);
                    self.go(edge, Act::Update { var, old, new }, Some((local, result)))
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
    fn go(&self, edge: &Edge, act: Act, set: Option<(VarId, i64)>) -> Step {
        let mut locals = self.locals.to_vec();
        if let Some((var, value)) = set
            && let Some(place) = self.own.iter().position(|own| *own == var)
        {
            locals[place] = value;
        }
        let key = (edge.target.index() as u32, locals.as_slice());
        Step {
            act,
            target: self.numbers.get(&key).copied(),
        }
    }
}
