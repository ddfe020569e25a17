//! The rules of the reduction from TSO to SC, as in Fig. 12 of the paper.
//!
//! Thread `t0` has the locals `lhs_1_t0 … lhs_k_t0`, the numbers of the variables stored to, the oldest
//! entry first, `rhs_1_t0 … rhs_k_t0`, the values stored, and `cnt_t0`, the number of entries. Shared
//! scalars are numbered in declaration order from 0, each element of an array counting one; these
//! are the program's own variables, `overflow` has no number. Slots beyond the count keep what they
//! last held; nothing reads them. The figure's cascade of jumps in a load is a chain of tests here,
//! from the newest entry to the oldest.

use indexmap::IndexMap;
use itertools::Itertools;

use super::build::Build;
use super::rules::{Flushing, Rules, Scalar};
use super::slots::{BufferVars, SlotVars};
use crate::front::cup::ast::{ArithOp, CompareOp, Cond, Expr, Place, Rhs, Role, Stmt, StmtKind};
use crate::program::{ThreadId, VarId};

/// The buffer of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Buffer {
    /// The numbers of the scalars that the thread stores to, in declaration order.
    pub scalars: IndexMap<String, VarId>,
    /// The entries, the oldest first.
    pub slots: Vec<Slot>,
    /// The local with the number of entries.
    pub count: String,
}

/// The locals for one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    /// The number of the scalar.
    pub lhs: String,
    /// The value.
    pub rhs: String,
}

impl Buffer {
    /// A buffer for the scalars, which all have the same size.
    pub(super) fn new(scalars: Vec<Scalar>, fresh: &mut dyn FnMut(String) -> String) -> Self {
        let entries = scalars.iter().map(|scalar| scalar.entries).max();
        let slots = (1..=entries.unwrap_or(0)).map(|slot| Slot {
            lhs: fresh(format!("lhs_{slot}")),
            rhs: fresh(format!("rhs_{slot}")),
        });
        Buffer {
            slots: slots.collect(),
            scalars: scalars.into_iter().map(|s| (s.name, s.var)).collect(),
            count: fresh("cnt".to_owned()),
        }
    }
}

impl Rules for Buffer {
    fn holds(&self, scalar: &str) -> bool {
        self.scalars.contains_key(scalar)
    }

    fn store(&self, build: Build, scalar: &str, value: &Expr) -> (Option<Cond>, Vec<Stmt>) {
        let arms = self.slots.iter().zip(1..).map(|(slot, number)| {
            let entry = vec![
                build.assign(&slot.lhs, build.num(self.number(scalar))),
                build.assign(&slot.rhs, value.clone()),
            ];
            (build.test(&self.count, CompareOp::Eq, number), entry)
        });
        let append = vec![
            build.assign(&self.count, build.one_off(ArithOp::Add, &self.count)),
            build.chain(arms.collect(), None),
        ];
        (Some(build.is_full(&self.count, self.slots.len())), append)
    }

    fn load(&self, build: Build, scalar: &str, into: &Place) -> Stmt {
        let read = |source: &str| {
            let value = Rhs::Expr(build.var(source));
            vec![build.stmt(StmtKind::Assign(into.clone(), value))]
        };
        let arms = self.slots.iter().zip(1..).map(|(slot, number)| {
            let exists = build.test(&self.count, CompareOp::Ge, number);
            let is_ours = build.test(&slot.lhs, CompareOp::Eq, self.number(scalar));
            (build.and(exists, is_ours), read(&slot.rhs))
        });
        let mut newest_first: Vec<_> = arms.collect();
        newest_first.reverse();
        build.chain(newest_first, Some(read(scalar)))
    }

    fn update_waits_for(&self, build: Build, _scalar: &str) -> Option<Cond> {
        Some(build.test(&self.count, CompareOp::Eq, 0))
    }

    fn flushes(&self, build: Build) -> Vec<Flushing> {
        vec![Flushing {
            what: "flush the oldest entry".to_owned(),
            stmts: self.flush(build),
        }]
    }

    fn counters(&self) -> Vec<String> {
        vec![self.count.clone()]
    }

    fn locals(&self) -> Vec<(String, Vec<&str>)> {
        let entries = self.slots.iter().flat_map(|slot| [&slot.lhs, &slot.rhs]);
        let names = entries.chain([&self.count]).map(String::as_str).collect();
        let legend = self.scalars.iter();
        let legend = legend.map(|(scalar, var)| format!("{} is {scalar}", var.index()));
        let comment = format!("the buffer; lhs {}", legend.format(", "));
        vec![(comment, names)]
    }

    fn vars(&self, thread: ThreadId, added: &mut dyn Iterator<Item = VarId>) -> Vec<BufferVars> {
        let mut next = || added.next().expect("every local is declared");
        let slots = self.slots.iter().map(|_| SlotVars {
            lhs: Some(next()),
            value: next(),
        });
        vec![BufferVars {
            thread,
            scalars: self.scalars.values().copied().collect(),
            slots: slots.collect(),
            count: next(),
        }]
    }
}

impl Buffer {
    /// The number that stands for a scalar.
    fn number(&self, scalar: &str) -> i64 {
        BufferVars::number(self.scalars[scalar])
    }

    /// The oldest entry goes to memory, the others move up.
    fn flush(&self, build: Build) -> Vec<Stmt> {
        let [oldest, ..] = self.slots.as_slice() else {
            return Vec::new();
        };
        let writes = self.scalars.iter().map(|(scalar, &var)| {
            let is_it = build.test(&oldest.lhs, CompareOp::Eq, BufferVars::number(var));
            let write = build.with_role(Role::Flush(var.index()));
            (is_it, vec![write.assign(scalar, build.var(&oldest.rhs))])
        });
        let shifts = self.slots.windows(2).zip(1..).map(|(pair, number)| {
            let moves = vec![
                build.assign(&pair[0].lhs, build.var(&pair[1].lhs)),
                build.assign(&pair[0].rhs, build.var(&pair[1].rhs)),
            ];
            build.when(build.test(&self.count, CompareOp::Gt, number), moves)
        });
        let mut stmts = vec![
            build.assume(build.test(&self.count, CompareOp::Gt, 0)),
            build.chain(writes.collect(), None),
        ];
        stmts.extend(shifts);
        stmts.push(build.assign(&self.count, build.one_off(ArithOp::Sub, &self.count)));
        stmts
    }
}
