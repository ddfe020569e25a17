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

use super::buffers::{Flushing, Rules};
use super::build::Build;
use crate::lang::ast::{ArithOp, CompareOp, Cond, Expr, Place, Rhs, Stmt, StmtKind};

/// The buffer of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The numbers of the scalars that the thread stores to, in declaration order.
    pub scalars: IndexMap<String, i64>,
    /// The entries, the oldest first.
    pub slots: Vec<Slot>,
    /// The local with the number of entries.
    pub count: String,
}

/// The locals for one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The number of the scalar.
    pub lhs: String,
    /// The value.
    pub rhs: String,
}

impl Buffer {
    /// A buffer of `k` entries for the scalars.
    pub(super) fn new(
        scalars: IndexMap<String, i64>,
        k: usize,
        fresh: &mut dyn FnMut(String) -> String,
    ) -> Self {
        let slots = (1..=k).map(|slot| Slot {
            lhs: fresh(format!("lhs_{slot}")),
            rhs: fresh(format!("rhs_{slot}")),
        });
        Buffer {
            scalars,
            slots: slots.collect(),
            count: fresh("cnt".to_owned()),
        }
    }
}

impl Rules for Buffer {
    fn holds(&self, scalar: &str) -> bool {
        self.scalars.contains_key(scalar)
    }

    fn store(&self, build: Build, scalar: &str, value: &Expr) -> (Cond, Vec<Stmt>) {
        let arms = self.slots.iter().zip(1..).map(|(slot, number)| {
            let entry = vec![
                build.assign(&slot.lhs, build.num(self.scalars[scalar])),
                build.assign(&slot.rhs, value.clone()),
            ];
            (build.test(&self.count, CompareOp::Eq, number), entry)
        });
        let append = vec![
            build.assign(&self.count, build.one_off(ArithOp::Add, &self.count)),
            build.chain(arms.collect(), None),
        ];
        (build.is_full(&self.count, self.slots.len()), append)
    }

    fn load(&self, build: Build, scalar: &str, into: &Place) -> Stmt {
        let read = |source: &str| {
            let value = Rhs::Expr(build.var(source));
            vec![build.stmt(StmtKind::Assign(into.clone(), value))]
        };
        let arms = self.slots.iter().zip(1..).map(|(slot, number)| {
            let exists = build.test(&self.count, CompareOp::Ge, number);
            let is_ours = build.test(&slot.lhs, CompareOp::Eq, self.scalars[scalar]);
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

    fn counters(&self) -> Vec<&str> {
        vec![&self.count]
    }

    fn locals(&self) -> Vec<(String, Vec<&str>)> {
        let entries = self.slots.iter().flat_map(|slot| [&slot.lhs, &slot.rhs]);
        let names = entries.chain([&self.count]).map(String::as_str).collect();
        let legend = self.scalars.iter();
        let legend = legend.map(|(scalar, number)| format!("{number} is {scalar}"));
        let comment = format!("the buffer; lhs {}", legend.format(", "));
        vec![(comment, names)]
    }
}

impl Buffer {
    /// The oldest entry goes to memory, the others move up.
    fn flush(&self, build: Build) -> Vec<Stmt> {
        let [oldest, ..] = self.slots.as_slice() else {
            return Vec::new();
        };
        let writes = self.scalars.iter().map(|(scalar, &number)| {
            let is_it = build.test(&oldest.lhs, CompareOp::Eq, number);
            (is_it, vec![build.assign(scalar, build.var(&oldest.rhs))])
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
