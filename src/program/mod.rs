//! The checked program as control-flow graphs: what the explorer runs and the abstraction reads.
//!
//! Input: a checked tree, a memory model's fences in force. Output: [`Program`]. Arrays are families
//! of scalars, copies are threads of their own, optional fences are fences or skips, and every step
//! of the semantics (`docs/language.md`) is one [`Edge`] between two [`Location`]s that keeps its
//! source span. A `background` block is a fragment of the same graph that runs whole.
//!
//! Invariants, which `invariants` checks in builds with debug assertions: a thread starts and ends
//! without the atomic section; a held location is reached only from the same atomic section; a
//! background block is held throughout, ends at its thread's end and shares nothing with the
//! thread's own graph; locals are used by their own thread only (specs apart); shared variables are
//! accessed as [`Action`] says.

mod display;
mod invariants;
mod lower;
mod term;

pub use lower::lower;
pub use term::{Cond, Place, Term};

use crate::lang::ast::{CompareOp, Span, SpecKind};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        impl $name {
            /// The id with this index.
            pub fn new(index: usize) -> Self {
                $name(u32::try_from(index).expect("tables have fewer than 2^32 rows"))
            }

            /// The index into the table that the id is for.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A scalar variable, an index into [`Program::vars`].
    VarId
);
id!(
    /// A thread, an index into [`Program::threads`]; also its number in the names `t0`, `t1`, ….
    ThreadId
);
id!(
    /// A location of one thread, an index into [`Thread::locations`].
    LocId
);

/// A checked program: scalars, threads and properties.
#[derive(Clone, Debug)]
pub struct Program {
    /// Scalar variables: the shared ones in declaration order, then each thread's locals.
    pub vars: Vec<Var>,
    /// Threads, copies in order.
    pub threads: Vec<Thread>,
    /// Specs in source order.
    pub specs: Vec<Spec>,
}

/// A scalar variable.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name in its scope; element `i` of the array `A` is `A_i`.
    pub name: String,
    /// Its name in messages and traces; element `i` of the array `A` is `A[i]`.
    pub display_name: String,
    /// The thread it is local to, or `None` if it is shared.
    pub owner: Option<ThreadId>,
    /// Its initial value, `None` for an arbitrary one.
    pub init: Option<i64>,
}

/// A thread as a control-flow graph.
#[derive(Clone, Debug)]
pub struct Thread {
    /// Its printed name; copy `i` of `P` is `P_i`.
    pub name: String,
    /// Its name in messages and traces; copy `i` of `P` is `P[i]`.
    pub display_name: String,
    /// Its locations.
    pub locations: Vec<Location>,
    /// Where it starts.
    pub entry: LocId,
    /// Where it has ended: a location without edges.
    pub end: LocId,
    /// The `background` blocks.
    pub backgrounds: Vec<Background>,
}

/// A `background` block: a fragment of its thread's graph, all of whose locations are held and
/// which the thread itself never enters. One step runs it whole, from its entry until it reaches
/// [`Thread::end`], and leaves the thread where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Background {
    /// Where it starts.
    pub entry: LocId,
    /// The block in the source.
    pub span: Span,
}

/// A control location.
#[derive(Clone, Debug, Default)]
pub struct Location {
    /// Whether a thread here holds the atomic section.
    pub held: bool,
    /// Source labels of this location.
    pub labels: Vec<String>,
    /// The steps that leave it, in source order.
    pub edges: Vec<Edge>,
}

/// One step of a thread.
#[derive(Clone, Debug)]
pub struct Edge {
    /// What must hold of array indices: false is a violation of the property `bounds`. Checked before
    /// the action, as part of the same step; `None` where no index depends on variables. All edges
    /// of one location have the same bounds.
    pub bounds: Option<Cond>,
    /// What the step does.
    pub action: Action,
    /// Where it leads.
    pub target: LocId,
    /// The statement in the source, labels included; the condition alone for a [`Branch`].
    pub span: Span,
    /// Set if the step evaluates the condition of an `if`, `while` or `do`.
    pub branch: Option<Branch>,
}

