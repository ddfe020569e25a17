//! What `cupola test` found: differences as text, JSON, and the XML of JUnit.

mod junit;

use std::fmt::Write;

use serde_json::{Value, json};
use similar::TextDiff;

use super::{Page, SCHEMA, Tone, warnings};
use crate::regression::{Check, Compared, Difference};
use crate::verdict::Warning;

pub use junit::junit;

/// A file with the comparisons that were made.
#[derive(Clone, Debug)]
pub struct Tested {
    /// Its path.
    pub file: String,
    /// The comparisons.
    pub checks: Vec<Done>,
    /// Why answers may hold for less than they seem: one line for each warning.
    pub warnings: Vec<String>,
}

/// A comparison that was made.
#[derive(Clone, Debug)]
pub struct Done {
    /// The comparison.
    pub check: Check,
    /// The golden file that is compared with, by its path.
    pub golden: Option<String>,
    /// Whether the present text was accepted.
    pub blessed: bool,
}

/// What became of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It is as expected.
    Passed,
    /// It is not, and was accepted.
    Blessed,
    /// It is not.
    Failed,
}

/// How many of what there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files.
    pub files: usize,
    /// Comparisons as expected.
    pub passed: usize,
    /// Comparisons that were accepted.
    pub blessed: usize,
    /// Differences.
    pub failed: usize,
    /// Files that an interrupt left out.
    pub left_out: usize,
}

/// The lines for warnings about answers: each once, with the configurations that it is about.
pub fn warned(compared: &Compared) -> Vec<String> {
    let mut told: Vec<(Vec<&str>, &Warning)> = Vec::new();
    for (configuration, warning) in &compared.warnings {
        match told.iter_mut().find(|(_, known)| known.is_same(warning)) {
            Some((configurations, _)) => configurations.push(configuration),
            None => told.push((vec![configuration], warning)),
        }
    }
    let lines = told.iter().map(|(configurations, warning)| {
        let said = warnings::sentence(&compared.source, warning);
        format!("{}: {said}", configurations.join(", "))
    });
    lines.collect()
}

impl Done {
    /// What became of it.
    pub fn ended(&self) -> Ended {
        match (&self.check.difference, self.blessed) {
            (None, _) => Ended::Passed,
            (Some(_), true) => Ended::Blessed,
            (Some(_), false) => Ended::Failed,
        }
    }

    /// The difference in one line.
    pub fn message(&self) -> Option<String> {
        Some(match self.check.difference.as_ref()? {
            Difference::Answer {
                line,
                expected,
                found,
            } => {
                format!("line {line} expects {expected}, the answer is {found}")
            }
            Difference::Text { .. } => {
                let golden = self.golden.as_deref().unwrap_or(&self.check.name);
                format!("the present text differs from {golden}")
            }
            Difference::Missing { reason, .. } => reason.clone(),
        })
    }

    /// The line of the program that the difference is about.
    pub fn line(&self) -> Option<usize> {
        match self.check.difference.as_ref()? {
            Difference::Answer { line, .. } => Some(*line),
            Difference::Missing { line, .. } => *line,
            Difference::Text { .. } => None,
        }
    }

    /// The lines that differ, in the form of `diff -u`.
    pub fn diff(&self) -> Option<String> {
        let Difference::Text { kept, present } = self.check.difference.as_ref()? else {
            return None;
        };
        let name = self.golden.as_deref().unwrap_or(&self.check.name);
        let diff = TextDiff::from_lines(kept, present);
        let mut diff = diff.unified_diff();
        Some(diff.header(name, "present").to_string())
    }
}

impl Ended {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Ended::Passed => "passed",
            Ended::Blessed => "blessed",
            Ended::Failed => "failed",
        }
    }
}

impl Summary {
    /// Counts.
    pub fn of(tested: &[Tested], left_out: usize) -> Self {
        let mut summary = Summary {
            files: tested.len(),
            left_out,
            ..Summary::default()
        };
        for done in tested.iter().flat_map(|tested| &tested.checks) {
            match done.ended() {
                Ended::Passed => summary.passed += 1,
                Ended::Blessed => summary.blessed += 1,
                Ended::Failed => summary.failed += 1,
            }
        }
        summary
    }

    /// The line that programs read: a word, then `name=number`.
    fn line(&self, page: &Page) -> String {
        let (tone, word) = match (self.failed, self.left_out) {
            (0, 0) => (Tone::Good, "passed"),
            (0, _) => (Tone::Open, "unfinished"),
            _ => (Tone::Bad, "failed"),
        };
        format!(
            "test result: {} files={} passed={} blessed={} failed={} left_out={}\n",
            page.paint(tone, word),
            self.files,
            self.passed,
            self.blessed,
            self.failed,
            self.left_out
        )
    }
}

/// The differences, and the summary at the end.
pub fn text(tested: &[Tested], summary: &Summary, page: &Page) -> String {
    let mut text = String::new();
    for Tested {
        file,
        checks,
        warnings,
    } in tested
    {
        for warning in warnings {
            let word = page.paint(Tone::Open, "warning");
            let _ = write!(
                text,
                "{}",
                page.prose(&format!("{word} {file}: {warning}\n"))
            );
        }
        for done in checks {
            let (ended, name) = (done.ended(), &done.check.name);
            let tone = match ended {
                Ended::Passed => continue,
                Ended::Blessed => Tone::Good,
                Ended::Failed => Tone::Bad,
            };
            let word = page.paint(tone, ended.word());
            let _ = writeln!(text, "{word} {file}: {name}");
            if ended == Ended::Blessed {
                continue;
            }
            match (done.diff(), done.message()) {
                (Some(diff), _) => text.push_str(&painted(&diff, page)),
                (None, Some(message)) => {
                    let _ = write!(text, "{}", page.prose(&format!("  {message}\n")));
                }
                (None, None) => {}
            }
        }
    }
    text + &summary.line(page)
}

/// A diff in colours: red for what is kept, green for what is present.
fn painted(diff: &str, page: &Page) -> String {
    let lines = diff.lines().map(|line| {
        let tone = match line.as_bytes().first() {
            Some(b'-') => Tone::Bad,
            Some(b'+') => Tone::Good,
            Some(b'@') => Tone::Open,
            _ => Tone::Plain,
        };
        page.paint(tone, line) + "\n"
    });
    lines.collect()
}

/// All comparisons as one object.
pub fn json(tested: &[Tested], summary: &Summary) -> Value {
    let files = tested.iter().map(|tested| {
        let checks = tested.checks.iter().map(|done| {
            json!({
                "name": done.check.name,
                "result": done.ended().word(),
                "golden": done.golden,
                "message": done.message(),
                "line": done.line(),
                "diff": done.diff(),
            })
        });
        json!({ "file": tested.file, "checks": checks.collect::<Value>(), "warnings": tested.warnings })
    });
    json!({
        "schema": SCHEMA,
        "summary": {
            "files": summary.files,
            "passed": summary.passed,
            "blessed": summary.blessed,
            "failed": summary.failed,
            "left_out": summary.left_out,
        },
        "files": files.collect::<Value>(),
    })
}
