//! `--certificate DIR` of `cupola verify`: writes the certificates of what is verified.
//!
//! With one model the certificate is the directory itself; with several there is a directory in it for
//! each model that is verified. A directory that exists is never touched unless it is empty.

use std::path::{Path, PathBuf};

use cupola::certificate::{self, Certificate, Existing, StoreError, Stored, StoredBody};
use cupola::certify::{self, CertifyError};
use cupola::engine::portfolio::Subject;
use cupola::engine::predicate::{self, PredicateConfig};
use cupola::engine::{Context, Task, backward, explore};
use cupola::memory::Model;
use cupola::verdict::{Evidence, ModelResult, Report, Verdict};
use indexmap::IndexSet;

use super::{Console, Failure};

/// What became of the certificates, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Written {
    /// There is one for each result that is verified.
    All,
    /// A limit kept one from being found.
    NotAll,
    /// One could not be written.
    Failed,
}

/// Where certificates go.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    dir: &'a Path,
    models: &'a [Model],
}

impl<'a> Target<'a> {
    /// Makes sure, before any work is done, that certificates for these models can be written.
    pub fn new(dir: &'a Path, models: &'a [Model]) -> Result<Self, Failure> {
        let target = Target { dir, models };
        for model in models {
            certificate::is_free(&target.place(*model), Existing::Refuse).map_err(occupied)?;
        }
        Ok(target)
    }

    /// Writes the certificates of a report, and reports those that cannot be written.
    pub fn write(
        &self,
        subject: &Subject<'_>,
        report: &Report,
        config: &PredicateConfig,
        context: &Context,
        console: &Console,
    ) -> Written {
        let each = report.results.iter().map(|result| {
            let written = self.write_one(subject, result, (config, context), console);
            written.unwrap_or_else(|failure| {
                failure.show(console);
                Written::Failed
            })
        });
        each.max().unwrap_or(Written::All)
    }

    fn write_one(
        &self,
        subject: &Subject<'_>,
        result: &ModelResult,
        (config, context): (&PredicateConfig, &Context),
        console: &Console,
    ) -> Result<Written, Failure> {
        let model = result.model;
        let Verdict::Verified(evidence) = &result.outcome.verdict else {
            console.note(&format!("no certificate for {model}: it is not verified"));
            return Ok(Written::All);
        };
        let fences: IndexSet<String> = result.fences.iter().cloned().collect();
        let task = subject.task(model, &fences);
        let found = match find(&task, evidence, (config, context)) {
            Ok(found) => found,
            Err(Missing::Limit { reason, hint }) => {
                let message = format!("no certificate for {model}: {reason}");
                console.error(&message, hint);
                return Ok(Written::NotAll);
            }
            Err(Missing::Failure(reason)) => return Err(Failure::message(reason)),
        };
        let stored = certify::prepare(&found).map_err(unsealed)?;
        let dir = self.place(model);
        certificate::write(&dir, &stored, Existing::Refuse).map_err(occupied)?;
        let (size, dir) = (size(&stored), dir.display());
        console.note(&format!("certificate for {model}: {size}, in `{dir}`"));
        Ok(Written::All)
    }

    fn place(&self, model: Model) -> PathBuf {
        match self.models {
            [_] => self.dir.to_owned(),
            _ => self.dir.join(model.to_string()),
        }
    }
}

/// Why there is no certificate.
enum Missing {
    /// A limit kept it from being found; with what helps, if anything does.
    Limit {
        reason: String,
        hint: Option<&'static str>,
    },
    /// The program cannot be handled.
    Failure(String),
}

/// The certificate of a result, by what it rests on.
fn find(
    task: &Task<'_>,
    evidence: &Evidence,
    (config, context): (&PredicateConfig, &Context),
) -> Result<Certificate, Missing> {
    match evidence {
        Evidence::Invariant(settings) => {
            let found = predicate::certificate(task, settings, config, context);
            found.map_err(|error| match error {
                predicate::NoCertificate::Limit(_) => Missing::Limit {
                    reason: error.to_string(),
                    hint: Some("try `--max-states` or `--timeout`"),
                },
                predicate::NoCertificate::Facts => Missing::Limit {
                    reason: error.to_string(),
                    hint: Some("try `--reduction slots`"),
                },
                predicate::NoCertificate::Stage(_) => Missing::Failure(error.to_string()),
            })
        }
        Evidence::Basis => {
            let found = backward::certificate(task, context);
            found.or_else(|error| {
                states(task, context).ok_or_else(|| Missing::Limit {
                    reason: error.to_string(),
                    hint: Some("try `--engine explore` or `--engine predicate`"),
                })
            })
        }
        Evidence::PartialCoherence(_) => {
            let found = backward::certificate(task, context).ok();
            found
                .or_else(|| states(task, context))
                .ok_or_else(|| Missing::Limit {
                    reason: "abstract store buffers have no certificate of their own, and the other engines find none".to_owned(),
                    hint: Some("try `--engine predicate`"),
                })
        }
        Evidence::Exhaustive { max_buffer, .. } => {
            let found = explore::certificate(task, *max_buffer, context);
            found.map_err(|error| match error {
                explore::NoCertificate::TooManyStates(_) => Missing::Limit {
                    reason: error.to_string(),
                    hint: Some("try `--engine predicate`: its certificates list no states"),
                },
                explore::NoCertificate::Limit(_) => Missing::Limit {
                    reason: error.to_string(),
                    hint: Some("try a longer `--timeout`"),
                },
                explore::NoCertificate::Buffers(_) | explore::NoCertificate::Fifo => {
                    Missing::Limit {
                        reason: error.to_string(),
                        hint: None,
                    }
                }
                explore::NoCertificate::Reduce(_) | explore::NoCertificate::Broken(_) => {
                    Missing::Failure(error.to_string())
                }
            })
        }
    }
}

/// The longest buffers with which all states are listed where a basis is too large.
const LONGEST: usize = 6;

/// A certificate that lists all states, if there are few and buffers are short.
fn states(task: &Task<'_>, context: &Context) -> Option<Certificate> {
    for buffer in 1..=LONGEST {
        match explore::certificate(task, buffer, context) {
            Ok(found) => return Some(found),
            // With buffers of this length some are full.
            Err(explore::NoCertificate::Broken(_)) => {}
            Err(_) => return None,
        }
    }
    None
}

/// How large a certificate is.
fn size(stored: &Stored) -> String {
    match &stored.body {
        StoredBody::Invariant(invariant) => format!("{} pairs", invariant.pairs.len()),
        StoredBody::States(table) => format!("{} states", table.states.len()),
        StoredBody::Basis(table) => format!("{} sets of states", table.sets.len()),
        StoredBody::Facts(facts) => {
            let (states, facts) = (facts.table.states.len(), facts.table.facts());
            format!("{states} states, {facts} facts about buffers")
        }
    }
}

fn occupied(error: StoreError) -> Failure {
    match error {
        StoreError::Exists(..) => {
            Failure::with_hint(error.to_string(), "remove it, or name another directory")
        }
        StoreError::Io { .. }
        | StoreError::Format(_)
        | StoreError::Table(_)
        | StoreError::Basis(_)
        | StoreError::Facts(_) => Failure::message(error.to_string()),
    }
}

fn unsealed(error: CertifyError) -> Failure {
    Failure::message(format!("the certificate cannot be written: {error}"))
}
