//! A path of a reduced program in terms of its source.
//!
//! Input: a reduction, a path through the reduced program and values for what is arbitrary. Output: the
//! execution of the source that the path stands for, as initial values and directives. The origin of each
//! step says what it is: the first of the steps that stand for a step of the source, a flush, or a step that
//! only leads on. So the directives, in the order of the path, are the schedule of an execution.

use crate::program::{EdgeId, LocId, Program, ThreadId};
use crate::reduce::{Origin, Reduction};
use crate::semantics::Directive;

use super::path::Path;
use super::symbolic::Values;

/// The initial values and the schedule of the execution that a path stands for.
pub(super) fn schedule(
    reduction: &Reduction,
    path: &Path,
    values: &Values,
) -> (Vec<i64>, Vec<Directive>) {
    let source = &reduction.source;
    let mut schedule = Schedule {
        source,
        running: vec![false; source.threads.len()],
        directives: Vec::new(),
    };
    for (number, &step) in path.steps.iter().enumerate() {
        match reduction.origin(step) {
            Origin::Statement(edge) | Origin::Bounds(edge) => {
                let chosen = values.chosen.iter().find(|(at, _)| *at == number);
                let value = chosen.and_then(|&(_, value)| value.try_into().ok());
                schedule.step(edge, value);
            }
            Origin::Flush { thread, var } => {
                let flush = Directive::Flush { thread, var };
                schedule.directives.push(flush);
            }
            Origin::FlushOldest(thread) => {
                schedule.directives.push(Directive::FlushOldest(thread));
            }
            Origin::Further(_) | Origin::Overflow(_) | Origin::Flushing => {}
        }
    }
    (initial(reduction, values), schedule.directives)
}

fn initial(reduction: &Reduction, values: &Values) -> Vec<i64> {
    let vars = reduction.source.vars.iter();
    let mut initial: Vec<i64> = vars.map(|var| var.init.value().unwrap_or(0)).collect();
    for &(var, value) in &values.initial {
        if let (Some(source), Ok(value)) = (reduction.source_var(var), value.try_into()) {
            initial[source.index()] = value;
        }
    }
    initial
}

struct Schedule<'a> {
    source: &'a Program,
    /// Whether each thread is in the middle of a run of a background block.
    running: Vec<bool>,
    directives: Vec<Directive>,
}

impl Schedule<'_> {
    /// Adds a step of the source. The first one of a background block begins a run of it.
    fn step(&mut self, edge: EdgeId, value: Option<i64>) {
        let thread = edge.thread;
        let running = &mut self.running[thread.index()];
        if let (false, Some(block)) = (*running, block_from(self.source, edge)) {
            let begin = Directive::Background { thread, block };
            self.directives.push(begin);
            *running = true;
        }
        *running &= self.source.edge(edge).target != end(self.source, thread);
        self.directives.push(Directive::Step { edge, value });
    }
}

/// The number of the background block that begins where a step leaves from.
fn block_from(source: &Program, edge: EdgeId) -> Option<usize> {
    let blocks = &source.threads[edge.thread.index()].backgrounds;
    blocks.iter().position(|block| block.entry == edge.at)
}

fn end(source: &Program, thread: ThreadId) -> LocId {
    source.threads[thread.index()].end
}
