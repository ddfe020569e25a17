//! The syntax tree of the input language, as `docs/language.md` describes it.
//!
//! The parser builds it, the checks read it, the printer writes it, and the reductions turn one
//! tree into another. Every node keeps its [`Span`]; in a tree made by a reduction the spans are
//! those of the source statements it comes from. Comments belong to the statement, declaration or
//! brace that they stand at, so that formatting keeps them.

use crate::memory::Model;
pub use crate::source::Span;

/// An identifier where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The identifier.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// Comments around a node and the blank line before it.
///
/// A comment is its text with its markers (`// …` or `/* … */`), without the line's end. Among
/// comments on lines of their own an empty text stands for a blank line, which is never the first
/// of [`Trivia::leading`] and never the last of a block's or file's comments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trivia {
    /// Whether a blank line stands before the node and its leading comments.
    pub blank_before: bool,
    /// Comments on lines of their own before the node, in order.
    pub leading: Vec<String>,
    /// Comments behind the node on its last line.
    pub trailing: Vec<String>,
}

/// A whole program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// Declarations, threads, placements and specs in source order.
    pub items: Vec<Item>,
    /// Comments behind the last item.
    pub end_comments: Vec<String>,
}

/// A top-level item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Comments around it.
    pub trivia: Trivia,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of top-level items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// `const N = 3, M = N + 1;`
    Const(Vec<ConstDecl>),
    /// `shared x, y[2] = 1;`
    Shared(Vec<VarDecl>),
    /// `thread P[2] { … }`
    Thread(Thread),
    /// `fences tso: a, b;`
    Placement(Placement),
    /// `invariant`, `forbid` or `finally`.
    Spec(Spec),
}

/// A constant that is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstDecl {
    /// Its name.
    pub name: Name,
    /// Its value, a constant expression.
    pub value: Expr,
    /// Where it stands.
    pub span: Span,
}

/// A variable or array that is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarDecl {
    /// Its name.
    pub name: Name,
    /// The number of elements, a constant expression, for an array.
    pub size: Option<Expr>,
    /// Its initial value or values.
    pub init: Option<Init>,
    /// Where it stands.
    pub span: Span,
}

/// An initial value; all expressions are constant ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Init {
    /// One value for the variable, or for every element.
    Value(Expr),
    /// `low..high`: any value from the first to the second, both included, for each element anew.
    Range(Expr, Expr),
    /// An arbitrary integer, or one per element.
    Any(Span),
    /// A value for each element.
    List(Vec<Expr>, Span),
}

/// A thread, or the text of its copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its name.
    pub name: Name,
    /// The number of copies, a constant expression, for `thread P[N]`.
    pub copies: Option<Expr>,
    /// `local` lines.
    pub locals: Vec<LocalLine>,
    /// `fifo` lines.
    pub fifos: Vec<FifoLine>,
    /// `background` blocks.
    pub backgrounds: Vec<Background>,
    /// The statements.
    pub body: Block,
}

/// A line `local a, b[2];`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalLine {
    /// The variables.
    pub vars: Vec<VarDecl>,
    /// Comments around it.
    pub trivia: Trivia,
    /// Where it stands.
    pub span: Span,
}

/// A line `fifo b;` or `fifo b { X, Y };`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FifoLine {
    /// Its name.
    pub name: Name,
    /// The fields of its records; none if its entries are values.
    pub fields: Vec<Name>,
    /// Comments around it.
    pub trivia: Trivia,
    /// Where it stands.
    pub span: Span,
}

/// A `background` block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Background {
    /// Its statements.
    pub body: Block,
    /// Comments around it.
    pub trivia: Trivia,
    /// Where it stands.
    pub span: Span,
}

/// `{ … }`. A thread's body is one too, without its local lines and background blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// Comments behind the opening brace, on its line.
    pub open_comments: Vec<String>,
    /// Comments between the last statement and the closing brace.
    pub end_comments: Vec<String>,
    /// From brace to brace.
    pub span: Span,
}

/// A statement with its labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// Its labels, in order.
    pub labels: Vec<Name>,
    /// What it does.
    pub kind: StmtKind,
    /// Comments around it.
    pub trivia: Trivia,
    /// Where it stands, labels included.
    pub span: Span,
    /// Where it begins behind its labels.
    pub start: u32,
    /// What its text does not say.
    pub mark: Mark,
}

