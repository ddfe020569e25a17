//! SC proofs: the predicates, and perhaps the cubes, that verify a program under SC.
//!
//! Input: the text of a `.proof` file and the checked program that it is about; or the program
//! alone, from which predicates are then harvested. Output: [`Proof`], over the variables of the
//! source program. The text form is that of `docs/language.md`; what is printed can be read back.
//!
//! Invariant: no two predicates have the same normal form, and none is constant.

mod copies;
mod harvest;
mod parse;

#[cfg(test)]
mod tests;

use std::fmt::Write;

pub use harvest::harvest;
pub use parse::parse;

use crate::logic::{Cube, Formula, Predicate};
use crate::program::Program;

/// A proof under SC.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    /// The predicates.
    pub predicates: Vec<Predicate>,
    /// The cubes of two literals or more, if they have been computed.
    pub cubes: Option<Vec<Cube>>,
}

impl Proof {
    /// The proof as text.
    pub fn text(&self, program: &Program) -> String {
        let plain = |line| (line, None);
        let (predicates, cubes) = self.lines(program);
        let mut text = section("predicates", predicates.into_iter().map(plain));
        if let Some(cubes) = cubes {
            text += &section("cubes", cubes.into_iter().map(plain));
        }
        text
    }

    /// The predicates as text, and the cubes if they have been computed.
    pub fn lines(&self, program: &Program) -> (Vec<String>, Option<Vec<String>>) {
        let predicates = self.predicates.iter().map(|p| p.text(program));
        let cube = |cube: &Cube| cube.text(program, &self.predicates);
        let cubes = self.cubes.as_ref();
        let cubes = cubes.map(|cubes| cubes.iter().map(cube).collect());
        (predicates.collect(), cubes)
    }

    /// Adds a predicate unless it is constant or there already.
    fn add(&mut self, predicate: Predicate) -> bool {
        let constant = matches!(predicate.formula, Formula::True | Formula::False);
        let known = self
            .predicates
            .iter()
            .any(|p| p.formula == predicate.formula);
        if !constant && !known {
            self.predicates.push(predicate);
        }
        !constant && !known
    }
}

/// A section of a proof: its entries, each with a remark perhaps.
pub fn section(heading: &str, entries: impl Iterator<Item = (String, Option<String>)>) -> String {
    let mut text = format!("{heading} {{\n");
    for (entry, remark) in entries {
        let remark = remark.map_or(String::new(), |remark| format!("  // {remark}"));
        writeln!(text, "  {entry};{remark}").expect("writing to a string succeeds");
    }
    text + "}\n"
}
