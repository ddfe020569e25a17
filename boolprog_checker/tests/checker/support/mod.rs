//! What the tests share: runs of the command, random programs and a reference interpreter.

pub mod command;
pub mod generate;
pub mod peers;
pub mod reference;
