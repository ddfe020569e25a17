//! What the check of a certificate found, as a value, as text and as JSON.

use std::fmt::{self, Display, Formatter};

use itertools::Itertools;
use serde_json::{Value, json};

use super::{Reduction, Solver};
use crate::certificate::Stored;
use crate::model::Model;
use crate::reduce::Flush;

/// How many properties the text lists.
const LISTED: usize = 10;

/// The answer of a check.
#[derive(Clone, Debug)]
pub struct Report {
    /// What was checked.
    pub facts: Facts,
    /// What was found.
    pub verdict: Verdict,
}

/// What a check was about.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The name of the program.
    pub program: String,
    /// The memory model.
    pub model: Model,
    /// The bound of the buffers.
    pub k: usize,
    /// The fences in force.
    pub fences: Vec<String>,
    /// The fences that the program declares for the model.
    pub declared: Vec<String>,
    /// The form of flushes.
    pub flush: Flush,
    /// What the program says must hold: lines and texts.
    pub properties: Vec<String>,
    /// The number of predicates.
    pub predicates: usize,
    /// The number of pairs.
    pub pairs: usize,
    /// The number of obligations, 0 if it did not come to them.
    pub obligations: usize,
    /// The solver.
    pub solver: String,
}

/// The answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The program is safe.
    Accepted,
    /// The certificate does not show that the program is safe.
    Rejected(Rejection),
    /// The solver could not decide, or there is too much to do.
    Unknown(String),
}

/// What is wrong with a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The certificate is about another program; the first line that differs.
    Source {
        /// The number of the line in `source.cup`.
        line: usize,
    },
    /// The reduced program is not the source's; the first line that differs.
    Reduction {
        /// The number of the line in `reduced.cup`.
        line: usize,
    },
    /// The stored obligations are not the ones of the invariant; the first line that differs.
    Obligations {
        /// The number of the line in `obligations.smt2`.
        line: usize,
    },
    /// An obligation does not hold.
    Obligation(Box<Weak>),
}

/// An obligation that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weak {
    /// Its number, from 1, as in `obligations.smt2`.
    pub obligation: usize,
    /// What can happen.
    pub failure: String,
    /// The step or property that it is about.
    pub step: String,
    /// The line of the source.
    pub line: Option<usize>,
    /// The number of the pair, from 1.
    pub pair: Option<usize>,
    /// Where the threads are in that pair.
    pub at: Option<String>,
    /// The values of the variables in a state that shows it, if the solver gave them.
    pub values: Vec<(String, String)>,
}

impl Facts {
    pub(super) fn new(stored: &Stored, reduction: &Reduction, solver: &Solver) -> Self {
        Facts {
            // Whoever made the certificate chose this name; it must not look like lines of the report.
            program: stored.source.name().replace(char::is_control, "?"),
            model: stored.config.model,
            k: stored.config.k,
            fences: stored.config.fences.iter().cloned().sorted().collect(),
            declared: reduction.declared.iter().cloned().sorted().collect(),
            flush: stored.config.flush,
            properties: reduction.properties.clone(),
            predicates: stored.predicates.len(),
            pairs: stored.pairs.len(),
            obligations: 0,
            solver: solver.to_string(),
        }
    }

    fn list_properties(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for property in self.properties.iter().take(LISTED) {
            writeln!(f, "  property: {property}")?;
        }
        match self.properties.len() {
            0 => writeln!(
                f,
                "  property: none but that indices are in range; that says little"
            ),
            all if all > LISTED => writeln!(f, "  and {} properties more", all - LISTED),
            _ => Ok(()),
        }
    }

    pub(super) fn report(self, verdict: Verdict) -> Report {
        Report {
            facts: self,
            verdict,
        }
    }
}

impl Verdict {
    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Accepted => "accepted",
            Verdict::Rejected(_) => "rejected",
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// Why, if it is not accepted.
    pub fn reason(&self) -> Option<String> {
        match self {
            Verdict::Accepted => None,
            Verdict::Rejected(rejection) => Some(rejection.to_string()),
            Verdict::Unknown(reason) => Some(reason.clone()),
        }
    }
}

