//! The present answers and texts of a case.

use std::cell::RefCell;
use std::fmt::Write;

use indexmap::{IndexMap, IndexSet};

use super::expect::{self, Configuration, Expectation, Expected, Word};
use super::golden::{Entries, Kind};
use super::{Case, Check, Difference};
use crate::abstraction::Transformers;
use crate::abstraction::cubes::Memo;
use crate::engine::explore::{self, ExploreConfig};
use crate::engine::portfolio::{Config, FIRST_STATES, Portfolio, Subject, VerifyError};
use crate::engine::predicate::{self, Input, PredicateConfig, PredicateError, ReductionChoice};
use crate::engine::{Context, EngineError};
use crate::front::cup::placement::{Placement, optional_fences};
use crate::front::{self, Format, Loaded, cup};
use crate::litmus::{self, Decision, syntax::Test};
use crate::memory::{BufferSizes, Model};
use crate::program;
use crate::proof::{self, Proof};
use crate::reduce::{self, Flush, ReduceConfig};
use crate::source::{Diagnostic, SourceFile};
use crate::verdict::{Method, Verdict, Violation, Warning};

/// An answer.
#[derive(Clone, Debug)]
pub struct Found {
    /// The answer.
    pub word: Word,
    /// The property that is broken.
    pub detail: Option<String>,
    /// Why the answer may hold for less than it seems.
    pub warnings: Vec<Warning>,
}

/// A case that was read, and what was found out about it so far.
pub struct Present<'a> {
    loaded: Loaded,
    proof: Proof,
    /// Whether the proof was given.
    proved: bool,
    /// The litmus test, if it is one.
    test: Option<Test>,
    /// What is expected of it, in the order of the text.
    pub expected: Vec<Expected>,
    context: &'a Context,
    answers: RefCell<IndexMap<String, Result<Found, String>>>,
}

impl<'a> Present<'a> {
    /// Reads a case; else what is wrong with it, and the line.
    pub fn new(case: &Case, context: &'a Context) -> Result<Self, (String, Option<usize>)> {
        let loaded = front::load(case.source.clone(), case.format)
            .map_err(|rejected| first(&rejected.file, &rejected.diagnostics))?;
        let proof = case.proof.as_ref().map(|file| {
            let parsed = proof::parse(file, &loaded.checked);
            parsed.map_err(|errors| (first(file, &errors).0, None))
        });
        let proof = proof.transpose()?.map(|(proof, _)| proof);
        let harvest = || proof::harvest(&program::lower(&loaded.checked, &IndexSet::new())).0;
        let test = match case.format {
            Format::Litmus => litmus::parse(&case.source).ok(),
            Format::Cup | Format::Rmm => None,
        };
        let expected = expect::expectations(case.source.text());
        Ok(Present {
            proved: proof.is_some(),
            proof: proof.unwrap_or_else(harvest),
            test,
            expected: expected.map_err(|(reason, line)| (reason, Some(line)))?,
            context,
            answers: RefCell::default(),
            loaded,
        })
    }

    /// Compares an answer with what is expected.
    pub fn answered(&self, expected: &Expected) -> Check {
        let Expected { line, expectation } = expected;
        let name = expectation.configuration.to_string();
        let found = match self.answer(&expectation.configuration, expectation.proved) {
            Ok(found) => found,
            Err(reason) => return Check::missing(&name, reason, Some(*line)),
        };
        let open = !expectation.proved && found.word == Word::Unknown;
        if found.word == expectation.word || open {
            return Check::passed(&name);
        }
        let difference = Difference::Answer {
            line: *line,
            expected: expectation.to_string(),
            found: format!("{name}={}", found.text()),
        };
        Check {
            name,
            difference: Some(difference),
        }
    }

    /// The warnings about the answers so far, each with the name of the configuration.
    pub fn warnings(&self) -> Vec<(String, Warning)> {
        let answers = self.answers.borrow();
        let found = answers
            .iter()
            .filter_map(|(name, found)| Some((name, found.as_ref().ok()?)));
        let each = found.flat_map(|(name, found)| {
            let warnings = found.warnings.iter();
            warnings.map(|warning| (name.clone(), warning.clone()))
        });
        each.collect()
    }

    /// The program that the warnings are about.
    pub fn source(&self) -> &SourceFile {
        &self.loaded.source
    }

    /// The present answers under the configurations that are expected, or under the usual ones: each model with the
    /// fences that the program declares, and with none.
    pub fn answers(&self) -> Result<Vec<Expectation>, String> {
        let configurations = self.configurations().into_iter();
        let answers = configurations.map(|(configuration, proved)| {
            let word = self.answer(&configuration, proved)?.word;
            if let (false, Word::Unknown) = (proved, word) {
                // What the author knows is not contradicted.
                let mut expected = self.expected.iter().map(|expected| &expected.expectation);
                let claimed = expected.find(|claimed| claimed.configuration == configuration);
                return Ok(claimed.expect("it is expected").clone());
            }
            Ok(Expectation {
                configuration,
                word,
                proved: true,
            })
        });
        answers.collect()
    }

