//! `cupola step`: an execution by hand.

use std::io::{BufRead, IsTerminal, Write, stdin, stdout};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use cupola::program::{self, Program};
use cupola::render::step::StepReport;
use cupola::render::{Execution, Page};
use cupola::semantics::{Choice, HavocRange, Walk};
use cupola::source::SourceFile;
use serde_json::Value;

use super::explore::StarArg;
use super::input::{is_stdin, read};
use super::model::{FencesArg, ModelArg};
use super::{Answer, Console, Exit, Failure, Input, OutputArgs};

/// Takes an execution by hand: shows memory, buffers and the steps that there are, and takes the one that is chosen.
///
/// A line of standard input is the number of a step, or one of: `back` and `on`, with a number of steps behind them if you
/// like; `start`, `end`; `set X VALUE`, at the start, for a variable that may start with several values; `save FILE`;
/// `quit`. The end of the input ends the walk.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 done; 10 the walk ends where a property is broken; 2 bad input or usage."
)]
pub struct StepArgs {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    under: ModelArg,

    #[command(flatten)]
    fences: FencesArg,

    /// The longest that a store buffer may get.
    #[arg(long, value_name = "N", default_value = "8")]
    buffer: NonZeroUsize,

    /// The values to choose from for `*`, both ends included.
    #[arg(
        long,
        value_name = "LO..HI",
        default_value = "-1..1",
        allow_hyphen_values = true
    )]
    star: StarArg,

    /// Walk along an execution: the JSON of `explore`, `verify` or `step`. `on` takes its next step.
    #[arg(long, value_name = "FILE.json")]
    trace: Option<PathBuf>,

    /// Write the walk to this file when it ends, as JSON.
    #[arg(long, value_name = "FILE.json")]
    save: Option<PathBuf>,

    /// Print one JSON object at the end, and nothing before.
    #[arg(long)]
    json: bool,

    /// Let a file that exists be replaced.
    #[arg(long)]
    force: bool,
}

/// A walk with the steps that were taken back, which can be taken again.
struct Session<'a> {
    walk: Walk<'a>,
    ahead: Vec<Choice>,
}

/// What a line asks for.
enum Request {
    Take(usize),
    Back(usize),
    On(usize),
    Set(String, i64),
    Save(PathBuf),
    Quit,
}

/// Runs the command.
pub fn run(args: &StepArgs, console: &Console) -> Result<Answer, Failure> {
    if is_stdin(&args.input.file) {
        return Err(Failure::with_hint(
            "standard input has the choices, so it cannot be the program",
            "put the program into a file",
        ));
    }
    if let Some(path) = &args.save {
        OutputArgs::to_file(path, args.force).check_file()?;
    }
    let loaded = args.input.load(console)?;
    let fences = args
        .fences
        .placement()
        .in_force(&loaded.checked, args.under.model);
    let fences = fences.map_err(|error| Failure::message(error.to_string()))?;
    cupola::reduce::fits(&loaded.checked, args.under.model)
        .map_err(|error| Failure::Source(loaded.source.clone(), vec![error.to_diagnostic()]))?;
    let program = program::lower(&loaded.checked, &fences);
    let walk = Walk::new(&program, args.under.model, args.buffer.get(), args.star.0);
    let mut session = Session {
        walk,
        ahead: Vec::new(),
    };
    if let Some(path) = &args.trace {
        session.follow(path, (&loaded.source, &program), args)?;
    }
    args.walk(&mut session, (&loaded.source, &program), console)
}

