//! What the property tests share: random programs and a reference interpreter.

pub mod generate;
pub mod reference;
