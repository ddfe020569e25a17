//! The report as text: a table with the columns of the SAS 2013 paper's Tables 1 and 2, then what
//! there is to say about each model that is not verified.

use std::fmt::Write;
use std::time::Duration;

use super::remarks::remarks;
use super::{Attempt, AttemptOutcome, FoundBy, Method, ModelResult, Report, StopReason, Violation};

/// The form of real executions in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum TraceForm {
    /// A table for readers.
    #[default]
    Text,
    /// A JSON object.
    Json,
}

const COLUMNS: [&str; 13] = [
    "model",
    "k",
    "method",
    "preds",
    "cubes",
    "smt calls",
    "build",
    "used",
    "size",
    "states",
    "memory",
    "check",
    "verdict",
];

impl Report {
    /// The report as text.
    pub fn text(&self) -> String {
        self.text_with(TraceForm::Text)
    }

    /// The report as text, with real executions in the form that is asked for.
    pub fn text_with(&self, form: TraceForm) -> String {
        let rows = self.results.iter().flat_map(rows);
        let mut text = table(rows.collect());
        if self.harvested.is_some() {
            text += "\nThere is no proof: the predicates were taken from the program.\n";
        }
        for result in &self.results {
            text += &match result.violation() {
                Some(violation) => self.violated(result, violation, form),
                None => remarks(self, result),
            };
        }
        text
    }

    fn violated(&self, result: &ModelResult, violation: &Violation, form: TraceForm) -> String {
        let execution = match form {
            TraceForm::Text => violation.text(&self.source),
            TraceForm::Json => format!("{:#}\n", violation.json(&self.source)),
        };
        format!(
            "\n{}: `{}` is broken by this execution, {}:\n{execution}",
            result.model,
            violation.property,
            violation.found_by.text(),
        )
    }
}

impl Attempt {
    /// One line about the try.
    pub fn verdict(&self) -> String {
        match &self.outcome {
            AttemptOutcome::Verified => "verified".to_owned(),
            AttemptOutcome::Violated(violation) => format!("violated: {}", violation.property),
            AttemptOutcome::Abstraction(property, _) => format!("unknown: {}", property.name),
            AttemptOutcome::Overflow(..) => "unknown: overflow".to_owned(),
            AttemptOutcome::Limit(StopReason::States) => "unknown: too many states".to_owned(),
            AttemptOutcome::Limit(StopReason::Timeout) => "unknown: out of time".to_owned(),
            AttemptOutcome::Limit(StopReason::Interrupted) => "unknown: interrupted".to_owned(),
        }
    }

    /// The method with what was changed for a retry.
    fn method_text(&self, default: &Attempt) -> String {
        let mut text = self.method.name().to_owned();
        if self.split {
            text += "+split";
        }
        if self.sizes != default.sizes {
            let (updates, conditions) = (self.sizes.updates, self.sizes.conditions);
            write!(text, "+{updates},{conditions}").expect("writing to a string succeeds");
        }
        text
    }
}

fn rows(result: &ModelResult) -> Vec<[String; 13]> {
    let model = result.model.to_string();
    if let Some(violation) = &result.refutation {
        return vec![refuted(model, violation)];
    }
    if result.sc_failed {
        let mut row: [String; 13] = std::array::from_fn(|_| "-".to_owned());
        row[0] = model;
        row[12] = "unknown: not verified under sc".to_owned();
        return vec![row];
    }
    let tries = result.attempts.iter();
    tries
        .map(|tried| row(model.clone(), tried, &result.attempts[0]))
        .collect()
}

/// The row of a violation that was found without a proof.
fn refuted(model: String, violation: &Violation) -> [String; 13] {
    let mut row: [String; 13] = std::array::from_fn(|_| "-".to_owned());
    row[0] = model;
    row[12] = format!("violated: {}", violation.property);
    if let FoundBy::Refutation {
        states,
        memory_bytes,
        time,
    } = violation.found_by
    {
        row[2] = "refute".to_owned();
        row[9] = states.to_string();
        row[10] = megabytes(memory_bytes);
        row[11] = seconds(time);
    }
    row
}

fn row(model: String, tried: &Attempt, first: &Attempt) -> [String; 13] {
    [
        model,
        number_or_dash(tried.k),
        tried.method_text(first),
        tried.predicates.to_string(),
        match tried.method {
            Method::Ce => tried.cubes.to_string(),
            Method::Trad | Method::Pe | Method::Lazy => "-".to_owned(),
        },
        tried.effort.calls.to_string(),
        seconds(tried.build_time),
        tried.cubes_used.to_string(),
        tried.largest_cube.to_string(),
        tried.states.to_string(),
        megabytes(tried.memory_bytes),
        seconds(tried.check_time),
        tried.verdict(),
    ]
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

fn megabytes(bytes: usize) -> String {
    format!("{:.1} MB", bytes as f64 / 1_048_576.0)
}

fn number_or_dash(number: usize) -> String {
    match number {
        0 => "-".to_owned(),
        number => number.to_string(),
    }
}

/// Words to the left, numbers to the right.
fn table(rows: Vec<[String; 13]>) -> String {
    let header = COLUMNS.map(str::to_owned);
    let lines: Vec<[String; 13]> = std::iter::once(header).chain(rows).collect();
    let width = |column: usize| {
        lines
            .iter()
            .map(|line| line[column].len())
            .max()
            .unwrap_or(0)
    };
    let widths: [usize; 13] = std::array::from_fn(width);
    let mut text = String::new();
    for line in &lines {
        let cells = line.iter().enumerate().map(|(column, cell)| {
            let width = widths[column];
            match column {
                0 | 2 => format!("{cell:<width$}"),
                12 => cell.clone(),
                _ => format!("{cell:>width$}"),
            }
        });
        let cells: Vec<String> = cells.collect();
        text += cells.join("  ").trim_end();
        text.push('\n');
    }
    text
}
