//! Specs as conditions on the states in which no thread holds the section.

use crate::front::cup::ast::SpecKind;
use crate::program::{Cond, Program, Spec, ThreadId};

/// What breaks a spec: its condition, or that its indices are in range.
pub(super) fn broken(spec: &Spec, program: &Program) -> Cond {
    let ended = |thread: ThreadId| Cond::At(thread, vec![program.threads[thread.index()].end]);
    let holds = match spec.kind {
        SpecKind::Invariant | SpecKind::Finally => spec.cond.clone(),
        SpecKind::Forbid => Cond::Not(Box::new(spec.cond.clone())),
    };
    let and = |a, b| Cond::And(Box::new(a), Box::new(b));
    let holds = match &spec.bounds {
        Some(bounds) => and(bounds.cond.clone(), holds),
        None => holds,
    };
    let broken = Cond::Not(Box::new(holds));
    match spec.kind {
        SpecKind::Finally => {
            let mut ends = program.thread_ids().map(ended).collect::<Vec<_>>();
            ends.reverse();
            ends.into_iter()
                .fold(broken, |cond, ended| and(ended, cond))
        }
        SpecKind::Invariant | SpecKind::Forbid => broken,
    }
}

/// For each thread, whether some spec asks where it is.
pub(super) fn located(program: &Program) -> Vec<bool> {
    let asks = |thread: ThreadId| {
        let mut specs = program.specs.iter();
        specs.any(|spec| mentions(&broken(spec, program), thread))
    };
    program.thread_ids().map(asks).collect()
}

fn mentions(cond: &Cond, thread: ThreadId) -> bool {
    match cond {
        Cond::Const(_) | Cond::Compare(..) => false,
        Cond::Not(a) => mentions(a, thread),
        Cond::And(a, b) | Cond::Or(a, b) => mentions(a, thread) || mentions(b, thread),
        Cond::At(of, _) => *of == thread,
    }
}
