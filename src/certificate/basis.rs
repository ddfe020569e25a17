//! Bases, as values and as text: the file `basis.json`.
//!
//! A basis is a list of sets of states, from which, taken together, every state that reaches a bad one is drawn, with a
//! forward invariant. Values of shared variables are numbered as `variables` lists them, and a set of values is the
//! number whose bits they are. What the sets mean, and what is checked of them, is in `certify::basis`.

use serde::{Deserialize, Serialize};

/// A basis with what its numbers mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BasisTable {
    /// The shared variables with the values that they may have.
    pub variables: Vec<VariableValues>,
    /// The threads with their nodes.
    pub threads: Vec<ThreadNodes>,
    /// The forward invariant; nothing is left out if it is empty.
    pub invariant: Vec<Reached>,
    /// The sets of states.
    pub sets: Vec<StateSet>,
}

/// A shared variable and its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariableValues {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Vec<i64>,
}

/// A thread and its nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThreadNodes {
    /// Its name.
    pub name: String,
    /// Locations with the values of the thread's locals; `None` where a local may have any.
    pub nodes: Vec<(u32, Vec<Option<i64>>)>,
}

/// States that may be reached: nodes, memory, and what buffers may hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reached {
    /// The node of each thread.
    pub at: Vec<usize>,
    /// The value of each shared variable.
    pub memory: Vec<usize>,
    /// For each thread, by variable: under TSO the values that memory may have sent; else nothing.
    pub sent: Vec<Vec<u64>>,
    /// For each thread, by variable: the values that may be among its stores, under TSO its newest one.
    pub own: Vec<Vec<u64>>,
}

/// A set of states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateSet {
    /// Whether it is after the moment at which a property saw memory.
    pub after: bool,
    /// The node of each thread; `None` if it may be any at which the thread does not hold the atomic section.
    pub at: Vec<Option<usize>>,
    /// What memory may hold, by variable.
    pub memory: Vec<u64>,
    /// What the buffers of each thread may hold.
    pub buffers: Vec<BufferSet>,
}

/// A set of buffers of one thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BufferSet {
    /// Under TSO.
    Load {
        /// Messages, the oldest first: variables and values.
        word: Vec<(usize, u64)>,
        /// The thread's own stores, by variable.
        own: Vec<MarkSet>,
    },
    /// Under SC and PSO: by variable the values of stores, the oldest first, and whether the last one is the newest
    /// store (or, without any, the buffer is empty).
    Store(Vec<(Vec<u64>, bool)>),
}

/// Which own store a thread has for a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkSet {
    /// None, or one older than each of so many newest messages.
    Past(usize),
    /// One with such values, newer than so many oldest messages, older than so many newest ones.
    Kept(u64, usize, usize),
}

impl BasisTable {
    /// The text of `basis.json`: one item of a list on a line.
    pub fn print(&self) -> String {
        fn lines<T: Serialize>(items: &[T]) -> String {
            let items = items.iter().map(|item| {
                let text = serde_json::to_string(item);
                text.expect("numbers, strings and lists of them are JSON")
            });
            items.collect::<Vec<_>>().join(",\n")
        }
        format!(
            "{{\"variables\": [\n{}\n],\n\"threads\": [\n{}\n],\n\"invariant\": [\n{}\n],\n\"sets\": [\n{}\n]}}\n",
            lines(&self.variables),
            lines(&self.threads),
            lines(&self.invariant),
            lines(&self.sets),
        )
    }

    /// Reads `basis.json`.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}
