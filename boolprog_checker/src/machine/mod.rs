//! Control-flow graphs with all calls inlined: what the searches execute.
//!
//! Each procedure that a thread can begin in becomes an [`Image`]: its text with all calls inlined,
//! and one bit for each of its local variables, those of inlined calls included. A thread is a
//! location and the locals of the location's image. Expressions name variables by their place in
//! the *frame* of the executing thread: first the words of the globals, then the words of its
//! locals, then the next values of an assignment with `constrain`.

pub(crate) mod atomic;
pub(crate) mod code;
pub(crate) mod condition;
mod copy;
pub(crate) mod fuse;
pub(crate) mod liveness;
pub(crate) mod lower;
mod scc;
pub(crate) mod scope;
mod threads;
pub(crate) mod visibility;

use std::sync::Arc;

use code::Code;
use condition::Condition;
use rustc_hash::FxHashMap;

use crate::outcome::AssertId;
use crate::syntax::ast::StmtId;

/// The number of bits in a word of a state.
pub(crate) const WORD: u32 = 64;

/// The number of words for `bits` bits.
pub(crate) fn words(bits: usize) -> usize {
    bits.div_ceil(WORD as usize)
}

/// The place of a variable in the frame of a thread.
pub(crate) type FrameBit = u32;

/// The number of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LocId(pub(super) u32);

impl LocId {
    /// Where a thread is that has ended; no location has this number.
    pub(crate) const ENDED: Self = Self(u32::MAX);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ImageId(pub(super) u32);

/// The number of an `enforce` in one inlined copy of its procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EnforceId(pub(super) u32);

impl EnforceId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A program ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    /// Names of the global variables.
    pub globals: Vec<String>,
    pub images: Vec<Image>,
    pub locations: Vec<Location>,
    pub enforces: Vec<Enforce>,
    /// What is judged: the assertions, then the error labels.
    pub asserts: Vec<Judged>,
    /// How many threads there can be at most that no loop starts, `main` included.
    pub fixed_threads: usize,
    /// Where `main` begins.
    pub main: LocId,
}

impl Machine {
    pub(crate) fn global_words(&self) -> usize {
        words(self.globals.len())
    }

    /// The frame bit of the first local.
    pub(crate) fn first_local(&self) -> FrameBit {
        scope::first_local(self.globals.len())
    }

    pub(crate) fn location(&self, id: LocId) -> &Location {
        &self.locations[id.index()]
    }

    pub(crate) fn image(&self, id: ImageId) -> &Image {
        &self.images[id.0 as usize]
    }

    pub(crate) fn image_at(&self, id: LocId) -> &Image {
        self.image(self.location(id).image)
    }

    /// The `enforce` that holds while a thread stands at the location.
    pub(crate) fn enforce_at(&self, id: LocId) -> Option<EnforceId> {
        if id == LocId::ENDED {
            None
        } else {
            self.location(id).enforce
        }
    }

    pub(crate) fn enforce(&self, id: EnforceId) -> &Enforce {
        &self.enforces[id.index()]
    }
}

/// The text of a procedure that threads begin in, with its calls inlined.
#[derive(Clone, Debug, Default)]
pub(crate) struct Image {
    /// Names of the locals; those of inlined calls, and those that hide a global, have their
    /// procedure's name in front.
    pub locals: Vec<String>,
    /// How many of the locals, from the first, belong to the procedure itself.
    pub own: usize,
}

impl Image {
    pub(crate) fn words(&self) -> usize {
        words(self.locals.len())
    }
}

/// A place between statements.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    pub image: ImageId,
    pub enforce: Option<EnforceId>,
    /// The statement that is executed next here.
    pub stmt: Option<StmtId>,
    /// Whether the place is inside an atomic section.
    pub atomic: bool,
    /// Whether a thread that stands here may run alone; see `visibility`.
    pub reducible: bool,
    /// Globals that become unknown when a thread arrives here; see `liveness`.
    pub forget: Vec<FrameBit>,
    pub edges: Vec<Edge>,
}

