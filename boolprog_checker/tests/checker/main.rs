//! The checker from the outside: the command, the library, and both on random programs.

mod command;
mod library;
mod memory;
mod mutation;
mod properties;
mod regression;
mod support;
