//! Which locations let their thread run alone.
//!
//! A step is invisible if no other thread and no assertion can notice it: it assumes or assigns, and
//! none of its variables is visible. Variables that share a conjunct of an `enforce` constrain each other, so
//! they are taken together, and so on: a *cluster*. Visible is a cluster with a variable of an assertion, and one with a
//! global if two threads can touch it at a time (main is alone until it starts the first): any
//! variable of it, not the same one. A conjunct with a local is there once for each thread in the text of its `enforce`,
//! so such a thread touches the cluster by being there. A cluster with a global that another `enforce` than that of the
//! step's own place reads is visible, too: a thread that is about to come into the text of that one is held up by
//! its values, also by those that make the step impossible.
//! A location is reducible if all its steps are invisible and none of them leads backwards. While a
//! thread stands at a reducible location and can move, only that thread is moved; this is partial-order
//! reduction with one thread's steps as the ample set:
//!
//! * other threads neither enable, disable nor change invisible steps, nor these theirs;
//! * a thread that is blocked does not hold up the others, because then all are expanded;
//! * every circle of states contains a full expansion, because every circle of locations contains
//!   a step backwards, and the location it leads to is not reducible.
//!
//! Reducibility depends on locations alone, never on values, so it goes together with dropping
//! covered states. An `enforce` may be active through any thread in its text; a step stays invisible
//! only if its own thread keeps it active before and after.

use indexmap::IndexSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::scc::scc;
use super::{Action, Edge, EnforceId, FrameBit, ImageId, LocId, Location, Machine};

/// Marks the reducible locations.
pub(crate) fn mark_reducible(machine: &mut Machine) {
    let clusters = clusters(machine);
    let backwards = backward_targets(machine);
    for index in 0..machine.locations.len() {
        let at = LocId(index as u32);
        let location = machine.location(at);
        let invisible = |edge: &Edge| is_invisible(machine, &clusters, at, edge);
        let reducible = !location.atomic
            && !backwards.contains(&at)
            && !location.edges.is_empty()
            && location.edges.iter().all(invisible);
        machine.locations[index].reducible = reducible;
    }
}

/// A variable: a global, or a local of an image.
type Variable = (Option<ImageId>, FrameBit);

fn variable(machine: &Machine, image: ImageId, bit: FrameBit) -> Variable {
    if bit < machine.first_local() {
        (None, bit)
    } else {
        (Some(image), bit)
    }
}

fn is_invisible(machine: &Machine, clusters: &Clusters, at: LocId, edge: &Edge) -> bool {
    let location = machine.location(at);
    let plain = matches!(
        edge.action,
        Action::NoOp | Action::Assume(_) | Action::Assign(_)
    );
    if !plain || edge.target == LocId::ENDED {
        return false;
    }
    let target = machine.location(edge.target);
    let unseen = |bit: FrameBit| {
        let cluster = clusters.get(variable(machine, location.image, bit));
        cluster.is_none_or(|cluster| !cluster.is_visible_under(location.enforce))
    };
    !target.atomic && target.enforce == location.enforce && edge.bits().into_iter().all(unseen)
}

fn backward_targets(machine: &Machine) -> FxHashSet<LocId> {
    let all = machine.locations.iter().enumerate();
    let edges =
        all.flat_map(|(from, location)| location.edges.iter().map(move |edge| (from, edge.target)));
    edges
        .filter(|(from, target)| *target != LocId::ENDED && target.index() <= *from)
        .map(|(_, to)| to)
        .collect()
}

/// The variables by their clusters, with who touches them.
fn clusters(machine: &Machine) -> Clusters {
    let mut clusters = Clusters::default();
    for (_, image, group) in conjuncts(machine) {
        let variables = group.iter().map(|bit| variable(machine, image, *bit));
        clusters.join(variables);
    }
    for (id, image, group) in conjuncts(machine) {
        if let Some(first) = group.first() {
            clusters.enforce(variable(machine, image, *first), id);
        }
    }
    let roles = roles(machine);
    for (number, role) in roles.iter().enumerate() {
        let threads = if role.many {
            Threads::Several
        } else {
            Threads::One(number)
        };
        for variable in touched(machine, role) {
            clusters.touch(variable, threads);
        }
    }
    asserted(machine).for_each(|variable| clusters.assert(variable));
    clusters
}

/// The variables that assertions read.
fn asserted(machine: &Machine) -> impl Iterator<Item = Variable> {
    machine.locations.iter().flat_map(move |location| {
        let edges = location.edges.iter();
        let asserts = edges.filter(|edge| matches!(edge.action, Action::Assert(_)));
        let bits = asserts.flat_map(Edge::bits);
        bits.map(move |bit| variable(machine, location.image, bit))
    })
}

