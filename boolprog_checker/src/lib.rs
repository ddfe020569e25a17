//! Concurrent boolean programs: syntax, printer and a three-valued model checker.

mod diagnostic;
mod error;
mod machine;
mod options;
mod outcome;
mod program;
mod report;
mod search;
mod syntax;

pub use diagnostic::render_errors;
pub use error::{ErrorKind, Errors, NameKind, ProgramError};
pub use options::{Limits, Mode, Options, Reductions, Split};
pub use outcome::{
    AbstractState, AssertId, AssertionReport, Finding, FiredDisjunct, Limit, Outcome, Reason,
    Stats, ThreadPosition, Trace, TraceStep, Verdict,
};
pub use program::Program;
pub use report::{Report, exit_code};
pub use syntax::ast;

/// Judges every assertion of the program.
pub fn check(program: &Program, options: &Options) -> Outcome {
    search::judge::judge(program, options)
}

/// The states that the three-valued search reaches, with all reductions off whatever the options
/// say, or the limit that stopped it.
pub fn reachable_states(program: &Program, options: &Options) -> Result<Vec<AbstractState>, Limit> {
    search::judge::reachable(program, options)
}

/// Parses and checks a boolean program.
pub fn parse(text: &str) -> Result<Program, Errors> {
    Program::new(syntax::parser::parse_tree(text)?)
}
