//! Which variables no thread will read again: their values are forgotten.
//!
//! A global that only one thread can touch is dead at a location of that thread if every way from
//! there writes it before it reads it. Its value cannot influence anything any more, so it becomes
//! unknown when the thread arrives, and states that differ in it alone become one. Variables that
//! share a conjunct of an `enforce` learn from each other: a step that touches one of them reads the others; they are
//! forgotten together or not at all, and not if a clause knows one of them for itself. A thread that comes into the text of an
//! `enforce` reads all its variables. What main does before it
//! starts the first thread does not count as touching. Where threads of several kinds can come to a
//! location nothing is forgotten there, because one of them may need what another one does not.
//!
//! Only the three-valued search forgets: elsewhere every variable has to have a value.

use itertools::Itertools;
use rustc_hash::FxHashSet;

use super::code::Code;
use super::visibility::{Role, entered, roles, touched_globals};
use super::{Action, Edge, FrameBit, LocId, Machine};

/// Says for each location what is forgotten there.
pub(crate) fn mark_forgotten(machine: &mut Machine) {
    let roles = roles(machine);
    let touched: Vec<FxHashSet<FrameBit>> = roles
        .iter()
        .map(|role| touched_globals(machine, role))
        .collect();
    let touching = touched.iter().flatten().copied().counts();
    let reached = roles
        .iter()
        .flat_map(|role| role.reach.iter().positions(|reached| *reached));
    let reaching = reached.counts();
    let each = roles.iter().zip(touched);
    for (role, touched) in each.filter(|(role, _)| !role.many) {
        let own = touched.into_iter().filter(|bit| touching[bit] == 1);
        let groups = groups(machine, &own.collect());
        if groups.is_empty() {
            continue;
        }
        let live = live(machine, role, &groups);
        let here = |index: usize| role.reach[index] && reaching[&index] == 1;
        for (index, live) in live.iter().enumerate().filter(|(index, _)| here(*index)) {
            let dead = groups.iter().filter(|group| live.is_disjoint(group));
            machine.locations[index].forget = dead.flatten().copied().collect();
        }
    }
}

/// The variables of a thread's own, put together as `enforce`s connect them. A group with a variable
/// of others, or with one that a clause knows for itself, is left out.
fn groups(machine: &Machine, own: &FxHashSet<FrameBit>) -> Vec<FxHashSet<FrameBit>> {
    let mut bits: Vec<FrameBit> = own.iter().copied().collect();
    bits.sort_unstable();
    let mut groups: Vec<FxHashSet<FrameBit>> = Vec::new();
    for bit in bits {
        if !groups.iter().any(|group| group.contains(&bit)) {
            groups.push(connected(machine, bit));
        }
    }
    let is_fixed = |group: &FxHashSet<FrameBit>| {
        let conditions = machine.enforces.iter().map(|enforce| &enforce.condition);
        let mut clauses = conditions.flat_map(|condition| &condition.clauses);
        clauses.any(|clause| clause.len() == 1 && group.contains(&clause[0].bit))
    };
    groups.retain(|group| group.is_subset(own) && !is_fixed(group));
    groups
}

/// All variables that `enforce`s connect with one, itself included.
fn connected(machine: &Machine, bit: FrameBit) -> FxHashSet<FrameBit> {
    let mut group = FxHashSet::from_iter([bit]);
    loop {
        let before = group.len();
        for conjunct in machine.enforces.iter().flat_map(|e| &e.condition.groups) {
            if conjunct.iter().any(|bit| group.contains(bit)) {
                group.extend(conjunct);
            }
        }
        if group.len() == before {
            return group;
        }
    }
}

/// For each location of a role, the variables that some way from there reads before it writes them.
fn live(
    machine: &Machine,
    role: &Role,
    groups: &[FxHashSet<FrameBit>],
) -> Vec<FxHashSet<FrameBit>> {
    let mut live: Vec<FxHashSet<FrameBit>> = vec![FxHashSet::default(); machine.locations.len()];
    loop {
        let mut changed = false;
        for index in (0..live.len()).rev().filter(|index| role.reach[*index]) {
            let mut now = std::mem::take(&mut live[index]);
            let before = now.len();
            for edge in &machine.locations[index].edges {
                let (reads, writes) = accesses(machine, index, edge, groups);
                if edge.target != LocId::ENDED && edge.target.index() != index {
                    let behind = live[edge.target.index()].iter();
                    now.extend(behind.filter(|bit| !writes.contains(bit)));
                }
                now.extend(reads);
            }
            changed |= now.len() != before;
            live[index] = now;
        }
        if !changed {
            return live;
        }
    }
}

/// The variables that a step reads, and those that it writes. Of a group that it touches it reads what it
/// does not write, since an `enforce` makes that known; and all of it where it asks the `enforce`s before it
/// writes.
fn accesses(
    machine: &Machine,
    from: usize,
    edge: &Edge,
    groups: &[FxHashSet<FrameBit>],
) -> (Vec<FrameBit>, Vec<FrameBit>) {
    let (mut reads, writes) = direct_accesses(edge);
    reads.extend(entered(machine, &machine.locations[from], edge));
    let tried = tried_out(edge);
    for group in groups {
        let has = |bits: &[FrameBit]| bits.iter().any(|bit| group.contains(bit));
        let asked = has(&tried);
        if asked || has(&reads) || has(&writes) {
            reads.extend(group.iter().filter(|bit| asked || !writes.contains(bit)));
        }
    }
    (reads, writes)
}

/// The variables of the arguments of `schoose` that are tried out against the `enforce`s.
fn tried_out(edge: &Edge) -> Vec<FrameBit> {
    let mut bits = Vec::new();
    if let Action::Assign(assignment) = &edge.action {
        for write in &assignment.writes {
            if let Code::Schoose(positive, _) = &write.value {
                positive.collect_bits(&mut bits);
            }
        }
    }
    bits
}

fn direct_accesses(edge: &Edge) -> (Vec<FrameBit>, Vec<FrameBit>) {
    match &edge.action {
        Action::Assign(assignment) => {
            let writes = assignment.writes.iter().map(|write| write.bit);
            (assignment.reads(), writes.collect())
        }
        Action::NoOp | Action::Assume(_) | Action::Assert(_) | Action::Start(_) => {
            (edge.bits(), Vec::new())
        }
    }
}
