//! An outcome as text and as JSON.

use std::fmt::Write;

use codespan_reporting::files::{Files, SimpleFile};
use serde_json::{Value, json};

use crate::outcome::{
    AssertionReport, Finding, Limit, Outcome, Reason, Stats, Trace, TraceStep, Verdict,
};
use crate::program::Program;
use crate::syntax::ast::StmtId;

/// What the reports need to know about a check.
pub struct Report<'a> {
    /// What the file is called.
    pub name: &'a str,
    /// The text the program was parsed from.
    pub text: &'a str,
    /// The program.
    pub program: &'a Program,
    /// The answer.
    pub outcome: &'a Outcome,
    /// Whether the statistics are wanted too.
    pub stats: bool,
}

impl Report<'_> {
    /// The report for people.
    pub fn to_text(&self) -> String {
        Writer::new(self).text()
    }

    /// The report for programs: one object.
    pub fn to_json(&self) -> Value {
        Writer::new(self).json()
    }
}

/// A report and the places of its text: the file knows where the lines begin.
struct Writer<'a> {
    report: &'a Report<'a>,
    file: SimpleFile<&'a str, &'a str>,
}

impl<'a> Writer<'a> {
    fn new(report: &'a Report<'a>) -> Self {
        Self {
            report,
            file: SimpleFile::new(report.name, report.text),
        }
    }

    fn text(&self) -> String {
        let mut out = format!("{}\n", word(self.report.outcome.verdict()));
        for report in &self.report.outcome.assertions {
            self.assertion_text(&mut out, report);
        }
        if self.report.stats {
            stats_text(&mut out, &self.report.outcome.stats);
        }
        out
    }

    fn json(&self) -> Value {
        let assertions: Vec<_> = self
            .report
            .outcome
            .assertions
            .iter()
            .map(|report| self.assertion_json(report))
            .collect();
        let mut object = json!({
            "schema": 1,
            "program": self.report.name,
            "verdict": self.report.outcome.verdict(),
            "reason": self.reason(),
            "assertions": assertions,
        });
        if self.report.stats {
            object["stats"] = json!(self.report.outcome.stats);
        }
        object
    }

    /// Why the verdict is unknown, if it is.
    fn reason(&self) -> Option<&'static str> {
        let unknown = self.report.outcome.verdict() == Verdict::Unknown;
        let mut reasons = self
            .report
            .outcome
            .assertions
            .iter()
            .filter_map(|report| reason_word(&report.finding));
        if unknown { reasons.next() } else { None }
    }

    fn assertion_text(&self, out: &mut String, report: &AssertionReport) {
        let verdict = word(report.finding.verdict());
        let _ = write!(
            out,
            "{}: {}: {verdict}",
            self.place(report.stmt, 0),
            self.shown(report.label.as_deref(), report.stmt, 0)
        );
        if let Some(reason) = reason_word(&report.finding) {
            let _ = write!(out, " ({})", explanation(reason));
        }
        out.push('\n');
        if let Some(trace) = report.finding.trace() {
            self.trace_text(out, trace);
        }
        if let Finding::Violated(Trace {
            shortest: false, ..
        }) = &report.finding
        {
            out.push_str("  (there may be a shorter one)\n");
        }
    }

    fn trace_text(&self, out: &mut String, trace: &Trace) {
        let initial = values_text(&trace.initial);
        let _ = writeln!(out, "  start        {initial}");
        for step in &trace.steps {
            let line = self.place(step.stmt, step.condition);
            let atomic = if step.in_atomic { "+" } else { " " };
            let branch = branch_text(step);
            let changes = values_text(&step.changes);
            let stmt = self.shown(step.label.as_deref(), step.stmt, step.condition);
            let arrow = if changes.is_empty() { "" } else { "  => " };
            let _ = writeln!(
                out,
                "  thread {}{atomic}   {line}  {stmt}{branch}{arrow}{changes}",
                step.thread
            );
        }
    }

    fn assertion_json(&self, report: &AssertionReport) -> Value {
        json!({
            "id": report.id,
            "statement": self.shown(report.label.as_deref(), report.stmt, 0),
            "label": report.label,
            "line": self.line_column(report.stmt, 0).map(|(line, _)| line),
            "column": self.line_column(report.stmt, 0).map(|(_, column)| column),
            "verdict": report.finding.verdict(),
            "reason": reason_word(&report.finding),
            "trace": report.finding.trace().map(|trace| self.trace_json(trace)),
        })
    }

    fn trace_json(&self, trace: &Trace) -> Value {
        let steps: Vec<_> = trace
            .steps
            .iter()
            .map(|step| self.step_json(step))
            .collect();
        json!({
            "initial": values_json(&trace.initial),
            "steps": steps,
            "length": trace.length,
            "shortest": trace.shortest,
        })
    }

    fn step_json(&self, step: &TraceStep) -> Value {
        json!({
            "thread": step.thread,
            "line": self.line_column(step.stmt, step.condition).map(|(line, _)| line),
            "statement": self.shown(step.label.as_deref(), step.stmt, step.condition),
            "branch": step.branch,
            "in_atomic": step.in_atomic,
            "changes": values_json(&step.changes),
        })
    }

    /// The line of a statement, behind the error label that is reached there.
    fn shown(&self, label: Option<&str>, stmt: StmtId, condition: usize) -> String {
        let line = self.report.program.stmt(stmt).line(condition);
        match label {
            Some(label) => format!("{label}: {line}"),
            None => line,
        }
    }

    fn place(&self, stmt: StmtId, condition: usize) -> String {
        match self.line_column(stmt, condition) {
            Some((line, column)) => format!("{}:{line}:{column}", self.report.name),
            None => format!("{}:#{}", self.report.name, stmt.index()),
        }
    }

    fn line_column(&self, stmt: StmtId, condition: usize) -> Option<(usize, usize)> {
        let span = self.report.program.stmt(stmt).condition_span(condition)?;
        let place = self.file.location((), span.start as usize).ok()?;
        Some((place.line_number, place.column_number))
    }
}

