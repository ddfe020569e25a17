//! Where the steps of a reduced program come from.
//!
//! Input: the lowered source and the lowered reduced program, whose edges carry the roles that
//! [`super::number`] and the rules gave to statements. Output: [`Origins`], total on the steps of the
//! reduced program.
//!
//! A statement that begins an atomic section of the source has two locations there: one before the
//! section is taken, and one to which jumps from inside the section lead. A first step is told from
//! its own location which of them it stands for.

use rustc_hash::FxHashMap;

use crate::front::cup::ast::Role;
use crate::program::{EdgeId, Program, Thread, ThreadId, VarId};

/// What a step of a reduced program is in its source. Steps and variables are those of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A step of the source, or the first of those that stand for one.
    Statement(EdgeId),
    /// A further one of the steps that stand for a step of the source. Of a statement that begins an
    /// atomic section, the step before the section is taken.
    Further(EdgeId),
    /// The check that the indices of a step of the source are in range: the first of the steps
    /// that stand for it.
    Bounds(EdgeId),
    /// A step that says that the store of this step of the source meets a full buffer.
    Overflow(EdgeId),
    /// The step by which the oldest store of a thread to a variable reaches memory.
    Flush {
        /// Whose store it is.
        thread: ThreadId,
        /// The variable.
        var: VarId,
    },
    /// The step by which the oldest store of a thread, whichever variable it is to, has reached memory.
    FlushOldest(ThreadId),
    /// Another step of a flush, or one that begins or ends a loop of flushes.
    Flushing,
}

/// The origins of all steps of a reduced program, by thread, location and number.
#[derive(Clone, Debug)]
pub(super) struct Origins(Vec<Vec<Vec<Origin>>>);

impl Origins {
    /// The origin of a step.
    pub(super) fn of(&self, edge: EdgeId) -> Origin {
        self.0[edge.thread.index()][edge.at.index()][edge.number]
    }

    /// Under SC the reduced program has the steps of its source.
    pub(super) fn same(program: &Program) -> Self {
        Origins::by(program, Origin::Statement)
    }

    /// The origins of a reduced program, from the roles of its steps and those of its source.
    pub(super) fn from_roles(source: &Program, reduced: &Program) -> Self {
        let steps = Steps::of(source);
        Origins::by(reduced, |edge| steps.origin(reduced, edge))
    }

    fn by(program: &Program, origin: impl Fn(EdgeId) -> Origin) -> Self {
        let shape = |thread: &Thread| vec![Vec::new(); thread.locations.len()];
        let mut origins: Vec<Vec<Vec<Origin>>> = program.threads.iter().map(shape).collect();
        for edge in program.edge_ids() {
            origins[edge.thread.index()][edge.at.index()].push(origin(edge));
        }
        Origins(origins)
    }
}

/// A step of the source: its thread, the number of its statement or arm, whether its location is
/// held, and its number among the edges there.
type Key = (ThreadId, usize, bool, usize);

/// The steps of a source by the statements that they come from.
struct Steps(FxHashMap<Key, EdgeId>);

impl Steps {
    fn of(source: &Program) -> Self {
        let keyed = source.edge_ids().filter_map(|id| {
            let Some(Role::Same(number)) = source.edge(id).role else {
                return None;
            };
            Some(((id.thread, number, is_held(source, id), id.number), id))
        });
        Steps(keyed.collect())
    }

    fn origin(&self, reduced: &Program, id: EdgeId) -> Origin {
        let held = is_held(reduced, id);
        let first = |statement, number| self.find((id.thread, statement, held, number));
        let role = reduced.edge(id).role;
        match role.expect("every statement of a reduced program has a role") {
            Role::Same(statement) => Origin::Statement(first(statement, id.number)),
            Role::First(statement) => Origin::Statement(first(statement, 0)),
            Role::Bounds(statement) => Origin::Bounds(first(statement, 0)),
            Role::Further(statement) => Origin::Further(self.any(id.thread, statement)),
            Role::Overflow(statement) => Origin::Overflow(self.any(id.thread, statement)),
            Role::Flush(scalar) => Origin::Flush {
                thread: id.thread,
                var: VarId::new(scalar),
            },
            Role::FlushOldest => Origin::FlushOldest(id.thread),
            Role::Flushing => Origin::Flushing,
        }
    }

    fn find(&self, key: Key) -> EdgeId {
        let step = self.0.get(&key).copied();
        step.expect("what can be reached in a reduced program can be reached in its source")
    }

    /// The step of a simple statement, before an atomic section is taken if there is one.
    fn any(&self, thread: ThreadId, statement: usize) -> EdgeId {
        let free = self.0.get(&(thread, statement, false, 0)).copied();
        free.unwrap_or_else(|| self.find((thread, statement, true, 0)))
    }
}

fn is_held(program: &Program, id: EdgeId) -> bool {
    program.threads[id.thread.index()].location(id.at).held
}