    /// The present text of a golden file.
    pub fn text(&self, kind: &Kind) -> Result<String, String> {
        match kind {
            Kind::Translation(model, entries) => self.translation(*model, *entries),
            Kind::Predicates(model, k) => self.predicates(*model, *k),
            Kind::BooleanProgram(model, k) => self.boolean_program(*model, *k),
            Kind::Verdicts => self.verdicts(),
        }
    }

    fn configurations(&self) -> Vec<(Configuration, bool)> {
        if !self.expected.is_empty() {
            let expectations = self.expected.iter().map(|expected| &expected.expectation);
            let both = expectations.map(|one| (one.configuration.clone(), one.proved));
            return both.collect();
        }
        let mut configurations = Vec::new();
        for model in Model::ALL {
            for placement in [Placement::None, Placement::Declared] {
                let fences = self.in_force(&placement, model).unwrap_or_default();
                let configuration = Configuration {
                    model,
                    fences: fences.into_iter().collect(),
                };
                if !configurations.contains(&(configuration.clone(), true)) {
                    configurations.push((configuration, true));
                }
            }
        }
        configurations
    }

    /// The answer under a configuration; without a proof, what a short exploration says.
    fn answer(&self, configuration: &Configuration, proved: bool) -> Result<Found, String> {
        let name = configuration.to_string();
        if let Some(found) = self.answers.borrow().get(&name) {
            return found.clone();
        }
        let found = self.find(configuration, proved);
        self.answers.borrow_mut().insert(name, found.clone());
        found
    }

    fn find(&self, configuration: &Configuration, proved: bool) -> Result<Found, String> {
        let model = configuration.model;
        if let Some(test) = &self.test {
            return observed(test, model, self.context);
        }
        let placement = Placement::Named(configuration.fences.clone());
        let fences = self.in_force(&placement, model)?;
        let unordered = !fences.iter().eq(&configuration.fences);
        if unordered {
            let all = optional_fences(&self.loaded.checked);
            let all: Vec<String> = all.into_iter().collect();
            return Err(format!(
                "`{configuration}` names fences in another order than the program, or twice; the program has {}",
                all.join(", ")
            ));
        }
        match proved {
            true => self.verified(model, &placement),
            false => self.explored(model, &fences),
        }
    }

    fn verified(&self, model: Model, placement: &Placement) -> Result<Found, String> {
        // As `verify` does it: FIFOs where a buffer can grow for ever.
        let config = Config {
            predicate: PredicateConfig {
                reduction: ReductionChoice::Auto,
                ..PredicateConfig::default()
            },
            ..Config::default()
        };
        let mut engines = Portfolio::of(&config, &self.context.limits);
        let subject = Subject {
            source: &self.loaded.source,
            program: &self.loaded.checked,
            proof: self.proved.then_some(&self.proof),
        };
        // The order of tries depends on what is known already: each answer is that of a run of its own.
        let context = Context {
            memo: Memo::default(),
            ..self.context.clone()
        };
        let report = engines.verify(&subject, &[model], placement, &context);
        let report = report.map_err(|error| self.engine_error(error))?;
        let Some(outcome) = report.results.first().map(|result| &result.outcome) else {
            return Ok(Found::new(Word::Unknown));
        };
        let found = match &outcome.verdict {
            Verdict::Verified(_) => Found::new(Word::Safe),
            Verdict::Violated(violation) => Found::violated(violation),
            Verdict::Unknown(_) => Found::new(Word::Unknown),
        };
        Ok(Found {
            warnings: outcome.warnings.clone(),
            ..found
        })
    }

    fn explored(&self, model: Model, fences: &IndexSet<String>) -> Result<Found, String> {
        let program = program::lower(&self.loaded.checked, fences);
        let config = ExploreConfig {
            max_states: FIRST_STATES,
            ..ExploreConfig::default()
        };
        let explored = explore::explore(&program, model, &config, self.context);
        let explored = explored.map_err(|error| error.to_string())?;
        Ok(match &explored.violation {
            Some(violation) => Found::violated(violation),
            None if explored.saw_everything() => Found::new(Word::Safe),
            None => Found::new(Word::Unknown),
        })
    }

    fn verdicts(&self) -> Result<String, String> {
        let mut text = format!("// The answers for {}.\n", self.loaded.source.name());
        for (configuration, proved) in self.configurations() {
            let found = self.answer(&configuration, proved)?;
            let _ = writeln!(text, "{configuration}: {}", found.text());
        }
        Ok(text)
    }

    fn translation(&self, model: Model, entries: Entries) -> Result<String, String> {
        let config = ReduceConfig {
            model,
            sizes: match entries {
                Entries::Slots(k) => sizes(k),
                Entries::Fifos => BufferSizes::ONE,
            },
            fences: self.in_force(&Placement::Declared, model)?,
            flush: Flush::Background,
        };
        let Loaded { source, checked } = &self.loaded;
        let reduced = match entries {
            Entries::Slots(_) => reduce::reduce(source, checked, &config),
            Entries::Fifos => reduce::reduce_to_fifos(source, checked, &config),
        };
        match reduced {
            Ok(reduction) => Ok(cup::print(reduction.tree())),
            Err(error) => Err(match error.into_diagnostics() {
                Ok(diagnostics) => first(source, &diagnostics).0,
                Err(error) => error.to_string(),
            }),
        }
    }

