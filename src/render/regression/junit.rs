//! The XML of JUnit, as CI systems read it: a `testsuite` for each file, a `testcase` for each comparison.
//!
//! Elements and attributes are those of the schema `junit-10.xsd` of Jenkins' xUnit plugin. There are no times, so that
//! the same files give the same bytes.

use std::fmt::Write;

use super::{Done, Ended, Tested};

/// The report as XML.
pub fn junit(tested: &[Tested]) -> String {
    let all = tested.iter().flat_map(|tested| &tested.checks);
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let (tests, failures) = counts(all);
    let _ = writeln!(
        xml,
        "<testsuites name=\"cupola test\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">"
    );
    for suite in tested {
        let (name, (tests, failures)) = (escaped(&suite.file), counts(suite.checks.iter()));
        let _ = writeln!(
            xml,
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">"
        );
        for done in &suite.checks {
            case(&mut xml, &name, done);
        }
        xml.push_str("  </testsuite>\n");
    }
    xml + "</testsuites>\n"
}

fn case(xml: &mut String, suite: &str, done: &Done) {
    let name = escaped(&done.check.name);
    let _ = write!(xml, "    <testcase classname=\"{suite}\" name=\"{name}\"");
    let (message, failed) = (done.message(), done.ended() == Ended::Failed);
    let Some(message) = message.filter(|_| failed) else {
        xml.push_str("/>\n");
        return;
    };
    let text = done.diff().unwrap_or_else(|| message.clone());
    let (message, text) = (escaped(&message), escaped(&text));
    let _ = write!(
        xml,
        ">\n      <failure type=\"difference\" message=\"{message}\">{text}</failure>\n    </testcase>\n"
    );
}

fn counts<'a>(done: impl Iterator<Item = &'a Done>) -> (usize, usize) {
    done.fold((0, 0), |(all, failed), done| {
        (all + 1, failed + usize::from(done.ended() == Ended::Failed))
    })
}

/// A text inside an element or an attribute. What XML has no character for becomes `?`.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(character),
            '\u{fffe}' | '\u{ffff}' => escaped.push('?'),
            other if other.is_control() => escaped.push('?'),
            other => escaped.push(other),
        }
    }
    escaped
}
