//! The commands as a user runs them: arguments, exit codes, text, JSON, and the pages that show them.

#[path = "../support/mod.rs"]
mod support;

mod advice;
mod bench;
mod buffers;
mod color;
mod convert;
mod cycles;
mod docs;
mod explore;
mod fences;
mod fifo;
mod files;
mod fmt;
mod interrupt;
mod json;
mod litmus;
mod long;
mod machines;
mod pages;
mod pipeline;
mod pldi;
mod project;
mod regression;
mod several;
mod sizes;
mod tacas;
mod translate;
mod warnings;
mod width;
