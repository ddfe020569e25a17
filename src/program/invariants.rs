//! The invariants of [`Program`], checked after lowering in builds with debug assertions.

use super::{Action, Cond, Edge, Fifo, LocId, Place, Program, Term, Thread, ThreadId, VarId};

/// Panics if the program breaks an invariant: a mistake of the lowering, never of a user.
pub(super) fn check(program: &Program) {
    for id in program.thread_ids() {
        let thread = &program.threads[id.index()];
        check_shape(thread);
        for location in &thread.locations {
            let bounds = location.edges.first().map(|edge| &edge.bounds);
            for edge in &location.edges {
                assert_eq!(Some(&edge.bounds), bounds, "a location has one bound");
                Variables {
                    program,
                    thread: id,
                }
                .check_edge(edge);
            }
        }
    }
}

fn check_shape(thread: &Thread) {
    let end = thread.location(thread.end);
    assert!(end.edges.is_empty(), "nothing leads on from the end");
    assert!(!end.held, "a thread ends without the atomic section");
    assert!(
        !thread.location(thread.entry).held,
        "a thread starts without the atomic section"
    );
    let own = reachable(thread, thread.entry);
    for background in &thread.backgrounds {
        let fragment = reachable(thread, background.entry);
        assert!(fragment[thread.end.index()], "a background block ends");
        for (index, location) in thread.locations.iter().enumerate() {
            let inside = fragment[index] && index != thread.end.index();
            assert!(
                !inside || location.held,
                "a background block is held throughout"
            );
            assert!(
                !inside || !own[index],
                "a thread never enters a background block"
            );
        }
    }
}

fn reachable(thread: &Thread, entry: LocId) -> Vec<bool> {
    let mut seen = vec![false; thread.locations.len()];
    let mut stack = vec![entry];
    while let Some(id) = stack.pop() {
        if !std::mem::replace(&mut seen[id.index()], true) {
            let edges = &thread.location(id).edges;
            stack.extend(edges.iter().map(|edge| edge.target));
        }
    }
    seen
}

/// Checks which variables the steps of a thread use.
struct Variables<'a> {
    program: &'a Program,
    thread: ThreadId,
}

/// The variables that a term or place may use.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Local,
    Shared,
    Any,
}

impl Variables<'_> {
    fn check_edge(&self, edge: &Edge) {
        if let Some(bounds) = &edge.bounds {
            self.cond(&bounds.cond, Kind::Any);
        }
        match &edge.action {
            Action::Append(fifo, values) => {
                self.fifo(fifo);
                assert_eq!(values.len(), fifo.width(), "an entry has all fields");
                values.iter().for_each(|value| self.term(value, Kind::Any));
            }
            Action::Pop(fifo) => self.fifo(fifo),
            Action::Skip | Action::Fence => {}
            Action::Assume(cond) => self.cond(cond, Kind::Local),
            Action::Assert(cond, _) => self.cond(cond, Kind::Any),
            Action::Assign(place, term) => {
                self.place(place, Kind::Local);
                self.term(term, Kind::Local);
            }
            Action::Havoc(place) | Action::Choose(place, _) => self.place(place, Kind::Local),
            Action::Load(place, source) => {
                self.place(place, Kind::Local);
                self.place(source, Kind::Shared);
            }
            Action::Store(place, term) => {
                self.place(place, Kind::Shared);
                self.term(term, Kind::Local);
            }
            Action::Cas(place, target, expected, new) => {
                self.term(expected, Kind::Local);
                self.update(place, target, new);
            }
            Action::Swap(place, target, term) | Action::FetchAdd(place, target, term) => {
                self.update(place, target, term);
            }
        }
    }

    fn fifo(&self, fifo: &Fifo) {
        assert_eq!(fifo.owner, self.thread, "a FIFO is used by its own thread");
        assert_eq!(Some(fifo), self.program.fifos.get(fifo.id.index()));
        fifo.views().for_each(|view| self.var(view, Kind::Local));
    }

    fn update(&self, place: &Place, target: &Place, term: &Term) {
        self.place(place, Kind::Local);
        self.place(target, Kind::Shared);
        self.term(term, Kind::Local);
    }

    fn place(&self, place: &Place, kind: Kind) {
        match place {
            Place::Var(var) => self.var(*var, kind),
            Place::Choice(index, elements) => {
                assert!(!elements.is_empty(), "an array has elements");
                self.term(index, Kind::Local);
                elements.iter().for_each(|&var| self.var(var, kind));
            }
        }
    }

    fn term(&self, term: &Term, kind: Kind) {
        match term {
            Term::Const(_) => {}
            Term::Var(var) => self.var(*var, kind),
            Term::Choice(index, elements) => {
                assert!(!elements.is_empty(), "an array has elements");
                self.term(index, kind);
                elements.iter().for_each(|term| self.term(term, kind));
            }
            Term::Neg(inner) => self.term(inner, kind),
            Term::Binary(op, left, right) => {
                let positive = matches!(**right, Term::Const(1..));
                assert!(
                    !op.divides() || positive,
                    "a divisor is a positive constant"
                );
                self.term(left, kind);
                self.term(right, kind);
            }
        }
    }

    fn cond(&self, cond: &Cond, kind: Kind) {
        match cond {
            Cond::Const(_) => {}
            Cond::Not(inner) => self.cond(inner, kind),
            Cond::And(left, right) | Cond::Or(left, right) => {
                self.cond(left, kind);
                self.cond(right, kind);
            }
            Cond::Compare(_, left, right) => {
                self.term(left, kind);
                self.term(right, kind);
            }
            Cond::At(..) => panic!("only specs name locations"),
        }
    }

    fn var(&self, var: VarId, kind: Kind) {
        let owner = self.program.vars[var.index()].owner;
        assert!(
            owner.is_none_or(|owner| owner == self.thread),
            "locals are used by their own thread"
        );
        match kind {
            Kind::Local => assert!(owner.is_some(), "only a local may stand here"),
            Kind::Shared => assert!(owner.is_none(), "only a shared variable may stand here"),
            Kind::Any => {}
        }
    }
}