/// What later stages must know of a statement and its text does not say. A statement as written has
/// no marks, but for the check of a printed reduced program that [`load`](super::load) finds again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// What it stands for, in a tree whose statements a reduction numbered or made.
    pub role: Option<Role>,
    /// Whether it is the assertion that no buffer of a reduced program is full.
    pub overflow: bool,
}

/// What a statement of a reduced program stands for, by the numbers that the reduction gave to the
/// statements of its source. The arms of an `if` have consecutive numbers, the first one that of the
/// statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The statement with this number, step by step.
    Same(usize),
    /// The first step of what stands for a statement, and further ones.
    First(usize),
    /// A further step of what stands for a statement.
    Further(usize),
    /// The check, as a first step, that the indices of a statement are in range.
    Bounds(usize),
    /// A step that says that a statement meets a full buffer.
    Overflow(usize),
    /// The step by which a buffered store to the shared scalar with this number reaches memory.
    Flush(usize),
    /// The step by which the oldest store of a thread, whichever variable it is to, has reached memory.
    FlushOldest,
    /// Another step of a flush, or of a loop of flushes.
    Flushing,
}

impl Role {
    /// The role of the arm with this number of an `if`.
    #[must_use]
    pub fn of_arm(self, arm: usize) -> Role {
        match self {
            Role::Same(number) => Role::Same(number + arm),
            Role::First(number) if arm > 0 => Role::Further(number),
            other => other,
        }
    }
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// `place = rhs;`
    Assign(Place, Rhs),
    /// `append(b, e, …);`: a value for each field.
    Append(Name, Vec<Expr>),
    /// `pop(b);`
    Pop(Name),
    /// `fence;`
    Fence,
    /// `fence? a;`
    OptionalFence(Name),
    /// `skip;`
    Skip,
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `goto l;`
    Goto(Name),
    /// `assume(c);`
    Assume(Cond),
    /// `assert(c, "message");`, the message without its quotes.
    Assert(Cond, Option<String>),
    /// `if (c) { … } else if (d) { … } else { … }`
    If(Vec<Arm>, Option<Block>),
    /// `while (c) { … }`
    While(Cond, Block),
    /// `do { … } while (c);`
    DoWhile(Block, Cond),
    /// `loop { … }`
    Loop(Block),
    /// `atomic { … }`
    Atomic(Block),
}

impl StmtKind {
    /// The blocks within the statement, in order.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            StmtKind::If(arms, otherwise) => {
                arms.iter().map(|arm| &arm.block).chain(otherwise).collect()
            }
            StmtKind::While(_, block)
            | StmtKind::DoWhile(block, _)
            | StmtKind::Loop(block)
            | StmtKind::Atomic(block) => vec![block],
            StmtKind::Assign(..)
            | StmtKind::Append(..)
            | StmtKind::Pop(_)
            | StmtKind::Fence
            | StmtKind::OptionalFence(_)
            | StmtKind::Skip
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Assume(_)
            | StmtKind::Assert(..) => Vec::new(),
        }
    }

    /// The blocks within the statement, in order, to change them.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            StmtKind::If(arms, otherwise) => {
                let arms = arms.iter_mut().map(|arm| &mut arm.block);
                arms.chain(otherwise).collect()
            }
            StmtKind::While(_, block)
            | StmtKind::DoWhile(block, _)
            | StmtKind::Loop(block)
            | StmtKind::Atomic(block) => vec![block],
            StmtKind::Assign(..)
            | StmtKind::Append(..)
            | StmtKind::Pop(_)
            | StmtKind::Fence
            | StmtKind::OptionalFence(_)
            | StmtKind::Skip
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Assume(_)
            | StmtKind::Assert(..) => Vec::new(),
        }
    }
}

/// A condition of an `if` and the block that it guards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// The condition.
    pub cond: Cond,
    /// What runs if it holds.
    pub block: Block,
}

