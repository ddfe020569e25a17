//! What each report shows on a page.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use itertools::Itertools as _;

use super::listing::Inserted;
use super::{Section, escape, folded, lanes, listing, preformatted, table};
use crate::fences::{End, FenceSet};
use crate::memory::Model;
use crate::reduce::Reduction;
use crate::render::translation::name_of;
use crate::render::verify::{VerifyReport, method_text};
use crate::render::{ExploreReport, FencesReport, LineMap, Page, Tone, TranslationReport, litmus};
use crate::verdict::{Attempt, ModelResult, Verdict, VerdictKind, Violation};

/// What a page of `verify` shows about a model beside the verdict.
#[derive(Debug)]
pub struct Detail {
    /// The model.
    pub model: Model,
    /// The translation that was abstracted or, where states were searched, the one with the shortest buffers.
    pub reduction: Option<Reduction>,
    /// The abstraction, where the verdict rests on one.
    pub abstracted: Option<Abstracted>,
}

/// An abstraction for a page.
#[derive(Debug)]
pub struct Abstracted {
    /// The predicates, each with the number of its rule, 0 if it is one of the proof's.
    pub predicates: Vec<(String, u64)>,
    /// The cubes in the same way.
    pub cubes: Vec<(String, u64)>,
    /// The boolean program, where there is one.
    pub program: Option<String>,
}

impl TranslationReport<'_> {
    /// The translation beside its source.
    pub fn section(&self) -> Section {
        let (name, made) = (self.source.name(), self.name());
        Section {
            heading: format!("{name}, translated for {made}"),
            body: String::from(
                "<p>A line of one side lights up the lines of the other that it corresponds to; a click keeps them.</p>\n",
            ) + &listing::pair(self.source, &self.map, &made),
        }
    }
}

impl ExploreReport<'_> {
    /// The answer, the execution and the final states.
    pub fn section(&self, page: &Page) -> Section {
        let (program, model) = (self.source.name(), self.model);
        let mut body = verdict_line(self.exploration.kind(), &self.summary(page));
        body += &fences_line(self.fences.iter());
        if let Some(execution) = self.execution() {
            body += &lanes::lanes(&execution);
        }
        if let Some(outcomes) = &self.exploration.outcomes {
            let names = outcomes.display_names();
            let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
            let rows = outcomes.rows().iter();
            let rows: Vec<Vec<String>> = rows
                .map(|row| row.iter().map(i64::to_string).collect())
                .collect();
            body += &format!(
                "<h3>Final states: {}</h3>\n{}",
                rows.len(),
                table(&names, &rows)
            );
        }
        if self.execution().is_none() {
            body += &listing::source(self.source, &BTreeMap::new(), &[]);
        }
        Section {
            heading: format!("{program} under {model}"),
            body,
        }
    }
}

/// The rules by which predicates and cubes come about: numbers, name, and what they give.
const RULES: [(&[u64], &str, &str); 9] = [
    (
        &[1, 8],
        "rules 1, 8",
        "the number of entries in each buffer",
    ),
    (&[2, 9], "rules 2, 9", "the proof's own"),
    (
        &[3, 10],
        "rules 3, 10",
        "the proof's own with entries of buffers in place of shared variables",
    ),
    (
        &[4, 11],
        "rules 4, 11",
        "entries that agree with their neighbours and with memory",
    ),
    (&[15], "rule 15", "whether a buffer is empty"),
    (&[16], "rule 16", "what the thread itself reads"),
    (&[17], "rule 17", "what holds for every entry of a buffer"),
    (&[18, 19], "rules 18, 19", "the order of entries"),
    (
        &[20],
        "rule 20",
        "what stays true from one entry to the next",
    ),
];

/// Words with their meanings.
fn words(meanings: &[(&str, &str)]) -> String {
    let items = meanings.iter().map(|(word, meaning)| {
        format!(
            "<dt><code>{}</code></dt><dd>{}</dd>\n",
            escape(word),
            escape(meaning)
        )
    });
    let items: String = items.collect();
    match items.is_empty() {
        true => items,
        false => format!("<dl class=\"words\">\n{items}</dl>\n"),
    }
}

