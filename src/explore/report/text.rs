//! The report as text.

use std::fmt::Write;

use crate::explore::{Outcomes, Verdict};

use super::Report;
use super::table::{Align, columns};

impl Report<'_> {
    /// The report as text for readers, with a line's end.
    pub fn text(&self) -> String {
        let mut text = self.headline();
        let matters = self.exploration.verdict == Verdict::Unknown || self.config.outcomes;
        for &limit in self.exploration.limits.iter().filter(|_| matters) {
            let explanation = self.explain(limit);
            line(
                &mut text,
                &format!("  {}: {}", explanation.what, explanation.way_out),
            );
        }
        if let Some(execution) = self.execution() {
            text.push('\n');
            text.push_str(&execution.text());
        }
        if let Some(outcomes) = &self.exploration.outcomes {
            text.push('\n');
            text.push_str(&self.outcomes_text(outcomes));
        }
        text
    }

    fn headline(&self) -> String {
        let exploration = self.exploration;
        let (program, model) = (self.source.name(), self.model);
        let mut text = format!(
            "{program} under {model}: {}",
            exploration.verdict.text_word()
        );
        if let Some(property) = &exploration.property {
            let title = property.title(self.source);
            let _ = write!(text, ", {} `{title}`", property.kind_text());
        }
        if exploration.verdict == Verdict::Unknown {
            text.push_str(", not everything was seen");
        }
        let states = counted(exploration.states, "state");
        let _ = write!(text, " ({states}");
        if exploration.max_buffer > 0 {
            let _ = write!(
                text,
                ", at most {} buffered",
                counted(exploration.max_buffer, "store")
            );
        }
        text.push_str(")\n");
        text
    }

    fn outcomes_text(&self, outcomes: &Outcomes) -> String {
        let count = outcomes.rows().len();
        let more = if self.exploration.saw_everything() {
            ""
        } else {
            ", perhaps more"
        };
        let mut text = format!("{}{more}\n", counted(count, "final state"));
        if count > 0 && !outcomes.display_names().is_empty() {
            let mut rows = vec![outcomes.display_names().to_vec()];
            let values = outcomes.rows().iter();
            rows.extend(values.map(|row| row.iter().map(i64::to_string).collect()));
            text.push_str(&columns(&vec![Align::Right; rows[0].len()], &rows));
        }
        text
    }
}

fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}
