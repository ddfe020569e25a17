//! Labels and assertions that a proof shows to be unreachable, on random programs: no exploration reaches them.

use cupola::engine::explore::{ExploreConfig, explore};
use cupola::engine::portfolio::{Choice, Config, Portfolio, Subject};
use cupola::engine::predicate::{self, PredicateConfig};
use cupola::engine::{Context, Limits};
use cupola::front::cup;
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::program::lower;
use cupola::source::SourceFile;
use cupola::verdict::{Warning, WarningKind};
use indexmap::IndexSet;

use crate::support::random::program;

/// Random programs that are tried.
const PROGRAMS: u64 = 150;

/// States of the largest program that is compared.
const STATES: usize = 3_000;

fn told(warnings: &[Warning]) -> Vec<String> {
    let kinds = [WarningKind::Label, WarningKind::Assertion];
    let told = warnings
        .iter()
        .filter(|warning| kinds.contains(&warning.kind));
    let each = told.flat_map(|warning| {
        let threads = warning.threads.iter();
        threads.map(move |thread| format!("{:?} {thread} {:?}", warning.kind, warning.span))
    });
    each.collect()
}

#[test]
fn what_a_proof_says_is_unreachable_is_not_reached() {
    let (mut compared, mut warned) = (0, 0);
    for seed in 0..PROGRAMS {
        let tree = program(seed);
        let source = SourceFile::new("random.cup", cup::print(&tree));
        let Ok(checked) = cup::load(&source) else {
            continue;
        };
        let lowered = lower(&checked, &IndexSet::new());
        for model in [Model::Sc, Model::Tso, Model::Pso] {
            let config = ExploreConfig {
                max_states: STATES,
                ..ExploreConfig::default()
            };
            let context = Context::default();
            let found = explore(&lowered, model, &config, &context);
            let found = found.expect("a program as written fits every model");
            if found.taken.is_none() {
                continue;
            }
            let explored = told(&found.warnings(&checked, &lowered));
            let config = Config {
                choice: Choice::Only(predicate::NAME.to_owned()),
                predicate: PredicateConfig {
                    refine: 0,
                    ..PredicateConfig::default()
                },
                ..Config::default()
            };
            let limits = Limits {
                abstract_states: 20_000,
                ..Limits::default()
            };
            let context = Context { limits, ..context };
            let subject = Subject {
                source: &source,
                program: &checked,
                proof: None,
            };
            let placement = Placement::None;
            let mut engine = Portfolio::of(&config, &context.limits);
            let Ok(report) = engine.verify(&subject, &[model], &placement, &context) else {
                continue;
            };
            let proved = told(&report.results[0].outcome.warnings);
            for warning in &proved {
                assert!(
                    explored.contains(warning),
                    "{model} {warning}\n{}",
                    source.text()
                );
            }
            compared += 1;
            warned += usize::from(!proved.is_empty());
        }
    }
    assert!(compared > 50 && warned > 3, "{compared} {warned}");
}
