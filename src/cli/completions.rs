//! `cupola completions` and `cupola man`: what shells and `man` know of the command line.

use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::file::{self, Over};
use super::{Answer, Cli, Exit, Failure, OutputArgs};

/// Prints a script that completes commands and options in a shell.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,

    #[command(flatten)]
    output: OutputArgs,
}

/// Writes a page for `man` for each command into a folder.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The folder; it is made if it is missing.
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Replace pages that exist.
    #[arg(long)]
    force: bool,
}

/// Prints the script.
pub fn completions(args: &CompletionsArgs) -> Result<Answer, Failure> {
    args.output.check()?;
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "cupola", &mut script);
    Ok(Answer {
        text: String::from_utf8_lossy(&script).into_owned(),
        output: args.output.clone(),
        exit: Exit::Done,
    })
}

/// Writes the pages.
pub fn man(args: &ManArgs) -> Result<Answer, Failure> {
    std::fs::create_dir_all(&args.folder).map_err(|error| {
        Failure::message(format!("cannot make `{}`: {error}", args.folder.display()))
    })?;
    let mut command = Cli::command();
    command.build();
    let over = Over {
        existing: args.force,
        inputs: false,
    };
    let mut text = String::new();
    for (name, page) in pages("cupola", &command) {
        let path = args.folder.join(format!("{name}.1"));
        file::write(&path, &page, over)?;
        text += &format!("{}\n", path.display());
    }
    Ok(Answer {
        text,
        output: OutputArgs::default(),
        exit: Exit::Done,
    })
}

/// The pages of a command and of its subcommands, with their names.
fn pages(name: &str, command: &clap::Command) -> Vec<(String, String)> {
    let (mut page, title) = (Vec::new(), name.to_uppercase());
    let man = clap_mangen::Man::new(command.clone()).title(title);
    man.render(&mut page).expect("a vector takes all bytes");
    let mut pages = vec![(name.to_owned(), String::from_utf8_lossy(&page).into_owned())];
    let below = command.get_subcommands();
    for inner in below.filter(|inner| inner.get_name() != "help") {
        pages.extend(self::pages(&format!("{name}-{}", inner.get_name()), inner));
    }
    pages
}
