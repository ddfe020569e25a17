//! What there is to say about a model that is neither verified nor violated: what stands in the way, whether it is real, and
//! what to try.

use super::VerifyReport;
use super::path;
use crate::engine::explore::ExploreConfig;
use crate::memory::{BufferSizes, Model};
use crate::program::PropertyKind;
use crate::render::{Advice, Page, words};
use crate::verdict::{
    AbstractPath, Attempt, Feasibility, Growth, Limit, Method, ModelResult, Outcome, Refinement,
    Run, Unknown, Verdict,
};

impl VerifyReport<'_> {
    /// The explanation of a model, with an empty line before it.
    pub(in crate::render) fn explanation(
        &self,
        result: &ModelResult,
        unknown: &Unknown,
        page: &Page,
    ) -> String {
        let explanation = Explanation {
            report: self,
            page,
            model: result.model,
            outcome: &result.outcome,
        };
        explanation.text(unknown)
    }

    /// A path of an attempt with this method, whether it is real, and what to try.
    pub fn explained(&self, path: &AbstractPath, method: Method, page: &Page) -> String {
        let advice = self.refinement(path, method, page);
        let advice = advice.unwrap_or_else(|| advice_text(method, page));
        path::text(path, page) + &page.prose(&(feasibility(path) + &advice))
    }

    /// What would exclude a path that is not real, if that is known. Where the predicates were harvested there is no
    /// proof to put it into, and the whole proof is shown.
    fn refinement(&self, path: &AbstractPath, method: Method, page: &Page) -> Option<String> {
        let Feasibility::Spurious { refinement, .. } = &path.feasibility else {
            return None;
        };
        match refinement {
            Refinement::Predicates(lines) => {
                let what = match &lines[..] {
                    [_] => "a fact that no predicate of the proof states; with this line",
                    _ => "facts that no predicate of the proof states; with these lines",
                };
                let texts: String = lines.iter().map(|line| format!("  {line}\n")).collect();
                let whole = self
                    .harvested
                    .map(|harvested| first_proof(harvested, lines));
                Some(format!(
                    "It hinges on {what} in `predicates {{ }}` the predicates exclude the path (the cubes must be large enough):\n{texts}{}",
                    whole.unwrap_or_default()
                ))
            }
            Refinement::LargerCubes => Some(format!(
                "The predicates exclude it, but no cube is large enough to show it. {}",
                words::sentence(&page.advise(Advice::OtherMethod(method)))
            )),
            Refinement::None => None,
        }
    }
}

/// The explanation of one model.
struct Explanation<'a> {
    report: &'a VerifyReport<'a>,
    page: &'a Page,
    model: Model,
    outcome: &'a Outcome,
}