impl VerifyReport<'_> {
    /// The table of attempts, then a section for each model.
    pub fn sections(&self, details: &[Detail], page: &Page) -> Vec<Section> {
        let name = self.source.name();
        let mut first = verdict_line(self.report.kind(), self.report.kind().word());
        first += &self.attempts();
        first += "<p>Each row is an attempt, and the last one of a model decides: the engine, the bound <code>k</code> of the buffers, \
                  the method of the abstraction, the predicates and cubes it used, and the states that it looked at.</p>\n";
        first += &words(&self.meanings());
        let results = self.report.results.iter();
        let models = results.map(|result| Section {
            heading: format!("{name} under {}", result.model),
            body: self.model_body(
                result,
                details.iter().find(|detail| detail.model == result.model),
                page,
            ),
        });
        let first = Section {
            heading: format!("{name}: verdicts"),
            body: first,
        };
        std::iter::once(first).chain(models).collect()
    }

    fn attempts(&self) -> String {
        let rows = self.report.results.iter().flat_map(|result| {
            let inherited = result.outcome.log.is_empty().then(|| {
                let mut row = vec!["-".to_owned(); 7];
                row[0] = result.model.to_string();
                row.push(self.verdict_html(&result.outcome.verdict));
                row
            });
            let log = &result.outcome.log;
            let first_of = |tried: &Attempt| log.iter().find(|other| other.engine == tried.engine);
            let tried = log.iter().map(|tried| {
                let number = |number: Option<usize>| {
                    number.map_or("-".to_owned(), |number| number.to_string())
                };
                let built = tried.stats.abstraction;
                vec![
                    result.model.to_string(),
                    tried.engine.to_owned(),
                    tried
                        .settings
                        .buffers
                        .as_ref()
                        .map_or("-".to_owned(), ToString::to_string),
                    match tried.settings.method {
                        Some(_) => method_text(tried, first_of(tried)),
                        None => "-".to_owned(),
                    },
                    number(built.map(|built| built.predicates)),
                    number(built.map(|built| built.cubes_used)),
                    tried.stats.states.to_string(),
                    self.verdict_html(&tried.verdict),
                ]
            });
            tried.chain(inherited).collect::<Vec<_>>()
        });
        let heads = [
            "model",
            "engine",
            "k",
            "method",
            "predicates",
            "cubes used",
            "states",
            "verdict",
        ];
        format!(
            "<div class=\"attempts\">\n{}</div>\n",
            table(&heads, &rows.collect::<Vec<_>>())
        )
    }

    fn verdict_html(&self, verdict: &Verdict) -> String {
        let class = class(verdict.kind());
        format!(
            "<span class=\"{class}\">{}</span>",
            escape(&self.verdict_text(verdict))
        )
    }

    fn model_body(&self, result: &ModelResult, detail: Option<&Detail>, page: &Page) -> String {
        let verdict = &result.outcome.verdict;
        let mut body = verdict_line(verdict.kind(), &self.verdict_text(verdict));
        body += &fences_line(result.fences.iter());
        match verdict {
            Verdict::Verified(_) => {}
            Verdict::Violated(violation) => {
                body += &lanes::lanes(&self.execution(violation.program(), violation.trace()));
            }
            Verdict::Unknown(unknown) => {
                body += &preformatted(&self.explanation(result, unknown, page));
            }
        }
        let Some(detail) = detail else {
            return body;
        };
        if let Some(abstracted) = &detail.abstracted {
            body += &abstracted.html();
        }
        if let Some(reduction) = &detail.reduction {
            let map = LineMap::of(reduction, self.source);
            let made = name_of(reduction);
            let open = !matches!(verdict, Verdict::Violated(_));
            let pair = listing::pair(self.source, &map, &made);
            body += &folded("Source and translation, line by line", open, &pair);
        }
        body
    }
}

impl Abstracted {
    fn html(&self) -> String {
        let mut html = String::new();
        for (what, list) in [("predicate", &self.predicates), ("cube", &self.cubes)] {
            if list.is_empty() {
                continue;
            }
            let rows = list.iter().map(|(text, rule)| {
                let rule = match rule {
                    0 => "of the proof".to_owned(),
                    rule => rule.to_string(),
                };
                vec![format!("<code>{}</code>", escape(text)), rule]
            });
            let rows: Vec<Vec<String>> = rows.collect();
            let summary = format!("{} {what}s with their rules", rows.len());
            let used: BTreeSet<u64> = list.iter().map(|(_, rule)| *rule).collect();
            let meanings: Vec<(&str, &str)> = RULES
                .into_iter()
                .filter(|(rules, ..)| rules.iter().any(|rule| used.contains(rule)))
                .map(|(_, name, meaning)| (name, meaning))
                .collect();
            html += &folded(
                &summary,
                what == "predicate" && rows.len() <= 30,
                &(table(&[what, "rule"], &rows) + &words(&meanings)),
            );
        }
        if let Some(program) = &self.program {
            let lines = program.lines().count();
            let summary = format!("The boolean program, {lines} lines");
            html += &folded(&summary, false, &listing::code("Boolean program", program));
        }
        html
    }
}

