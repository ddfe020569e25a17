//! A path of a reduced program in terms of its source.
//!
//! A statement of the source is one step there and a group of steps here, all with its span: an atomic
//! section, or a part of one where the source has an atomic section itself. A run of a background block is one
//! of the source's, if it has any; else it is a flush of the variable that the block writes. So is a turn of a
//! loop of flushes, which the reduction puts between the statements of an atomic section. So the groups of a path, in order, are the schedule of an execution.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use crate::explore::Directive;
use crate::lang::ast::Span;
use crate::program::{Action, BranchKind, Edge, LocId, Place, Program, ThreadId, VarId};

use super::Setting;
use super::path::{EdgeId, Path, background};
use super::symbolic::Values;

/// The initial values and the schedule of the execution that a path stands for.
pub(super) fn schedule(
    setting: Setting<'_>,
    path: &Path,
    values: &Values,
) -> (Vec<i64>, Vec<Directive>) {
    let mut groups = Groups {
        setting,
        sources: sources(setting),
        blocks: setting.reduced.threads.iter().map(background).collect(),
        flushing: vec![false; setting.reduced.threads.len()],
        open: vec![None; setting.reduced.threads.len()],
        directives: Vec::new(),
    };
    for (number, &step) in path.steps.iter().enumerate() {
        let chosen = values.chosen.iter().find(|(at, _)| *at == number);
        groups.add(step, chosen.and_then(|&(_, value)| value.try_into().ok()));
    }
    (initial(setting, &groups.sources, values), groups.directives)
}

/// The variable of the source that each variable of the reduced program is.
fn sources(setting: Setting<'_>) -> IndexMap<VarId, VarId> {
    let vars = setting.source.var_ids();
    let by_name: IndexMap<String, VarId> = vars
        .map(|var| (setting.source.var_name(var), var))
        .collect();
    let reduced = setting.reduced.var_ids();
    reduced
        .filter_map(|var| Some((var, *by_name.get(&setting.reduced.var_name(var))?)))
        .collect()
}

fn initial(setting: Setting<'_>, sources: &IndexMap<VarId, VarId>, values: &Values) -> Vec<i64> {
    let vars = setting.source.vars.iter();
    let mut initial: Vec<i64> = vars.map(|var| var.init.unwrap_or(0)).collect();
    for &(var, value) in &values.initial {
        if let (Some(source), Ok(value)) = (sources.get(&var), value.try_into()) {
            initial[source.index()] = value;
        }
    }
    initial
}

struct Groups<'a> {
    setting: Setting<'a>,
    sources: IndexMap<VarId, VarId>,
    blocks: Vec<BTreeSet<LocId>>,
    /// Whether each thread is in a loop of flushes.
    flushing: Vec<bool>,
    /// The place of the statement that each thread is in the middle of, and its directive.
    open: Vec<Option<(Span, usize)>>,
    directives: Vec<Directive>,
}

impl Groups<'_> {
    /// Adds a step: to the group that it belongs to, or as the first one of another.
    fn add(&mut self, step: EdgeId, chosen: Option<i64>) {
        let (thread, at, _) = step;
        let edge = Path::edge(self.setting.reduced, step);
        let held = self.is_held(thread, at);
        if held && self.is_flush_loop(thread, edge) {
            self.flushing[thread.index()] = edge.branch.is_some_and(|branch| branch.taken);
            self.open[thread.index()] = None;
            return;
        }
        let in_block = self.blocks[thread.index()].contains(&at);
        let own = in_block && self.setting.source.has_background();
        if own && let Some(block) = self.block_from(thread, at) {
            self.directives
                .push(Directive::Background { thread, block });
            self.open[thread.index()] = None;
        }
        if !own && (in_block || self.flushing[thread.index()]) {
            if let Some(var) = self.written(&edge.action) {
                self.directives.push(Directive::Flush { thread, var });
            }
            return;
        }
        let number = match self.open[thread.index()] {
            Some((span, number)) if (held || own) && span == edge.span => number,
            Some(_) | None => {
                self.directives.push(Directive::Statement {
                    thread,
                    span: edge.span,
                    branch: edge.branch.filter(|_| self.is_condition(thread, edge.span)),
                    value: None,
                    fails: false,
                });
                self.directives.len() - 1
            }
        };
        // Behind a block the thread goes on with what stands at its own place.
        let ends = own && edge.target == self.setting.reduced.threads[thread.index()].end;
        self.open[thread.index()] = (!ends).then_some((edge.span, number));
        if let Directive::Statement { value, fails, .. } = &mut self.directives[number] {
            *value = value.or(chosen);
            *fails |= edge.action.fails();
        }
    }

    /// The number of the background block that begins at a location.
    fn block_from(&self, thread: ThreadId, at: LocId) -> Option<usize> {
        let blocks = &self.setting.reduced.threads[thread.index()].backgrounds;
        blocks.iter().position(|block| block.entry == at)
    }

    /// The shared variable of the source that an action writes.
    fn written(&self, action: &Action) -> Option<VarId> {
        match action {
            Action::Store(Place::Var(var), _) => self.sources.get(var).copied(),
            _ => None,
        }
    }

    /// Whether an edge is the head of a loop of flushes: a `while (*)` that the source does not have.
    fn is_flush_loop(&self, thread: ThreadId, edge: &Edge) -> bool {
        let is_while = matches!(edge.branch, Some(branch) if branch.of == BranchKind::While);
        let chooses = is_while && edge.action == Action::Skip;
        let in_flush = self.flushing[thread.index()];
        chooses && (in_flush || !self.is_condition(thread, edge.span))
    }

    /// Whether a condition of the source stands at a place; else a branch there is one of the reduction.
    fn is_condition(&self, thread: ThreadId, span: Span) -> bool {
        let locations = self.setting.source.threads[thread.index()].locations.iter();
        let mut edges = locations.flat_map(|location| &location.edges);
        edges.any(|edge| edge.span == span && edge.branch.is_some())
    }

    fn is_held(&self, thread: ThreadId, at: LocId) -> bool {
        let program: &Program = self.setting.reduced;
        program.threads[thread.index()].location(at).held
    }
}
