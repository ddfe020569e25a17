//! What there is to say about a model that is neither verified nor violated: the path that stands in
//! the way, whether it is real, and what to try.

use crate::model::Model;

use super::{
    AbstractTrace, Attempt, AttemptOutcome, Lack, Method, ModelResult, Reality, Report, StopReason,
};

/// What to try where no predicate is known that would help.
fn other_ways(method: Method) -> String {
    let other = match method {
        Method::Lazy => "`--method auto`, which tells unknown values apart where it has to",
        Method::Ce => {
            "`--method pe`, which looks for more cubes, `--method lazy`, which needs none"
        }
        Method::Pe => "`--method lazy`, which needs no cubes, larger cubes (`--cube-size`)",
        Method::Trad => "larger cubes (`--cube-size`)",
    };
    format!("Try {other}, or `cupola explore`, which decides programs with few states.\n")
}

/// The remarks about a model, with an empty line before them.
pub(super) fn remarks(report: &Report, result: &ModelResult) -> String {
    let model = result.model;
    if !result.sc_failed {
        return tried(report, result, model);
    }
    let told = report.results.iter().any(|other| other.model == Model::Sc);
    let why = match told {
        true => String::new(),
        false => tried(report, result, Model::Sc),
    };
    format!(
        "\n{model}: not tried, since the program is not verified under sc with this proof.\n{why}"
    )
}

/// The remarks about the tries of a result, which are for `model`.
fn tried(report: &Report, result: &ModelResult, model: Model) -> String {
    let (Some(last), Some(told)) = (result.attempts.last(), result.telling()) else {
        return String::new();
    };
    let told = &result.attempts[told];
    let mut text = match &told.outcome {
        AttemptOutcome::Verified | AttemptOutcome::Violated(_) => String::new(),
        AttemptOutcome::Abstraction(property, trace) => {
            format!(
                "\n{model}: the abstraction cannot exclude that `{}` is broken:\n{}",
                property.name,
                trace.explained(told.method, report.harvested.as_deref())
            )
        }
        AttemptOutcome::Overflow(_, trace) => {
            format!("\n{model}: ") + &overflow(trace, told, report)
        }
        AttemptOutcome::Limit(StopReason::States) => {
            format!("\n{model}: the checker stored as many states as it may; try `--max-states`.\n")
        }
        AttemptOutcome::Limit(StopReason::Timeout) => {
            format!("\n{model}: the time is over; try `--timeout`.\n")
        }
        AttemptOutcome::Limit(StopReason::Interrupted) => format!("\n{model}: interrupted.\n"),
    };
    if !std::ptr::eq(told, last) {
        text += &format!("{model}: a retry stored as many states as it may; try `--max-states`.\n");
    }
    let tries = result.attempts.iter();
    let unanswered: u64 = tries.map(|tried| tried.effort.unknown).sum();
    let stopped = matches!(
        last.outcome,
        AttemptOutcome::Limit(StopReason::Timeout | StopReason::Interrupted)
    );
    if unanswered > 0 && !stopped {
        text += &format!("{model}: the solver did not answer {unanswered} questions.\n");
    }
    text
}

/// An overflow: an execution that has it, or the path that may.
fn overflow(trace: &AbstractTrace, tried: &Attempt, report: &Report) -> String {
    let (k, method) = (tried.k, tried.method);
    let last = trace.steps.last();
    let (thread, line) = last.map_or(("a thread", 0), |step| (&step.thread, step.line));
    let more = match k {
        // The program is a translated one, and its buffers are its variables.
        0 => format!("line {line} meets a full buffer of {thread}"),
        1 => format!("the store in line {line} puts more than 1 store into a buffer of {thread}"),
        _ => {
            format!("the store in line {line} puts more than {k} stores into a buffer of {thread}")
        }
    };
    let larger = match k {
        0 => "Translate the source with a larger bound (`-k`).\n",
        _ => "Try a larger bound (`-k`, `--max-k`), or another fence placement (`--fences`).\n",
    };
    match &trace.reality {
        Reality::Real(execution) => format!(
            "{more}, as this execution shows; it breaks no property:\n{}{larger}",
            execution.text(&report.source)
        ),
        Reality::Impossible(..) => format!(
            "the abstraction cannot exclude that {more}:\n{}{}{}",
            trace.text(),
            reality(trace),
            lack(trace, method, report.harvested.as_deref()).unwrap_or_else(|| larger.to_owned()),
        ),
        Reality::Undecided => format!(
            "the abstraction cannot exclude that {more}:\n{}{larger}",
            trace.text()
        ),
    }
}