/// A step from a location.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub action: Action,
    pub target: LocId,
    pub stmt: StmtId,
    /// Which way a condition went.
    pub branch: Option<bool>,
    /// The number of the condition in its statement: those of `elsif` follow that of `if`.
    pub condition: usize,
    /// How the step changes the nesting of atomic sections.
    pub atomic: AtomicChange,
}

impl Edge {
    /// All variables of the starter's frame that the step reads or writes.
    pub(crate) fn bits(&self) -> Vec<FrameBit> {
        match &self.action {
            Action::NoOp => Vec::new(),
            Action::Assume(condition) => condition.bits.clone(),
            Action::Assert(assertion) => assertion.holds.bits.clone(),
            Action::Assign(assignment) => {
                let mut bits = assignment.reads();
                bits.extend(assignment.writes.iter().map(|write| write.bit));
                bits.extend(&assignment.forget);
                bits
            }
            Action::Start(start) => {
                let mut bits = Vec::new();
                start
                    .arguments
                    .iter()
                    .for_each(|argument| argument.value.collect_bits(&mut bits));
                bits
            }
        }
    }
}

/// What a step does to the nesting of atomic sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicChange {
    None,
    Begin,
    End,
}

/// What a step does. Fused steps share it.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    NoOp,
    Assume(Arc<Condition>),
    Assert(Arc<Assertion>),
    Assign(Arc<Assignment>),
    Start(Arc<Start>),
}

/// An assertion: where `fails` can hold it is broken; the run goes on where `holds` can hold.
#[derive(Clone, Debug)]
pub(crate) struct Assertion {
    pub id: AssertId,
    pub holds: Condition,
    pub fails: Condition,
}

/// What is judged about a statement.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub stmt: StmtId,
    /// The label that must not be reached; for an assertion there is none.
    pub label: Option<String>,
}

/// A parallel assignment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assignment {
    /// The variables written with their values, sinks left out.
    pub writes: Vec<Write>,
    /// A relation between old and next values.
    pub constrain: Option<Constrain>,
    /// Variables whose values no thread will read before they are written again.
    pub forget: Vec<FrameBit>,
}

impl Assignment {
    /// The old values that the assignment depends on.
    pub(crate) fn reads(&self) -> Vec<FrameBit> {
        let mut bits = Vec::new();
        self.writes
            .iter()
            .for_each(|write| write.value.collect_bits(&mut bits));
        if let Some(constrain) = &self.constrain {
            bits.extend(
                constrain
                    .condition
                    .bits
                    .iter()
                    .filter(|bit| **bit < constrain.first),
            );
        }
        bits
    }
}

/// One variable of an assignment.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub bit: FrameBit,
    pub value: Code,
    /// The place of the value among the values of the statement.
    pub place: usize,
}

/// The condition of `constrain`; write number `k` has its next value at bit `first + k`.
#[derive(Clone, Debug)]
pub(crate) struct Constrain {
    pub condition: Condition,
    pub first: FrameBit,
}

/// The start of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub entry: LocId,
    /// Whether the new thread gets a copy of the starter's locals.
    pub copy: bool,
    /// Whether a run can come here any number of times; see `threads`.
    pub repeated: bool,
    /// Values, in the frame of the starter, for variables in the frame of the new thread.
    pub arguments: Vec<Write>,
}

/// An `enforce` as the searches use it.
#[derive(Clone, Debug)]
pub(crate) struct Enforce {
    pub condition: Condition,
    /// Whether it reads globals only, and so means the same for every thread.
    pub global: bool,
    /// For each frame bit that occurs in clauses, these. A copy of a procedure for the last of many calls has
    /// high bits, so there is nothing here for the bits below.
    pub clauses_of: FxHashMap<FrameBit, Vec<u32>>,
}