/// The exit code that stands for a verdict.
pub fn exit_code(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Verified => 0,
        Verdict::Unknown => 5,
        Verdict::Violated => 10,
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Verified => "verified",
        Verdict::Unknown => "unknown",
        Verdict::Violated => "violated",
    }
}

fn reason_word(finding: &Finding) -> Option<&'static str> {
    match finding {
        Finding::Verified | Finding::Violated(_) => None,
        Finding::Unknown(Reason::Abstraction(_)) => Some("abstraction"),
        Finding::Unknown(Reason::Limit(limit)) => Some(match limit {
            Limit::States => "states",
            Limit::Threads => "threads",
            Limit::Timeout => "timeout",
            Limit::Cancelled => "cancelled",
        }),
    }
}

fn explanation(reason: &str) -> &'static str {
    match reason {
        "states" => {
            "states: there are too many states, or too many that one leads to; try a larger --max-states"
        }
        "threads" => {
            "threads: a loop would start more threads than --max-threads; try a larger one"
        }
        "timeout" => "timeout: the time was up; try a larger --timeout",
        "cancelled" => "cancelled: it was interrupted",
        _ => "abstraction: three values are too coarse; try --split needed or --split all",
    }
}

fn branch_text(step: &TraceStep) -> &'static str {
    match step.branch {
        Some(true) => "  [holds]",
        Some(false) => "  [does not hold]",
        None => "",
    }
}

fn values_text(values: &[(String, Option<bool>)]) -> String {
    let value = |value: &Option<bool>| match value {
        Some(true) => "1",
        Some(false) => "0",
        None => "*",
    };
    let parts: Vec<_> = values
        .iter()
        .map(|(name, v)| format!("{name}={}", value(v)))
        .collect();
    parts.join(" ")
}

fn values_json(values: &[(String, Option<bool>)]) -> Value {
    values
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn stats_text(out: &mut String, stats: &Stats) {
    let _ = writeln!(
        out,
        "states {}, transitions {}, revisited {}, covered {}, merged {}, memory {} bytes ({} of them the hash table), time {:.3} s",
        stats.states,
        stats.transitions,
        stats.revisited,
        stats.covered,
        stats.merged,
        stats.memory_bytes,
        stats.table_bytes,
        stats.seconds
    );
}
