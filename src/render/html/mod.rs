//! Pages to look at: one file with everything in it, which needs no network.
//!
//! Input: the same reports that have text and JSON. Output: HTML. [`Html`] puts sections together with the style and the
//! script; [`listing`] shows programs line by line, [`lanes`] an execution, [`reports`] has what each report shows.
//!
//! Invariants: whatever comes from the user goes through [`escape`]. The bytes depend on the report alone: no time that
//! something took, and no time of day, is on a page. Without the script everything is there to be read; the script links lines
//! and steps through executions.

mod lanes;
mod listing;
mod reports;

pub use reports::{Abstracted, Detail};

use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A page that is being put together.
#[derive(Clone, Debug)]
pub struct Html {
    title: String,
    sections: Vec<Section>,
}

/// A part of a page with a heading.
#[derive(Clone, Debug)]
pub struct Section {
    /// The heading, as text.
    pub heading: String,
    /// What stands below it, as HTML.
    pub body: String,
}

impl Html {
    /// A page without sections.
    pub fn new(title: impl Into<String>) -> Self {
        Html {
            title: title.into(),
            sections: Vec::new(),
        }
    }

    /// Adds a section.
    pub fn push(&mut self, section: Section) {
        self.sections.push(section);
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    /// The text of the file.
    pub fn finish(&self) -> String {
        let title = escape(&self.title);
        let mut body = String::new();
        for (number, section) in self.sections.iter().enumerate() {
            let heading = escape(&section.heading);
            let _ = write!(
                body,
                "<section class=\"result\" id=\"part-{number}\">\n<h2>{heading}</h2>\n{}</section>\n",
                section.body
            );
        }
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
             script-src 'unsafe-inline'; img-src data:\">\n\
             <link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n{}</header>\n\
             <main>\n{body}</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
            self.contents(),
        )
    }

    /// Links to the sections, where there are several.
    fn contents(&self) -> String {
        if self.sections.len() < 2 {
            return String::new();
        }
        let links = self.sections.iter().enumerate().map(|(number, section)| {
            format!(
                "<a href=\"#part-{number}\">{}</a>",
                escape(&section.heading)
            )
        });
        format!(
            "<nav aria-label=\"Contents\">{}</nav>\n",
            links.collect::<String>()
        )
    }
}

/// A text as HTML.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            '\n' | '\t' => out.push(letter),
            other if other.is_control() => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

/// JSON that can stand in a script element: it cannot end the element.
fn script_json(value: &serde_json::Value) -> String {
    value
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// A table; its cells are HTML, numbers stand to the right.
fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let heads: String = headings
        .iter()
        .map(|heading| format!("<th scope=\"col\">{}</th>", escape(heading)))
        .collect();
    let rows = rows.iter().map(|row| {
        let cells = row.iter().map(|cell| {
            let number = !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit());
            match number {
                true => format!("<td class=\"number\">{cell}</td>"),
                false => format!("<td>{cell}</td>"),
            }
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    });
    let rows: String = rows.collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// Text that keeps its lines.
fn preformatted(text: &str) -> String {
    match text.trim_matches('\n') {
        "" => String::new(),
        text => format!("<pre class=\"prose\">{}</pre>\n", escape(text)),
    }
}

/// A part that can be folded.
fn folded(summary: &str, open: bool, body: &str) -> String {
    let open = if open { " open" } else { "" };
    let summary = escape(summary);
    format!("<details{open}>\n<summary>{summary}</summary>\n{body}</details>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_user_is_markup() {
        let evil = "</script><script>alert(1)</script>\"'&\u{7}";
        let escaped = escape(evil);
        assert!(
            !escaped.contains(['<', '>', '"', '\'', '\u{7}']),
            "{escaped}"
        );
        let json = script_json(&serde_json::json!({ evil: evil }));
        assert!(!json.contains(['<', '>', '&']), "{json}");
        let back: serde_json::Value = serde_json::from_str(&json).expect("it is JSON still");
        assert_eq!(back, serde_json::json!({ evil: evil }));
        let mut page = Html::new(evil);
        page.push(Section {
            heading: evil.to_owned(),
            body: preformatted(evil),
        });
        assert_eq!(page.finish().matches("<script>").count(), 1);
    }
}
