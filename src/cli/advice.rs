//! Advice in terms of the command line: the one place that says which option helps.
//!
//! [`text`] has the words for most commands, [`of_engines`] those for the commands that ask engines. An option that was
//! given is not named: whoever gave it knows it.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use clap::ArgMatches;
use clap::parser::ValueSource;
use cupola::render::Advice;
use cupola::verdict::Method;

/// The options that were given.
static GIVEN: OnceLock<BTreeSet<String>> = OnceLock::new();

/// Records which options the command line gives.
pub fn record(matches: &ArgMatches) {
    let mut given = BTreeSet::new();
    let mut level = Some(matches);
    while let Some(matches) = level {
        let typed = |id: &&clap::Id| {
            let source = matches.value_source(id.as_str());
            source == Some(ValueSource::CommandLine)
        };
        given.extend(matches.ids().filter(typed).map(|id| option(id.as_str())));
        level = matches.subcommand().map(|(_, inner)| inner);
    }
    GIVEN.get_or_init(|| given);
}

/// An option as it is typed.
fn option(id: &str) -> String {
    match id.len() {
        1 => format!("-{id}"),
        _ => format!("--{}", id.replace('_', "-")),
    }
}

/// Whether an option was given.
fn is_given(option: &str) -> bool {
    GIVEN.get().is_some_and(|given| given.contains(option))
}

/// Those of some ways to help whose option was not given; the option is the one that a way names.
pub fn open<'a>(ways: &[(&str, &'a str)]) -> Vec<&'a str> {
    let open = ways.iter().filter(|(option, _)| !is_given(option));
    open.map(|(_, way)| *way).collect()
}

/// Options that were not given, in brackets behind a word.
fn bracketed(options: &[&str]) -> String {
    let open = options.iter().filter(|option| !is_given(option));
    let open: Vec<String> = open.map(|option| format!("`{option}`")).collect();
    match open.is_empty() {
        true => String::new(),
        false => format!(" ({})", open.join(", ")),
    }
}

/// The words for an advice: an order, in lower case and without a final dot.
pub fn text(advice: Advice) -> String {
    let (option, text) = match advice {
        Advice::LetItRun | Advice::SmallerValues => return plain(advice),
        Advice::MoreTime => ("--timeout", "raise --timeout"),
        Advice::MoreMemory => ("--max-memory", "raise --max-memory"),
        Advice::MoreStates | Advice::MoreAbstractStates => ("--max-states", "raise --max-states"),
        Advice::LongerBuffers => (
            "--buffer",
            "raise --buffer; stores in a loop without a fence fill any buffer",
        ),
        Advice::LargerBound => ("-k", "translate with a larger -k"),
        Advice::LargerProofBound => return larger_proof_bound(),
        Advice::OtherFences => {
            return format!("try another fence placement{}", bracketed(&["--fences"]));
        }
        Advice::OtherMethod(method) => return other_method(method),
        Advice::MoreValues => (
            "--star",
            "widen --star to look further; no range covers all values",
        ),
        Advice::MorePlacements => ("--max-sets", "raise --max-sets"),
        Advice::OtherPlaces => ("--places", "look for fences elsewhere: --places all"),
        Advice::EasierPlacements => return easier_placements(),
    };
    match is_given(option) {
        true => plain(advice),
        false => text.to_owned(),
    }
}

/// The words that name no option.
fn plain(advice: Advice) -> String {
    match advice {
        Advice::SmallerValues => "keep values small with `assume`".to_owned(),
        other => other.to_string(),
    }
}

/// The same for a command with the options of engines, where `--max-states` is about the checker of abstractions and
/// `--star` does not exist.
pub fn of_engines(advice: Advice) -> String {
    match advice {
        Advice::MoreStates if is_given("--explore-states") => plain(advice),
        Advice::MoreStates => "raise --explore-states".to_owned(),
        Advice::MoreValues => "no range covers all values, only a proof does".to_owned(),
        other => text(other),
    }
}

/// The same where fences were looked for at all places: advice does not name what was done.
pub fn of_fences_everywhere(advice: Advice) -> String {
    match advice {
        Advice::OtherPlaces => "no fence of this program helps: change the algorithm".to_owned(),
        other => of_engines(other),
    }
}

/// The same where loops were left out of the search.
pub fn of_fences_outside_loops(advice: Advice) -> String {
    match advice {
        Advice::OtherPlaces => "fences in loops were left out: allow them".to_owned(),
        other => of_engines(other),
    }
}

/// Where buffers of a fixed size are asked for, no other size is tried: `--max-k` means nothing then.
fn larger_proof_bound() -> String {
    let bound = match is_given("-k") {
        true => String::new(),
        false => bracketed(&["-k", "--max-k"]),
    };
    let fences = bracketed(&["--fences"]);
    format!("try a larger bound{bound}, or another fence placement{fences}")
}

fn easier_placements() -> String {
    let limits = open(&[
        ("--explore-states", "--explore-states"),
        ("--buffer", "--buffer"),
    ]);
    let mut ways = Vec::new();
    if !limits.is_empty() {
        ways.push(format!("raise {}", limits.join(" or ")));
    }
    let proof = open(&[("--proof", "give a proof with --proof")]);
    ways.extend(proof.into_iter().map(str::to_owned));
    match ways.is_empty() {
        true => "mark other places".to_owned(),
        false => format!("{}, or mark other places", ways.join(", ")),
    }
}

/// What to try where no predicate is known that would help an abstraction built in this way.
fn other_method(method: Method) -> String {
    let ways = match method {
        Method::Lazy => open(&[(
            "--method",
            "`--method auto`, which splits unknown values where it has to",
        )]),
        Method::Ce => open(&[(
            "--method",
            "`--method pe`, which looks for more cubes, or `--method lazy`, which needs none",
        )]),
        Method::Pe => open(&[
            ("--method", "`--method lazy`, which needs no cubes"),
            ("--cube-size", "larger cubes (`--cube-size`)"),
        ]),
        Method::Trad => open(&[("--cube-size", "larger cubes (`--cube-size`)")]),
    };
    match ways.is_empty() {
        true => plain(Advice::OtherMethod(method)),
        false => format!("try {}", ways.join(", or ")),
    }
}
