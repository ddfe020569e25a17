//! The report as JSON, as `docs/verification.md` describes it.

use serde_json::{Value, json};

use super::{VerifyReport, rounds};
use crate::memory::Buffers;
use crate::render::warnings::Warnings;
use crate::render::{Execution, SCHEMA};
use crate::verdict::{
    AbstractPath, Attempt, Changes, CoherencePath, Evidence, Feasibility, Growth, ModelResult,
    Refinement, Settings, Stats, Unknown, Verdict,
};

impl VerifyReport<'_> {
    /// The report as one JSON object.
    pub fn json(&self) -> Value {
        let results = self.report.results.iter();
        json!({
            "schema": SCHEMA,
            "program": self.source.name(),
            "verdict": self.report.kind().word(),
            "harvested": self.harvested.is_some(),
            "predicates_sc": self.predicates,
            "results": results.map(|result| self.result(result)).collect::<Value>(),
        })
    }

    fn result(&self, result: &ModelResult) -> Value {
        let outcome = &result.outcome;
        let decisive = outcome.decisive();
        let mut object = json!({
            "model": result.model.to_string(),
            "fences": result.fences,
            "engine": decisive.map(|tried| tried.engine),
            "method": decisive.map(method),
        });
        let settings = decisive.map(|tried| &tried.settings);
        self.add_verdict(&mut object, &outcome.verdict, settings);
        object["trace"] = self.trace(&outcome.verdict);
        let warnings = Warnings {
            source: self.source,
            all: &outcome.warnings,
        };
        object["warnings"] = warnings.json();
        let log = outcome.log.iter();
        object["attempts"] = log.map(|tried| self.attempt(tried)).collect();
        object
    }

    fn attempt(&self, tried: &Attempt) -> Value {
        let mut object = json!({
            "engine": tried.engine,
            "method": method(tried),
            "settings": settings(&tried.settings),
        });
        self.add_verdict(&mut object, &tried.verdict, Some(&tried.settings));
        object["stats"] = stats(&tried.stats);
        object
    }

    /// The verdict of an attempt with these settings, with what it rests on.
    fn add_verdict(&self, object: &mut Value, verdict: &Verdict, settings: Option<&Settings>) {
        object["verdict"] = json!(verdict.kind().word());
        let violation = verdict.violation();
        object["found_by"] = json!(violation.map(|violation| violation.found_by().word()));
        object["reason"] = json!(reason(verdict));
        object["limits"] = limits(verdict);
        object["safe_up_to"] = safe_up_to(verdict, settings);
        object["property"] = json!(self.property(verdict));
        object["evidence"] = match verdict {
            Verdict::Verified(evidence) => self::evidence(evidence),
            Verdict::Violated(_) | Verdict::Unknown(_) => Value::Null,
        };
        object["growth"] = match verdict {
            Verdict::Unknown(
                Unknown::Overflow { growth, .. } | Unknown::Incomplete { growth, .. },
            ) => json!(growth.as_ref().map(|growth| self.growth(growth))),
            Verdict::Verified(_) | Verdict::Violated(_) | Verdict::Unknown(_) => Value::Null,
        };
    }

    fn property(&self, verdict: &Verdict) -> Option<String> {
        match verdict {
            Verdict::Verified(_) => None,
            Verdict::Violated(violation) => Some(violation.property().name_text()),
            Verdict::Unknown(
                Unknown::TooCoarse { property, .. } | Unknown::TooIncoherent { property, .. },
            ) => Some(self.report.property(*property).name_text()),
            Verdict::Unknown(_) => None,
        }
    }

    /// A real execution or an abstract path.
    fn trace(&self, verdict: &Verdict) -> Value {
        match verdict {
            Verdict::Verified(_) => Value::Null,
            Verdict::Violated(violation) => {
                execution(&self.execution(violation.program(), violation.trace()))
            }
            Verdict::Unknown(Unknown::TooIncoherent { path, .. }) => coherence_path(path),
            Verdict::Unknown(unknown) => match unknown.path() {
                Some(path) => self.path(path),
                None => Value::Null,
            },
        }
    }

    fn path(&self, path: &AbstractPath) -> Value {
        let (impossible, missing) = match &path.feasibility {
            Feasibility::Feasible(run) => {
                return execution(&self.execution(run.program(), run.trace()));
            }
            Feasibility::Spurious { step, refinement } => match refinement {
                Refinement::Predicates(lines) => (Some(step + 1), &lines[..]),
                Refinement::LargerCubes | Refinement::None => (Some(step + 1), &[][..]),
            },
            Feasibility::Undecided => (None, &[][..]),
        };
        let steps = path.steps.iter().map(|step| {
            json!({
                "thread": step.thread(),
                "line": step.line,
                "statement": step.text,
                "changes": values(&step.changes),
            })
        });
        json!({
            "abstract": true,
            "initial": values(&path.initial),
            "steps": steps.collect::<Value>(),
            "impossible_step": impossible,
            "missing": missing,
        })
    }

    fn growth(&self, growth: &Growth) -> Value {
        json!({
            "repeats_from": growth.repeats_from() + 1,
            "execution": execution(&self.execution(growth.run().program(), growth.run().trace())),
        })
    }
}