impl Explanation<'_> {
    fn text(&self, unknown: &Unknown) -> String {
        let model = self.model;
        let mut text = match unknown {
            Unknown::NotVerifiedUnderSc(sc) => return self.not_under_sc(sc),
            Unknown::TooCoarse { property, path } => {
                let property = self.report.report.property(*property).name_text();
                let head = format!(
                    "{model}: the abstraction cannot exclude that `{property}` is broken:\n"
                );
                let path = self.report.explained(path, self.method(), self.page);
                self.prose(&head) + &path
            }
            Unknown::TooIncoherent { property, path } => {
                let property = self.report.report.property(*property).name_text();
                let head = format!(
                    "{model}: abstract store buffers cannot exclude that `{property}` is broken; with real ones this path is no execution:\n"
                );
                self.prose(&head) + &path::coherence_text(path, self.page)
            }
            Unknown::Overflow { path, growth } => self.overflow(path, growth.as_deref()),
            Unknown::Stopped(limit) => self.stopped(*limit),
            Unknown::Incomplete {
                limits,
                safe_up_to,
                growth,
            } => {
                let limits: String = limits.iter().map(|&limit| self.limit(limit)).collect();
                limits + &self.up_to(*safe_up_to) + &self.growth(growth.as_deref())
            }
            Unknown::Unsupported(engines) => {
                let engines = engines.iter().map(|engine| format!("{model}: {engine}\n"));
                self.prose(&engines.collect::<String>())
            }
        };
        if !unknown.is_stop() {
            text += &self.retry_limit(unknown);
            text += &self.unanswered();
        }
        format!("\n{text}")
    }

    /// The attempt that the reason comes from.
    fn attempt(&self) -> Option<&Attempt> {
        let mut log = self.outcome.log.iter().rev();
        log.find(|tried| match &tried.verdict {
            Verdict::Unknown(unknown) => unknown.path().is_some(),
            Verdict::Verified(_) | Verdict::Violated(_) => false,
        })
    }

    fn method(&self) -> Method {
        let method = self.attempt().and_then(|tried| tried.settings.method);
        method.unwrap_or(Method::Trad)
    }

    fn not_under_sc(&self, sc: &Outcome) -> String {
        let results = &self.report.report.results;
        let told = results.iter().any(|other| other.model == Model::Sc);
        let head = format!(
            "{}: no proof was tried, since the program is not verified under sc with this proof.\n",
            self.model
        );
        let why = match &sc.verdict {
            Verdict::Unknown(unknown) if !told => {
                let explanation = Explanation {
                    model: Model::Sc,
                    outcome: sc,
                    ..*self
                };
                explanation.text(unknown)
            }
            Verdict::Verified(_) | Verdict::Violated(_) | Verdict::Unknown(_) => String::new(),
        };
        format!("\n{}{why}", self.prose(&head))
    }

    /// The limit of an abstraction.
    fn stopped(&self, limit: Limit) -> String {
        match limit {
            Limit::States => self.line(
                "the checker stored as many states as it may",
                Some(Advice::MoreAbstractStates),
            ),
            _ => self.limit(limit) + &self.last_path(),
        }
    }

    /// The path that the predicates could not exclude when the work was stopped, or before the last ones were added.
    fn last_path(&self) -> String {
        let attempt = self.attempt().map(|tried| &tried.verdict);
        let Some(Verdict::Unknown(unknown)) = attempt else {
            return String::new();
        };
        let Some(path) = unknown.path() else {
            return String::new();
        };
        let head = format!("{}: the last path that was to be excluded:\n", self.model);
        self.prose(&head) + &path::text(path, self.page) + &self.page.prose(&feasibility(path))
    }

    /// The limit of an exploration.
    fn limit(&self, limit: Limit) -> String {
        let mut log = self.outcome.log.iter();
        let explored = log.rfind(|tried| tried.stats.abstraction.is_none());
        let stats = explored.map(|tried| tried.stats).unwrap_or_default();
        // A search that meets one of these limits has reached it.
        let config = ExploreConfig {
            max_states: stats.states,
            buffer: stats.max_buffer.unwrap_or_default(),
            ..ExploreConfig::default()
        };
        self.line(&words::limit(limit, &config), Some(Advice::on(limit)))
    }

    fn line(&self, text: &str, advice: Option<Advice>) -> String {
        let advice = advice.map(|advice| format!("; {}", self.page.advise(advice)));
        let text = format!("{}: {text}{}.\n", self.model, advice.unwrap_or_default());
        self.prose(&text)
    }

    fn up_to(&self, stores: Option<usize>) -> String {
        match stores {
            Some(stores) => self.prose(&format!(
                "{}: safe as long as no buffer holds more than {}.\n",
                self.model,
                stores_text(&stores.to_string())
            )),
            None => String::new(),
        }
    }

    /// A retry that stored as many states as it may, behind the attempt that is explained.
    fn retry_limit(&self, unknown: &Unknown) -> String {
        let last = self
            .outcome
            .log
            .iter()
            .rfind(|tried| tried.stats.abstraction.is_some());
        let at_limit = last.is_some_and(|tried| {
            let verdict = &tried.verdict;
            matches!(verdict, Verdict::Unknown(Unknown::Stopped(Limit::States)))
        });
        match unknown {
            Unknown::TooCoarse { .. } if at_limit => self.line(
                "a retry stored as many states as it may",
                Some(Advice::MoreAbstractStates),
            ),
            _ => String::new(),
        }
    }

    fn unanswered(&self) -> String {
        let solvers = self
            .outcome
            .log
            .iter()
            .filter_map(|tried| tried.stats.solver);
        match solvers.map(|solver| solver.unanswered).sum::<u64>() {
            0 => String::new(),
            number => self.line(
                &format!("the solver did not answer {number} questions"),
                None,
            ),
        }
    }

    /// An overflow: an execution that has it, or the path that may.
    fn overflow(&self, path: &AbstractPath, growth: Option<&Growth>) -> String {
        let more = self.more_stores(path);
        let page = self.page;
        let advice = match (self.is_translation(), growth) {
            (true, _) => Advice::LargerBound,
            (false, Some(_)) => Advice::OtherFences,
            (false, None) => Advice::LargerProofBound,
        };
        let advice = words::sentence(&self.page.advise(advice)) + "\n";
        let model = self.model;
        if growth.is_some() {
            let head = format!("{model}: {more}, and no bound is enough.\n");
            return self.prose(&head)
                + &self.until_overflow()
                + &self.growth(growth)
                + &self.prose(&advice);
        }
        let possible = format!("{model}: the abstraction cannot exclude that {more}:\n");
        match &path.feasibility {
            Feasibility::Feasible(run) => {
                let head =
                    format!("{model}: {more}, as this execution shows; it breaks no property:\n");
                self.prose(&head) + &self.run(run) + &self.prose(&advice)
            }
            Feasibility::Spurious { .. } => {
                let refinement = self.report.refinement(path, self.method(), self.page);
                let rest = feasibility(path) + &refinement.unwrap_or(advice);
                self.prose(&possible) + &path::text(path, page) + &self.prose(&rest)
            }
            Feasibility::Undecided => {
                self.prose(&possible) + &path::text(path, page) + &self.prose(&advice)
            }
        }
    }

    /// Whether the program is a translated one, whose buffers are its variables.
    fn is_translation(&self) -> bool {
        let mut properties = self.report.report.properties.iter();
        properties.any(|property| property.kind == PropertyKind::Overflow)
    }

    /// `the store in line 9 puts more than 2 stores into a buffer of P`
    fn more_stores(&self, path: &AbstractPath) -> String {
        let last = path.steps.last();
        let line = last.map_or(0, |step| step.line);
        let thread = last.and_then(|step| step.thread()).unwrap_or("a thread");
        let Some(sizes) = self.sizes() else {
            return format!("line {line} meets a full buffer of {thread}");
        };
        match sizes.as_uniform() {
            Some(entries) => format!(
                "the store in line {line} puts more than {} into a buffer of {thread}",
                stores_text(&entries.to_string())
            ),
            None => format!(
                "the store in line {line} puts more into a buffer of {thread} than fits (k = {sizes})"
            ),
        }
    }

    fn sizes(&self) -> Option<&BufferSizes> {
        self.attempt()?.settings.buffers.as_ref()?.sizes()
    }

    /// What an attempt that overflows has proved.
    fn until_overflow(&self) -> String {
        let Some(sizes) = self.sizes() else {
            return String::new();
        };
        let within = match sizes.as_uniform() {
            Some(entries) => format!("holds more than {}", stores_text(&entries.to_string())),
            None => format!("exceeds its size (k = {sizes})"),
        };
        self.prose(&format!(
            "{}: safe as long as no buffer {within}.\n",
            self.model
        ))
    }

    fn growth(&self, growth: Option<&Growth>) -> String {
        let Some(growth) = growth else {
            return String::new();
        };
        let (first, last) = (growth.repeats_from() + 1, growth.run().trace().steps.len());
        let steps = match first == last {
            true => format!("step {first} of this execution can be repeated"),
            false => format!("steps {first} to {last} of this execution can be repeated"),
        };
        let head = format!(
            "{}: {steps} for ever; each time all is as before but for longer buffers:\n",
            self.model
        );
        self.prose(&head) + &self.run(growth.run())
    }

    fn run(&self, run: &Run) -> String {
        self.report
            .execution(run.program(), run.trace())
            .text(self.page)
    }

    fn prose(&self, text: &str) -> String {
        self.page.prose(text)
    }
}

