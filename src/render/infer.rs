//! The answer of an inference of fences, as text for readers and as JSON for programs.

use indexmap::IndexSet;
use itertools::Itertools;
use serde_json::{Value, json};

use super::fences::set;
use super::words::{self, counted};
use super::{Execution, Page, SCHEMA, Tone};
use crate::fences::avoid::order::Constraint;
use crate::fences::avoid::{InferenceEnd, Inferred, Placed};
use crate::fences::clause::Clause;
use crate::fences::{Answer, Candidates, FenceSet, PlaceId};
use crate::memory::Model;
use crate::program::{self, EdgeId, Program};
use crate::source::SourceFile;
use crate::verdict::{Domain, Violation};

/// An inference together with what it is about.
#[derive(Clone, Copy)]
pub struct InferReport<'a> {
    /// The source of the program.
    pub source: &'a SourceFile,
    /// Its candidates.
    pub candidates: &'a Candidates,
    /// The memory model.
    pub model: Model,
    /// What was inferred.
    pub inferred: &'a Inferred,
    /// What the engines say of each placement; empty if they were not asked.
    pub checked: &'a [Checked],
}

/// What the engines say of a placement that was inferred: which of its fences are enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The minimal placements with these fences alone, by the names of their places.
    pub minimal: Vec<Vec<String>>,
    /// Whether everything was decided.
    pub complete: bool,
}

impl Checked {
    /// What a search says that has the fences of one placement for candidates.
    pub fn new(candidates: &Candidates, answer: &Answer) -> Self {
        let proved = answer.proved.iter().map(|proved| &proved.fences);
        Checked {
            minimal: proved.map(|fences| names(candidates, fences)).collect(),
            complete: answer.is_complete() && answer.undecided.is_empty(),
        }
    }
}

/// That an execution may be excluded by fences though no constraint can be enforced.
const UNENFORCEABLE: &str = "  Of every constraint that this execution violates some way has no place for a fence. A fence may help all the same, on the way that the execution takes: the search without `--infer` looks for it. Or let a fence stand behind every store: --places stores.\n";

/// One line about a placement that was tried.
pub fn turn(candidates: &Candidates, fences: &FenceSet, clause: Option<&Clause>) -> String {
    let tried = set(candidates, fences.places());
    match clause {
        None => format!("{tried}: sufficient"),
        Some(clause) => {
            let needed = set(candidates, clause.iter().copied());
            format!("{tried}: one of {needed} is needed")
        }
    }
}

