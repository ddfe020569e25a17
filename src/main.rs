//! The command `cupola`.

fn main() {}
