//! Lists of states, as values and as text: the file `states.txt`.
//!
//! ```text
//! // P0: 0 at line 9, 1 at line 10, 4 at the end
//! states 2
//! P0 P1 | x P0.r P0.lhs_1_t0 P0.rhs_1_t0 P0.cnt_t0
//! 0 0 | 0 0 - - 0
//! 1 0 | 0 0 0 1 1
//! ```
//!
//! Lines that begin with `//` are for readers. Then come the number of states, the names of the threads
//! and of the variables, and a line for each state: the location of each thread, and the value of each
//! variable, or `-` where the state says nothing about it. The text of a table is always the same; the
//! reader refuses what the format does not have. Whether threads, variables and locations exist is not
//! known here.

use std::fmt::{Display, Write};

use crate::program::LocId;

/// What stands in place of a value that is left out.
const NONE: &str = "-";

/// What stands between locations and values.
const BAR: &str = "|";

/// What a line for readers begins with.
const COMMENT: &str = "//";

/// A set of states of a program: those with these locations and these values.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// The location of each thread.
    pub at: Vec<LocId>,
    /// The values of variables; `None` if it may be any.
    pub values: Vec<Option<i64>>,
}

/// A list of states with the names of what they are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateTable {
    /// Lines for readers, without the mark of a comment.
    pub comments: Vec<String>,
    /// The names of the threads.
    pub threads: Vec<String>,
    /// The names of the variables.
    pub variables: Vec<String>,
    /// The states, each with as many locations and values as there are threads and variables.
    pub states: Vec<State>,
}

/// Why `states.txt` cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`states.txt`, line {line}: {reason}")]
pub struct TableError {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

impl StateTable {
    /// The text of `states.txt`.
    pub fn print(&self) -> String {
        let mut text = String::new();
        for comment in &self.comments {
            let comment = comment.replace(char::is_control, "?");
            line(&mut text, [COMMENT, comment.as_str()]);
        }
        let count = self.states.len().to_string();
        line(&mut text, ["states", count.as_str()]);
        row(&mut text, &self.threads, &self.variables);
        for State { at, values } in &self.states {
            let at = at.iter().map(|at| at.index());
            row(&mut text, at, values.iter().map(|value| Shown(*value)));
        }
        text
    }

    /// Reads `states.txt`.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        let lines = || text.lines().enumerate();
        let comments = lines().map_while(|(_, line)| line.strip_prefix(COMMENT));
        let comments = comments.map(|comment| comment.trim_start().to_owned());
        let comments: Vec<String> = comments.collect();
        let meant = |(_, line): &(usize, &str)| !line.starts_with(COMMENT);
        let mut lines = lines().filter(meant);
        let end = text.lines().count();
        let count = parse_count(lines.next(), end)?;
        let (threads, variables) = parse_names(lines.next(), end)?;
        let shape = (threads.len(), variables.len());
        let states = lines
            .map(|(index, line)| parse_state(line, shape).map_err(|reason| error(index, reason)));
        let states = states.collect::<Result<Vec<State>, _>>()?;
        match states.len() == count {
            true => Ok(StateTable {
                comments,
                threads,
                variables,
                states,
            }),
            false => {
                let found = states.len();
                Err(error(end, format!("it lists {found} states, not {count}")))
            }
        }
    }
}

/// A value of a table.
struct Shown(Option<i64>);

impl Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str(NONE),
        }
    }
}

/// Locations, a bar and values, or their headings.
fn row(
    text: &mut String,
    at: impl IntoIterator<Item = impl Display>,
    values: impl IntoIterator<Item = impl Display>,
) {
    for at in at {
        let _ = write!(text, "{at} ");
    }
    text.push_str(BAR);
    for value in values {
        let _ = write!(text, " {value}");
    }
    text.push('\n');
}

fn line(text: &mut String, words: [&str; 2]) {
    text.push_str(&words.join(" "));
    text.push('\n');
}

/// An error at the line with this index.
fn error(index: usize, reason: impl Into<String>) -> TableError {
    TableError {
        line: index + 1,
        reason: reason.into(),
    }
}

type Line<'a> = Option<(usize, &'a str)>;

