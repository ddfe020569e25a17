//! What long work has at run time: [`stop`] says when it ends early, [`progress`] how far it is.

pub mod progress;
pub mod stop;
#[cfg(test)]
pub(crate) mod wrong;