/// Whether a path is real.
fn reality(trace: &AbstractTrace) -> String {
    match &trace.reality {
        Reality::Impossible(index, _) => {
            let step = &trace.steps[(*index).min(trace.steps.len().saturating_sub(1))];
            let last = index + 1 >= trace.steps.len();
            let what = match step.edge {
                Some(_) if last => {
                    format!("breaks nothing in reality: `{}`", step.text)
                }
                Some(_) => format!("cannot be taken in reality: `{}`", step.text),
                None => "finds the property intact in reality".to_owned(),
            };
            format!("The path is not real: step {} {what}.\n", index + 1)
        }
        Reality::Undecided => "Whether the path is real is not known.\n".to_owned(),
        Reality::Real(_) => String::new(),
    }
}

/// What would exclude a path that is not real, if that is known. Where the predicates were harvested there is
/// no proof to put it into, and the whole proof is shown.
fn lack(trace: &AbstractTrace, method: Method, harvested: Option<&[String]>) -> Option<String> {
    match &trace.reality {
        Reality::Impossible(_, Lack::Predicates(lines)) => {
            let what = match &lines[..] {
                [_] => "a fact that no predicate of the proof tells; with this line",
                _ => "facts that no predicate of the proof tells; with these lines",
            };
            let texts: String = lines.iter().map(|line| format!("  {line}\n")).collect();
            let whole = harvested.map_or(String::new(), |harvested| first_proof(harvested, lines));
            Some(format!(
                "It hinges on {what} in `predicates {{ }}` the predicates exclude the path (the cubes must be large enough):\n{texts}{whole}"
            ))
        }
        Reality::Impossible(_, Lack::Cubes) => Some(format!(
            "The predicates exclude it, but no cube is large enough to tell. {}",
            other_ways(method)
        )),
        Reality::Impossible(_, Lack::Unknown) | Reality::Undecided | Reality::Real(_) => None,
    }
}

/// A proof with the predicates taken from the program and new lines.
fn first_proof(harvested: &[String], lines: &[String]) -> String {
    let known = harvested
        .iter()
        .map(|predicate| format!("  {predicate};\n"));
    let new = lines.iter().map(|line| format!("  {line}\n"));
    let entries: String = known.chain(new).collect();
    format!(
        "There is no proof yet; this one has the predicates that were taken from the program, too:\n\
        predicates {{\n{entries}}}\n"
    )
}

impl AbstractTrace {
    /// The path of a try with this method, whether it is real, and what to try; `harvested` are the
    /// predicates where there is no proof.
    pub fn explained(&self, method: Method, harvested: Option<&[String]>) -> String {
        let advice = lack(self, method, harvested).unwrap_or_else(|| advice(method));
        self.text() + &reality(self) + &advice
    }
}

/// What to try where the abstraction is too coarse and it is not known what would help.
fn advice(method: Method) -> String {
    let predicates = match method {
        Method::Ce => {
            "Add a predicate that relates locals of the thread that writes and the thread that reads, and compute the cubes anew with `cupola prove`."
        }
        Method::Lazy => {
            "No cubes are in the way: predicates are missing that distinguish this path, or values that are unknown have to be told apart."
        }
        Method::Trad | Method::Pe => "Add predicates that distinguish this path.",
    };
    format!("{predicates} {}", other_ways(method))
}
