//! What can be wrong with a boolean program.
//!
//! The parser, the checks of names and the inlining report here. An error carries its place in the
//! text where it has one; [`crate::render_errors`] draws it there.

use thiserror::Error;

use crate::syntax::ast::Span;

/// More errors than these are counted, not kept.
const MOST: usize = 100;

/// What is wrong with a program, at least one thing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", self.summary())]
pub struct Errors {
    first: Vec<ProgramError>,
    left_out: usize,
}

impl Errors {
    /// The first errors, sorted by their place in the text.
    pub fn iter(&self) -> impl Iterator<Item = &ProgramError> {
        self.first.iter()
    }

    /// A line that tells how many errors there are besides, if there are any.
    pub fn left_out(&self) -> Option<String> {
        let (shown, all) = (self.first.len(), self.first.len() + self.left_out);
        (self.left_out > 0).then(|| format!("these are the first {shown} of {all} errors"))
    }

    /// `Ok` when the list is empty.
    pub(crate) fn check(mut list: Vec<ProgramError>) -> Result<(), Self> {
        list.sort_by_key(|error| error.span);
        let left_out = list.len().saturating_sub(MOST);
        list.truncate(MOST);
        if list.is_empty() {
            Ok(())
        } else {
            let first = list;
            Err(Self { first, left_out })
        }
    }

    fn summary(&self) -> String {
        let messages = self.first.iter().map(ToString::to_string);
        let messages: Vec<_> = messages.chain(self.left_out()).collect();
        messages.join("; ")
    }
}

impl From<ProgramError> for Errors {
    fn from(error: ProgramError) -> Self {
        let (first, left_out) = (vec![error], 0);
        Self { first, left_out }
    }
}

/// One thing that is wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct ProgramError {
    /// What is wrong.
    pub kind: ErrorKind,
    /// Where, if the program was parsed and it is not about the program as a whole.
    pub span: Option<Span>,
}

impl ProgramError {
    pub(crate) fn new(kind: ErrorKind, span: Option<Span>) -> Self {
        Self { kind, span }
    }
}

/// What kind of thing a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// A global, local or parameter.
    Variable,
    /// A procedure.
    Procedure,
    /// A label.
    Label,
}

impl std::fmt::Display for NameKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Variable => "variable",
            Self::Procedure => "procedure",
            Self::Label => "label",
        })
    }
}

/// The kinds of errors.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ErrorKind {
    /// The text does not follow the grammar.
    #[error("syntax error: expected {0}")]
    Syntax(String),
    /// An operator of another language.
    #[error("`{found}` is not an operator")]
    Operator {
        /// The operator.
        found: &'static str,
        /// The one that means the same here.
        meant: &'static str,
    },
    /// A comment without an end.
    #[error("the comment that begins here is not closed")]
    OpenComment,
    /// A word of the peers' dialects without a meaning here.
    #[error("`{0}` is not supported")]
    Unsupported(String),
    /// Parentheses, operators or blocks are nested too deeply.
    #[error("nested more than {0} levels deep")]
    TooDeep(usize),
    /// The text is too long for its positions to be counted.
    #[error("the text is longer than 4 GB")]
    TooLong,
    /// A number other than 0 and 1 used as a value.
    #[error("`{0}` is not a truth value")]
    NotBoolean(String),
    /// A keyword used as a name.
    #[error("`{0}` is a keyword and cannot be a name")]
    Keyword(String),
    /// A number used as a name.
    #[error("`{0}` is not a name")]
    NotAName(String),
    /// The number of results of a procedure is out of range.
    #[error("`{0}` is not a possible number of results")]
    Results(String),
    /// A name is declared twice in the same place.
    #[error("the {0} `{1}` is declared twice")]
    Duplicate(NameKind, String),
    /// A name is used that is not declared.
    #[error("there is no {0} `{1}`")]
    Unknown(NameKind, String),
    /// No statement has the label whose reachability is asked.
    #[error("no statement has the label `{0}`")]
    NoErrorLabel(String),
    /// There is no procedure to start in.
    #[error("there is no procedure `main`")]
    NoMain,
    /// A variable occurs twice on the left of one assignment.
    #[error("`{0}` is assigned twice in one statement")]
    AssignedTwice(String),
    /// The two sides of an assignment, or of a call, have different lengths.
    #[error("{given} {what}{plural} given where {wanted} {verb} needed", plural = if *.given == 1 { "" } else { "s" }, verb = if *.wanted == 1 { "is" } else { "are" })]
    Count {
        /// What is counted, in the singular: value, argument, result or target.
        what: &'static str,
        /// How many there are.
        given: usize,
        /// How many there must be.
        wanted: usize,
    },
    /// `'x` outside `constrain`.
    #[error("the next value `'{0}` has a meaning only in `constrain`")]
    NextValue(String),
    /// A call that starts a thread cannot return values.
    #[error("a call that starts a thread has no results")]
    AsyncResults,
    /// The procedures call each other in a circle.
    #[error("recursion is not supported: {0}")]
    Recursion(String),
    /// Inlining the calls makes the program too large.
    #[error("the program has more than {0} statements after inlining its calls")]
    TooLarge(usize),
    /// The atomic section that ends here was not begun on some way to this place.
    #[error("`atomic_end` without `atomic_begin`")]
    AtomicEnd,
    /// Some ways to this place lead through an open atomic section and some do not.
    #[error("this statement is reached both inside and outside an atomic section")]
    AtomicMix,
}

