//! Options that name one of a few values of the library.

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// The parser of an option that names one of these values.
pub fn one_of<T: Copy + Send + Sync + 'static>(
    values: impl IntoIterator<Item = (&'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let values: Vec<(&'static str, T)> = values.into_iter().collect();
    let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
    PossibleValuesParser::new(names).map(move |given| {
        let named = values.iter().find(|(name, _)| *name == given);
        named.expect("no other names pass").1
    })
}
