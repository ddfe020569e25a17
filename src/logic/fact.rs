//! Facts: quantified predicates about the entries of a FIFO.
//!
//! There are two kinds. `every e in b: p(e)` says that each entry of `b` satisfies `p`; `every e before f in b: R(e, f)`
//! says that each entry stands in the relation `R` to each younger one. A body may mention the fields of its entries
//! and any variables but the views of FIFOs (lengths, oldest and newest entries), which the named entries stand for.
//!
//! A fact is an ordinary condition of a concrete state: it holds or it does not. In formulas it is an opaque atom;
//! what connects it with the rest are [named entries](Entries), variables that stand for entries of
//! the FIFO, and the [axioms](super::axioms) about them. So all questions are free of quantifiers.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use indexmap::IndexSet;

use super::formula::{Formula, Symbol};
use super::linear::{Linear, TooLarge};
use super::rename::rename_cond;
use super::wp::fresh_var;
use crate::program::{Cond, Fifo, Program, VarId, cond_text_with, operand_text_with};

/// The names that a fact's text gives to its entries.
const NAMES: [&str; 2] = ["e", "f"];

/// The kinds of facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quantifier {
    /// `every e in b: …`
    Every,
    /// `every e before f in b: …`, with `e` older than `f`.
    Before,
}

/// A quantified predicate about the entries of a FIFO.
#[derive(Clone, Debug)]
pub struct Fact {
    /// The FIFO.
    pub fifo: Fifo,
    /// The variables that stand for its entries.
    pub entries: Entries,
    /// What is quantified.
    pub quantifier: Quantifier,
    /// What is said, over [`Entries::any`], or over [`Entries::older`] and [`Entries::younger`].
    pub cond: Cond,
    /// The normal form of what is said.
    body: Formula,
}

/// Variables that stand for entries of a FIFO, behind those of the program.
///
/// `any` is an arbitrary entry, if [`here`](Entries::here); `older` and `younger` are two arbitrary ones in this
/// order, if [`both`](Entries::both); `next` is the one behind the oldest, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entries {
    first: usize,
    width: usize,
}

impl Entries {
    /// The variables for a FIFO of a program.
    pub fn of(program: &Program, fifo: &Fifo) -> Self {
        let before = &program.fifos[..fifo.id.index()];
        let taken: usize = before.iter().map(|fifo| size(fifo.width())).sum();
        Entries {
            // Behind the variable that stands for an arbitrary value.
            first: fresh_var(program).index() + 1 + taken,
            width: fifo.width(),
        }
    }

    fn fields(self, number: usize) -> Vec<VarId> {
        let first = self.first + number * self.width;
        (first..first + self.width).map(VarId::new).collect()
    }

    fn flag(self, number: usize) -> Formula {
        let var = VarId::new(self.first + ENTRIES * self.width + number);
        Formula::not_positive(&Linear::constant(1).plus(-1, &Linear::var(var)))
    }

    /// The fields of an arbitrary entry.
    pub fn any(self) -> Vec<VarId> {
        self.fields(0)
    }

    /// The fields of the older one of two arbitrary entries.
    pub fn older(self) -> Vec<VarId> {
        self.fields(1)
    }

    /// The fields of the younger one of two arbitrary entries.
    pub fn younger(self) -> Vec<VarId> {
        self.fields(2)
    }

    /// The fields of the entry behind the oldest one.
    pub fn next(self) -> Vec<VarId> {
        self.fields(3)
    }

    /// The first field of the entry behind the oldest one: what [`super::updates`] takes for a `pop`.
    pub fn next_var(self) -> VarId {
        VarId::new(self.first + 3 * self.width)
    }

    /// That `any` is an entry.
    pub fn here(self) -> Formula {
        self.flag(0)
    }

    /// That `any` is the oldest entry.
    pub fn is_oldest(self) -> Formula {
        self.flag(1)
    }

    /// That `any` is the newest entry.
    pub fn is_newest(self) -> Formula {
        self.flag(2)
    }

    /// That `older` and `younger` are entries in this order.
    pub fn both(self) -> Formula {
        self.flag(3)
    }

    /// That `older` is the oldest entry.
    pub fn older_is_oldest(self) -> Formula {
        self.flag(4)
    }

    /// That `younger` is the newest entry.
    pub fn younger_is_newest(self) -> Formula {
        self.flag(5)
    }

    /// All of its variables.
    pub fn vars(self) -> impl Iterator<Item = VarId> {
        (self.first..self.first + size(self.width)).map(VarId::new)
    }
}

/// The number of entries that have names.
const ENTRIES: usize = 4;
/// The number of truth values about them.
const FLAGS: usize = 6;

fn size(width: usize) -> usize {
    ENTRIES * width + FLAGS
}

