//! What can be wrong with a boolean program.

use thiserror::Error;

use crate::syntax::ast::Span;

/// All that is wrong with a program; never empty.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", self.summary())]
pub struct Errors(Vec<ProgramError>);

impl Errors {
    /// The errors, in the order of the text where they have a place there.
    pub fn iter(&self) -> impl Iterator<Item = &ProgramError> {
        self.0.iter()
    }

    fn summary(&self) -> String {
        let messages: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        messages.join("; ")
    }
}

impl From<ProgramError> for Errors {
    fn from(error: ProgramError) -> Self {
        Self(vec![error])
    }
}

/// One thing that is wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct ProgramError {
    /// What is wrong.
    pub kind: ErrorKind,
    /// Where, if the program was parsed.
    pub span: Option<Span>,
}

/// The kinds of errors.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ErrorKind {
    /// There is no procedure to start in.
    #[error("there is no procedure `main`")]
    NoMain,
}