/// The variables of each conjunct of each `enforce` that threads can be under, with its image.
fn conjuncts(machine: &Machine) -> impl Iterator<Item = (EnforceId, ImageId, &Vec<FrameBit>)> {
    let mut images = vec![None; machine.enforces.len()];
    for location in &machine.locations {
        if let Some(id) = location.enforce {
            images[id.index()] = Some(location.image);
        }
    }
    let ids = (0..).map(EnforceId);
    let enforces = machine.enforces.iter().zip(images).zip(ids);
    enforces.flat_map(|((enforce, image), id)| {
        let groups = enforce.condition.groups.iter();
        groups.filter_map(move |group| Some((id, image?, group)))
    })
}

/// The variables that a thread in this role can touch while there are others: by its steps, or by being
/// under an `enforce` with a local.
fn touched(machine: &Machine, role: &Role) -> FxHashSet<Variable> {
    let first_local = machine.first_local();
    let mut touched = FxHashSet::default();
    for location in locations_among_others(machine, role) {
        let enforce = location.enforce.map(|id| machine.enforce(id));
        let groups = enforce
            .into_iter()
            .flat_map(|enforce| &enforce.condition.groups);
        let own = groups.filter(|group| group.iter().any(|bit| *bit >= first_local));
        let bits = location.edges.iter().flat_map(Edge::bits);
        let bits = bits.chain(own.flatten().copied());
        touched.extend(bits.map(|bit| variable(machine, location.image, bit)));
    }
    touched
}

/// Who can touch something while there are several threads.
#[derive(Clone, Copy, Default)]
enum Threads {
    #[default]
    None,
    /// Those of this role; there is one.
    One(usize),
    Several,
}

impl Threads {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, threads) | (threads, Self::None) => threads,
            (Self::One(role), Self::One(same)) if role == same => self,
            _ => Self::Several,
        }
    }
}

/// Variables by the conjuncts that connect them.
#[derive(Default)]
struct Clusters {
    of: FxHashMap<Variable, usize>,
    /// Clusters that were joined with another one are empty.
    all: Vec<Cluster>,
}

#[derive(Default)]
struct Cluster {
    variables: Vec<Variable>,
    threads: Threads,
    asserted: bool,
    /// The `enforce`s that have a conjunct over its variables.
    enforces: FxHashSet<EnforceId>,
}

impl Clusters {
    /// The cluster of a variable, which is alone in it if it has not come up yet.
    fn of(&mut self, variable: Variable) -> usize {
        let new = self.all.len();
        let number = *self.of.entry(variable).or_insert(new);
        if number == new {
            self.all.push(Cluster {
                variables: vec![variable],
                ..Cluster::default()
            });
        }
        number
    }

    /// Puts the clusters of these variables together. Nothing may have touched them yet.
    fn join(&mut self, mut variables: impl Iterator<Item = Variable>) {
        let Some(first) = variables.next() else {
            return;
        };
        let into = self.of(first);
        for variable in variables {
            let from = self.of(variable);
            if from != into {
                let moved = std::mem::take(&mut self.all[from]).variables;
                self.of
                    .extend(moved.iter().map(|variable| (*variable, into)));
                self.all[into].variables.extend(moved);
            }
        }
    }

    fn touch(&mut self, variable: Variable, threads: Threads) {
        let number = self.of(variable);
        let cluster = &mut self.all[number];
        cluster.threads = cluster.threads.and(threads);
    }

    fn assert(&mut self, variable: Variable) {
        let number = self.of(variable);
        self.all[number].asserted = true;
    }

    fn enforce(&mut self, variable: Variable, id: EnforceId) {
        let number = self.of(variable);
        self.all[number].enforces.insert(id);
    }

    fn get(&self, variable: Variable) -> Option<&Cluster> {
        self.of.get(&variable).map(|number| &self.all[*number])
    }
}

impl Cluster {
    /// Whether a step at a place with this `enforce` can be noticed by what it does to the cluster.
    fn is_visible_under(&self, own: Option<EnforceId>) -> bool {
        let has_global = self.variables.iter().any(|(image, _)| image.is_none());
        let several = matches!(self.threads, Threads::Several);
        let elsewhere = || self.enforces.iter().any(|id| Some(*id) != own);
        self.asserted || has_global && (several || elsewhere())
    }
}

/// A way a thread can begin, with all locations it can come to.
pub(super) struct Role {
    pub(super) entry: LocId,
    pub(super) reach: Vec<bool>,
    /// Those of them where there can be other threads.
    among_others: Vec<LocId>,
    /// The threads that it starts, each with whether it can start several.
    pub(super) starts: Vec<(LocId, bool)>,
    /// Whether several threads can begin this way.
    pub(super) many: bool,
}

