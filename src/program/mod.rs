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

mod action;
mod choice;
mod display;
mod fifo;
mod invariants;
mod lower;
mod property;
mod term;
mod text;

pub use action::action_text;
pub(crate) use choice::Beyond;
#[cfg(test)]
pub(crate) use choice::spelled_out;
pub use fifo::Fifo;
pub use lower::lower;
pub use property::{BoundsCheck, Property, PropertyKind};
pub use term::{Cond, Place, Term};
pub(crate) use text::{Names, cond_tree};
pub use text::{
    cond_text, cond_text_with, location_name, operand_text, operand_text_with, term_text,
};

use crate::front::cup::ast::{CompareOp, Role, Span, SpecKind};
pub use crate::front::cup::range::Range;
pub use crate::front::cup::symbols::Init;

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
id!(
    /// What stands in the source for a step, a condition or a spec, an index into [`Program::statements`].
    StmtId
);
id!(
    /// A property, an index into [`Program::properties`].
    PropertyId
);

id!(
    /// A FIFO, an index into [`Program::fifos`].
    FifoId
);

/// An edge of a thread's graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EdgeId {
    /// The thread.
    pub thread: ThreadId,
    /// The location that the edge leaves.
    pub at: LocId,
    /// Its place among the edges of the location.
    pub number: usize,
}

/// A checked program: scalars, threads and properties.
#[derive(Clone, Debug)]
pub struct Program {
    /// Scalar variables: the shared ones in declaration order, then each thread's locals.
    pub vars: Vec<Var>,
    /// Threads, copies in order.
    pub threads: Vec<Thread>,
    /// FIFOs, thread by thread.
    pub fifos: Vec<Fifo>,
    /// Specs in source order.
    pub specs: Vec<Spec>,
    /// What must hold: the properties of edges that can be reached, thread by thread, then those of specs.
    pub properties: Vec<Property>,
    /// What stands in the source for steps, conditions and specs.
    pub statements: Vec<Statement>,
}

/// A statement, a condition or a spec of the source, for reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Where it stands, without its labels.
    pub span: Span,
    /// Its text on one line, in the printer's normal form.
    pub text: String,
    /// Whether it is an optional fence, which a step leaves out unless it is in force.
    pub is_optional_fence: bool,
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
    /// What it starts with.
    pub init: Init,
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
    /// What must hold of array indices. Checked before the action, as part of the same step; `None`
    /// where no index depends on variables. All edges of one location have the same bounds.
    pub bounds: Option<BoundsCheck>,
    /// What the step does.
    pub action: Action,
    /// Where it leads.
    pub target: LocId,
    /// The statement in the source, labels included; the condition alone for a [`Branch`].
    pub span: Span,
    /// The same without labels, and its text.
    pub stmt: StmtId,
    /// Set if the step evaluates the condition of an `if`, `while` or `do`.
    pub branch: Option<Branch>,
    /// What the statement stands for, where the tree says so: see [`Role`].
    pub role: Option<Role>,
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
    /// `assert(c, "message")`: the property is that the condition holds here.
    Assert(Cond, PropertyId),
    /// `r = e`
    Assign(Place, Term),
    /// `r = *`
    Havoc(Place),
    /// `r = choose(low, high)`: any value of the range.
    Choose(Place, Range),
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
    /// `append(b, e, …)`: the values may be read from memory.
    Append(Fifo, Vec<Term>),
    /// `pop(b)`, once there is an entry.
    Pop(Fifo),
    /// `fence`
    Fence,
}

impl Action {
    /// Whether it fails whatever the state is, as one of the two ways of `assert(*)` does.
    pub fn fails(&self) -> bool {
        matches!(self, Action::Assert(Cond::Const(false), _))
    }
}

/// A spec over the program's scalars and locations.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Its property.
    pub property: PropertyId,
    /// How it is meant.
    pub kind: SpecKind,
    /// What must hold of array indices wherever the spec must hold: that evaluating the condition
    /// from left to right meets no index out of range. `None` where no index depends on variables.
    pub bounds: Option<BoundsCheck>,
    /// Its condition.
    pub cond: Cond,
}

impl Program {
    /// The statement with this id.
    pub fn statement(&self, id: StmtId) -> &Statement {
        &self.statements[id.index()]
    }

    /// The property with this id.
    pub fn property(&self, id: PropertyId) -> &Property {
        &self.properties[id.index()]
    }

    /// The spec that a property belongs to, as its condition or as the check of its indices; `None` if
    /// a step breaks the property.
    pub fn spec_of(&self, property: PropertyId) -> Option<&Spec> {
        let mut specs = self.specs.iter();
        specs.find(|spec| {
            let bounds = spec.bounds.as_ref().map(|bounds| bounds.property);
            spec.property == property || bounds == Some(property)
        })
    }

    /// The edge with this id.
    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.threads[id.thread.index()].location(id.at).edges[id.number]
    }

    /// Whether it says what must hold: in a spec, or in an assertion.
    pub fn has_property(&self) -> bool {
        let mut kinds = self.properties.iter().map(|property| property.kind);
        kinds.any(PropertyKind::is_stated)
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

    /// The ids of all steps, thread by thread and location by location.
    pub fn edge_ids(&self) -> impl Iterator<Item = EdgeId> {
        let threads = self.thread_ids().zip(&self.threads);
        threads.flat_map(|(thread, graph)| {
            let locations = graph.locations.iter().enumerate();
            locations.flat_map(move |(at, location)| {
                let at = LocId::new(at);
                (0..location.edges.len()).map(move |number| EdgeId { thread, at, number })
            })
        })
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
