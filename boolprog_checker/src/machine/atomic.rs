//! Which locations are inside an atomic section.
//!
//! The nesting of atomic sections must be the same on every way to a location, so that a state needs
//! no counter: a program where it is not is refused. Threads begin outside.

use super::{Action, AtomicChange, LocId, Machine};
use crate::error::{ErrorKind, ProgramError};
use crate::syntax::ast::{Stmt, StmtId};

/// Marks the locations inside atomic sections.
pub(crate) fn mark(machine: &mut Machine, stmts: &[&Stmt]) -> Result<(), ProgramError> {
    let mut depths: Vec<Option<u32>> = vec![None; machine.locations.len()];
    let mut work = vec![(machine.main, 0)];
    while let Some((loc, depth)) = work.pop() {
        if loc == LocId::ENDED {
            continue;
        }
        match depths[loc.index()] {
            Some(known) if known == depth => continue,
            Some(_) => {
                // The end of a call belongs to no statement; the call leads away from it.
                let location = machine.location(loc);
                let call = location.edges.first().map(|edge| edge.stmt);
                let stmt = location.stmt.or(call);
                return Err(error(ErrorKind::AtomicMix, stmt, stmts));
            }
            None => depths[loc.index()] = Some(depth),
        }
        for edge in &machine.location(loc).edges {
            let after = change(depth, edge.atomic)
                .ok_or_else(|| error(ErrorKind::AtomicEnd, Some(edge.stmt), stmts))?;
            work.push((edge.target, after));
            if let Action::Start(start) = &edge.action {
                work.push((start.entry, 0));
            }
        }
    }
    for (location, depth) in machine.locations.iter_mut().zip(depths) {
        location.atomic = depth.is_some_and(|depth| depth > 0);
    }
    Ok(())
}

fn change(depth: u32, change: AtomicChange) -> Option<u32> {
    match change {
        AtomicChange::None => Some(depth),
        AtomicChange::Begin => Some(depth + 1),
        AtomicChange::End => depth.checked_sub(1),
    }
}

fn error(kind: ErrorKind, stmt: Option<StmtId>, stmts: &[&Stmt]) -> ProgramError {
    ProgramError::new(kind, stmt.and_then(|stmt| stmts[stmt.index()].origin.span))
}
