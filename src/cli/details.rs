//! What a page of `cupola verify` shows beside the verdicts: translations and abstractions.

use cupola::engine::Context;
use cupola::engine::predicate::{self, Input as PredicateInput, PredicateConfig};
use cupola::memory::{BufferSizes, Buffers};
use cupola::reduce::Reduction;
use cupola::render::html::{Abstracted, Detail};
use cupola::verdict::{Evidence, Method, ModelResult, Report, Settings, Verdict};
use serde_json::Value;

use super::pipeline::Loaded;

/// What there is to show about each model. What cannot be made again within the limits is left out.
pub fn details(
    loaded: &Loaded,
    report: &Report,
    config: &PredicateConfig,
    context: &Context,
) -> Vec<Detail> {
    let results = report.results.iter();
    let detail = |result: &ModelResult| {
        let settings = result.outcome.decisive().map(|tried| &tried.settings);
        let buffers = settings.and_then(|settings| settings.buffers.clone());
        let buffers = buffers.unwrap_or(Buffers::Slots(BufferSizes::ONE));
        let fences = result.fences.iter().cloned().collect();
        let bound = (result.model, &buffers);
        let reduction = predicate::stage_with(&loaded.input(), bound, &fences, &context.stop).ok();
        let abstracted = match (&result.outcome.verdict, &reduction) {
            (Verdict::Verified(Evidence::Invariant(settings)), Some(reduction)) => {
                abstracted(loaded, settings, reduction, (config, context))
            }
            _ => None,
        };
        Detail {
            model: result.model,
            reduction,
            abstracted,
        }
    };
    results.map(detail).collect()
}

/// The abstraction with these settings, made once more.
fn abstracted(
    loaded: &Loaded,
    settings: &Settings,
    stage: &Reduction,
    (config, context): (&PredicateConfig, &Context),
) -> Option<Abstracted> {
    let proof = match &settings.found {
        Some(found) => predicate::proof_of(found).ok()?,
        None => loaded.proof.clone(),
    };
    let config = &PredicateConfig {
        sizes: settings.cube_sizes.unwrap_or(config.sizes),
        ..config.clone()
    };
    let input = PredicateInput {
        proof: &proof,
        ..loaded.input()
    };
    let method = settings.method.unwrap_or(Method::Pe);
    let found = predicate::extrapolated(&input, stage, method, &config.extrapolate).ok()?;
    let (predicates, cubes) = found.json(&stage.program);
    let built = match method {
        Method::Lazy => None,
        _ => predicate::boolean_program(&input, stage, method, config, context).ok(),
    };
    Some(Abstracted {
        predicates: with_rules(&predicates, "predicate"),
        cubes: with_rules(&cubes, "cube"),
        program: built
            .and_then(Result::ok)
            .map(|built| built.program.to_string()),
    })
}

fn with_rules(list: &Value, name: &str) -> Vec<(String, u64)> {
    let items = list.as_array().into_iter().flatten();
    let pairs =
        items.filter_map(|item| Some((item[name].as_str()?.to_owned(), item["rule"].as_u64()?)));
    pairs.collect()
}
