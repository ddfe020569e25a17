//! `cupola fmt`: a program in its canonical form.

use std::path::{Path, PathBuf};

use clap::Args;
use cupola::front::{Format, cup};

use super::input::{is_stdin, once_from_stdin, read, stem};
use super::several::Body;
use super::{Answer, Console, Exit, Failure, OutputArgs, Part, Parts};

/// Format programs: indentation, spaces and parentheses; comments and blank lines stay.
///
/// A program may break static rules, but it must have the right syntax. Several programs are checked,
/// formatted in place, or written to a folder (`-o`).
#[derive(Clone, Debug, Args)]
pub struct FmtArgs {
    /// The programs, `.cup` files; `-` is standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Print nothing; fail if formatting would change a file.
    #[arg(long, conflicts_with_all = ["output", "force", "in_place"])]
    check: bool,

    /// Replace the files.
    #[arg(long, short, conflicts_with_all = ["output", "force"])]
    in_place: bool,

    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub fn run(args: &FmtArgs, console: &Console) -> Result<Answer, Failure> {
    once_from_stdin(&args.files)?;
    if args.in_place && args.files.iter().any(|path| is_stdin(path)) {
        return Err(Failure::with_hint(
            "standard input cannot be replaced",
            "leave `--in-place` away",
        ));
    }
    let several = args.files.len() > 1;
    let prints = !args.check && !args.in_place && args.output.output.is_none();
    if several && prints {
        return Err(Failure::with_hint(
            "several programs together are none",
            "give `--check`, `--in-place`, or `-o` with a folder",
        ));
    }
    let output = OutputArgs {
        over_inputs: true,
        ..args.output.clone()
    };
    let mut parts = Parts::new(&output, several, console)?;
    for path in &args.files {
        if let Some(part) = args.format(path).transpose() {
            parts.add(part);
        }
    }
    parts.answer()
}

impl FmtArgs {
    /// Formats one program; there is a result if it is to be printed or written elsewhere.
    fn format(&self, path: &Path) -> Result<Option<Part>, Failure> {
        let other = match Format::of(path) {
            Some(Format::Litmus) => Some((
                "a litmus test, which has no such form",
                "cupola litmus --to-cup",
            )),
            Some(Format::Rmm) => Some((
                "a program of Memorax, whose comments and macros formatting would lose",
                "cupola convert --to cup",
            )),
            Some(Format::Cup) | None => None,
        };
        if let Some((what, command)) = other {
            return Err(Failure::with_hint(
                format!("`{}` is {what}", path.display()),
                format!("`{command}` prints it as a program"),
            ));
        }
        let file = read(path)?;
        let (tree, mistakes) = cup::parse(&file);
        if !mistakes.is_empty() {
            return Err(Failure::Source(file, mistakes));
        }
        let text = cup::print(&tree);
        let changes = text != file.text();
        if self.check && changes {
            return Err(Failure::with_hint(
                format!("`{}` is not formatted", file.name()),
                match is_stdin(path) {
                    true => "format it: cupola fmt -".to_owned(),
                    false => format!("format it: cupola fmt {} --in-place", file.name()),
                },
            ));
        }
        if self.in_place && changes {
            replace(path, &text)?;
        }
        let part = Part {
            name: stem(path),
            body: Body::Text(text, "cup"),
            exit: Exit::Done,
        };
        Ok(Some(part).filter(|_| !self.check && !self.in_place))
    }
}

/// Replaces a file.
fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    let output = OutputArgs {
        over_inputs: true,
        ..OutputArgs::to_file(path, true)
    };
    output.write(text)
}
