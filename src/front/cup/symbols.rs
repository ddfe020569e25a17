//! What the names of a checked program stand for.

use indexmap::IndexMap;

use super::ast::{Expr, ExprKind, Span, ThreadRef};
use super::range::Range;

/// The names of a checked program.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    /// Constants in declaration order.
    pub constants: IndexMap<String, Constant>,
    /// Shared variables and arrays in declaration order.
    pub shared: IndexMap<String, Variable>,
    /// Threads in declaration order.
    pub threads: IndexMap<String, ThreadSymbols>,
}

/// A declared constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its value.
    pub value: i64,
    /// Where it is declared.
    pub span: Span,
}

/// A declared variable or array.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The number of elements, for an array.
    pub size: Option<usize>,
    /// The initial value of the variable or of each element.
    pub init: Vec<Init>,
    /// Where it is declared.
    pub span: Span,
}

/// What a scalar variable starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Init {
    /// This value.
    Value(i64),
    /// Any value of a range of at least two values.
    Range(Range),
    /// Any integer.
    Any,
}

impl Init {
    /// A value of a range.
    pub fn within(range: Range) -> Self {
        match range.ends() {
            (low, high) if low == high => Init::Value(low),
            _ => Init::Range(range),
        }
    }

    /// The value, where there is but one.
    pub fn value(self) -> Option<i64> {
        match self {
            Init::Value(value) => Some(value),
            Init::Range(_) | Init::Any => None,
        }
    }
}

/// The names of a thread.
#[derive(Clone, Debug, Default)]
pub struct ThreadSymbols {
    /// The number of copies, for `thread P[N]`.
    pub copies: Option<usize>,
    /// Locals in declaration order.
    pub locals: IndexMap<String, Variable>,
    /// FIFOs in declaration order.
    pub fifos: IndexMap<String, Fifo>,
    /// Labels with the places where they stand.
    pub labels: IndexMap<String, Span>,
    /// Names of optional fences with the places where they stand.
    pub optional_fences: IndexMap<String, Span>,
}

/// A declared FIFO. What can be read of it is in locals that only `append` and `pop` change: its length, and the
/// fields of its oldest and of its newest entry, all 0 while it is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fifo {
    /// The fields of its records; none if its entries are values.
    pub fields: Vec<String>,
    /// Where it is declared.
    pub span: Span,
}

impl Fifo {
    /// How many values an entry has.
    pub fn width(&self) -> usize {
        self.fields.len().max(1)
    }

    /// The local with the number of entries of the FIFO called `name`.
    pub fn length(name: &str) -> String {
        format!("{name}_len")
    }

    /// The locals with the fields of the oldest entry.
    pub fn oldest(&self, name: &str) -> Vec<String> {
        self.end(name, "oldest")
    }

    /// The locals with the fields of the newest entry.
    pub fn newest(&self, name: &str) -> Vec<String> {
        self.end(name, "newest")
    }

    /// All its locals: the length, then those of the oldest and of the newest entry.
    pub fn views(&self, name: &str) -> Vec<String> {
        let ends = self.oldest(name).into_iter().chain(self.newest(name));
        std::iter::once(Fifo::length(name)).chain(ends).collect()
    }

    fn end(&self, name: &str, end: &str) -> Vec<String> {
        match self.fields.is_empty() {
            true => vec![format!("{name}_{end}")],
            false => {
                let fields = self.fields.iter();
                fields
                    .map(|field| format!("{name}_{end}_{field}"))
                    .collect()
            }
        }
    }
}

impl ThreadSymbols {
    /// The FIFO that a local shows a part of.
    pub fn shown_fifo(&self, local: &str) -> Option<&str> {
        let mut fifos = self.fifos.iter();
        let shows = |name: &str, fifo: &Fifo| fifo.views(name).iter().any(|view| view == local);
        let found = fifos.find(|(name, fifo)| shows(name, fifo));
        found.map(|(name, _)| name.as_str())
    }
}

/// Whose variable a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Shared.
    Shared,
    /// A local of the thread in which, or through which, the name is used.
    Local,
}