impl StepArgs {
    /// Takes what the lines of standard input ask for.
    fn walk(
        &self,
        session: &mut Session<'_>,
        (source, program): (&SourceFile, &Program),
        console: &Console,
    ) -> Result<Answer, Failure> {
        let page = console.page(&OutputArgs::default());
        let by_hand = stdin().is_terminal();
        self.show(session, (source, program), &page)?;
        for line in stdin().lock().lines() {
            let line = line.map_err(|error| {
                Failure::message(format!("cannot read standard input: {error}"))
            })?;
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let done =
                request(line).and_then(|request| self.answer(request, session, (source, program)));
            match done {
                Ok(true) => self.show(session, (source, program), &page)?,
                Ok(false) => break,
                Err(failure) if by_hand => failure.show(console),
                Err(failure) => return Err(failure),
            }
        }
        if let Some(path) = &self.save {
            self.save(path, session, (source, program))?;
        }
        let report = self.report(session, (source, program));
        Ok(Answer {
            text: match self.json {
                true => format!("{:#}\n", console.signed(report.json())),
                false => String::new(),
            },
            output: OutputArgs::default(),
            exit: match session.walk.broken() {
                Some(_) => Exit::Violated,
                None => Exit::Done,
            },
        })
    }

    /// Does what is asked for; `false` ends the walk.
    fn answer(
        &self,
        request: Request,
        session: &mut Session<'_>,
        about: (&SourceFile, &Program),
    ) -> Result<bool, Failure> {
        match request {
            Request::Take(number) => session.take(number)?,
            Request::Back(count) => session.back(count),
            Request::On(count) => session.on(count),
            Request::Set(name, value) => session.set(about.1, &name, value)?,
            Request::Save(path) => self.save(&path, session, about)?,
            Request::Quit => return Ok(false),
        }
        Ok(true)
    }

    fn report<'a>(
        &self,
        session: &'a Session<'a>,
        (source, program): (&'a SourceFile, &'a Program),
    ) -> StepReport<'a> {
        StepReport {
            source,
            program,
            model: self.under.model,
            walk: &session.walk,
        }
    }

    /// Shows where the walk is, at once.
    fn show(
        &self,
        session: &Session<'_>,
        about: (&SourceFile, &Program),
        page: &Page,
    ) -> Result<(), Failure> {
        if self.json {
            return Ok(());
        }
        let mut text = self.report(session, about).text(page);
        match session.ahead.len() {
            0 => {}
            1 => text += "`on` takes the step that comes next\n",
            count => text += &format!("`on` takes the next of {count} steps\n"),
        }
        text.push('\n');
        OutputArgs::default().write(&text)?;
        if stdin().is_terminal() && stdout().is_terminal() {
            let mut out = stdout().lock();
            // Where the terminal is gone there is nobody to ask.
            let _ = write!(out, "> ").and_then(|()| out.flush());
        }
        Ok(())
    }

    fn save(
        &self,
        path: &Path,
        session: &Session<'_>,
        about: (&SourceFile, &Program),
    ) -> Result<(), Failure> {
        let output = OutputArgs::to_file(path, self.force);
        output.write(&format!("{:#}\n", self.report(session, about).json()))
    }
}