impl ErrorKind {
    /// A way out, if there is one to suggest.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Unsupported(word) => return Some(unsupported_hint(word)),
            Self::Operator { meant, .. } => return Some(format!("write `{meant}`")),
            Self::OpenComment => "end it with `*/`",
            Self::TooDeep(_) => {
                "split the expression or the block with auxiliary variables or labels, and let fewer \
                 procedures call one another"
            }
            Self::NotBoolean(_) => "write `0`, `1`, `F`, `T` or `*`",
            Self::Keyword(_) => "choose another name",
            Self::Unknown(NameKind::Variable, name) if name.ends_with('$') => {
                "the values of a variable in the other threads, `x$`, are not supported; if it is a name, \
                 declare it with `decl`"
            }
            Self::Unknown(NameKind::Variable, _) => "declare it with `decl`",
            Self::NoErrorLabel(_) => "labels stand before statements: `NAME: skip;`",
            Self::Unknown(NameKind::Label, _) => "labels are visible only in their own procedure",
            Self::NoMain => "execution starts in `void main() begin … end`",
            Self::NextValue(_) => "write `x := * constrain …` to relate old and next values",
            Self::AsyncResults => "write the result to a global variable in the procedure",
            Self::Recursion(_) => "unroll the calls by hand; procedures are inlined",
            Self::TooLarge(_) => "call fewer procedures, or share code with `goto`",
            Self::AtomicMix => "let every `goto` into an atomic section come from inside it",
            Self::AtomicEnd => "every way to `atomic_end` must pass its `atomic_begin`",
            Self::AssignedTwice(_) => "keep one of the two, or write `_` for the other",
            Self::Count { .. }
            | Self::Syntax(_)
            | Self::TooLong
            | Self::NotAName(_)
            | Self::Results(_)
            | Self::Duplicate(..)
            | Self::Unknown(NameKind::Procedure, _) => return None,
        };
        Some(hint.to_owned())
    }
}

fn unsupported_hint(word: &str) -> String {
    match word {
        "abortif" => {
            "the peers do not agree on it: write `enforce !(…);` for a condition that ends every run into it, or \
             `assume(!(…));` at the start of the procedure"
        }
        "start_thread goto A, B" => {
            "write one `start_thread goto` for each thread, or a `goto A, B` behind the one label"
        }
        "broadcast" | "wait" => "write the condition that threads wait for as `assume` on a global variable",
        _ => "write the synchronisation with `assume` on a global variable",
    }
    .to_owned()
}
