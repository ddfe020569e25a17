//! The rules of the reduction from PSO to SC, as in Fig. 5 of the paper.
//!
//! Thread `t0` has for each variable `X` that it stores to the locals `X_1_t0 … X_k_t0`, the oldest
//! entry first, where `k` may differ between variables, and `X_cnt_t0`, the number of entries. Slots beyond the count keep what they last
//! held; nothing reads them. An atomic operation waits for the buffer of its own variable alone: under
//! PSO it is no fence.

use indexmap::IndexMap;

use super::build::Build;
use super::rules::{Flushing, Rules, Scalar};
use super::slots::{BufferVars, SlotVars};
use crate::front::cup::ast::{ArithOp, CompareOp, Cond, Expr, Place, Rhs, Role, Stmt, StmtKind};
use crate::program::{ThreadId, VarId};

/// The buffers of a thread, by the scalar that they are for, in declaration order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Buffers(IndexMap<String, Buffer>);

/// The buffer of a thread for one scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Buffer {
    /// The scalar.
    var: VarId,
    /// The locals with the entries, the oldest first.
    slots: Vec<String>,
    /// The local with the number of entries.
    count: String,
}

impl Buffers {
    /// A buffer for each scalar.
    pub(super) fn new(scalars: Vec<Scalar>, fresh: &mut dyn FnMut(String) -> String) -> Self {
        let buffers = scalars.into_iter().map(|Scalar { name, var, entries }| {
            let slots = (1..=entries).map(|slot| fresh(format!("{name}_{slot}")));
            let slots = slots.collect();
            let count = fresh(format!("{name}_cnt"));
            (name, Buffer { var, slots, count })
        });
        Buffers(buffers.collect())
    }
}

impl Rules for Buffers {
    fn holds(&self, scalar: &str) -> bool {
        self.0.contains_key(scalar)
    }

    fn store(&self, build: Build, scalar: &str, value: &Expr) -> (Option<Cond>, Vec<Stmt>) {
        let Buffer { slots, count, .. } = &self.0[scalar];
        let arms = slots.iter().zip(1..).map(|(slot, number)| {
            let full_so_far = build.test(count, CompareOp::Eq, number);
            (full_so_far, vec![build.assign(slot, value.clone())])
        });
        let append = vec![
            build.assign(count, build.one_off(ArithOp::Add, count)),
            build.chain(arms.collect(), None),
        ];
        (Some(build.is_full(count, slots.len())), append)
    }

    fn load(&self, build: Build, scalar: &str, into: &Place) -> Stmt {
        let Buffer { slots, count, .. } = &self.0[scalar];
        let sources = std::iter::once(scalar).chain(slots.iter().map(String::as_str));
        let arms = sources.zip(0..).map(|(source, number)| {
            let newest = build.test(count, CompareOp::Eq, number);
            let value = Rhs::Expr(build.var(source));
            (
                newest,
                vec![build.stmt(StmtKind::Assign(into.clone(), value))],
            )
        });
        build.chain(arms.collect(), None)
    }

    fn update_waits_for(&self, build: Build, scalar: &str) -> Option<Cond> {
        let buffer = self.0.get(scalar)?;
        Some(build.test(&buffer.count, CompareOp::Eq, 0))
    }

    fn flushes(&self, build: Build) -> Vec<Flushing> {
        let flushes = self.0.iter().map(|(scalar, buffer)| Flushing {
            what: format!("flush {scalar}"),
            stmts: flush(build, scalar, buffer),
        });
        flushes.collect()
    }

    fn counters(&self) -> Vec<String> {
        self.0.values().map(|buffer| buffer.count.clone()).collect()
    }

    fn locals(&self) -> Vec<(String, Vec<&str>)> {
        let lines = self.0.iter().map(|(scalar, buffer)| {
            let names = buffer.slots.iter().chain([&buffer.count]);
            let comment = format!("the buffer for {scalar}");
            (comment, names.map(String::as_str).collect())
        });
        lines.collect()
    }

    fn vars(&self, thread: ThreadId, added: &mut dyn Iterator<Item = VarId>) -> Vec<BufferVars> {
        let mut next = || added.next().expect("every local is declared");
        let buffers = self.0.values().map(|buffer| BufferVars {
            thread,
            scalars: vec![buffer.var],
            slots: buffer
                .slots
                .iter()
                .map(|_| SlotVars {
                    lhs: None,
                    value: next(),
                })
                .collect(),
            count: next(),
        });
        buffers.collect()
    }
}

/// The oldest entry goes to memory, the others move up.
fn flush(build: Build, scalar: &str, buffer: &Buffer) -> Vec<Stmt> {
    let Buffer { var, slots, count } = buffer;
    let write = build.with_role(Role::Flush(var.index()));
    let shifts = slots.windows(2).zip(1..).map(|(pair, number)| {
        let more = build.test(count, CompareOp::Gt, number);
        build.when(more, vec![build.assign(&pair[0], build.var(&pair[1]))])
    });
    let mut stmts = vec![
        build.assume(build.test(count, CompareOp::Gt, 0)),
        write.assign(scalar, build.var(&slots[0])),
    ];
    stmts.extend(shifts);
    stmts.push(build.assign(count, build.one_off(ArithOp::Sub, count)));
    stmts
}
