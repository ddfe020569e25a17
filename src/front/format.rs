//! The formats of programs.

use std::path::Path;

/// How a program is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// The input language.
    Cup,
    /// A litmus test of herd.
    Litmus,
    /// A program of Memorax.
    Rmm,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 3] = [Format::Cup, Format::Litmus, Format::Rmm];

    /// Its name, which is also the extension of its files.
    pub fn name(self) -> &'static str {
        match self {
            Format::Cup => "cup",
            Format::Litmus => "litmus",
            Format::Rmm => "rmm",
        }
    }

    /// The format with this name.
    pub fn named(name: &str) -> Option<Self> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The format of a file, by its extension.
    pub fn of(path: &Path) -> Option<Self> {
        Format::named(path.extension()?.to_str()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_name_formats() {
        let of = |path: &str| Format::of(Path::new(path));
        assert_eq!(of("examples/peterson.cup"), Some(Format::Cup));
        assert_eq!(of("tests/sb.litmus"), Some(Format::Litmus));
        assert_eq!(of("clh.rmm"), Some(Format::Rmm));
        assert_eq!(of("cup"), None);
        assert_eq!(of("-"), None);
        assert_eq!(of("program.bp"), None);
    }
}