fn stores_text(number: &str) -> String {
    match number {
        "1" => "1 store".to_owned(),
        number => format!("{number} stores"),
    }
}

/// Whether a path is real.
fn feasibility(path: &AbstractPath) -> String {
    match &path.feasibility {
        Feasibility::Spurious { step: index, .. } => {
            let step = &path.steps[(*index).min(path.steps.len().saturating_sub(1))];
            let last = index + 1 >= path.steps.len();
            let what = match step.taken {
                Some(_) if last => format!("breaks nothing in reality: `{}`", step.text),
                Some(_) => format!("cannot be taken in reality: `{}`", step.text),
                None => "finds the property intact in reality".to_owned(),
            };
            format!("The path is not real: step {} {what}.\n", index + 1)
        }
        Feasibility::Undecided => "Whether the path is real is not known.\n".to_owned(),
        Feasibility::Feasible(_) => String::new(),
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

/// What to try where the abstraction is too coarse and it is not known what would help.
fn advice_text(method: Method, page: &Page) -> String {
    let predicates = match method {
        Method::Ce => {
            "Add a predicate that relates locals of the thread that writes and the thread that reads, and compute the cubes anew."
        }
        Method::Lazy => {
            "No cubes are in the way: predicates are missing that distinguish this path, or unknown values have to be distinguished."
        }
        Method::Trad | Method::Pe => "Add predicates that distinguish this path.",
    };
    format!(
        "{predicates} {}",
        words::sentence(&page.advise(Advice::OtherMethod(method)))
    )
}