impl InferReport<'_> {
    /// The answer as text for readers.
    pub fn text(&self, page: &Page) -> String {
        let (name, model) = (self.source.name(), self.model);
        let (tone, head) = self.head();
        let head = page.paint(tone, &head);
        let by = self.abstraction();
        let mut text = page.prose(&format!("{name} under {model}, by {by}: {head}\n"));
        match &self.inferred.end {
            InferenceEnd::Complete => text += &page.prose(&self.placements_text()),
            InferenceEnd::Broken(violation) => {
                text = text + "\n" + &self.execution(violation).text(page)
            }
            InferenceEnd::Unfixable(None) => text += &page.prose(&self.unfixable()),
            InferenceEnd::Unfixable(Some(execution)) => {
                text = text + "\n" + &self.execution(execution).text(page);
                text += &page.prose(UNENFORCEABLE);
            }
            InferenceEnd::Limit(limit) => {
                text += &page.prose(&format!("  {}\n", words::reason(*limit)));
                if !self.inferred.placements.is_empty() {
                    text += &page.prose(&self.placements_text());
                }
            }
        }
        let (tried, states) = (self.inferred.tried, self.inferred.states);
        text + &page.prose(&format!(
            "tried {}, with up to {}\n",
            counted(tried, "placement"),
            counted(states, "abstract state")
        ))
    }

    /// The answer as one JSON object.
    pub fn json(&self) -> Value {
        let program = self.program();
        let abstraction = self.inferred.abstraction;
        let outcome = match &self.inferred.end {
            InferenceEnd::Complete => "complete",
            InferenceEnd::Broken(_) => "violated",
            InferenceEnd::Unfixable(_) => "unfixable",
            InferenceEnd::Limit(limit) => limit.word(),
        };
        let execution = match &self.inferred.end {
            InferenceEnd::Broken(violation) | InferenceEnd::Unfixable(Some(violation)) => {
                Some(self.execution(violation).json())
            }
            InferenceEnd::Complete | InferenceEnd::Unfixable(None) | InferenceEnd::Limit(_) => None,
        };
        let placements = self.inferred.placements.iter().enumerate();
        json!({
            "schema": SCHEMA,
            "program": self.source.name(),
            "model": self.model.to_string(),
            "inference": "avoid",
            "domain": abstraction.domain.name(),
            "k": abstraction.k,
            "outcome": outcome,
            "placements": placements.map(|(number, placed)| self.placed_json(&program, number, placed)).collect::<Value>(),
            "tried": self.inferred.tried,
            "states": self.inferred.states,
            "execution": execution,
        })
    }

    fn head(&self) -> (Tone, String) {
        match &self.inferred.end {
            InferenceEnd::Complete => match &self.inferred.placements[..] {
                [only] if only.fences.is_empty() => (Tone::Good, "no fence is needed".to_owned()),
                several => (
                    Tone::Good,
                    format!("{} inferred", counted(several.len(), "placement")),
                ),
            },
            InferenceEnd::Broken(_) => (
                Tone::Bad,
                "no placement of these fences helps, it is broken all the same".to_owned(),
            ),
            InferenceEnd::Unfixable(None) => (
                Tone::Open,
                "no placement of these fences helps under this abstraction".to_owned(),
            ),
            InferenceEnd::Unfixable(Some(_)) => (
                Tone::Open,
                "no placement of these fences enforces a constraint that is needed".to_owned(),
            ),
            InferenceEnd::Limit(_) => match self.inferred.placements.len() {
                0 => (Tone::Open, "nothing is inferred".to_owned()),
                some => {
                    let some = counted(some, "placement");
                    (Tone::Open, format!("{some} inferred, there may be more"))
                }
            },
        }
    }

    fn abstraction(&self) -> String {
        let abstraction = self.inferred.abstraction;
        match abstraction.domain {
            Domain::Set => "set".to_owned(),
            domain => format!("{} with k = {}", domain.name(), abstraction.k),
        }
    }

    fn placements_text(&self) -> String {
        let mut text = String::new();
        for (number, placed) in self.inferred.placements.iter().enumerate() {
            let fences = set(self.candidates, placed.fences.places());
            text += &format!(
                "  {fences}: sufficient{}\n",
                self.check_text(number, placed)
            );
        }
        let program = self.program();
        if let Some(first) = self
            .inferred
            .placements
            .first()
            .filter(|first| !first.enforces.is_empty())
        {
            text += "in order:\n";
            for constraint in &first.enforces {
                let (first, then) = (
                    self.statement(&program, constraint.first),
                    self.statement(&program, constraint.then),
                );
                text += &format!("  {first} before {then}\n");
            }
        }
        text + "No smaller placement enforces the constraints that exclude all paths of the abstraction; the program may need fewer fences.\n"
    }

    /// What the engines say of a placement.
    fn check_text(&self, number: usize, placed: &Placed) -> String {
        let Some(checked) = self.checked.get(number) else {
            return String::new();
        };
        let own = names(self.candidates, &placed.fences);
        match &checked.minimal[..] {
            [] => "; the engines did not decide".to_owned(),
            [only] if *only == own && checked.complete => "; no fence is too many".to_owned(),
            [only] if *only == own => "; whether a fence is too many is not decided".to_owned(),
            fewer => {
                let each = fewer
                    .iter()
                    .map(|names| format!("{{{}}}", names.join(", ")));
                format!("; enough is {}", each.collect::<Vec<_>>().join(" or "))
            }
        }
    }

    /// Why no placement helps, and when an abstraction can be repaired by fences at all.
    fn unfixable(&self) -> String {
        let abstraction = self.inferred.abstraction;
        let why = match (abstraction.domain, abstraction.k) {
            (Domain::Pd, 0) => {
                "This abstraction is none of these: a store that waits may reach memory twice, before and behind a store of another thread, whatever fences there are. Try a larger k, or the domain fd."
            }
            (Domain::Set | Domain::Fd | Domain::Pd, _) => {
                "This one can be if a fence may stand behind every store: try --places stores or --places all. If these do not help either, the program is broken under sc."
            }
        };
        format!(
            "  This says nothing of the program: the path that no fence excludes is none of its executions, or was not shown to be one.\n  Fences can repair an abstraction if a fence behind every store leaves nothing but the executions of sc. {why}\n"
        )
    }

    fn placed_json(&self, program: &Program, number: usize, placed: &Placed) -> Value {
        let checked = self.checked.get(number);
        let constraints = placed
            .enforces
            .iter()
            .map(|constraint| self.constraint_json(program, constraint));
        json!({
            "fences": names(self.candidates, &placed.fences),
            "constraints": constraints.collect::<Value>(),
            "check": checked.map(|checked| json!({ "minimal": checked.minimal, "complete": checked.complete })),
        })
    }

    fn constraint_json(&self, program: &Program, constraint: &Constraint) -> Value {
        let side = |edge: EdgeId| {
            let statement = program.statement(program.edge(edge).stmt);
            json!({
                "thread": program.threads[edge.thread.index()].display_name,
                "line": self.source.line(statement.span.start),
                "statement": statement.text,
            })
        };
        json!({ "first": side(constraint.first), "then": side(constraint.then) })
    }

    fn statement(&self, program: &Program, edge: EdgeId) -> String {
        let statement = program.statement(program.edge(edge).stmt);
        let line = self.source.line(statement.span.start);
        let thread = &program.threads[edge.thread.index()].display_name;
        format!("`{}` ({thread}, line {line})", statement.text)
    }

    fn execution<'a>(&'a self, violation: &'a Violation) -> Execution<'a> {
        Execution {
            source: self.source,
            program: violation.program(),
            trace: violation.trace(),
        }
    }

    fn program(&self) -> Program {
        program::lower(&self.candidates.checked, &IndexSet::new())
    }
}

fn names(candidates: &Candidates, fences: &FenceSet) -> Vec<String> {
    let places = fences
        .places()
        .map(|place: PlaceId| candidates.name(place).to_owned());
    places.collect_vec()
}
