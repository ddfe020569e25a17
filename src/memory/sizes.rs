//! How many entries store buffers have, as a user writes it.
//!
//! `2` is a size for all buffers. Where each variable has a buffer of its own, `1,Tail=3` is one entry for
//! all variables but `Tail`; `A=2` is meant for all elements of an array, `A[1]=2` or `A_1=2` for one, and the
//! size of an element goes before that of its array. What this means for a program is up to `reduce`.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The most entries of a buffer.
pub const MAX_ENTRIES: usize = 64;

/// The numbers of entries of buffers, each from 1 to [`MAX_ENTRIES`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "Written", try_from = "Written")]
pub struct BufferSizes {
    default: usize,
    own: BTreeMap<String, usize>,
}

/// Why a text is no size of buffers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MalformedSizes {
    /// A part of it is something else.
    #[error(
        "`{0}` is neither a number of entries nor the size of a variable's buffer, as in `1,Tail=3`"
    )]
    Part(String),
    /// A number is out of range.
    #[error("a buffer has from 1 to {MAX_ENTRIES} entries, not {0}")]
    Range(usize),
    /// There is no size for buffers that have none of their own.
    #[error("the size of the other buffers comes first, as in `1,Tail=3`")]
    NoDefault,
    /// A variable has two sizes.
    #[error("the size of `{0}` is given twice")]
    Twice(String),
}

impl BufferSizes {
    /// One entry for all buffers.
    pub const ONE: BufferSizes = BufferSizes {
        default: 1,
        own: BTreeMap::new(),
    };

    /// The same number of entries for all buffers.
    pub fn uniform(entries: usize) -> Result<Self, MalformedSizes> {
        Ok(BufferSizes {
            default: in_range(entries)?,
            own: BTreeMap::new(),
        })
    }

    /// The number of entries, if all buffers have the same.
    pub fn as_uniform(&self) -> Option<usize> {
        self.own.is_empty().then_some(self.default)
    }

    /// The entries of buffers that have no size of their own.
    pub fn default_entries(&self) -> usize {
        self.default
    }

    /// The entries of the buffers of variables, by the variable as written.
    pub fn own(&self) -> &BTreeMap<String, usize> {
        &self.own
    }

    /// The most entries of a buffer.
    pub fn largest(&self) -> usize {
        let own = self.own.values().copied();
        own.fold(self.default, usize::max)
    }

    fn add(&mut self, name: &str, entries: usize) -> Result<(), MalformedSizes> {
        if !is_variable(name) {
            return Err(malformed(name));
        }
        match self.own.insert(name.to_owned(), in_range(entries)?) {
            None => Ok(()),
            Some(_) => Err(MalformedSizes::Twice(name.to_owned())),
        }
    }
}

impl TryFrom<usize> for BufferSizes {
    type Error = MalformedSizes;

    fn try_from(entries: usize) -> Result<Self, MalformedSizes> {
        BufferSizes::uniform(entries)
    }
}

/// `1` or `1,Tail=3`.
impl Display for BufferSizes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.default)?;
        let mut own = self.own.iter();
        own.try_for_each(|(name, entries)| write!(f, ",{name}={entries}"))
    }
}

impl FromStr for BufferSizes {
    type Err = MalformedSizes;

    fn from_str(text: &str) -> Result<Self, MalformedSizes> {
        let mut parts = text.split(',').map(str::trim);
        let first = parts.next().unwrap_or_default();
        if first.contains('=') {
            return Err(MalformedSizes::NoDefault);
        }
        let mut sizes = BufferSizes::uniform(number(first, first)?)?;
        for part in parts {
            let (name, entries) = part.split_once('=').ok_or_else(|| malformed(part))?;
            sizes.add(name.trim(), number(part, entries.trim())?)?;
        }
        Ok(sizes)
    }
}

/// A part of a text as a number.
fn number(part: &str, digits: &str) -> Result<usize, MalformedSizes> {
    let number = digits.parse();
    number.map_err(|_| malformed(part))
}

/// Whether a text has the form of a variable or of an element.
fn is_variable(text: &str) -> bool {
    let indexed = text.strip_suffix(']').and_then(|text| text.split_once('['));
    let (name, index) = indexed.unwrap_or((text, "0"));
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let rest = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    name.bytes().next().is_some_and(is_letter)
        && rest.is_empty()
        && !index.is_empty()
        && is_digits(index)
}

fn malformed(text: &str) -> MalformedSizes {
    MalformedSizes::Part(text.replace(char::is_control, "?"))
}

fn in_range(entries: usize) -> Result<usize, MalformedSizes> {
    match (1..=MAX_ENTRIES).contains(&entries) {
        true => Ok(entries),
        false => Err(MalformedSizes::Range(entries)),
    }
}

/// The form in JSON: a number, or a text where sizes differ.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Uniform(usize),
    Different(String),
}

impl From<BufferSizes> for Written {
    fn from(sizes: BufferSizes) -> Self {
        match sizes.as_uniform() {
            Some(entries) => Written::Uniform(entries),
            None => Written::Different(sizes.to_string()),
        }
    }
}

impl TryFrom<Written> for BufferSizes {
    type Error = MalformedSizes;

    fn try_from(written: Written) -> Result<Self, MalformedSizes> {
        match written {
            Written::Uniform(entries) => BufferSizes::uniform(entries),
            Written::Different(text) => text.parse(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_and_the_json_come_back() {
        for (text, json) in [("2", "2"), ("1,A[1]=2,Tail=3", r#""1,A[1]=2,Tail=3""#)] {
            let sizes: BufferSizes = text.parse().expect("sizes");
            assert_eq!(sizes.to_string(), text);
            assert_eq!(serde_json::to_string(&sizes).expect("JSON"), json);
            let again: BufferSizes = serde_json::from_str(json).expect("JSON");
            assert_eq!(again, sizes);
        }
        for json in ["0", "65", r#""1,x=0""#, "1.5", "null"] {
            assert!(serde_json::from_str::<BufferSizes>(json).is_err(), "{json}");
        }
    }

    #[test]
    fn what_means_nothing_is_refused() {
        let refused = |text: &str, part: &str| {
            let error = text.parse::<BufferSizes>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        };
        refused("1,x=0", "from 1 to 64 entries, not 0");
        refused("65", "from 1 to 64 entries, not 65");
        refused("x=2", "comes first");
        refused("1,2", "`2` is neither");
        refused("1,x=", "`x=` is neither");
        refused("", "`` is neither");
        refused("auto", "`auto` is neither");
        refused("1,a b=2", "`a b` is neither");
        refused("1,A[=2", "`A[` is neither");
        refused("1,x\n=2,y\u{7}z=1", "`y?z` is neither");
        refused("1,x=2,x=3", "`x` is given twice");
    }
}