impl FencesReport<'_> {
    /// The placements in the source, and what needs them.
    pub fn section(&self, page: &Page) -> Section {
        let (program, model) = (self.source.name(), self.model);
        let (tone, head) = self.head();
        let class = match tone {
            Tone::Good => "good",
            Tone::Bad => "bad",
            Tone::Open | Tone::Plain => "open",
        };
        let mut body = format!("<p class=\"{class}\">{}</p>\n", escape(&head));
        match &self.answer.end {
            End::BrokenUnderSc(violation) => body += &self.lanes(violation),
            End::Unfixable => {
                let last = self.answer.refutations.last();
                body += &last.map_or_else(String::new, |last| self.lanes(&last.violation));
            }
            End::Complete | End::Enough | End::Timeout | End::Interrupted | End::Memory => {
                body += &preformatted(&self.placements_text(page));
                body += &self.placed();
            }
        }
        if let Some(needed) = self.explain.and_then(|place| self.explanation(place)) {
            body += &format!("<h3>{}</h3>\n", escape(&self.needed_text(&needed)));
            body += &self.lanes(&needed.violation);
        }
        Section {
            heading: format!("Fences of {program} under {model}"),
            body,
        }
    }

    fn lanes(&self, violation: &Violation) -> String {
        lanes::lanes(&self.execution(violation))
    }

    /// The source with the fences of all minimal placements; a button for each placement.
    fn placed(&self) -> String {
        let sets: Vec<&FenceSet> = self
            .answer
            .proved
            .iter()
            .map(|proved| &proved.fences)
            .collect();
        let buttons = sets.iter().enumerate().map(|(at, set)| {
            let number = at + 1;
            let names = self.set(set);
            format!("<button type=\"button\" data-set=\"{number}\" aria-pressed=\"false\">{number}: {}</button>", escape(&names))
        });
        let buttons: String = buttons.collect();
        let (marks, inserted) = self.sites_html(&sets);
        let source = listing::source(self.source, &marks, &inserted);
        format!(
            "<div class=\"fences-view\">\n<div class=\"placements\" role=\"group\" aria-label=\"Minimal placements\">{buttons}</div>\n{source}</div>\n"
        )
    }

    /// The blanks before the text of a line.
    fn indent(&self, line: usize) -> &str {
        let text = self.source.text().lines().nth(line - 1).unwrap_or_default();
        &text[..text.len() - text.trim_start().len()]
    }

    /// The places of the placements: marks on lines with an optional fence, lines for fences that are put in.
    fn sites_html(&self, sets: &[&FenceSet]) -> (BTreeMap<usize, String>, Vec<Inserted>) {
        let places = sets.iter().flat_map(|set| set.places()).sorted().dedup();
        let (mut marks, mut inserted) = (BTreeMap::<usize, String>::new(), Vec::new());
        for place in places {
            let holding = (1..)
                .zip(sets)
                .filter(|(_, set)| set.places().contains(&place));
            let numbers = holding.map(|(number, _)| number.to_string()).join(" ");
            let name = escape(self.candidates.name(place));
            for site in &self.candidates.places[place.index()] {
                let line = self.source.line(site.span.start);
                if site.span.start < site.span.end {
                    let mark = format!(
                        "<span class=\"chip fence\" data-sets=\"{numbers}\">fence in placement {numbers}</span>"
                    );
                    marks.entry(line).or_default().push_str(&mark);
                } else {
                    inserted.push(Inserted {
                        line,
                        behind: is_behind_text(self.source.text(), site.span.start),
                        html: put_in(self.indent(line), &name, &numbers),
                    });
                }
            }
        }
        (marks, inserted)
    }
}

/// Whether something stands on the line of an offset before it.
fn is_behind_text(text: &str, offset: u32) -> bool {
    let before = text.get(..offset as usize).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    !line.trim().is_empty()
}

fn put_in(indent: &str, name: &str, numbers: &str) -> String {
    format!(
        "<div class=\"line put-in\" data-sets=\"{numbers}\"><span class=\"no fence\">+</span><code class=\"fence\">{indent}fence; <i>// {name}</i></code>\
         <span class=\"chip fence\">in {numbers}</span></div>\n"
    )
}

impl litmus::Decided<'_> {
    /// The test, what is known of it, and the witness.
    pub fn section(&self, model: Model, page: &Page) -> Section {
        let mut body = preformatted(&self.block(page));
        match self.execution() {
            Some(execution) => body += &lanes::lanes(&execution),
            None => body += &listing::source(self.source, &BTreeMap::new(), &[]),
        }
        Section {
            heading: format!("{} under {model}", self.test.name),
            body,
        }
    }
}

fn class(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Verified => "good",
        VerdictKind::Violated => "bad",
        VerdictKind::Unknown => "open",
    }
}

fn verdict_line(kind: VerdictKind, text: &str) -> String {
    format!("<p class=\"{}\">{}</p>\n", class(kind), escape(text.trim()))
}

fn fences_line<'a>(fences: impl Iterator<Item = &'a String>) -> String {
    let mut html = String::new();
    let names: Vec<&str> = fences.map(String::as_str).collect();
    if !names.is_empty() {
        let _ = writeln!(
            html,
            "<p>Optional fences in force: {}</p>",
            escape(&names.join(", "))
        );
    }
    html
}
