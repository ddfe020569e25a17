//! The answer of `cupola verify`: a table with a row per attempt, then what there is to say about each model.
//!
//! Input: a [`Report`] and what it is about. The columns are those of the SAS 2013 paper's Tables 1 and 2, with the engine
//! before them. [`explanation`] explains what is not verified, [`json`] has the same for programs.

mod explanation;
mod json;
mod legend;
mod path;
mod rounds;

use std::time::Duration;

use crate::memory::Model;
use crate::program::Program;
use crate::render::{Cell, Column, Execution, NO_VALUE, Page, Table, warnings, words};
use crate::semantics::Trace;
use crate::source::SourceFile;
use crate::verdict::{
    Attempt, FoundBy, ModelResult, Report, Settings, Stats, Unknown, Verdict, Violation, Warning,
};

/// A report together with what it is about.
#[derive(Clone, Copy)]
pub struct VerifyReport<'a> {
    /// The source of the program.
    pub source: &'a SourceFile,
    /// The predicates, where they were taken from the program for want of a proof.
    pub harvested: Option<&'a [String]>,
    /// The number of the proof's predicates.
    pub predicates: usize,
    /// The answer.
    pub report: &'a Report,
    /// Whether the rounds are shown in which predicates were found.
    pub rounds: bool,
    /// Whether the words of the table are explained below it.
    pub legend: bool,
}

/// The form of real executions in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceForm {
    /// A table for readers.
    #[default]
    Text,
    /// A JSON object.
    Json,
}

impl VerifyReport<'_> {
    /// The report as text.
    pub fn text(&self, page: &Page, trace: TraceForm) -> String {
        let mut text = self.table().text(page);
        if self.legend {
            text += &self.legend(page);
        }
        text += &self.found(page);
        if self.harvested.is_some() && self.last_found().is_none() && self.used_predicates() {
            text += "\nNo proof was given: the predicates were taken from the program.\n";
        }
        let warned = warnings::by_model(self.source, self.warnings(), page);
        if !warned.is_empty() {
            text = text + "\n" + &warned;
        }
        for result in &self.report.results {
            text += &match &result.outcome.verdict {
                Verdict::Verified(_) => String::new(),
                Verdict::Violated(violation) => {
                    self.violated(result.model, violation, (page, trace))
                }
                Verdict::Unknown(unknown) => self.explanation(result, unknown, page),
            };
        }
        text
    }

    fn warnings(&self) -> impl Iterator<Item = (Model, &[Warning])> {
        let results = self.report.results.iter();
        results.map(|result| (result.model, &result.outcome.warnings[..]))
    }

    /// Whether an abstraction was built from the predicates.
    fn used_predicates(&self) -> bool {
        let attempts = self
            .report
            .results
            .iter()
            .flat_map(|result| &result.outcome.log);
        let of_sc = self.report.results.iter().any(|result| {
            let verdict = &result.outcome.verdict;
            matches!(verdict, Verdict::Unknown(Unknown::NotVerifiedUnderSc(_)))
        });
        of_sc
            || attempts
                .into_iter()
                .any(|tried| tried.stats.abstraction.is_some())
    }

    fn table(&self) -> Table {
        let mut table = Table::new([
            Column::words("model"),
            Column::words("engine"),
            Column::numbers("k"),
            Column::words("method"),
            Column::numbers("preds"),
            Column::numbers("cubes"),
            Column::numbers("smt calls"),
            Column::numbers("build"),
            Column::numbers("used"),
            Column::numbers("size"),
            Column::numbers("states"),
            Column::numbers("memory"),
            Column::numbers("check"),
            Column::words("verdict").wrapped(),
        ]);
        for result in &self.report.results {
            self.rows(result)
                .into_iter()
                .for_each(|row| table.push(row));
        }
        table
    }

    /// One row per attempt; one row for a verdict that comes from another model.
    fn rows(&self, result: &ModelResult) -> Vec<[Cell; 14]> {
        let model = result.model.to_string();
        let log = &result.outcome.log;
        let inherited = match &result.outcome.verdict {
            Verdict::Violated(violation) => violation.found_by() == FoundBy::Sc && log.is_empty(),
            Verdict::Unknown(Unknown::NotVerifiedUnderSc(_)) => true,
            Verdict::Verified(_) | Verdict::Unknown(_) => log.is_empty(),
        };
        let first = |tried: &Attempt| log.iter().find(|other| other.engine == tried.engine);
        let mut rows: Vec<[Cell; 14]> = log
            .iter()
            .map(|tried| self.row(&model, tried, first(tried)))
            .collect();
        if inherited {
            let mut row: [Cell; 14] = std::array::from_fn(|_| NO_VALUE.into());
            row[0] = model.into();
            row[13] = self.verdict_cell(&result.outcome.verdict);
            rows.push(row);
        }
        rows
    }

    fn row(&self, model: &str, tried: &Attempt, first: Option<&Attempt>) -> [Cell; 14] {
        let (settings, stats) = (&tried.settings, &tried.stats);
        let built = stats.abstraction;
        let size = |number: Option<usize>| or_dash(number.map(|number| number.to_string()));
        [
            model.into(),
            tried.engine.into(),
            or_dash(k_text(settings)),
            method_text(tried, first).into(),
            size(built.map(|built| built.predicates)),
            size(built.and_then(|built| built.cubes)),
            or_dash(stats.solver.map(|solver| solver.calls.to_string())),
            or_dash(built.map(|built| seconds(built.build_time))),
            size(built.map(|built| built.cubes_used)),
            size(built.map(|built| built.largest_cube)),
            stats.states.to_string().into(),
            megabytes(stats).into(),
            seconds(stats.time).into(),
            self.verdict_cell(&tried.verdict),
        ]
    }

    /// The execution of a violation as a table.
    pub fn violation_text(&self, violation: &Violation, page: &Page) -> String {
        let execution = self.execution(violation.program(), violation.trace());
        execution.text(page)
    }

    pub(in crate::render) fn execution<'a>(
        &'a self,
        program: &'a Program,
        trace: &'a Trace,
    ) -> Execution<'a> {
        Execution {
            source: self.source,
            program,
            trace,
        }
    }

    /// The execution of the first violation, if there is one.
    pub fn first_violation(&self) -> Option<Execution<'_>> {
        let mut results = self.report.results.iter();
        let found = results.find_map(|result| result.outcome.verdict.violation());
        found.map(|violation| self.execution(violation.program(), violation.trace()))
    }

    fn verdict_cell(&self, verdict: &Verdict) -> Cell {
        Cell::toned(verdict.kind().into(), self.verdict_text(verdict))
    }

    /// The verdict in a few words.
    pub(in crate::render) fn verdict_text(&self, verdict: &Verdict) -> String {
        let unknown = match verdict {
            Verdict::Verified(_) => return "verified".to_owned(),
            Verdict::Violated(violation) => {
                return format!("violated: {}", violation.property().name_text());
            }
            Verdict::Unknown(unknown) => unknown,
        };
        let reason = match unknown {
            Unknown::Incomplete { limits, .. } => {
                let limits = limits.iter().map(|limit| words::reason(*limit));
                limits.collect::<Vec<_>>().join(", ")
            }
            Unknown::Stopped(limit) => words::reason(*limit).to_owned(),
            Unknown::TooCoarse { property, .. } | Unknown::TooIncoherent { property, .. } => {
                self.report.property(*property).name_text()
            }
            Unknown::Overflow { .. } => "overflow".to_owned(),
            Unknown::NotVerifiedUnderSc(_) => "not verified under sc".to_owned(),
            Unknown::Unsupported(_) => "not supported".to_owned(),
        };
        format!("unknown: {reason}")
    }

    fn violated(
        &self,
        model: Model,
        violation: &Violation,
        (page, trace): (&Page, TraceForm),
    ) -> String {
        let head = format!(
            "{model}: `{}` is broken by this execution, {}:\n",
            violation.property().name_text(),
            found_by(violation.found_by()),
        );
        let shown = match trace {
            TraceForm::Text => self.violation_text(violation, page),
            TraceForm::Json => {
                let execution = self.execution(violation.program(), violation.trace());
                format!("{:#}\n", execution.json())
            }
        };
        format!("\n{}{shown}", page.prose(&head))
    }
}

