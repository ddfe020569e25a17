//! Programs with their proofs, ready for the engines.

use std::ops::Deref;

use cupola::abstraction::Transformers;
use cupola::certificate::Certificate;
use cupola::engine::portfolio::{self, Choice, Portfolio, Subject};
use cupola::engine::predicate::{self, Bound, Input, MethodChoice, PredicateConfig};
use cupola::engine::{Context, Limits};
use cupola::front::cup;
use cupola::front::cup::check::Checked;
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::program;
use cupola::proof::{self, Proof};
use cupola::reduce::Reduction;
use cupola::render::Page;
use cupola::render::verify::{TraceForm, VerifyReport};
use cupola::run::stop::Stop;
use cupola::source::SourceFile;
use cupola::verdict::{Evidence, ModelResult, Report, Verdict, VerdictKind};
use indexmap::IndexSet;

use super::{entries, examples};

/// The seven algorithms of the SAS 2013 paper.
pub const ALGORITHMS: [&str; 7] = [
    "dekker",
    "peterson",
    "abp",
    "szymanski",
    "queue",
    "bakery",
    "ticket",
];

/// A program with its proof.
pub struct Proved {
    /// The source.
    pub file: SourceFile,
    /// The checked program.
    pub checked: Checked,
    /// Its proof.
    pub proof: Proof,
    /// Whether it was given, or harvested for want of one.
    pub given: bool,
    /// The most states that the checker may store.
    pub max_states: usize,
    /// The most states of explorations before and behind the proof; 0 for none.
    pub explore_states: usize,
}

/// The answer of an engine, with its text.
pub struct Answer {
    report: Report,
    text: String,
}

impl Proved {
    /// A program and the text of its proof; without one, predicates are harvested.
    pub fn new(name: &str, program: &str, proof: Option<&str>) -> Self {
        let file = SourceFile::new(name, program);
        let checked = cup::load(&file).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        let given = proof.is_some();
        let proof = match proof {
            Some(text) => {
                let file = SourceFile::new("proof", text);
                let parsed = proof::parse(&file, &checked);
                parsed
                    .unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
                    .0
            }
            None => proof::harvest(&program::lower(&checked, &IndexSet::new())).0,
        };
        Proved {
            file,
            checked,
            proof,
            given,
            max_states: 300_000,
            explore_states: 0,
        }
    }

    /// A program of `examples/` with its proof, if it has one.
    pub fn example(name: &str) -> Self {
        let read = |extension: &str| {
            let path = examples::directory().join(format!("{name}.{extension}"));
            std::fs::read_to_string(path)
        };
        let program = read("cup").expect("the example can be read");
        Proved::new(name, &program, read("proof").ok().as_deref())
    }

    /// The program for the predicate engine.
    pub fn input(&self) -> Input<'_> {
        Input {
            source: &self.file,
            program: &self.checked,
            proof: &self.proof,
        }
    }

    /// The program for any engine.
    pub fn subject(&self) -> Subject<'_> {
        Subject {
            source: &self.file,
            program: &self.checked,
            proof: self.given.then_some(&self.proof),
        }
    }

    /// The program reduced for a model, with its own fences.
    pub fn stage(&self, model: Model, k: usize) -> Reduction {
        let fences = Placement::Declared.in_force(&self.checked, model);
        let fences = fences.expect("the program declares places that it has");
        let stage = predicate::stage(
            &self.input(),
            (model, &entries(k)),
            &fences,
            Transformers::Optimized,
            &Stop::default(),
        );
        stage.expect("the program can be reduced")
    }

    /// Verifies the program with its own fences or others, from the predicates that there are: nothing is refined.
    pub fn verify(
        &self,
        models: &[Model],
        (bound, method): (Bound, MethodChoice),
        placement: Placement,
    ) -> Answer {
        let config = PredicateConfig {
            bound,
            method,
            refine: 0,
            ..PredicateConfig::default()
        };
        self.verify_with(models, config, &placement)
    }

    /// The same with a configuration of the predicate engine.
    pub fn verify_with(
        &self,
        models: &[Model],
        predicate: PredicateConfig,
        placement: &Placement,
    ) -> Answer {
        self.verify_in(models, predicate, placement, Context::default())
    }

    /// The same with its own fences, the solver being asked by some threads at once.
    pub fn verify_jobs(&self, models: &[Model], predicate: PredicateConfig, jobs: usize) -> Answer {
        let context = Context {
            jobs,
            ..Context::default()
        };
        self.verify_in(models, predicate, &Placement::Declared, context)
    }

    /// The same in a context, but for its limits.
    pub fn verify_in(
        &self,
        models: &[Model],
        predicate: PredicateConfig,
        placement: &Placement,
        context: Context,
    ) -> Answer {
        let config = portfolio::Config {
            choice: match self.explore_states {
                0 => Choice::Only(predicate::NAME.to_owned()),
                _ => Choice::Auto,
            },
            predicate,
            ..portfolio::Config::default()
        };
        let context = Context {
            limits: Limits {
                explore_states: self.explore_states,
                abstract_states: self.max_states,
            },
            ..context
        };
        let mut engines = Portfolio::of(&config, &context.limits);
        let report = engines.verify(&self.subject(), models, placement, &context);
        Answer::new(self, report.expect("the program can be verified or not"))
    }

    /// The certificate of a result that an abstraction verified.
    pub fn certificate(&self, result: &ModelResult) -> Option<Certificate> {
        let Verdict::Verified(Evidence::Invariant(settings)) = &result.outcome.verdict else {
            return None;
        };
        let (subject, config) = (self.subject(), PredicateConfig::default());
        let fences = result.fences.iter().cloned().collect();
        let task = subject.task(result.model, &fences);
        let made = predicate::certificate(&task, settings, &config, &Context::default());
        Some(made.expect("no limit is hit"))
    }
}

impl Answer {
    fn new(proved: &Proved, report: Report) -> Self {
        let shown = VerifyReport {
            source: &proved.file,
            harvested: None,
            predicates: proved.proof.predicates.len(),
            report: &report,
            rounds: false,
            legend: false,
        };
        let text = shown.text(&Page::unlimited(), TraceForm::Text);
        Answer { report, text }
    }

    /// The report as text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether everything is verified.
    pub fn is_verified(&self) -> bool {
        self.report.kind() == VerdictKind::Verified
    }
}

impl Deref for Answer {
    type Target = Report;

    fn deref(&self) -> &Report {
        &self.report
    }
}