/// What the name of a variable or constant stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning<'a> {
    /// A constant with this value.
    Constant(i64),
    /// A scalar.
    Scalar(Scope, &'a str),
    /// A whole array, which needs an index.
    Array(Scope, &'a str, usize),
    /// Element `i` of an array, written `A_i`.
    Element(Scope, &'a str, usize),
}

impl Symbols {
    /// What `name` stands for inside the thread called `thread`, or outside all threads.
    pub fn meaning(&self, thread: Option<&str>, name: &str) -> Option<Meaning<'_>> {
        let local = thread.and_then(|thread| self.local_meaning(thread, name));
        let shared = || lookup(Scope::Shared, &self.shared, name);
        let constant = || Some(Meaning::Constant(self.constants.get(name)?.value));
        local.or_else(shared).or_else(constant)
    }

    /// The value of a constant expression without `tid`; `None` if it depends on variables or leaves
    /// 64 bits.
    pub fn value(&self, expr: &Expr) -> Option<i64> {
        match &expr.kind {
            ExprKind::Num(value) => Some(*value),
            ExprKind::Tid => None,
            ExprKind::Place(place) => {
                let plain = place.thread.is_none() && place.index.is_none();
                let constant = self.constants.get(&place.name.text);
                constant.filter(|_| plain).map(|constant| constant.value)
            }
            ExprKind::Neg(inner) => self.value(inner)?.checked_neg(),
            ExprKind::Binary(op, left, right) => op.checked(self.value(left)?, self.value(right)?),
        }
    }

    /// The number of the copy that a reference names.
    pub fn copy(&self, reference: &ThreadRef) -> Option<usize> {
        let number = self.value(reference.copy.as_ref()?)?;
        usize::try_from(number).ok()
    }

    /// What `name` stands for among the locals of the thread called `thread`.
    pub fn local_meaning(&self, thread: &str, name: &str) -> Option<Meaning<'_>> {
        let thread = self.threads.get(thread)?;
        lookup(Scope::Local, &thread.locals, name)
    }

    /// The printed names of all shared scalars in declaration order; each element is one.
    pub fn shared_scalars(&self) -> Vec<String> {
        let shared = self.shared.iter();
        let scalars = shared.flat_map(|(name, variable)| match variable.size {
            Some(size) => (0..size).map(|index| element_name(name, index)).collect(),
            None => vec![name.clone()],
        });
        scalars.collect()
    }

    /// The number of threads that a thread's text stands for.
    pub fn copies(&self, thread: &str) -> usize {
        self.threads
            .get(thread)
            .and_then(|thread| thread.copies)
            .unwrap_or(1)
    }

    /// The printed name of the thread that a reference means: `P`, or `P_0` for `P[0]`.
    pub fn printed_thread(&self, reference: &ThreadRef) -> String {
        match self.copy(reference) {
            Some(copy) => format!("{}_{copy}", reference.name.text),
            None => reference.name.text.clone(),
        }
    }
}

/// The name of element `index` of the array `array`.
pub fn element_name(array: &str, index: usize) -> String {
    format!("{array}_{index}")
}

/// The array or thread and the number in a name like `A_1`, which may be an element or a copy.
pub(crate) fn split_element(name: &str) -> Option<(&str, usize)> {
    let (base, index) = name.rsplit_once('_')?;
    let digits = index.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = digits && (index == "0" || !index.starts_with('0'));
    let index = index.parse().ok().filter(|_| canonical)?;
    Some((base, index))
}

fn lookup<'a>(
    scope: Scope,
    variables: &'a IndexMap<String, Variable>,
    name: &str,
) -> Option<Meaning<'a>> {
    if let Some((name, variable)) = variables.get_key_value(name) {
        return Some(match variable.size {
            Some(size) => Meaning::Array(scope, name, size),
            None => Meaning::Scalar(scope, name),
        });
    }
    let (array, index) = split_element(name)?;
    let (array, variable) = variables.get_key_value(array)?;
    (index < variable.size?).then_some(Meaning::Element(scope, array, index))
}