/// How a violation was found, for readers.
fn found_by(found_by: FoundBy) -> &'static str {
    match found_by {
        FoundBy::Exploration => "found by a search of the real semantics",
        FoundBy::Sc => "the one that breaks it under sc, with every store flushed at once",
        FoundBy::Replay => {
            "the path that the abstraction could not exclude, run on the real semantics"
        }
    }
}

/// The method with what was changed for a retry; an engine without methods is its own.
pub(super) fn method_text(tried: &Attempt, first: Option<&Attempt>) -> String {
    let settings = &tried.settings;
    if let Some(abstraction) = settings.coherence {
        return abstraction.domain.name().to_owned();
    }
    let Some(method) = settings.method else {
        return tried.engine.to_owned();
    };
    let mut text = method.name().to_owned();
    if settings.split {
        text += "+split";
    }
    let changed = first.is_some_and(|first| first.settings.cube_sizes != settings.cube_sizes);
    if let Some(sizes) = settings.cube_sizes.filter(|_| changed) {
        text += &format!("+{},{}", sizes.updates, sizes.conditions);
    }
    text
}

/// The number of entries of buffers, or of the oldest ones that an abstract buffer has in order.
fn k_text(settings: &Settings) -> Option<String> {
    let sizes = settings.buffers.as_ref().map(|sizes| sizes.to_string());
    sizes.or_else(|| Some(settings.coherence?.k.to_string()))
}

fn or_dash(text: Option<String>) -> Cell {
    text.unwrap_or_else(|| NO_VALUE.to_owned()).into()
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

fn megabytes(stats: &Stats) -> String {
    format!("{:.1} MB", stats.memory_bytes as f64 / 1_048_576.0)
}
