//! The command `boolprog-checker`.

fn main() {}
