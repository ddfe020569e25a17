//! What an author expects of a program: the lines `expect:` in its comments.
//!
//! `// expect: sc=safe tso=violated tso{a,b}=safe` has an answer for each configuration, which is a model and the
//! optional fences in force. The answers are `safe`, `violated` and `unknown`; those of a litmus test are `Never`,
//! `Sometimes` and `Always`. `safe?` says that the program is safe, but that no proof is demanded: the program is
//! explored for a while, and must not be found violated.

use std::fmt;
use std::str::FromStr;

use crate::front::Format;
use crate::litmus::Observation;
use crate::memory::Model;

/// Under what a program is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The model.
    pub model: Model,
    /// The optional fences in force, in source order.
    pub fences: Vec<String>,
}

/// An answer in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// No execution breaks a property.
    Safe,
    /// An execution breaks a property.
    Violated,
    /// Neither is known.
    Unknown,
    /// The proposition of a litmus test holds in none, some or all final states.
    Observed(Observation),
}

/// What is expected under a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The configuration.
    pub configuration: Configuration,
    /// The answer.
    pub word: Word,
    /// Whether a proof is demanded.
    pub proved: bool,
}

/// An expectation at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The line, from 1.
    pub line: usize,
    /// What is expected.
    pub expectation: Expectation,
}

/// The beginnings of comments, and of the lines of long ones.
const COMMENTS: [&str; 4] = ["//", "/*", "(*", "*"];

/// All expectations in the comments of a program; else the line that is malformed, and why.
pub fn expectations(text: &str) -> Result<Vec<Expected>, (String, usize)> {
    let mut all = Vec::new();
    for (line, listed) in (1..).zip(text.lines()) {
        let Some(listed) = list(listed) else {
            continue;
        };
        for word in listed.split_whitespace() {
            let expectation = word.parse().map_err(|reason| (reason, line))?;
            all.push(Expected { line, expectation });
        }
    }
    let mut seen: Vec<&Configuration> = Vec::new();
    for Expected { line, expectation } in &all {
        let configuration = &expectation.configuration;
        if seen.contains(&configuration) {
            return Err((format!("`{configuration}` is expected twice"), *line));
        }
        seen.push(configuration);
    }
    Ok(all)
}

/// What a line expects, if it is such a line.
fn list(line: &str) -> Option<&str> {
    let line = line.trim();
    let mut comments = COMMENTS.iter();
    let inside = comments.find_map(|comment| line.strip_prefix(comment))?;
    let list = inside.trim_start().strip_prefix("expect:")?;
    let ended = list.strip_suffix("*/").or_else(|| list.strip_suffix("*)"));
    Some(ended.unwrap_or(list).trim())
}

/// A program's text with a line of expectations: at the end of the comment at its beginning, in a litmus test behind the
/// first line. Lines that it has make room, and the new one stands where the first of them was.
pub fn with_line(text: &str, format: Format, expectations: &[Expectation]) -> String {
    let listed: Vec<String> = expectations.iter().map(ToString::to_string).collect();
    let listed = listed.join(" ");
    let line = match format {
        Format::Cup => format!("// expect: {listed}\n"),
        Format::Litmus => format!("(* expect: {listed} *)\n"),
        Format::Rmm => format!("/* expect: {listed} */\n"),
    };
    let lines = text.split_inclusive('\n');
    let kept: Vec<&str> = lines.filter(|line| list(line).is_none()).collect();
    let first = text.lines().position(|line| list(line).is_some());
    let header = match format {
        Format::Cup => kept
            .iter()
            .take_while(|line| line.starts_with("//"))
            .count(),
        // The first line has the name of the test.
        Format::Litmus => kept.len().min(1),
        Format::Rmm => 0,
    };
    let (before, after) = kept.split_at(first.unwrap_or(header));
    [before.concat(), line, after.concat()].concat()
}

