//! Which locations let their thread run alone.
//!
//! A step is invisible if no other thread and no assertion can notice it: it assumes or assigns, and
//! none of its variables is visible. Visible are the variables of assertions, globals that two
//! threads can touch at a time (main is alone until it starts the first), and every variable that shares a conjunct of an `enforce` with a visible one.
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

use rustc_hash::FxHashSet;

use super::{Action, Edge, EnforceId, FrameBit, ImageId, LocId, Machine};

/// Marks the reducible locations.
pub(crate) fn mark_reducible(machine: &mut Machine) {
    let visible = visible_variables(machine);
    let backwards = backward_targets(machine);
    for index in 0..machine.locations.len() {
        let at = LocId(index as u32);
        let location = machine.location(at);
        let invisible = |edge: &Edge| is_invisible(machine, &visible, at, edge);
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

fn is_invisible(machine: &Machine, visible: &FxHashSet<Variable>, at: LocId, edge: &Edge) -> bool {
    let location = machine.location(at);
    let plain = matches!(
        edge.action,
        Action::NoOp | Action::Assume(_) | Action::Assign(_)
    );
    if !plain || edge.target == LocId::ENDED {
        return false;
    }
    let target = machine.location(edge.target);
    let bits = edge.bits();
    !target.atomic
        && target.enforce == location.enforce
        && bits
            .iter()
            .all(|bit| !visible.contains(&variable(machine, location.image, *bit)))
        && !enforced_elsewhere(machine, location.enforce, &bits)
}

/// Whether an `enforce` other than the thread's own reads one of these globals.
fn enforced_elsewhere(machine: &Machine, own: Option<EnforceId>, bits: &[FrameBit]) -> bool {
    let first_local = machine.first_local();
    let reads = |bit: &FrameBit, id: usize| {
        machine.enforces[id]
            .condition
            .bits
            .binary_search(bit)
            .is_ok()
    };
    let others = (0..machine.enforces.len()).filter(|id| own.is_none_or(|own| own.index() != *id));
    let globals: Vec<_> = bits.iter().filter(|bit| **bit < first_local).collect();
    others
        .into_iter()
        .any(|id| globals.iter().any(|bit| reads(bit, id)))
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

fn visible_variables(machine: &Machine) -> FxHashSet<Variable> {
    let mut visible = shared_globals(machine);
    for location in &machine.locations {
        for edge in &location.edges {
            if matches!(edge.action, Action::Assert(_)) {
                visible.extend(
                    edge.bits()
                        .into_iter()
                        .map(|bit| variable(machine, location.image, bit)),
                );
            }
        }
    }
    close_under_enforce(machine, &mut visible);
    visible
}

/// Adds what shares a conjunct of an `enforce` with a visible variable.
fn close_under_enforce(machine: &Machine, visible: &mut FxHashSet<Variable>) {
    let mut groups: Vec<Vec<Variable>> = Vec::new();
    let mut images = vec![None; machine.enforces.len()];
    for location in &machine.locations {
        if let Some(id) = location.enforce {
            images[id.index()] = Some(location.image);
        }
    }
    for (enforce, image) in machine.enforces.iter().zip(images) {
        let Some(image) = image else { continue };
        let variables = |group: &Vec<FrameBit>| {
            group
                .iter()
                .map(|bit| variable(machine, image, *bit))
                .collect()
        };
        groups.extend(enforce.condition.groups.iter().map(variables));
    }
    loop {
        let before = visible.len();
        for group in &groups {
            if group.iter().any(|variable| visible.contains(variable)) {
                visible.extend(group);
            }
        }
        if visible.len() == before {
            return;
        }
    }
}

/// A way a thread can begin, with all locations it can come to.
pub(super) struct Role {
    entry: LocId,
    pub(super) reach: Vec<bool>,
    /// Whether several threads can begin this way.
    pub(super) many: bool,
}

/// The globals that two threads can touch.
fn shared_globals(machine: &Machine) -> FxHashSet<Variable> {
    let roles = roles(machine);
    let mut owner: Vec<Option<usize>> = vec![None; machine.globals.len()];
    let mut shared = FxHashSet::default();
    for (number, role) in roles.iter().enumerate() {
        for bit in touched_globals(machine, role) {
            let other = *owner[bit as usize].get_or_insert(number) != number;
            if other || role.many {
                shared.insert((None, bit));
            }
        }
    }
    shared
}

/// The globals that a thread in this role can touch while there are others.
pub(super) fn touched_globals(machine: &Machine, role: &Role) -> FxHashSet<FrameBit> {
    let behind_a_start = behind_a_start(machine);
    let locations = machine
        .locations
        .iter()
        .zip(role.reach.iter().zip(behind_a_start))
        .filter(|(_, (reached, behind))| **reached && *behind);
    let bits = locations.flat_map(|(location, _)| location.edges.iter().flat_map(Edge::bits));
    bits.filter(|bit| *bit < machine.first_local()).collect()
}

/// The ways in which threads can begin; the first is that of main.
pub(super) fn roles(machine: &Machine) -> Vec<Role> {
    let mut entries = vec![machine.main];
    let mut next = 0;
    let mut roles: Vec<Role> = Vec::new();
    while let Some(entry) = entries.get(next).copied() {
        next += 1;
        let role = Role {
            entry,
            reach: reach(machine, &[entry]),
            many: false,
        };
        for (start, _) in starts(machine, &role) {
            if !entries.contains(&start) {
                entries.push(start);
            }
        }
        roles.push(role);
    }
    mark_many(machine, &mut roles);
    roles
}

/// Finds the roles that several threads can have at the same time.
fn mark_many(machine: &Machine, roles: &mut [Role]) {
    loop {
        let mut count = vec![0; roles.len()];
        count[0] = 1;
        for role in roles.iter() {
            for (entry, repeated) in starts(machine, role) {
                let times = if repeated || role.many { 2 } else { 1 };
                let started = roles.iter().position(|role| role.entry == entry);
                count[started.expect("every start has a role")] += times;
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

/// The threads that a role starts, each with whether it can start several.
fn starts(machine: &Machine, role: &Role) -> Vec<(LocId, bool)> {
    let mut starts = Vec::new();
    for (index, location) in machine
        .locations
        .iter()
        .enumerate()
        .filter(|(index, _)| role.reach[*index])
    {
        for edge in &location.edges {
            if let Action::Start(start) = &edge.action {
                let repeated = reach(machine, &[edge.target])[index];
                starts.push((start.entry, repeated));
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
