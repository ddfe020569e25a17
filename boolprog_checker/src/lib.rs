//! Concurrent boolean programs: syntax, printer and a three-valued model checker.
//!
//! Boolean programs are what predicate abstraction makes of programs: variables that are true or
//! false, control flow, nondeterminism, threads. This crate reads them in the dialect that SLAM,
//! SatAbs, Boppo and Boom share, or takes them as a tree built by another program, and decides for
//! each assertion whether it can fail. It knows nothing of memory models.
//!
//! The search is three-valued (section 6.1 of Dan, Meshman, Vechev and Yahav, SAS 2013): a variable
//! is true, false or unknown, conditions and `enforce` clauses make unknowns definite, and states
//! covered by a more general one are dropped. What it verifies is verified. What it cannot verify
//! is confirmed or decided exactly, unless the caller asks for the three-valued search alone.
//!
//! ```
//! use boolprog_checker::{Options, Verdict, check, parse};
//!
//! let program = parse(
//!     "decl flag;
//!      void main() begin
//!        flag := F;
//!        start_thread goto W;
//!        assert(!flag);
//!        end_thread;
//!      W: flag := T;
//!      end",
//! )?;
//! let outcome = check(&program, &Options::default());
//! assert_eq!(outcome.verdict(), Verdict::Violated);
//! let trace = outcome.assertions[0].finding.trace().expect("it is violated");
//! let steps: Vec<_> = trace.steps.iter().map(|step| program.stmt(step.stmt).to_string()).collect();
//! assert_eq!(steps, ["flag := F", "start_thread goto W", "flag := T", "assert(!flag)"]);
//! # Ok::<(), boolprog_checker::Errors>(())
//! ```
//!
//! A program built without text goes through [`Program::new`]; see [`ast`]. `docs/boolean-programs.md`
//! describes the dialect, the search, the options and the JSON report.

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
    AbstractState, AssertId, AssertionReport, Finding, FiredClause, FiredDisjunct, Followed, Limit,
    Outcome, Reason, Stats, ThreadPosition, Trace, TraceStep, Verdict,
};
pub use program::Program;
pub use report::{Report, exit_code};
pub use search::follow::Follower;
pub use syntax::ast;

/// Parses and checks a boolean program.
pub fn parse(text: &str) -> Result<Program, Errors> {
    Program::new(syntax::parser::parse_tree(text)?)
}

/// Judges every assertion of the program.
pub fn check(program: &Program, options: &Options) -> Outcome {
    search::judge::judge(program, options)
}

/// The states that the three-valued search reaches, with all reductions off whatever the options
/// say, or the limit that stopped it. States inside atomic sections are not among them.
pub fn reachable_states(program: &Program, options: &Options) -> Result<Vec<AbstractState>, Limit> {
    search::reach::reachable(program, options)
}

/// States of the three-valued search that together are inductive, whatever reductions the options name:
/// they stand for the initial states, and a step from what one of them stands for leads to what one of
/// them stands for. A thread rests at no `goto`. Among the states inside atomic sections are those
/// whose thread is about to execute a statement that `inside` names.
pub fn inductive_states(
    program: &Program,
    options: &Options,
    inside: impl Fn(ast::StmtId) -> bool,
) -> Result<Vec<AbstractState>, Limit> {
    search::reach::inductive(program, options, inside)
}
