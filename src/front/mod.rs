//! Reading: from a file to a checked program, whatever the format.
//!
//! Input: a [`SourceFile`] and its [`Format`]. Output: [`Loaded`], or the diagnostics of [`Rejected`]. Each
//! format has a module of its own; [`load`] is the way in for every command. Not here: reading files, which
//! is the command line's.
//!
//! Invariant: the source of a [`Loaded`] program is a program of the input language, and its tree has the
//! spans of that text.

mod build;
pub mod cup;
mod format;
pub mod litmus;
pub mod rmm;

pub use format::Format;

use crate::source::{Diagnostic, SourceFile};
use cup::Checked;

/// A program that was read and obeys all rules.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The text that its lines and spans are of: that of the file, or, for a litmus test or a program of
    /// Memorax, the program that stands for it.
    pub source: SourceFile,
    /// The program, with warnings.
    pub checked: Checked,
}

/// A file that is no correct program.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The file.
    pub file: SourceFile,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads and checks a program.
///
/// A litmus test becomes the program that stands for it, under the name of the test's file. Its condition is a
/// property: a test that asks whether a final state exists is violated if one does, and a test that asks
/// whether all final states are of a kind is violated if one is not. A program of Memorax becomes one that
/// does the same, whose properties are the forbidden states.
pub fn load(file: SourceFile, format: Format) -> Result<Loaded, Rejected> {
    let source = match format {
        Format::Cup => file,
        Format::Litmus => match litmus::parse(&file) {
            Ok(test) => SourceFile::new(file.name(), cup::print(&litmus::translate(&test))),
            Err(rejection) => {
                let diagnostics = rejection.diagnostics;
                return Err(Rejected { file, diagnostics });
            }
        },
        Format::Rmm => match rmm::parse(&file).and_then(|model| rmm::translate(&model)) {
            Ok(tree) => SourceFile::new(file.name(), cup::print(&tree)),
            Err(diagnostics) => return Err(Rejected { file, diagnostics }),
        },
    };
    match cup::load(&source) {
        Ok(checked) => Ok(Loaded { source, checked }),
        Err(diagnostics) => Err(Rejected {
            file: source,
            diagnostics,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SB: &str = "X86 SB\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
                      exists (0:EAX=0 /\\ 1:EAX=0)\n";

    fn message(text: &str, format: Format) -> String {
        let rejected = load(SourceFile::new("test", text), format).unwrap_err();
        format!(
            "{} {}",
            rejected.file.name(),
            rejected.diagnostics[0].message
        )
    }

    #[test]
    fn the_source_of_a_litmus_test_is_its_program() {
        let loaded = load(SourceFile::new("sb.litmus", SB), Format::Litmus).unwrap();
        assert_eq!(loaded.source.name(), "sb.litmus");
        assert_eq!(loaded.source.text(), cup::print(&loaded.checked.tree));
        let property = "finally !(P0.EAX == 0 && P1.EAX == 0);";
        assert!(loaded.source.text().contains(property));
    }

    #[test]
    fn a_file_is_read_by_its_format_alone() {
        let program = "shared x; thread P { x = 1; }";
        assert!(load(SourceFile::new("test", program), Format::Cup).is_ok());
        assert!(message(program, Format::Litmus).starts_with("test "));
        assert!(message(SB, Format::Cup).starts_with("test "));
    }
}
