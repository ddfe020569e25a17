//! Buffers of random programs that are said to grow without bound do.

use cupola::engine::Context;
use cupola::engine::explore::{Exploration, ExploreConfig, explore};
use cupola::memory::Model;
use cupola::program::{Program, lower};
use cupola::semantics::Trace;
use cupola::semantics::interpreter::replay;
use cupola::semantics::repetition::repeats;
use cupola::verdict::{Growth, Limit};
use indexmap::IndexSet;

use crate::reductions::for_all;
use crate::support::compared::Compared;

fn explored(program: &Program, model: Model, buffer: usize, outcomes: bool) -> Exploration {
    let config = ExploreConfig {
        buffer,
        max_states: 20_000,
        outcomes,
        ..ExploreConfig::default()
    };
    let explored = explore(program, model, &config, &Context::default());
    explored.expect("a random program has no background blocks")
}

/// The steps that can be repeated are, several times; and no larger buffer holds everything.
fn grows(program: &Program, model: Model, growth: &Growth) -> Result<(), String> {
    let (trace, from) = (growth.run().trace(), growth.repeats_from());
    repeats(program, trace, from).map_err(|error| format!("not confirmed: {error}"))?;
    let again = trace.steps[from..].iter().cycle().cloned();
    let again = again.take(5 * (trace.steps.len() - from));
    let longer = Trace {
        steps: trace.steps.iter().cloned().chain(again).collect(),
        ..trace.clone()
    };
    replay(program, model, &longer).map_err(|error| format!("not repeated: {error}"))?;
    let larger = explored(program, model, 4, true).limits;
    match larger.contains(&Limit::Buffer) || larger.contains(&Limit::States) {
        true => Ok(()),
        false => Err("a larger buffer holds everything".to_owned()),
    }
}

#[test]
fn buffers_that_are_said_to_grow_do() {
    for_all(|_, checked| {
        let program = lower(checked, &IndexSet::new());
        let mut total = Compared::default();
        for model in [Model::Tso, Model::Pso] {
            let seen = explored(&program, model, 2, false);
            total.count(seen.growth.is_some());
            if let Some(growth) = &seen.growth {
                grows(&program, model, growth).map_err(|error| format!("{model}: {error}"))?;
            }
        }
        Ok(total)
    })
    .assert_percent(1);
}
