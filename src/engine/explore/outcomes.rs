//! The final states of a program: all threads ended, all buffers empty.

use std::collections::{BTreeMap, BTreeSet};

use crate::program::Program;

/// The values of all variables in every reachable final state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcomes {
    names: Vec<String>,
    display_names: Vec<String>,
    rows: BTreeSet<Vec<i64>>,
}

impl Outcomes {
    /// No outcomes yet.
    pub(super) fn new(program: &Program) -> Self {
        let names = program.var_ids().map(|var| program.var_name(var));
        let display_names = program.var_ids().map(|var| program.var_display_name(var));
        Outcomes {
            names: names.collect(),
            display_names: display_names.collect(),
            rows: BTreeSet::new(),
        }
    }

    pub(super) fn insert(&mut self, values: Vec<i64>) {
        self.rows.insert(values);
    }

    /// The names of all variables as they are printed (`A_0`, `P_0.r`), in the order of the rows.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The names of all variables for readers (`A[0]`, `P[0].r`), in the order of the rows.
    pub fn display_names(&self) -> &[String] {
        &self.display_names
    }

    /// The values of all variables in each final state, in order.
    pub fn rows(&self) -> &BTreeSet<Vec<i64>> {
        &self.rows
    }

    /// The outcomes as far as the variables with these printed names go; the others are left out.
    pub fn restricted_to(&self, names: &[&str]) -> BTreeSet<BTreeMap<String, i64>> {
        let kept: Vec<usize> = (0..self.names.len())
            .filter(|&index| names.contains(&self.names[index].as_str()))
            .collect();
        let restrict = |row: &Vec<i64>| {
            let pairs = kept
                .iter()
                .map(|&index| (self.names[index].clone(), row[index]));
            pairs.collect()
        };
        self.rows.iter().map(restrict).collect()
    }
}
