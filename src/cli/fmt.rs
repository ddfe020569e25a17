//! `cupola fmt`: a program in its canonical form.

use clap::Args;
use cupola::lang;

use super::{Answer, Exit, Failure, Input, OutputArgs};

/// Format a program: indentation, spaces and parentheses; comments and blank lines stay.
///
/// The program may break static rules, but it must have the right syntax.
#[derive(Clone, Debug, Args)]
pub struct FmtArgs {
    #[command(flatten)]
    input: Input,

    /// Print nothing; fail if formatting would change the file.
    #[arg(long, conflicts_with_all = ["output", "force"])]
    check: bool,

    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub fn run(args: &FmtArgs) -> Result<Answer, Failure> {
    let file = args.input.read()?;
    let (tree, mistakes) = lang::parse(&file);
    if !mistakes.is_empty() {
        return Err(Failure::Source(file, mistakes));
    }
    let text = lang::print(&tree);
    if args.check && text != file.text() {
        return Err(Failure::with_way_out(
            format!("`{}` is not formatted", file.name()),
            format!("format it: cupola fmt {0} -o {0} --force", file.name()),
        ));
    }
    Ok(Answer {
        text: if args.check { String::new() } else { text },
        output: args.output.clone(),
        exit: Exit::Done,
    })
}