/// The globals that a thread in this role can touch while there are others.
pub(super) fn touched_globals(machine: &Machine, role: &Role) -> FxHashSet<FrameBit> {
    let locations = locations_among_others(machine, role);
    let edges = locations.flat_map(|location| location.edges.iter().map(move |e| (location, e)));
    let bits = edges.flat_map(|(location, edge)| {
        let mut bits = edge.bits();
        bits.extend(entered(machine, location, edge));
        bits
    });
    bits.filter(|bit| *bit < machine.first_local()).collect()
}

/// The variables of the `enforce`s whose text an edge leads into, or starts a thread in.
pub(super) fn entered(machine: &Machine, from: &Location, edge: &Edge) -> Vec<FrameBit> {
    let started = match &edge.action {
        Action::Start(start) => machine.enforce_at(start.entry),
        Action::NoOp | Action::Assume(_) | Action::Assert(_) | Action::Assign(_) => None,
    };
    let entered = [machine.enforce_at(edge.target), started];
    let new = entered
        .into_iter()
        .flatten()
        .filter(|id| Some(*id) != from.enforce);
    new.flat_map(|id| machine.enforce(id).condition.bits.iter().copied())
        .collect()
}

/// The locations where a thread in this role can stand while there are others.
fn locations_among_others<'m>(
    machine: &'m Machine,
    role: &Role,
) -> impl Iterator<Item = &'m Location> {
    let at = role.among_others.iter();
    at.map(|at| machine.location(*at))
}

/// The ways in which threads can begin; the first is that of main.
pub(super) fn roles(machine: &Machine) -> Vec<Role> {
    let scc = scc(machine);
    let behind = behind_a_start(machine);
    let mut entries = IndexSet::from([machine.main]);
    let mut next = 0;
    let mut roles: Vec<Role> = Vec::new();
    while let Some(entry) = entries.get_index(next).copied() {
        next += 1;
        let reach = reach(machine, &[entry]);
        let role = Role {
            entry,
            starts: starts(machine, &reach, &scc),
            among_others: (0..machine.locations.len() as u32)
                .map(LocId)
                .filter(|at| reach[at.index()] && behind[at.index()])
                .collect(),
            reach,
            many: false,
        };
        entries.extend(role.starts.iter().map(|(start, _)| *start));
        roles.push(role);
    }
    mark_many(&mut roles);
    roles
}

/// Finds the roles that several threads can have at the same time.
fn mark_many(roles: &mut [Role]) {
    let numbers = roles.iter().enumerate();
    let numbers: FxHashMap<LocId, usize> = numbers.map(|(n, role)| (role.entry, n)).collect();
    loop {
        let mut count = vec![0; roles.len()];
        count[0] = 1;
        for role in roles.iter() {
            for (entry, repeated) in &role.starts {
                let times = if *repeated || role.many { 2 } else { 1 };
                count[numbers[entry]] += times;
            }
        }
        let mut changed = false;
        for (role, count) in roles.iter_mut().zip(count) {
            changed |= !role.many && count > 1;
            role.many |= count > 1;
        }
        if !changed {
            return;
        }
    }
}

/// The threads that are started at these locations, each with whether that can happen several times.
fn starts(machine: &Machine, reach: &[bool], scc: &[u32]) -> Vec<(LocId, bool)> {
    let mut starts = Vec::new();
    for (index, location) in machine
        .locations
        .iter()
        .enumerate()
        .filter(|(index, _)| reach[*index])
    {
        for edge in &location.edges {
            if let Action::Start(start) = &edge.action {
                let target = edge.target;
                let back = target != LocId::ENDED && scc[target.index()] == scc[index];
                starts.push((start.entry, back));
            }
        }
    }
    starts
}

/// The locations that control can come to once a thread has been started. At the others main is alone.
fn behind_a_start(machine: &Machine) -> Vec<bool> {
    let edges = machine
        .locations
        .iter()
        .flat_map(|location| &location.edges);
    let behind = edges.flat_map(|edge| match &edge.action {
        Action::Start(start) => vec![edge.target, start.entry],
        Action::NoOp | Action::Assume(_) | Action::Assert(_) | Action::Assign(_) => Vec::new(),
    });
    reach(machine, &behind.collect::<Vec<_>>())
}

/// The locations that control can come to.
fn reach(machine: &Machine, from: &[LocId]) -> Vec<bool> {
    let mut reached = vec![false; machine.locations.len()];
    let mut work = from.to_vec();
    while let Some(at) = work.pop() {
        if at != LocId::ENDED && !std::mem::replace(&mut reached[at.index()], true) {
            work.extend(machine.location(at).edges.iter().map(|edge| edge.target));
        }
    }
    reached
}
