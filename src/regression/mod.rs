//! Regression: a program held against what its author expects of it and against what is kept of it.
//!
//! Input: a [`Case`], which is the text of a program, of its proof, and of the golden files that are kept of it.
//! Output: a [`Check`] for each expectation ([`expect`]) and for each golden file ([`golden`]): passed, or the
//! difference. Called by `cupola test`, which finds, reads and writes the files.
//!
//! Invariant: nothing here depends on where the files are, on the time or on the version of the program; a text of
//! a golden file is a function of the texts of the case. Not here: how differences are shown (`render`).

pub mod expect;
pub mod golden;
mod present;

use crate::engine::Context;
use crate::front::Format;
use crate::source::SourceFile;
use crate::verdict::Warning;

pub use expect::{Configuration, Expectation, Expected, Word};
pub use golden::Kind;
pub use present::{Found, Present};

/// A program with all that it is held against.
#[derive(Clone, Debug)]
pub struct Case {
    /// The program, called by the name of its file alone.
    pub source: SourceFile,
    /// Its format.
    pub format: Format,
    /// Its proof, if there is one.
    pub proof: Option<SourceFile>,
    /// Its golden files, by name.
    pub kept: Vec<Kept>,
}

/// A golden file.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
    /// Its text.
    pub text: String,
}

/// What came of a case.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The comparisons.
    pub checks: Vec<Check>,
    /// Why the answers may hold for less than they seem, each with the name of its configuration.
    pub warnings: Vec<(String, Warning)>,
    /// The program that the warnings are about.
    pub source: SourceFile,
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What is compared: a configuration such as `tso{a}`, the name of a golden file, or `program`.
    pub name: String,
    /// What came out; `None` if it is as expected.
    pub difference: Option<Difference>,
}

/// What is not as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// An answer is not the expected one.
    Answer {
        /// The line of the expectation.
        line: usize,
        /// What is expected, such as `tso{a}=safe`.
        expected: String,
        /// What is found, such as `tso{a}=violated (mutex)`.
        found: String,
    },
    /// A golden file has another text.
    Text {
        /// The text that is kept.
        kept: String,
        /// The present one.
        present: String,
    },
    /// There is nothing to compare with.
    Missing {
        /// Why.
        reason: String,
        /// The line of the program that it is about.
        line: Option<usize>,
    },
}

impl Case {
    /// Makes all comparisons whose names are wanted.
    pub fn compared(&self, context: &Context, wanted: &dyn Fn(&str) -> bool) -> Compared {
        let present = match Present::new(self, context) {
            Ok(present) => present,
            Err((reason, line)) => {
                let check = Check::missing("program", reason, line);
                let check = Some(check).filter(|check| wanted(&check.name));
                return Compared {
                    checks: check.into_iter().collect(),
                    warnings: Vec::new(),
                    source: self.source.clone(),
                };
            }
        };
        let mut checks = Vec::new();
        for expected in &present.expected {
            let name = expected.expectation.configuration.to_string();
            if wanted(&name) {
                checks.push(present.answered(expected));
            }
        }
        for kept in self.kept.iter().filter(|kept| wanted(&kept.name)) {
            checks.push(match present.text(&kept.kind) {
                Ok(present) if present == kept.text => Check::passed(&kept.name),
                Ok(present) => {
                    let kept_text = kept.text.clone();
                    Check::differs(&kept.name, kept_text, present)
                }
                Err(reason) => Check::missing(&kept.name, reason, None),
            });
        }
        if checks.is_empty() && wanted("program") {
            checks.push(Check::passed("program"));
        }
        Compared {
            checks,
            warnings: present.warnings(),
            source: present.source().clone(),
        }
    }
}

impl Check {
    /// A comparison that came out as expected.
    pub fn passed(name: &str) -> Self {
        Check {
            name: name.to_owned(),
            difference: None,
        }
    }

    /// A comparison that cannot be made.
    pub fn missing(name: &str, reason: String, line: Option<usize>) -> Self {
        Check {
            name: name.to_owned(),
            difference: Some(Difference::Missing { reason, line }),
        }
    }

    fn differs(name: &str, kept: String, present: String) -> Self {
        Check {
            name: name.to_owned(),
            difference: Some(Difference::Text { kept, present }),
        }
    }
}
