//! The syntax tree of a boolean program.
//!
//! The parser builds it from text, a library user builds it directly; the printer writes it and the
//! lowering turns it into control-flow graphs. Two trees are equal when they are the same program:
//! where a node comes from ([`Origin`]) never makes a difference.

pub use super::expr::Expr;

/// A range of bytes of the source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

/// Where a node comes from and what is to be said about it.
///
/// All origins compare equal, so that programs can be compared up to positions and comments.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The place in the text that was parsed.
    pub span: Option<Span>,
    /// One line, printed as a comment behind the node.
    pub comment: Option<String>,
    /// Whatever number the builder of the program wants to find again in a trace.
    pub tag: Option<u32>,
}

impl Origin {
    /// The origin of a node parsed at `span`.
    pub fn at(span: Span) -> Self {
        Self {
            span: Some(span),
            ..Self::default()
        }
    }
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Origin {}

/// An identifier or a label where it is used; two are equal when their names are.
#[derive(Clone, Debug)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Where it stands, if it was parsed.
    pub span: Option<Span>,
}

impl Ident {
    /// A name that stands nowhere.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            span: None,
        }
    }
}

impl PartialEq for Ident {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Ident {}

impl From<&str> for Ident {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<String> for Ident {
    fn from(name: String) -> Self {
        Self::new(name)
    }
}

/// A declared variable, global, local or parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decl {
    /// Its name.
    pub name: Ident,
    /// Where it comes from; the comment is, for instance, the predicate it stands for.
    pub origin: Origin,
}

impl Decl {
    /// A variable without a comment.
    pub fn new(name: impl Into<Ident>) -> Self {
        Self {
            name: name.into(),
            origin: Origin::default(),
        }
    }

    /// The same variable with a comment.
    #[must_use]
    pub fn comment(mut self, text: impl Into<String>) -> Self {
        self.origin.comment = Some(text.into());
        self
    }
}

/// A whole boolean program. Execution starts in the procedure `main`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// Variables that all threads share.
    pub globals: Vec<Decl>,
    /// Procedures in source order.
    pub procedures: Vec<Procedure>,
}

/// A procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Procedure {
    /// Its name.
    pub name: Ident,
    /// Its parameters, passed by value.
    pub parameters: Vec<Decl>,
    /// How many values it returns: 0 for `void`, n for `bool<n>`.
    pub results: u32,
    /// Its local variables.
    pub locals: Vec<Decl>,
    /// What holds wherever a thread stands at a statement of this procedure.
    pub enforce: Option<Expr>,
    /// Its statements.
    pub body: Vec<Stmt>,
    /// Where it comes from.
    pub origin: Origin,
}

impl Procedure {
    /// A `void` procedure without parameters, locals and `enforce`.
    pub fn new(name: impl Into<Ident>, body: Vec<Stmt>) -> Self {
        Self {
            name: name.into(),
            parameters: Vec::new(),
            results: 0,
            locals: Vec::new(),
            enforce: None,
            body,
            origin: Origin::default(),
        }
    }
}

/// A statement with its labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// Its labels, names or numbers.
    pub labels: Vec<Ident>,
    /// What it does.
    pub kind: StmtKind,
    /// Where it comes from.
    pub origin: Origin,
}

impl Stmt {
    /// A statement without label, comment and tag.
    pub fn new(kind: StmtKind) -> Self {
        Self {
            labels: Vec::new(),
            kind,
            origin: Origin::default(),
        }
    }

    /// The parallel assignment `targets := values`.
    pub fn assign(targets: Vec<Target>, values: Vec<Expr>) -> Self {
        Self::new(StmtKind::Assign {
            targets,
            values,
            constrain: None,
        })
    }

    /// `goto` to one of the given labels.
    pub fn goto<L: Into<Ident>>(labels: impl IntoIterator<Item = L>) -> Self {
        Self::new(StmtKind::Goto(labels.into_iter().map(Into::into).collect()))
    }

    /// The same statement with one more label.
    #[must_use]
    pub fn label(mut self, label: impl Into<Ident>) -> Self {
        self.labels.push(label.into());
        self
    }

    /// The same statement with a comment, for instance the source line it abstracts.
    #[must_use]
    pub fn comment(mut self, text: impl Into<String>) -> Self {
        self.origin.comment = Some(text.into());
        self
    }

    /// The same statement with a tag; traces give it back.
    #[must_use]
    pub fn tag(mut self, tag: u32) -> Self {
        self.origin.tag = Some(tag);
        self
    }