/// One of the two ways that the evaluation of a condition can go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Whose condition it is.
    pub of: BranchKind,
    /// Whether it came out true.
    pub taken: bool,
}

/// The statements with a condition that decides where control goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchKind {
    /// `if`
    If,
    /// `while`
    While,
    /// `do … while`
    DoWhile,
}

/// A simple action. Terms and conditions range over the thread's locals (asserts also over shared
/// variables); `X` is shared, `r` local.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// `skip`, `goto`, and other steps that only move control.
    Skip,
    /// `assume(c)`, or one branch of a condition.
    Assume(Cond),
    /// `assert(c, "message")`.
    Assert(Cond, AssertKind),
    /// `r = e`
    Assign(Place, Term),
    /// `r = *`
    Havoc(Place),
    /// `r = X`
    Load(Place, Place),
    /// `X = e`
    Store(Place, Term),
    /// `r = cas(X, expected, new)`
    Cas(Place, Place, Term, Term),
    /// `r = swap(X, e)`
    Swap(Place, Place, Term),
    /// `r = fetch_add(X, e)`
    FetchAdd(Place, Place, Term),
    /// `fence`
    Fence,
}

impl Action {
    /// Whether it fails whatever the state is, as one of the two ways of `assert(*)` does.
    pub fn fails(&self) -> bool {
        matches!(self, Action::Assert(Cond::Const(false), _))
    }
}

/// What an assertion is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AssertKind {
    /// A user's assertion, with its message if it has one.
    User(Option<String>),
    /// The overflow check of a reduced program: `assert(overflow == 0, "overflow")` over a shared
    /// variable `overflow` (underscores may follow).
    Overflow,
}

/// A spec over the program's scalars and locations.
#[derive(Clone, Debug)]
pub struct Spec {
    /// How it is meant.
    pub kind: SpecKind,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// What must hold of array indices wherever the spec must hold: that evaluating the condition
    /// from left to right meets no index out of range. False is a violation of the property
    /// `bounds`; `None` where no index depends on variables.
    pub bounds: Option<Cond>,
    /// Its condition.
    pub cond: Cond,
    /// Where it stands.
    pub span: Span,
}

impl Program {
    /// Whether it says what must hold: in a spec, or in an assertion.
    pub fn has_property(&self) -> bool {
        let locations = self.threads.iter().flat_map(|thread| &thread.locations);
        let mut edges = locations.flat_map(|location| &location.edges);
        !self.specs.is_empty()
            || edges.any(|edge| matches!(edge.action, Action::Assert(_, AssertKind::User(_))))
    }

    /// The name of a variable in the whole program, as it is printed: `X`, `P.r`, `P_0.r`.
    pub fn var_name(&self, var: VarId) -> String {
        let var = &self.vars[var.index()];
        match var.owner {
            Some(thread) => format!("{}.{}", self.threads[thread.index()].name, var.name),
            None => var.name.clone(),
        }
    }

    /// The name of a variable in messages and traces: `X`, `A[1]`, `P.r`, `P[0].r`.
    pub fn var_display_name(&self, var: VarId) -> String {
        let var = &self.vars[var.index()];
        match var.owner {
            Some(thread) => {
                let thread = &self.threads[thread.index()];
                format!("{}.{}", thread.display_name, var.display_name)
            }
            None => var.display_name.clone(),
        }
    }

    /// The ids of all variables.
    pub fn var_ids(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.vars.len()).map(VarId::new)
    }

    /// The ids of all threads.
    pub fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.threads.len()).map(ThreadId::new)
    }

    /// Whether some thread has a `background` block.
    pub fn has_background(&self) -> bool {
        let mut threads = self.threads.iter();
        threads.any(|thread| !thread.backgrounds.is_empty())
    }
}

impl Thread {
    /// The location with this id.
    pub fn location(&self, id: LocId) -> &Location {
        &self.locations[id.index()]
    }
}
