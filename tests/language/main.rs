//! The language as a whole: what is printed reads back, comments survive, mistakes are explained, and
//! no text makes the tool fall over.

mod broken;
mod comments;
mod mutations;
mod robustness;
mod round_trip;
mod samples;
mod trees;
