//! The command `cupola`.
//!
//! The library computes; this binary reads arguments and files, prints, and exits. See `cli`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
