//! The variables of a reduced program: which of them are the source's, and which are buffers.
//!
//! A reduction keeps the declarations of its source in their order and puts its own behind them: the
//! overflow variable behind the shared ones, the buffers of a thread behind its locals. So what a
//! variable is follows from its place in the table of its scope, whatever it is called.

use super::buffers::Layout;
use super::fifo_vars::FifoVars;
use super::slots::BufferVars;
use crate::program::{Program, ThreadId, VarId};

/// What the variables of a reduced program are.
#[derive(Clone, Debug, Default)]
pub(super) struct Vars {
    /// For each variable of the reduced program, the one of the source that it is.
    pub to_source: Vec<Option<VarId>>,
    /// For each variable of the source, the one of the reduced program that it is.
    pub to_reduced: Vec<VarId>,
    /// The variable that a store into a full buffer sets.
    pub overflow: Option<VarId>,
    /// The buffers, thread by thread.
    pub buffers: Vec<BufferVars>,
    /// The FIFOs of buffers, thread by thread.
    pub fifos: Vec<FifoVars>,
}

impl Vars {
    /// Compares the tables of a source and of its reduction with this layout.
    pub(super) fn new(source: &Program, reduced: &Program, layout: &Layout) -> Self {
        let mut vars = Vars {
            to_source: vec![None; reduced.vars.len()],
            ..Vars::default()
        };
        vars.overflow = vars.pair_scope(source, reduced, None).first().copied();
        let buffers = layout.buffers().chain(std::iter::repeat(None));
        for (thread, buffers) in reduced.thread_ids().zip(buffers) {
            let mut added = vars.pair_scope(source, reduced, Some(thread)).into_iter();
            if let Some(rules) = buffers {
                vars.buffers.extend(rules.vars(thread, &mut added));
                vars.fifos
                    .extend(FifoVars::of_thread(reduced, thread, rules));
            }
            debug_assert_eq!(added.next(), None, "all added locals are buffers");
        }
        debug_assert_eq!(vars.overflow.is_some(), layout.overflow.is_some());
        vars
    }

    /// Pairs the variables of a scope; returns those that the reduction added behind them.
    fn pair_scope(
        &mut self,
        source: &Program,
        reduced: &Program,
        owner: Option<ThreadId>,
    ) -> Vec<VarId> {
        let mut theirs = of_scope(reduced, owner);
        for own in of_scope(source, owner) {
            let var = theirs.next().expect("a reduction keeps all variables");
            debug_assert_eq!(
                source.vars[own.index()].name,
                reduced.vars[var.index()].name
            );
            self.to_source[var.index()] = Some(own);
            // The scopes come in the order of the table.
            self.to_reduced.push(var);
        }
        theirs.collect()
    }
}

/// The variables of a scope in declaration order.
fn of_scope(program: &Program, owner: Option<ThreadId>) -> impl Iterator<Item = VarId> {
    let vars = program.var_ids().zip(&program.vars);
    vars.filter_map(move |(id, var)| (var.owner == owner).then_some(id))
}