impl Report {
    /// The report as JSON.
    pub fn to_json(&self) -> Value {
        let facts = &self.facts;
        let weak = match &self.verdict {
            Verdict::Rejected(Rejection::Obligation(weak)) => Some(weak.to_json()),
            Verdict::Accepted | Verdict::Rejected(_) | Verdict::Unknown(_) => None,
        };
        json!({
            "schema": 1,
            "program": facts.program,
            "model": facts.model,
            "k": facts.k,
            "fences": facts.fences,
            "declared_fences": facts.declared,
            "flush": facts.flush,
            "properties": facts.properties,
            "verdict": self.verdict.word(),
            "reason": self.verdict.reason(),
            "obligation": weak,
            "predicates": facts.predicates,
            "pairs": facts.pairs,
            "obligations": facts.obligations,
            "solver": facts.solver,
        })
    }
}

impl Weak {
    fn to_json(&self) -> Value {
        let values = self.values.iter();
        let values = values.map(|(name, value)| (name.clone(), Value::from(value.as_str())));
        json!({
            "number": self.obligation,
            "failure": self.failure,
            "step": self.step,
            "line": self.line,
            "pair": self.pair,
            "at": self.at,
            "values": values.collect::<serde_json::Map<_, _>>(),
        })
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let facts = &self.facts;
        let model = facts.model.to_string().to_uppercase();
        writeln!(
            f,
            "{}: {} under {model}",
            self.verdict.word(),
            facts.program
        )?;
        let fences = listed(&facts.fences);
        let declared = match facts.fences == facts.declared {
            true => String::new(),
            false => format!(" (the program declares {})", listed(&facts.declared)),
        };
        let buffers = match facts.model {
            Model::Sc => String::new(),
            Model::Tso | Model::Pso => format!(", k = {}", facts.k),
        };
        writeln!(f, "  fences in force: {fences}{declared}{buffers}")?;
        facts.list_properties(f)?;
        let (predicates, pairs) = (facts.predicates, facts.pairs);
        writeln!(f, "  invariant: {pairs} pairs over {predicates} predicates")?;
        match &self.verdict {
            Verdict::Accepted => {
                let (count, solver) = (facts.obligations, &facts.solver);
                writeln!(f, "  obligations: {count}, all discharged by {solver}")?;
                writeln!(f, "  trusted: the front end, the reduction and the solver")
            }
            Verdict::Rejected(rejection) => writeln!(f, "  reason: {rejection}"),
            Verdict::Unknown(reason) => writeln!(f, "  reason: {reason}"),
        }
    }
}

fn listed(fences: &[String]) -> String {
    match fences {
        [] => "none".to_owned(),
        fences => fences.join(", "),
    }
}

impl Display for Rejection {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::Source { line } => {
                write!(f, "`source.cup` is not the program: line {line} differs")
            }
            Rejection::Reduction { line } => write!(
                f,
                "`reduced.cup` is not the reduction of `source.cup`: line {line} differs"
            ),
            Rejection::Obligations { line } => write!(
                f,
                "`obligations.smt2` are not the obligations of the invariant: line {line} differs"
            ),
            Rejection::Obligation(weak) => weak.fmt(f),
        }
    }
}

impl Display for Weak {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "obligation {} does not hold: {}",
            self.obligation, self.failure
        )?;
        write!(f, "\n    step: {}", self.step)?;
        if let Some(line) = self.line {
            write!(f, "\n    source: line {line}")?;
        }
        if let (Some(pair), Some(at)) = (self.pair, &self.at) {
            write!(f, "\n    from: pair {pair}, {at}")?;
        }
        if !self.values.is_empty() {
            let values = self.values.iter();
            let values: Vec<String> = values
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            write!(f, "\n    with: {}", values.join(", "))?;
        }
        Ok(())
    }
}