/// The right-hand side of an assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rhs {
    /// `*`: an arbitrary integer.
    Any(Span),
    /// `choose(low, high)`: any value from the first to the second, both included; both are constant.
    Choose(Expr, Expr),
    /// An expression. A load is an expression that is just a shared place.
    Expr(Expr),
    /// `cas(place, expected, new)`
    Cas(Place, Expr, Expr),
    /// `swap(place, new)`
    Swap(Place, Expr),
    /// `fetch_add(place, difference)`
    FetchAdd(Place, Expr),
}

/// A variable, an element of an array, or a constant where it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The thread whose local it is, in specs and proofs.
    pub thread: Option<ThreadRef>,
    /// The variable's name.
    pub name: Name,
    /// The index, for an array.
    pub index: Option<Box<Expr>>,
    /// Where it stands.
    pub span: Span,
}

/// `P` or `P[0]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadRef {
    /// The thread's name.
    pub name: Name,
    /// The copy's number, a constant expression.
    pub copy: Option<Box<Expr>>,
    /// Where it stands.
    pub span: Span,
}

/// An integer expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A number; never negative when parsed, the smallest one as an initial value apart.
    Num(i64),
    /// The number of the copy.
    Tid,
    /// A variable or element.
    Place(Place),
    /// `-e`
    Neg(Box<Expr>),
    /// `a + b`, `a - b`, `a * b`, `a / b`, `a % b`
    Binary(ArithOp, Box<Expr>, Box<Expr>),
}

/// The arithmetic operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArithOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`, by a positive constant: rounded down, as `div` of SMT-LIB.
    Div,
    /// `%`, by a positive constant: never negative, as `mod` of SMT-LIB.
    Mod,
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cond {
    /// What it is.
    pub kind: CondKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CondKind {
    /// `true`
    True,
    /// `false`
    False,
    /// `*`: either.
    Any,
    /// `!c`
    Not(Box<Cond>),
    /// `c && d`
    And(Box<Cond>, Box<Cond>),
    /// `c || d`
    Or(Box<Cond>, Box<Cond>),
    /// `a == b` and the other comparisons
    Compare(CompareOp, Expr, Expr),
    /// `P@l`
    At(ThreadRef, Name),
}

/// The comparison operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// `fences tso: a, b;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The model, TSO or PSO.
    pub model: Model,
    /// The optional fences that are in force under it.
    pub places: Vec<Name>,
}

/// A property of reachable states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// How it is meant.
    pub kind: SpecKind,
    /// Its name.
    pub name: Option<Name>,
    /// Its condition.
    pub cond: Cond,
}

/// The kinds of specs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpecKind {
    /// Holds in every reachable state in which no thread holds the atomic section.
    Invariant,
    /// Holds in no such state.
    Forbid,
    /// Holds in every reachable state in which all threads have ended and all buffers are empty.
    Finally,
}

impl ArithOp {
    /// The operator as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            ArithOp::Add => "+",
            ArithOp::Sub => "-",
            ArithOp::Mul => "*",
            ArithOp::Div => "/",
            ArithOp::Mod => "%",
        }
    }

    /// The result for 64-bit numbers, or `None` if it does not fit, or divides by a number below 1.
    pub fn checked(self, left: i64, right: i64) -> Option<i64> {
        match self {
            ArithOp::Add => left.checked_add(right),
            ArithOp::Sub => left.checked_sub(right),
            ArithOp::Mul => left.checked_mul(right),
            ArithOp::Div => (right > 0).then(|| left.div_euclid(right)),
            ArithOp::Mod => (right > 0).then(|| left.rem_euclid(right)),
        }
    }

    /// Whether it divides, which needs a positive constant on the right.
    pub fn divides(self) -> bool {
        match self {
            ArithOp::Div | ArithOp::Mod => true,
            ArithOp::Add | ArithOp::Sub | ArithOp::Mul => false,
        }
    }
}

impl CompareOp {
    /// The operator as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            CompareOp::Eq => "==",
            CompareOp::Ne => "!=",
            CompareOp::Lt => "<",
            CompareOp::Le => "<=",
            CompareOp::Gt => ">",
            CompareOp::Ge => ">=",
        }
    }

    /// Whether the comparison holds.
    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            CompareOp::Eq => left == right,
            CompareOp::Ne => left != right,
            CompareOp::Lt => left < right,
            CompareOp::Le => left <= right,
            CompareOp::Gt => left > right,
            CompareOp::Ge => left >= right,
        }
    }
}
