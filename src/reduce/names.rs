//! Names for what a reduction adds.
//!
//! A name that is taken gets `_` appended until it is free. Taken is every name of the program in
//! whatever scope, so that a plain `r` in a spec keeps its meaning, and every name made before.

use indexmap::IndexMap;
use rustc_hash::FxHashSet;

use crate::front::cup::symbols::{Fifo, Symbols, Variable, element_name};

/// The names that are taken.
pub(super) struct Names {
    taken: FxHashSet<String>,
}

impl Names {
    /// The names of constants, variables and threads, the reserved ones (`A_i`, `P_i`) included.
    pub(super) fn of_program(symbols: &Symbols) -> Self {
        let mut names = Names {
            taken: FxHashSet::default(),
        };
        names.taken.extend(symbols.constants.keys().cloned());
        names.take_variables(&symbols.shared);
        for (name, thread) in &symbols.threads {
            names.take_family(name, thread.copies);
            names.take_variables(&thread.locals);
            names.taken.extend(thread.fifos.keys().cloned());
        }
        names
    }

    /// The labels of a thread, which have a scope of their own.
    pub(super) fn of_labels<'a>(labels: impl Iterator<Item = &'a String>) -> Self {
        Names {
            taken: labels.cloned().collect(),
        }
    }

    /// A free name, `wanted` if possible, which is taken from now on.
    pub(super) fn fresh(&mut self, wanted: String) -> String {
        let mut name = wanted;
        while self.taken.contains(&name) {
            name.push('_');
        }
        self.taken.insert(name.clone());
        name
    }

    /// A free name for a FIFO, the names of whose parts are free too.
    pub(super) fn fresh_fifo(&mut self, wanted: String, fifo: &Fifo) -> String {
        let mut name = wanted;
        let is_free = |name: &String| !self.taken.contains(name);
        while !is_free(&name) || !fifo.views(&name).iter().all(is_free) {
            name.push('_');
        }
        self.taken.extend(fifo.views(&name));
        self.taken.insert(name.clone());
        name
    }

    fn take_variables(&mut self, variables: &IndexMap<String, Variable>) {
        for (name, variable) in variables {
            self.take_family(name, variable.size);
        }
    }

    fn take_family(&mut self, name: &str, size: Option<usize>) {
        self.taken.insert(name.to_owned());
        let members = (0..size.unwrap_or(0)).map(|index| element_name(name, index));
        self.taken.extend(members);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_name_gets_underscores_until_it_is_free() {
        let taken = ["X_1_t0".to_owned(), "X_1_t0_".to_owned()];
        let mut names = Names::of_labels(taken.iter());
        assert_eq!(names.fresh("X_1_t0".to_owned()), "X_1_t0__");
        assert_eq!(names.fresh("X_1_t0".to_owned()), "X_1_t0___");
        assert_eq!(names.fresh("X_2_t0".to_owned()), "X_2_t0");
    }

    #[test]
    fn elements_and_copies_are_taken() {
        let variable = |size| Variable {
            size,
            init: Vec::new(),
            span: crate::front::cup::ast::Span::default(),
        };
        let mut symbols = Symbols::default();
        symbols.shared.insert("A".to_owned(), variable(Some(2)));
        let mut thread = crate::front::cup::symbols::ThreadSymbols {
            copies: Some(2),
            ..Default::default()
        };
        thread.locals.insert("r".to_owned(), variable(None));
        symbols.threads.insert("P".to_owned(), thread);
        let mut names = Names::of_program(&symbols);
        for name in ["A", "A_1", "P", "P_1", "r"] {
            assert_eq!(names.fresh(name.to_owned()), format!("{name}_"));
        }
        for name in ["A_2", "P_2", "r_0"] {
            assert_eq!(names.fresh(name.to_owned()), name);
        }
    }
}
