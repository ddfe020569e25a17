//! `--certificate DIR` of `cupola verify`: writes the certificates of what is verified.
//!
//! With one model the certificate is the directory itself; with several there is a directory in it for
//! each model that is verified. A directory that exists is never touched unless it is empty.

use std::path::{Path, PathBuf};

use cupola::certificate::{self, Existing, StoreError};
use cupola::certify::{self, CertifyError};
use cupola::model::Model;
use cupola::pipeline::{self, NoCertificate, PipelineConfig, Task};
use cupola::report::{ModelResult, Report};

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

    /// Writes the certificates of a report, and tells of those that cannot be written.
    pub fn write(
        &self,
        task: &Task<'_>,
        report: &Report,
        config: &PipelineConfig,
        console: &Console,
    ) -> Written {
        let each = report.results.iter().map(|result| {
            let written = self.write_one(task, result, config, console);
            written.unwrap_or_else(|failure| {
                failure.tell(console);
                Written::Failed
            })
        });
        each.max().unwrap_or(Written::All)
    }

    fn write_one(
        &self,
        task: &Task<'_>,
        result: &ModelResult,
        config: &PipelineConfig,
        console: &Console,
    ) -> Result<Written, Failure> {
        let model = result.model;
        let found = match pipeline::certificate(task, result, config) {
            Ok(Some(found)) => found,
            Ok(None) => {
                console.note(&format!("no certificate for {model}: it is not verified"));
                return Ok(Written::All);
            }
            Err(NoCertificate::Limit(reason)) => {
                let message = format!(
                    "no certificate for {model}: {}",
                    NoCertificate::Limit(reason)
                );
                console.error(&message, Some("try `--max-states` or `--timeout`"));
                return Ok(Written::NotAll);
            }
            Err(NoCertificate::Pipeline(error)) => return Err(Failure::message(error.to_string())),
        };
        let (stored, obligations) = certify::seal(&found).map_err(unsealed)?;
        let dir = self.place(model);
        certificate::write(&dir, &stored, &obligations, Existing::Refuse).map_err(occupied)?;
        let (pairs, dir) = (stored.pairs.len(), dir.display());
        console.note(&format!(
            "certificate for {model}: {pairs} pairs, in `{dir}`"
        ));
        Ok(Written::All)
    }

    fn place(&self, model: Model) -> PathBuf {
        match self.models {
            [_] => self.dir.to_owned(),
            _ => self.dir.join(model.to_string()),
        }
    }
}

fn occupied(error: StoreError) -> Failure {
    match error {
        StoreError::Exists(..) => {
            Failure::with_way_out(error.to_string(), "remove it, or name another directory")
        }
        StoreError::Io { .. } | StoreError::Format(_) => Failure::message(error.to_string()),
    }
}

fn unsealed(error: CertifyError) -> Failure {
    Failure::message(format!("the certificate cannot be written: {error}"))
}
