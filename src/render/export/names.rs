//! Identifiers of an exported program: one for each variable and thread, none of them reserved by the target.

use std::collections::BTreeSet;

use crate::program::{Program, ThreadId, VarId};

/// How the words begin that exporters make themselves.
const MADE: [&str; 6] = ["at_", "step_", "end", "tmp", "chosen_", "_"];

/// The identifiers of a program.
pub(super) struct Names {
    vars: Vec<String>,
    threads: Vec<String>,
}

impl Names {
    /// Names for a target that has these words itself. No name begins as the words that exporters make, or with an
    /// underscore.
    pub(super) fn new(program: &Program, reserved: &[&str]) -> Self {
        Names::with_prefixes(program, reserved, ["", ""])
    }

    /// The same where variables and threads have prefixes, for a target that has more words than can be listed.
    pub(super) fn with_prefixes(
        program: &Program,
        reserved: &[&str],
        [of_var, of_thread]: [&str; 2],
    ) -> Self {
        let words = reserved.iter().chain(&["held"]);
        let mut taken: BTreeSet<String> = words.map(|word| (*word).to_owned()).collect();
        let mut fresh = |wanted: String| {
            let mut name = match MADE.iter().any(|prefix| wanted.starts_with(prefix)) {
                true => format!("v_{wanted}"),
                false => wanted,
            };
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            name
        };
        let threads = program.threads.iter();
        let threads = threads.map(|thread| fresh(format!("{of_thread}{}", thread.name)));
        let threads = threads.collect();
        let vars = program.var_ids();
        let vars = vars.map(|var| {
            fresh(format!(
                "{of_var}{}",
                program.var_name(var).replace('.', "_")
            ))
        });
        Names {
            vars: vars.collect(),
            threads,
        }
    }

    pub(super) fn var(&self, var: VarId) -> &str {
        &self.vars[var.index()]
    }

    pub(super) fn thread(&self, thread: ThreadId) -> &str {
        &self.threads[thread.index()]
    }
}