fn execution(execution: &Execution<'_>) -> Value {
    let mut object = execution.json();
    object["abstract"] = json!(false);
    object
}

fn values(changes: &Changes) -> Value {
    let object = changes
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)));
    Value::Object(object.collect())
}

/// The method; an engine without methods is its own.
fn method(tried: &Attempt) -> &'static str {
    let settings = &tried.settings;
    let domain = settings
        .coherence
        .map(|abstraction| abstraction.domain.name());
    let method = settings.method.map(|method| method.name());
    method.or(domain).unwrap_or(tried.engine)
}

fn settings(settings: &Settings) -> Value {
    let sizes = settings.cube_sizes;
    json!({
        "k": settings.buffers.as_ref().and_then(Buffers::sizes),
        "reduction": settings.buffers.as_ref().map(Buffers::reduction),
        "cube_sizes": sizes.map(|sizes| [sizes.updates, sizes.conditions]),
        "split": settings.split,
        "coherence": settings.coherence.map(|abstraction| {
            json!({ "domain": abstraction.domain.name(), "k": abstraction.k })
        }),
        "found": settings.found.as_deref().map(rounds::json),
    })
}

fn stats(stats: &Stats) -> Value {
    let solver = stats.solver.map(|solver| {
        json!({
            "calls": solver.calls,
            "z3_calls": solver.z3_calls,
            "unanswered": solver.unanswered,
            "seconds": solver.time.as_secs_f64(),
        })
    });
    let abstraction = stats.abstraction.map(|built| {
        json!({
            "predicates": built.predicates,
            "cubes": built.cubes,
            "cubes_used": built.cubes_used,
            "largest_cube": built.largest_cube,
            "seconds": built.build_time.as_secs_f64(),
        })
    });
    json!({
        "states": stats.states,
        "memory_bytes": stats.memory_bytes,
        "seconds": stats.time.as_secs_f64(),
        "max_buffer": stats.max_buffer,
        "solver": solver,
        "abstraction": abstraction,
    })
}

/// A path of abstract store buffers.
fn coherence_path(path: &CoherencePath) -> Value {
    let steps = path.steps.iter().map(|step| {
        json!({
            "thread": step.thread,
            "line": step.line,
            "statement": step.text,
            "buffers": step.buffers,
        })
    });
    json!({ "abstract": true, "steps": steps.collect::<Value>() })
}

fn evidence(evidence: &Evidence) -> Value {
    match evidence {
        Evidence::Exhaustive { states, max_buffer } => {
            json!({ "kind": "exhaustive", "states": states, "max_buffer": max_buffer })
        }
        Evidence::Invariant(_) => json!({ "kind": "invariant" }),
        Evidence::Basis => json!({ "kind": "basis" }),
        Evidence::PartialCoherence(abstraction) => json!({
            "kind": "partial_coherence",
            "domain": abstraction.domain.name(),
            "k": abstraction.k,
        }),
    }
}

/// The limits that were met.
fn limits(verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Unknown(Unknown::Incomplete { limits, .. }) => {
            limits.iter().map(|limit| json!(limit.word())).collect()
        }
        Verdict::Unknown(Unknown::Stopped(limit)) => json!([limit.word()]),
        Verdict::Unknown(_) | Verdict::Verified(_) | Verdict::Violated(_) => json!([]),
    }
}

/// How many stores buffers may hold such that the program is known to be safe as long as none holds more.
fn safe_up_to(verdict: &Verdict, settings: Option<&Settings>) -> Value {
    match verdict {
        Verdict::Unknown(Unknown::Incomplete { safe_up_to, .. }) => json!(safe_up_to),
        Verdict::Unknown(Unknown::Overflow { .. }) => {
            json!(settings.and_then(|settings| settings.buffers.as_ref()?.sizes()))
        }
        Verdict::Unknown(_) | Verdict::Verified(_) | Verdict::Violated(_) => Value::Null,
    }
}

/// Why nothing is known, in one word: of several limits the gravest.
fn reason(verdict: &Verdict) -> Option<&'static str> {
    let Verdict::Unknown(unknown) = verdict else {
        return None;
    };
    Some(match unknown {
        Unknown::Incomplete { limits, .. } => limits.first().map_or("states", |limit| limit.word()),
        Unknown::Stopped(limit) => limit.word(),
        Unknown::TooCoarse { .. } | Unknown::TooIncoherent { .. } => "abstraction",
        Unknown::Overflow { .. } => "overflow",
        Unknown::NotVerifiedUnderSc(_) => "sc",
        Unknown::Unsupported(_) => "unsupported",
    })
}