    /// Whether one of its labels begins with `ASYNC_`, which makes a call start a thread.
    pub fn is_async(&self) -> bool {
        self.labels
            .iter()
            .any(|label| label.name.starts_with("ASYNC_"))
    }
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// `skip`
    Skip,
    /// `x, y := e, f constrain c`: all values are read before any is written.
    Assign {
        /// The variables written.
        targets: Vec<Target>,
        /// One value for each.
        values: Vec<Expr>,
        /// A relation between old values and next values (`'x`) that the step keeps.
        constrain: Option<Expr>,
    },
    /// `x, y := f(a, b)`, or without targets. Labelled `ASYNC_…` it starts a thread.
    Call {
        /// What the results are written to; empty when they are dropped.
        targets: Vec<Target>,
        /// The procedure called.
        procedure: Ident,
        /// One value for each parameter.
        arguments: Vec<Expr>,
    },
    /// `assume(c)`: passes only where `c` holds.
    Assume(Expr),
    /// `assert(c)`: a violation where `c` does not hold.
    Assert(Expr),
    /// `if c then … elsif d then … else … fi`
    If {
        /// The conditions and what follows them.
        branches: Vec<Branch>,
        /// The `else` part.
        otherwise: Option<Vec<Stmt>>,
    },
    /// `while c do … od`
    While {
        /// The loop goes on while this holds.
        condition: Expr,
        /// The loop's body.
        body: Vec<Stmt>,
    },
    /// `goto A, B`: any of the labels.
    Goto(Vec<Ident>),
    /// `return e, f`
    Return(Vec<Expr>),
    /// `dead x, y`: the values are no longer needed and become arbitrary.
    Dead(Vec<Ident>),
    /// `atomic_begin`
    AtomicBegin,
    /// `atomic_end`
    AtomicEnd,
    /// `start_thread goto L` or `start_thread f()`
    StartThread(ThreadStart),
    /// `end_thread`
    EndThread,
    /// `print(e, f)`: does nothing.
    Print(Vec<Expr>),
}

/// One condition of an `if` and its statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Taken when this holds.
    pub condition: Expr,
    /// The statements.
    pub body: Vec<Stmt>,
}

/// The left side of an assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A variable.
    Var(Ident),
    /// `_`: the value is dropped.
    Sink,
}

impl Target {
    /// The variable `name`.
    pub fn var(name: impl Into<Ident>) -> Self {
        Self::Var(name.into())
    }
}

/// Where a new thread begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThreadStart {
    /// At a label of the same procedure, with a copy of the starter's local variables.
    Goto(Ident),
    /// At the beginning of a procedure, with arbitrary values in its parameters and locals.
    Procedure(Ident),
}

/// The number of a statement: its place among all statements of the program, procedures in order,
/// each statement before the statements inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(transparent)]
pub struct StmtId(pub(crate) u32);

impl StmtId {
    /// The number, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Stmt {
    /// The condition with this number if it belongs to an `elsif`.
    pub(crate) fn later_condition(&self, number: usize) -> Option<&Expr> {
        match &self.kind {
            StmtKind::If { branches, .. } if number > 0 => {
                branches.get(number).map(|branch| &branch.condition)
            }
            _ => None,
        }
    }

    /// Where the condition with this number stands: at the first name in an `elsif`, else where the
    /// statement does.
    pub(crate) fn condition_span(&self, number: usize) -> Option<Span> {
        let later = self.later_condition(number);
        later.and_then(Expr::first_span).or(self.origin.span)
    }

    /// The lists of statements directly inside this one.
    pub(crate) fn blocks(&self) -> Vec<&[Stmt]> {
        match &self.kind {
            StmtKind::If {
                branches,
                otherwise,
            } => {
                let bodies = branches.iter().map(|branch| branch.body.as_slice());
                bodies.chain(otherwise.as_deref()).collect()
            }
            StmtKind::While { body, .. } => vec![body],
            StmtKind::Skip
            | StmtKind::Assign { .. }
            | StmtKind::Call { .. }
            | StmtKind::Assume(_)
            | StmtKind::Assert(_)
            | StmtKind::Goto(_)
            | StmtKind::Return(_)
            | StmtKind::Dead(_)
            | StmtKind::AtomicBegin
            | StmtKind::AtomicEnd
            | StmtKind::StartThread(_)
            | StmtKind::EndThread
            | StmtKind::Print(_) => Vec::new(),
        }
    }
}

impl Tree {
    /// All statements in the order of their [`StmtId`]s.
    pub fn statements(&self) -> Vec<&Stmt> {
        let mut all = Vec::new();
        for procedure in &self.procedures {
            collect(&procedure.body, &mut all);
        }
        all
    }
}

fn collect<'a>(block: &'a [Stmt], all: &mut Vec<&'a Stmt>) {
    for stmt in block {
        all.push(stmt);
        for inner in stmt.blocks() {
            collect(inner, all);
        }
    }
}