impl FromStr for Expectation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let malformed =
            || format!("`{text}` is not of the form `model=answer` or `model{{a,b}}=answer`");
        let (configuration, word) = text.split_once('=').ok_or_else(malformed)?;
        let (model, fences) = match configuration.strip_suffix('}') {
            Some(open) => {
                let (model, places) = open.split_once('{').ok_or_else(malformed)?;
                (model, places.split(',').map(str::to_owned).collect())
            }
            None => (configuration, Vec::new()),
        };
        let mut models = Model::ALL.into_iter();
        let (word, proved) = match word.strip_suffix('?') {
            Some(word) => (word, false),
            None => (word, true),
        };
        Ok(Expectation {
            configuration: Configuration {
                model: models
                    .find(|known| known.name() == model)
                    .ok_or_else(|| format!("`{model}` is none of sc, tso and pso"))?,
                fences,
            },
            word: Word::named(word).ok_or_else(|| {
                format!("`{word}` is none of safe, violated, unknown, Never, Sometimes and Always")
            })?,
            proved,
        })
    }
}

impl Word {
    const ALL: [Word; 6] = [
        Word::Safe,
        Word::Violated,
        Word::Unknown,
        Word::Observed(Observation::Never),
        Word::Observed(Observation::Sometimes),
        Word::Observed(Observation::Always),
    ];

    fn named(name: &str) -> Option<Self> {
        let mut words = Word::ALL.into_iter();
        words.find(|word| word.to_string() == name)
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Word::Safe => f.write_str("safe"),
            Word::Violated => f.write_str("violated"),
            Word::Unknown => f.write_str("unknown"),
            Word::Observed(observation) => observation.fmt(f),
        }
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fences.as_slice() {
            [] => write!(f, "{}", self.model),
            fences => write!(f, "{}{{{}}}", self.model, fences.join(",")),
        }
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.proved { "" } else { "?" };
        write!(f, "{}={}{mark}", self.configuration, self.word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let expected = expectations(text).unwrap_or_else(|error| panic!("{error:?}"));
        let shown = expected
            .iter()
            .map(|one| format!("{}: {}", one.line, one.expectation));
        shown.collect()
    }

    #[test]
    fn comments_of_all_formats_are_read_and_code_is_not() {
        let text = "// It is.\n// expect: sc=safe tso{a,b}=violated\n(* expect: pso=Sometimes *)\n\
                    /* expect: pso{a}=safe? */\nexpect: skip;\nx = 1; // expect: sc=unknown\n";
        let found = [
            "2: sc=safe",
            "2: tso{a,b}=violated",
            "3: pso=Sometimes",
            "4: pso{a}=safe?",
        ];
        assert_eq!(all(text), found);
    }

    #[test]
    fn malformed_lines_are_told() {
        for (text, why) in [
            ("\n// expect: sc", "is not of the form"),
            ("\n// expect: tso{a=safe", "is none of sc, tso and pso"),
            ("\n// expect: rmo=safe", "`rmo` is none of"),
            ("\n// expect: sc=good", "`good` is none of"),
            ("\n// expect: sc=safe sc=violated", "is expected twice"),
        ] {
            let (reason, line) = expectations(text).unwrap_err();
            assert!(reason.contains(why), "{text}: {reason}");
            assert_eq!(line, 2);
        }
    }

    #[test]
    fn a_line_goes_to_the_end_of_the_header_and_takes_the_place_of_others() {
        let expected: Vec<Expectation> = vec!["sc=safe".parse().unwrap()];
        let with = |text: &str, format| with_line(text, format, &expected);
        for (text, new) in [
            ("shared x;\n", "// expect: sc=safe\nshared x;\n"),
            ("// A.\n\n// B\n", "// A.\n// expect: sc=safe\n\n// B\n"),
            (
                "// A.\n// expect: sc=violated\nx",
                "// A.\n// expect: sc=safe\nx",
            ),
        ] {
            assert_eq!(with(text, Format::Cup), new);
        }
        let litmus = with("X86 T\n", Format::Litmus);
        assert_eq!(litmus, "X86 T\n(* expect: sc=safe *)\n");
        let rmm = with("forbidden\n", Format::Rmm);
        assert_eq!(rmm, "/* expect: sc=safe */\nforbidden\n");
        assert_eq!(all(&rmm), ["1: sc=safe"]);
        assert_eq!(all(&litmus), ["2: sc=safe"]);
    }
}
