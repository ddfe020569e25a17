//! The stages of the library, on the examples and on programs made for one purpose, with the golden
//! files.

#[path = "../support/mod.rs"]
mod support;

mod backward;
mod coherence;
mod examples;
mod exports;
mod extrapolate;
mod fences;
mod growth;
mod imports;
mod jobs;
mod language;
mod optimizations;
mod portfolio;
mod refine;
mod replay;
mod rmm;
mod searches;
mod stop;
mod tries;
mod unbounded;
mod verify;
