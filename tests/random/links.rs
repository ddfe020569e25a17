//! The link from a reduced program to its source on random programs, part by part: every variable, every step and
//! every property of the reduced program is one of the source, or belongs to a buffer.

use std::ops::AddAssign;
use std::path::Path;

use cupola::program::{Action, EdgeId, Place, Program, PropertyId, PropertyKind, VarId};
use cupola::reduce::{FifoVars, Origin, Reduction};

use super::origins::{for_all_reductions, reductions};
use crate::support::random::Flavour;

/// How many programs of each family are tried where nothing else is asked for.
const PROGRAMS: u64 = 50;

#[test]
fn parts_of_reduced_programs_are_parts_of_their_sources_or_of_buffers() {
    let mut seen = Seen::default();
    for flavour in Flavour::ALL {
        for_all_reductions(flavour, PROGRAMS, |reduction, seed| {
            seen += check(reduction, &format!("{flavour:?}, seed {seed}"));
        });
    }
    assert!(seen.reports > 100, "{seen:?}");
    assert!(seen.bounds > 100, "{seen:?}");
}

#[test]
fn the_same_for_programs_made_by_hand() {
    let mut seen = Seen::default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/translate");
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a program");
        for reduction in reductions(text) {
            seen += check(&reduction, &path.to_string_lossy());
        }
    }
    assert!(seen.reports > 100, "{seen:?}");
    assert!(seen.bounds > 10, "{seen:?}");
}

/// How many steps report a full buffer, and how many assertions check indices.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    reports: usize,
    bounds: usize,
}

impl AddAssign for Seen {
    fn add_assign(&mut self, other: Self) {
        self.reports += other.reports;
        self.bounds += other.bounds;
    }
}

fn check(reduction: &Reduction, name: &str) -> Seen {
    let shown = format!("{name}:\n{}", reduction.program);
    check_variables(reduction, &shown);
    let mut reports = 0;
    for step in reduction.program.edge_ids() {
        check_step(reduction, step, &shown);
        reports += usize::from(reports_overflow(reduction, step));
    }
    Seen {
        reports,
        bounds: check_properties(reduction, &shown),
    }
}

fn check_variables(reduction: &Reduction, shown: &str) {
    let (source, reduced) = (&reduction.source, &reduction.program);
    for var in source.var_ids() {
        let same = reduction.reduced_var(var);
        assert_eq!(reduction.source_var(same), Some(var), "{shown}");
        assert_eq!(source.var_name(var), reduced.var_name(same), "{shown}");
    }
    let buffers = reduction.buffers().iter().flat_map(|buffer| {
        let slots = buffer.slots.iter().flat_map(|slot| slot.all());
        slots.chain([buffer.count])
    });
    let overflow = reduction.overflow();
    let has_buffers = !reduction.buffers().is_empty();
    assert_eq!(overflow.is_some(), has_buffers, "{shown}");
    let fifos = reduction.fifos().iter().flat_map(fifo_vars);
    let mut own: Vec<_> = buffers.chain(fifos).chain(overflow).collect();
    own.sort_unstable();
    let added = reduced.var_ids();
    let added = added.filter(|&var| reduction.source_var(var).is_none());
    assert_eq!(own, added.collect::<Vec<_>>(), "{shown}");
}

/// The variables that show a FIFO, and those that number its stores.
fn fifo_vars(vars: &FifoVars) -> Vec<VarId> {
    let fifo = &vars.fifo;
    let shown = fifo.oldest.iter().chain(&fifo.newest).copied();
    let numberings = vars.stored.iter().filter_map(|stored| stored.numbering);
    let numbers = numberings.map(|numbering| numbering.done);
    shown.chain([fifo.length]).chain(numbers).collect()
}

/// A step stands for a step of the same statement of the same thread, taken with the section held if it is
/// held; only a report of a full buffer is one.
fn check_step(reduction: &Reduction, id: EdgeId, shown: &str) {
    let (source, reduced) = (&reduction.source, &reduction.program);
    let origin = reduction.origin(id);
    let is_report = matches!(origin, Origin::Overflow(_));
    assert!(is_report || !reports_overflow(reduction, id), "{shown}");
    let of = match origin {
        Origin::Statement(of) | Origin::Bounds(of) => {
            assert_eq!(is_held(source, of), is_held(reduced, id), "{shown}");
            of
        }
        Origin::Further(of) | Origin::Overflow(of) => {
            let stands_free =
                |&other: &EdgeId| is_same(source, of, other) && !is_held(source, other);
            let free = source.edge_ids().find(stands_free);
            assert_eq!(is_held(source, of), free.is_none(), "{shown}");
            of
        }
        Origin::Flush { .. } | Origin::FlushOldest(_) | Origin::Flushing => return,
    };
    assert_eq!(of.thread, id.thread, "{shown}");
    assert_eq!(source.edge(of).span, reduced.edge(id).span, "{shown}");
    let is_store = matches!(source.edge(of).action, Action::Store(..));
    assert!(is_store || !is_report, "{shown}");
}

/// Whether a step sets the overflow variable or asserts that it is not set.
fn reports_overflow(reduction: &Reduction, id: EdgeId) -> bool {
    match &reduction.program.edge(id).action {
        Action::Assign(Place::Var(var), _) | Action::Store(Place::Var(var), _) => {
            reduction.overflow() == Some(*var)
        }
        Action::Assert(_, property) => {
            reduction.program.property(*property).kind == PropertyKind::Overflow
        }
        _ => false,
    }
}

fn is_held(program: &Program, id: EdgeId) -> bool {
    program.threads[id.thread.index()].location(id.at).held
}

/// Whether two steps are steps of one statement of one thread.
fn is_same(program: &Program, one: EdgeId, other: EdgeId) -> bool {
    one.thread == other.thread && program.edge(one).span == program.edge(other).span
}

/// A property has the name and the place of the source's, and its kind unless it is an assertion that checks
/// indices. All properties of the source are met. Returns how many such assertions there are.
fn check_properties(reduction: &Reduction, shown: &str) -> usize {
    let (source, reduced) = (&reduction.source, &reduction.program);
    let mut is_met = vec![false; source.properties.len()];
    let mut bounds = 0;
    for (number, property) in reduced.properties.iter().enumerate() {
        let Some(link) = reduction.source_property(PropertyId::new(number)) else {
            assert_eq!(property.kind, PropertyKind::Overflow, "{shown}");
            continue;
        };
        is_met[link.index()] = true;
        let linked = source.property(link);
        assert_eq!(property.name, linked.name, "{shown}");
        assert_eq!(property.span, linked.span, "{shown}");
        let kinds = (property.kind, linked.kind);
        let checks_indices = kinds == (PropertyKind::Assertion, PropertyKind::Bounds);
        assert!(checks_indices || kinds.0 == kinds.1, "{kinds:?} {shown}");
        bounds += usize::from(checks_indices);
    }
    assert!(is_met.iter().all(|met| *met), "{shown}");
    bounds
}