    fn predicates(&self, model: Model, k: usize) -> Result<String, String> {
        let config = PredicateConfig::default();
        let stage = self.stage(model, k)?;
        let found = predicate::extrapolated(&self.input(), &stage, Method::Pe, &config.extrapolate);
        let found = found.map_err(|error| self.stage_error(error))?;
        let header = self.header("The predicates", model, k);
        Ok(header + &found.text(&stage.program))
    }

    fn boolean_program(&self, model: Model, k: usize) -> Result<String, String> {
        let config = PredicateConfig::default();
        let method = match model {
            Model::Sc => Method::Trad,
            Model::Tso | Model::Pso => Method::Pe,
        };
        let (input, stage) = (self.input(), self.stage(model, k)?);
        let built = predicate::extrapolated(&input, &stage, method, &config.extrapolate);
        let built = built.and_then(|found| {
            predicate::abstracted(&input, &stage, (&found, method), &config, self.context)
        });
        let built = built.map_err(|error| self.stage_error(error))?;
        let header = self.header("The boolean program", model, k);
        Ok(header + &built.program.to_string())
    }

    fn stage(&self, model: Model, k: usize) -> Result<reduce::Reduction, String> {
        let fences = self.in_force(&Placement::Declared, model)?;
        let bound = (model, &sizes(k));
        let (how, stop) = (Transformers::Optimized, &self.context.stop);
        let stage = predicate::stage(&self.input(), bound, &fences, how, stop);
        stage.map_err(|error| self.stage_error(error))
    }

    /// The first line of a text that does not say itself what it is of.
    fn header(&self, what: &str, model: Model, k: usize) -> String {
        let name = self.loaded.source.name();
        let shown = model.name().to_uppercase();
        match model {
            Model::Sc => format!("// {what} of {name} under {shown}.\n"),
            Model::Tso | Model::Pso => format!("// {what} of {name} under {shown}, k = {k}.\n"),
        }
    }

    fn input(&self) -> Input<'_> {
        Input {
            source: &self.loaded.source,
            program: &self.loaded.checked,
            proof: &self.proof,
        }
    }

    fn in_force(&self, placement: &Placement, model: Model) -> Result<IndexSet<String>, String> {
        let fences = placement.in_force(&self.loaded.checked, model);
        fences.map_err(|unknown| unknown.to_string())
    }

    fn engine_error(&self, error: VerifyError) -> String {
        match error {
            VerifyError::Engine(EngineError::Source(diagnostics)) => {
                first(&self.loaded.source, &diagnostics).0
            }
            other => other.to_string(),
        }
    }

    fn stage_error(&self, error: PredicateError) -> String {
        match error {
            PredicateError::Source(diagnostics) => first(&self.loaded.source, &diagnostics).0,
            PredicateError::Sizes(error) => error.to_string(),
            PredicateError::TooMany(error) => error.to_string(),
            PredicateError::Stopped => "the time was over".to_owned(),
        }
    }
}

impl Found {
    fn new(word: Word) -> Self {
        Found {
            word,
            detail: None,
            warnings: Vec::new(),
        }
    }

    fn violated(violation: &Violation) -> Self {
        Found {
            detail: Some(violation.property().name_text()),
            ..Found::new(Word::Violated)
        }
    }

    /// The word, with what it is about.
    pub fn text(&self) -> String {
        match &self.detail {
            Some(detail) => format!("{} ({detail})", self.word),
            None => self.word.to_string(),
        }
    }
}

/// What a litmus test observes.
fn observed(test: &Test, model: Model, context: &Context) -> Result<Found, String> {
    match litmus::decide(test, model, litmus::LOOP_BUFFER, context) {
        Decision::Decided(states) => Ok(Found::new(Word::Observed(states.observation()))),
        Decision::Unknown(_) => Ok(Found::new(Word::Unknown)),
        Decision::NotModelled(what) => Err(format!("{what} is not modelled")),
    }
}

fn sizes(k: usize) -> BufferSizes {
    BufferSizes::uniform(k).expect("the name was checked")
}

/// The first of some diagnostics, and its line.
fn first(file: &SourceFile, diagnostics: &[Diagnostic]) -> (String, Option<usize>) {
    match diagnostics.first() {
        Some(diagnostic) => {
            let line = file.line(diagnostic.primary.0.start);
            let message = &diagnostic.message;
            let more = match diagnostics.len() - 1 {
                0 => String::new(),
                more => format!(" (and {more} more)"),
            };
            let name = file.name();
            (format!("{name}:{line}: {message}{more}"), Some(line))
        }
        None => ("it cannot be read".to_owned(), None),
    }
}