impl Fact {
    /// The fact that `cond` says, over the named entries; `None` if it mentions a view of a FIFO.
    pub fn new(
        program: &Program,
        fifo: &Fifo,
        quantifier: Quantifier,
        cond: Cond,
    ) -> Result<Option<Self>, TooLarge> {
        let body = Formula::from_cond(&cond)?;
        let views: IndexSet<VarId> = program.fifos.iter().flat_map(Fifo::views).collect();
        let fact = Fact {
            fifo: fifo.clone(),
            entries: Entries::of(program, fifo),
            quantifier,
            cond,
            body,
        };
        let own: IndexSet<VarId> = fact.bound().into_iter().flatten().collect();
        let known = |symbol: &Symbol| match symbol {
            Symbol::Var(var) => {
                own.contains(var) || var.index() < program.vars.len() && !views.contains(var)
            }
            Symbol::Flag(_) | Symbol::Fact(_) => false,
        };
        let is_fit = fact.body.symbols().iter().all(known);
        Ok(is_fit.then_some(fact))
    }

    /// The variables of the entries that it binds, in the order of its text.
    pub fn bound(&self) -> Vec<Vec<VarId>> {
        match self.quantifier {
            Quantifier::Every => vec![self.entries.any()],
            Quantifier::Before => vec![self.entries.older(), self.entries.younger()],
        }
    }

    /// What it says.
    pub fn body(&self) -> &Formula {
        &self.body
    }

    /// What it says of some entries, as many as it binds.
    pub fn at(&self, entries: &[&[VarId]]) -> Formula {
        let bound = self.bound();
        debug_assert_eq!(
            bound.len(),
            entries.len(),
            "a fact speaks of one entry or two"
        );
        let pairs = bound.iter().zip(entries);
        let pairs = pairs.flat_map(|(bound, given)| bound.iter().zip(given.iter()));
        let with: Vec<(VarId, Linear)> = pairs
            .map(|(bound, given)| (*bound, Linear::var(*given)))
            .collect();
        self.body.substitute(&with)
    }

    /// The variables of the program that it depends on, those that show the FIFO apart.
    pub fn free_vars(&self) -> IndexSet<VarId> {
        let bound: IndexSet<VarId> = self.bound().into_iter().flatten().collect();
        let symbols = self.body.symbols().into_iter();
        let vars = symbols.filter_map(|symbol| match symbol {
            Symbol::Var(var) => Some(var),
            Symbol::Flag(_) | Symbol::Fact(_) => None,
        });
        vars.filter(|var| !bound.contains(var)).collect()
    }

    /// All variables that the axioms connect it with.
    pub(super) fn connected(&self) -> impl Iterator<Item = VarId> {
        let views: Vec<VarId> = self.fifo.views().collect();
        self.free_vars()
            .into_iter()
            .chain(views)
            .chain(self.entries.vars())
    }

    /// Its text: `every e in P0.buffer_t0: e.flag <= e.data`.
    pub fn text(&self, program: &Program) -> String {
        let body = cond_text_with(program, &self.cond, &self.names(program));
        format!("{}{body}", self.prefix(program))
    }

    /// Its text behind `!` or beside `&&`.
    pub fn operand_text(&self, program: &Program) -> String {
        let body = operand_text_with(program, &self.cond, &self.names(program));
        format!("({}{body})", self.prefix(program))
    }

    fn prefix(&self, program: &Program) -> String {
        let owner = &program.threads[self.fifo.owner.index()].display_name;
        let [e, f] = entry_names(program);
        let bound = match self.quantifier {
            Quantifier::Every => e,
            Quantifier::Before => format!("{e} before {f}"),
        };
        format!("every {bound} in {owner}.{}: ", self.fifo.name)
    }

    /// The names of the fields of its entries: `e`, or `e.X`.
    fn names(&self, program: &Program) -> Vec<(VarId, String)> {
        let newest = format!("{}_newest", self.fifo.name);
        let field = |view: &VarId| {
            let name = &program.vars[view.index()].name;
            let field = name.strip_prefix(&newest).unwrap_or(name);
            field.replacen('_', ".", 1)
        };
        let fields: Vec<String> = self.fifo.newest.iter().map(field).collect();
        let entries = self.bound().into_iter().zip(entry_names(program));
        let named = entries.flat_map(|(vars, entry)| {
            let names = fields.iter().map(|field| format!("{entry}{field}"));
            vars.into_iter().zip(names.collect::<Vec<_>>())
        });
        named.collect()
    }

    /// What it is compared by. Entries of FIFOs with the same length variable have the same names.
    fn key(&self) -> (Quantifier, VarId, Entries, &Formula) {
        (self.quantifier, self.fifo.length, self.entries, &self.body)
    }
}

/// The names of the entries, which no shared variable or thread has.
fn entry_names(program: &Program) -> [String; 2] {
    let is_taken = |name: &str| {
        let mut vars = program.vars.iter().filter(|var| var.owner.is_none());
        let array = format!("{name}[");
        vars.any(|var| var.display_name == name || var.display_name.starts_with(&array))
            || program.threads.iter().any(|thread| thread.name == name)
    };
    NAMES.map(|name| {
        let mut name = name.to_owned();
        while is_taken(&name) {
            name.push('_');
        }
        name
    })
}

/// A condition with the fields of an entry in place of some variables.
pub fn about_entry(cond: &Cond, fields: &[(VarId, VarId)]) -> Cond {
    rename_cond(cond, &|var| {
        let field = fields.iter().find(|(from, _)| *from == var);
        field.map_or(var, |(_, field)| *field)
    })
}

impl PartialEq for Fact {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Fact {}

impl Hash for Fact {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl PartialOrd for Fact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fact {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}
