//! Identifiers of an exported program: one for each variable and thread, none of them reserved by the target.

use std::collections::BTreeSet;

use crate::program::{Program, ThreadId, VarId};

/// The identifiers of a program.
pub(super) struct Names {
    vars: Vec<String>,
    threads: Vec<String>,
}

impl Names {
    /// Names for a target that has these words itself. No name begins or ends as the words that exporters make:
    /// `at_`, `step_`, `end`, `tmp`, `held`.
    pub(super) fn new(program: &Program, reserved: &[&str]) -> Self {
        let words = reserved.iter().chain(&["held"]);
        let mut taken: BTreeSet<String> = words.map(|word| (*word).to_owned()).collect();
        let mut fresh = |wanted: String| {
            let mut name = wanted;
            let made = |name: &str| {
                let prefixes = ["at_", "step_", "end", "tmp", "__VERIFIER", "chosen_"];
                prefixes.iter().any(|prefix| name.starts_with(prefix))
            };
            if made(&name) {
                name = format!("v_{name}");
            }
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            name
        };
        let threads = program.threads.iter();
        let threads = threads.map(|thread| fresh(thread.name.clone())).collect();
        let vars = program.var_ids();
        let vars = vars
            .map(|var| fresh(program.var_name(var).replace('.', "_")))
            .collect();
        Names { vars, threads }
    }

    pub(super) fn var(&self, var: VarId) -> &str {
        &self.vars[var.index()]
    }

    pub(super) fn thread(&self, thread: ThreadId) -> &str {
        &self.threads[thread.index()]
    }
}
