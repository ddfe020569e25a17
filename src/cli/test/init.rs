//! `cupola test --init`: `expect:` lines and golden files from the present answers.

use std::fs;
use std::path::{Path, PathBuf};

use cupola::engine::Context;
use cupola::regression::{Case, Kind, Present, expect};
use cupola::source::SourceFile;

use super::super::interrupt::stop_on_interrupt;
use super::super::memory;
use super::super::progress::Bar;
use super::super::{Answer, Console, Exit, Failure, OutputArgs};
use super::find::{Item, Program};
use super::{case, renew};

/// Writes what programs lack, and tells the paths of what was written; `--force` replaces `expect:` lines.
pub fn run(items: &[Item], output: &OutputArgs, console: &Console) -> Result<Answer, Failure> {
    let context = Context {
        stop: memory::stop(None, &stop_on_interrupt(console)),
        ..Context::default()
    };
    let bar = Bar::new(console);
    let mut text = String::new();
    let mut exit = Exit::Done;
    let programs = items.iter().filter_map(|item| match item {
        Item::Program(program) => Some(program),
        Item::LeftOver(..) => None,
    });
    for (number, program) in programs.enumerate() {
        let name = program.path.display().to_string();
        bar.step(number, items.len(), &name);
        match begin(program, output.force, &context) {
            Ok(_) if context.stop.should_stop() => {
                console.note(&format!("{name}: left out, since the work was interrupted"));
                exit = exit.max(Exit::Unknown);
            }
            Ok(files) => {
                for (path, contents) in files {
                    make(&path, &contents)?;
                    text += &format!("written {}\n", path.display());
                }
            }
            Err(failure) => {
                failure.show(console);
                exit = exit.max(Exit::BadInput);
            }
        }
    }
    bar.end();
    Ok(Answer {
        text,
        output: output.clone(),
        exit,
    })
}

/// The files that a program lacks, with their texts.
fn begin(
    program: &Program,
    replace: bool,
    context: &Context,
) -> Result<Vec<(PathBuf, String)>, Failure> {
    let Case { source, proof, .. } = case(program)?;
    let failure = |reason: String| {
        let path = program.path.display();
        Failure::message(format!("`{path}`: {reason}"))
    };
    let has_proof = proof.is_some();
    let mut case = Case {
        source,
        format: program.format,
        proof,
        kept: Vec::new(),
    };
    let present = Present::new(&case, context).map_err(|(reason, _)| failure(reason))?;
    let mut files = Vec::new();
    if present.expected.is_empty() || replace {
        let answers = present.answers().map_err(failure)?;
        let text = expect::with_line(case.source.text(), program.format, &answers);
        if text != case.source.text() {
            // Texts that are kept name lines of the program as it will be.
            case.source = SourceFile::new(case.source.name(), text.as_str());
            files.push((program.path.clone(), text));
        }
    }
    let present = Present::new(&case, context).map_err(|(reason, _)| failure(reason))?;
    let stem = Program::stem(&program.path);
    for kind in Kind::usual(has_proof) {
        let path = program.golden.join(format!("{stem}.{kind}"));
        if !path.exists() {
            files.push((path, present.text(&kind).map_err(failure)?));
        }
    }
    Ok(files)
}

/// Writes a file, in a folder that is made if it is missing.
fn make(path: &Path, text: &str) -> Result<(), Failure> {
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        fs::create_dir_all(folder).map_err(|error| {
            Failure::message(format!("cannot make `{}`: {error}", folder.display()))
        })?;
    }
    renew(path, text)
}