impl Session<'_> {
    fn take(&mut self, number: usize) -> Result<(), Failure> {
        let choices = self.walk.choices().steps;
        let count = choices.len();
        match number
            .checked_sub(1)
            .and_then(|index| choices.into_iter().nth(index))
        {
            Some(choice) => {
                self.ahead.clear();
                self.walk.take(choice);
                Ok(())
            }
            None => Err(Failure::with_hint(
                format!("there is no choice {number}"),
                format!("there are {count}: give the number of one, or `back`"),
            )),
        }
    }

    fn back(&mut self, count: usize) {
        for _ in 0..count.min(self.walk.len()) {
            self.ahead.extend(self.walk.back());
        }
    }

    fn on(&mut self, count: usize) {
        for _ in 0..count.min(self.ahead.len()) {
            if let Some(choice) = self.ahead.pop() {
                self.walk.take(choice);
            }
        }
    }

    fn set(&mut self, program: &Program, name: &str, value: i64) -> Result<(), Failure> {
        let mut vars = program.var_ids();
        let var = vars.find(|&var| program.var_display_name(var) == name);
        let var = var.ok_or_else(|| Failure::message(format!("there is no variable `{name}`")))?;
        if !self.walk.is_empty() {
            return Err(Failure::with_hint(
                "values are set before the first step",
                "go back with `start`",
            ));
        }
        let mut initial = self.walk.initial().to_vec();
        initial[var.index()] = value;
        match self.walk.restart(initial) {
            true => {
                self.ahead.clear();
                Ok(())
            }
            false => Err(Failure::message(format!(
                "`{name}` does not start with {value}"
            ))),
        }
    }

    /// Puts the steps of a saved execution ahead of the walk.
    fn follow(
        &mut self,
        path: &Path,
        (source, program): (&SourceFile, &Program),
        args: &StepArgs,
    ) -> Result<(), Failure> {
        let text = read(path)?;
        let wrong = |why: String| {
            Failure::with_hint(
                format!(
                    "`{}` is no execution of this program: {why}",
                    path.display()
                ),
                "give the JSON of `cupola explore --json` or `cupola step --save`, with the same model and fences",
            )
        };
        let value: Value =
            serde_json::from_str(text.text()).map_err(|error| wrong(error.to_string()))?;
        let trace = trace_in(&value, args.under.model.name());
        let trace = trace.ok_or_else(|| wrong("it has no trace under this model".to_owned()))?;
        let initial = program
            .var_ids()
            .map(|var| trace["initial"][program.var_display_name(var)].as_i64());
        let initial: Option<Vec<i64>> = initial.collect();
        let starts = initial.is_some_and(|initial| self.walk.restart(initial));
        let steps = trace["steps"].as_array().cloned().unwrap_or_default();
        if !starts {
            return Err(wrong("it starts with other values".to_owned()));
        }
        let shape = self.walk.trace();
        let execution = Execution {
            source,
            program,
            trace: &shape,
        };
        if let Some(havoc) = written_values(&steps) {
            self.walk.set_havoc(havoc);
        }
        let followed = self.walk.follow(steps.len(), |number, choice| {
            execution.step_json(&choice.step) == steps[number]
        });
        self.walk.set_havoc(args.star.0);
        followed.map_err(|number| wrong(format!("step {} is not possible", number + 1)))?;
        self.back(usize::MAX);
        Ok(())
    }
}

/// The least and the greatest value that the steps write, as far apart as can be tried.
fn written_values(steps: &[Value]) -> Option<HavocRange> {
    const MOST: u64 = 10_000;
    let writes = steps
        .iter()
        .flat_map(|step| step["writes"].as_array().into_iter().flatten());
    let values: Vec<i64> = writes.filter_map(|write| write["value"].as_i64()).collect();
    let (low, high) = (*values.iter().min()?, *values.iter().max()?);
    HavocRange::new(low, high).filter(|_| low.abs_diff(high) <= MOST)
}

/// The execution in the JSON of a command: the object itself, its `trace`, or that of the result under a model.
fn trace_in<'v>(value: &'v Value, model: &str) -> Option<&'v Value> {
    let is_trace = |value: &&Value| value["steps"].is_array();
    let of_model = |results: &'v Value| {
        let mut results = results.as_array()?.iter();
        results.find(|result| result["model"] == model)
    };
    let result = of_model(&value["results"]).or_else(|| of_model(value));
    let places = [
        Some(value),
        Some(&value["trace"]),
        result.map(|result| &result["trace"]),
    ];
    places.into_iter().flatten().find(is_trace)
}

/// What a line asks for.
fn request(line: &str) -> Result<Request, Failure> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |word: &str| word.parse::<usize>().ok();
    let request = match words[..] {
        ["back" | "b"] => Some(Request::Back(1)),
        ["back" | "b", count] => number(count).map(Request::Back),
        ["on" | "o"] => Some(Request::On(1)),
        ["on" | "o", count] => number(count).map(Request::On),
        ["start"] => Some(Request::Back(usize::MAX)),
        ["end"] => Some(Request::On(usize::MAX)),
        ["set", name, value] => value
            .parse()
            .ok()
            .map(|value| Request::Set(name.to_owned(), value)),
        ["save", path] => Some(Request::Save(PathBuf::from(path))),
        ["quit" | "q"] => Some(Request::Quit),
        [choice] => number(choice).map(Request::Take),
        _ => None,
    };
    request.ok_or_else(|| {
        Failure::with_hint(
            format!("`{line}` is no choice"),
            "give the number of a step, `back`, `on`, `start`, `end`, `set X VALUE`, `save FILE` or `quit`",
        )
    })
}
