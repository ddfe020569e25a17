//! The steps of threads from one stop to the next, and what can go wrong on the way.
//!
//! A *stop* is a location at which the thread does not hold the atomic section, or at which some listed state has it.
//! All ways from a location to the next stops are followed, in a fixed order; and so is every background block, from its
//! entry to its end. At each `pop` a way parts in two: an entry is left, or none is.

use crate::certificate::Way;
use crate::certify::describe;
use crate::certify::smt::path::{Path, Versions};
use crate::front::cup::ast::{CompareOp, Span};
use crate::program::{Action, Cond, Edge, LocId, Program, Term, Thread, ThreadId};

/// What a run of statements comes to.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    /// The way.
    pub way: Way,
    /// What it does.
    pub path: Path,
    /// How it ends.
    pub end: End,
}

/// How a run of statements ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// At a stop; a background block leaves the thread where it is.
    Stop(Option<LocId>),
    /// It must not come to this.
    Failure(String),
}

/// The steps are too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany;

/// What a walk that comes back to where it has been would show.
const ENDLESS: &str =
    "a loop in an atomic section is entered that has no states (list some at one of its locations)";

/// Follows the steps of a program.
pub(super) struct Steps<'a> {
    program: &'a Program,
    /// By thread and location, whether it is a stop.
    stops: Vec<Vec<bool>>,
    versions: Versions,
    /// How many statements may still be followed.
    budget: usize,
}

impl<'a> Steps<'a> {
    /// The steps of a program whose listed states are at these locations; no more than `budget` statements are
    /// followed.
    pub(super) fn new<'s>(
        program: &'a Program,
        listed: impl Iterator<Item = &'s [LocId]>,
        budget: usize,
    ) -> Self {
        let threads = program.threads.iter();
        let mut stops: Vec<Vec<bool>> = threads
            .map(|thread| thread.locations.iter().map(|at| !at.held).collect())
            .collect();
        for at in listed {
            for (stops, at) in stops.iter_mut().zip(at) {
                stops[at.index()] = true;
            }
        }
        Steps {
            program,
            stops,
            versions: Versions::default(),
            budget,
        }
    }

    /// All ways of a thread from a location.
    pub(super) fn of_thread(
        &mut self,
        thread: ThreadId,
        location: LocId,
    ) -> Result<Vec<Walk>, TooMany> {
        self.follow(thread, None, location)
    }

    /// All ways through a background block of a thread.
    pub(super) fn of_block(
        &mut self,
        thread: ThreadId,
        block: usize,
    ) -> Result<Vec<Walk>, TooMany> {
        let entry = self.thread(thread).backgrounds[block].entry;
        self.follow(thread, Some(block), entry)
    }

    fn thread(&self, id: ThreadId) -> &'a Thread {
        &self.program.threads[id.index()]
    }

    fn follow(
        &mut self,
        thread: ThreadId,
        block: Option<usize>,
        start: LocId,
    ) -> Result<Vec<Walk>, TooMany> {
        let first = Open {
            visited: vec![start],
            way: Way {
                thread,
                block,
                path: Vec::new(),
                left: Vec::new(),
            },
            path: Path::new(self.program),
        };
        let mut walks = Vec::new();
        let mut open = vec![first];
        while let Some(here) = open.pop() {
            let mut next = Vec::new();
            let edges = &self.thread(thread).location(here.at()).edges;
            for (number, edge) in edges.iter().enumerate() {
                self.budget = self.budget.checked_sub(1).ok_or(TooMany)?;
                for after in self.statement(&here, number, edge, &mut walks) {
                    let target = edge.target;
                    if self.is_stop(thread, block, target) {
                        let to = block.is_none().then_some(target);
                        walks.push(after.ends(End::Stop(to)));
                    } else if here.visited.contains(&target) {
                        walks.push(after.ends(End::Failure(ENDLESS.to_owned())));
                    } else {
                        next.push(after);
                    }
                }
            }
            open.extend(next.into_iter().rev());
        }
        Ok(walks)
    }

    fn is_stop(&self, thread: ThreadId, block: Option<usize>, location: LocId) -> bool {
        match block {
            Some(_) => location == self.thread(thread).end,
            None => self.stops[thread.index()][location.index()],
        }
    }

    /// Runs one statement, which must not fail. There are two ways to go on after a `pop`.
    fn statement(
        &mut self,
        here: &Open,
        number: usize,
        edge: &Edge,
        walks: &mut Vec<Walk>,
    ) -> Vec<Open> {
        let mut after = here.clone();
        after.visited.push(edge.target);
        after.way.path.push(number);
        after.path.enter(edge.span);
        if let Some(bounds) = &edge.bounds {
            let property = self.program.property(bounds.property);
            walks.push(after.fails(&bounds.cond, describe::broken(property)));
            after.path.assume(&bounds.cond);
        }
        if let Action::Assert(cond, property) = &edge.action {
            let property = self.program.property(*property);
            walks.push(after.fails(cond, describe::broken(property)));
        }
        after.path.run(&edge.action, &mut self.versions);
        match &edge.action {
            Action::Pop(fifo) => {
                let cases = [(true, CompareOp::Gt), (false, CompareOp::Eq)];
                let case = |(left, op)| {
                    let mut after = after.clone();
                    let test = Cond::Compare(op, Term::Var(fifo.length), Term::Const(0));
                    after.path.assume(&test);
                    after.way.left.push(left);
                    after
                };
                cases.map(case).into()
            }
            _ => vec![after],
        }
    }
}

/// A way that is being followed.
#[derive(Clone, Debug)]
struct Open {
    visited: Vec<LocId>,
    way: Way,
    path: Path,
}

impl Open {
    fn at(&self) -> LocId {
        *self.visited.last().expect("a way begins somewhere")
    }

    fn ends(self, end: End) -> Walk {
        Walk {
            way: self.way,
            path: self.path,
            end,
        }
    }

    /// What must not happen: that a condition does not hold here.
    fn fails(&self, cond: &Cond, failure: String) -> Walk {
        let mut failing = self.clone();
        failing.path.assume_not(cond);
        failing.ends(End::Failure(failure))
    }
}

impl Walk {
    /// Where its statements stand.
    pub(super) fn trail(&self) -> &[Span] {
        self.path.trail()
    }
}