fn parse_count(line: Line<'_>, end: usize) -> Result<usize, TableError> {
    let (index, text) = line.ok_or_else(|| error(end, "the number of states is missing"))?;
    let count = text.strip_prefix("states ").map(str::parse);
    match count {
        Some(Ok(count)) => Ok(count),
        Some(Err(_)) | None => Err(error(index, "expected `states` and their number")),
    }
}

fn parse_names(line: Line<'_>, end: usize) -> Result<(Vec<String>, Vec<String>), TableError> {
    let (index, text) = line.ok_or_else(|| error(end, "the names are missing"))?;
    let (threads, variables) = halves(text).map_err(|reason| error(index, reason))?;
    let names = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    Ok((names(threads), names(variables)))
}

fn parse_state(text: &str, (threads, variables): (usize, usize)) -> Result<State, String> {
    let (at, values) = halves(text)?;
    let at = at.split_whitespace().map(parse_location);
    let values = values.split_whitespace().map(parse_value);
    let (at, values) = (
        at.collect::<Result<Vec<_>, _>>()?,
        values.collect::<Result<Vec<_>, _>>()?,
    );
    if at.len() != threads {
        let found = at.len();
        return Err(format!("{found} locations for {threads} threads"));
    }
    if values.len() != variables {
        let found = values.len();
        return Err(format!("{found} values for {variables} variables"));
    }
    Ok(State { at, values })
}

/// What stands before and behind the bar.
fn halves(text: &str) -> Result<(&str, &str), String> {
    match text.split(BAR).collect::<Vec<_>>()[..] {
        [before, behind] => Ok((before, behind)),
        _ => Err(format!("expected one `{BAR}`")),
    }
}

fn parse_location(word: &str) -> Result<LocId, String> {
    let number: Result<u32, _> = word.parse();
    let number = number.map_err(|_| format!("`{word}` is no location"))?;
    Ok(LocId::new(number as usize))
}

fn parse_value(word: &str) -> Result<Option<i64>, String> {
    match word {
        NONE => Ok(None),
        _ => match word.parse() {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(format!("`{word}` is no value")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
// what it is
// P: 0 at line 1
states 2
P Q | x P.r
0 12 | -9223372036854775808 -
3 0 | 0 7
";

    #[test]
    fn a_table_survives_its_text() {
        let table = StateTable::parse(TEXT).expect("a table");
        assert_eq!(table.comments, ["what it is", "P: 0 at line 1"]);
        assert_eq!(table.states[0].values, [Some(i64::MIN), None]);
        assert_eq!(table.print(), TEXT);
    }

    #[test]
    fn a_program_may_have_no_variables_and_no_threads() {
        for text in ["states 1\nP |\n0 |\n", "states 1\n|\n|\n"] {
            let table = StateTable::parse(text).expect("a table");
            assert_eq!(table.states.len(), 1);
            assert_eq!(table.print(), text);
        }
    }

    #[test]
    fn what_the_format_does_not_have_is_refused() {
        for (old, new, reason) in [
            ("states 2", "states 3", "line 7: it lists 2 states, not 3"),
            ("states 2", "states two", "line 3: expected `states`"),
            ("states 2\n", "", "line 3: expected `states`"),
            ("P Q |", "P Q", "line 4: expected one `|`"),
            ("3 0 | 0 7", "3 0 | 0 7 | 1", "line 6: expected one `|`"),
            ("3 0 | 0 7", "3 0 | 0", "line 6: 1 values for 2 variables"),
            ("3 0 | 0 7", "3 | 0 7", "line 6: 1 locations for 2 threads"),
            ("3 0 | 0 7", "-1 0 | 0 7", "line 6: `-1` is no location"),
            ("3 0 | 0 7", "5000000000 0 | 0 7", "is no location"),
            ("3 0 | 0 7", "3 0 | 0 7.5", "line 6: `7.5` is no value"),
            (
                "3 0 | 0 7",
                "3 0 | 0 9223372036854775808",
                "`9223372036854775808` is no value",
            ),
            ("3 0 | 0 7", "", "line 6: expected one `|`"),
        ] {
            assert!(TEXT.contains(old), "{old}");
            let error = StateTable::parse(&TEXT.replacen(old, new, 1)).expect_err(new);
            assert!(error.to_string().contains(reason), "{error}");
        }
        for text in ["", "// nothing\n", "states 0\n"] {
            assert!(StateTable::parse(text).is_err(), "{text}");
        }
    }
}
