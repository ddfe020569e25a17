//! What the sizes of buffers that a user asks for mean for a program.

use indexmap::IndexMap;

use crate::front::cup::suggest::closest;
use crate::front::cup::symbols::{Meaning, Symbols, element_name};
use crate::memory::{BufferSizes, Model};

/// Why sizes mean nothing for a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SizesError {
    /// There is no such variable.
    #[error("the program has no shared variable `{name}`{}", meant(.closest))]
    Unknown {
        /// The name.
        name: String,
        /// A name that may have been meant.
        closest: Option<String>,
    },
    /// There is no such element.
    #[error("`{array}` has {size} elements, from `{array}[0]` on, and no `{array}[{index}]`")]
    Index {
        /// The array.
        array: String,
        /// How many elements it has.
        size: usize,
        /// The index.
        index: String,
    },
    /// The variable is no array.
    #[error("`{0}` is no array")]
    NoArray(String),
    /// An element has two sizes.
    #[error("the size of `{0}` is given twice")]
    Twice(String),
    /// Under TSO variables have no buffers of their own.
    #[error("under TSO a thread has one buffer for all variables, so it has one size")]
    OneBuffer,
}

fn meant(closest: &Option<String>) -> String {
    let meant = closest.as_ref();
    meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// The number of entries of a buffer for each shared scalar of a program, by its printed name, in
/// declaration order. Under TSO they are all the same, being those of one buffer.
pub(super) fn entries(
    sizes: &BufferSizes,
    symbols: &Symbols,
    model: Model,
) -> Result<IndexMap<String, usize>, SizesError> {
    if model == Model::Tso && !sizes.own().is_empty() {
        return Err(SizesError::OneBuffer);
    }
    let (mut whole, mut single) = (IndexMap::new(), IndexMap::new());
    for (written, &entries) in sizes.own() {
        let (scalars, known) = match named(symbols, written)? {
            Named::Scalar(scalar) => (vec![scalar], &mut single),
            Named::Array(elements) => (elements, &mut whole),
        };
        for scalar in scalars {
            if known.insert(scalar, entries).is_some() {
                return Err(SizesError::Twice(written.clone()));
            }
        }
    }
    let scalars = symbols.shared_scalars().into_iter();
    let entries = scalars.map(|scalar| {
        let own = single.get(&scalar).or_else(|| whole.get(&scalar));
        let entries = own.copied().unwrap_or(sizes.default_entries());
        (scalar, entries)
    });
    Ok(entries.collect())
}

/// What a written name stands for.
enum Named {
    Scalar(String),
    Array(Vec<String>),
}

fn named(symbols: &Symbols, written: &str) -> Result<Named, SizesError> {
    let inner = written.strip_suffix(']');
    let Some((array, index)) = inner.and_then(|inner| inner.split_once('[')) else {
        return plain(symbols, written);
    };
    let Named::Array(elements) = plain(symbols, array)? else {
        return Err(SizesError::NoArray(array.to_owned()));
    };
    let element = index
        .parse()
        .ok()
        .and_then(|index: usize| elements.get(index));
    match element {
        Some(element) => Ok(Named::Scalar(element.clone())),
        None => Err(SizesError::Index {
            array: array.to_owned(),
            size: elements.len(),
            index: index.to_owned(),
        }),
    }
}

fn plain(symbols: &Symbols, name: &str) -> Result<Named, SizesError> {
    match symbols.meaning(None, name) {
        Some(Meaning::Scalar(_, name)) => Ok(Named::Scalar(name.to_owned())),
        Some(Meaning::Element(_, array, index)) => Ok(Named::Scalar(element_name(array, index))),
        Some(Meaning::Array(_, array, size)) => {
            let elements = (0..size).map(|index| element_name(array, index));
            Ok(Named::Array(elements.collect()))
        }
        Some(Meaning::Constant(_)) | None => {
            let known = symbols.shared.keys().map(String::as_str);
            Err(SizesError::Unknown {
                name: name.to_owned(),
                closest: closest(name, known).map(str::to_owned),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::cup;
    use crate::source::SourceFile;

    fn entries_of(text: &str, model: Model) -> Result<Vec<(String, usize)>, String> {
        let program = "shared x, Tail, A[2]; thread P { local r; x = r; }";
        let checked = cup::load(&SourceFile::new("test.cup", program)).expect("a program");
        let sizes: BufferSizes = text.parse().expect("sizes");
        let entries = entries(&sizes, &checked.symbols, model);
        let entries = entries.map_err(|error| error.to_string())?;
        Ok(entries.into_iter().collect())
    }

    #[track_caller]
    fn check(text: &str, expected: [usize; 4]) {
        let names = ["x", "Tail", "A_0", "A_1"].map(str::to_owned);
        let expected: Vec<(String, usize)> = names.into_iter().zip(expected).collect();
        assert_eq!(entries_of(text, Model::Pso), Ok(expected), "{text}");
    }

    #[test]
    fn sizes_are_those_of_the_element_the_array_or_all() {
        check("2", [2, 2, 2, 2]);
        check("1,Tail=3", [1, 3, 1, 1]);
        check("1, A = 2", [1, 1, 2, 2]);
        check("64,A[1]=2", [64, 64, 64, 2]);
        check("1,A_1=3,A=2", [1, 1, 2, 3]);
    }

    #[test]
    fn what_means_nothing_for_the_program_is_refused() {
        let refused = |text: &str, part: &str| {
            let error = entries_of(text, Model::Pso).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        };
        refused(
            "1,Tial=3",
            "no shared variable `Tial`; did you mean `Tail`?",
        );
        refused("1,r=3", "no shared variable `r`");
        refused("1,A[2]=3", "`A` has 2 elements");
        refused(
            "1,A[99999999999999999999]=3",
            "and no `A[99999999999999999999]`",
        );
        refused("1,x[0]=3", "`x` is no array");
        refused("1,A_1=2,A[1]=3", "`A_1` is given twice");
        let tso = entries_of("1,Tail=3", Model::Tso).expect_err("one buffer");
        assert!(tso.contains("one buffer for all variables"), "{tso}");
        assert!(entries_of("2", Model::Tso).is_ok());
    }
}
