//! Proofs with buffers of any length: the programs that need them, and the same verdicts as with slots.

use std::path::Path;

use cupola::engine::predicate::{PredicateConfig, ReductionChoice};
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::verdict::VerdictKind;

use crate::support::examples;
use crate::support::proofs::Proved;

/// Programs that store without end and need no fence, each with the models under which it is safe.
const ENDLESS: [(&str, &[Model]); 8] = [
    ("queue", &[Model::Tso, Model::Pso]),
    ("ticket", &[Model::Tso]),
    ("ticket_linux", &[Model::Tso]),
    ("abp_resend", &[Model::Tso, Model::Pso]),
    ("increasing_endless", &[Model::Tso, Model::Pso]),
    ("message_passing_endless", &[Model::Tso]),
    ("sequence_lock", &[Model::Tso]),
    ("handshake", &[Model::Tso]),
];

fn config(reduction: ReductionChoice) -> PredicateConfig {
    PredicateConfig {
        reduction,
        refine: 0,
        ..PredicateConfig::default()
    }
}

fn verdict(
    proved: &Proved,
    model: Model,
    placement: &Placement,
    config: PredicateConfig,
) -> VerdictKind {
    proved.verify_with(&[model], config, placement).results[0].kind()
}

/// With the proofs as they are, without a fence and without a bound.
#[test]
fn endless_programs_are_proved_without_fences() {
    for (name, models) in ENDLESS {
        let proved = Proved::example(name);
        for &model in models {
            let config = config(ReductionChoice::Fifos);
            let found = verdict(&proved, model, &Placement::None, config);
            assert_eq!(found, VerdictKind::Verified, "{name} under {model}");
        }
    }
}

/// A ring buffer whose counters grow for ever, while no buffer holds more than four stores.
#[test]
fn the_endless_ring_is_proved_under_tso() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unbounded");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it can be read");
    let proved = Proved::new("ring", &read("ring.cup"), Some(&read("ring.proof")));
    let config = config(ReductionChoice::Fifos);
    let found = verdict(&proved, Model::Tso, &Placement::None, config);
    assert_eq!(found, VerdictKind::Verified);
}

/// With the order facts that the proofs of the ticket locks lack; `verify` finds them.
#[test]
fn ticket_locks_are_proved_under_pso_without_fences() {
    let locks = [
        ("ticket", "next <= num; next <= a0; next <= a1;"),
        ("ticket_linux", "owner <= next; owner <= n0; owner <= n1;"),
    ];
    for (name, order) in locks {
        let file = |extension: &str| {
            let path = examples::directory().join(format!("{name}.{extension}"));
            std::fs::read_to_string(path).expect("it can be read")
        };
        let proof = file("proof").replace('}', &format!("{order} }}"));
        let proved = Proved::new(name, &file("cup"), Some(&proof));
        let config = config(ReductionChoice::Fifos);
        let found = verdict(&proved, Model::Pso, &Placement::None, config);
        assert_eq!(found, VerdictKind::Verified, "{name}");
    }
}

/// Where proofs with slots and with FIFOs both decide, they say the same.
fn hold_slots_against_fifos(wanted: impl Fn(&str) -> bool) {
    let mut compared = 0;
    for example in examples::all()
        .iter()
        .filter(|example| wanted(&example.name))
    {
        let proved = Proved::example(&example.name);
        for model in [Model::Tso, Model::Pso] {
            for placement in [Placement::None, Placement::Declared] {
                let ways = [ReductionChoice::Slots, ReductionChoice::Fifos];
                let [slots, fifos] =
                    ways.map(|way| verdict(&proved, model, &placement, config(way)));
                if slots != VerdictKind::Unknown && fifos != VerdictKind::Unknown {
                    assert_eq!(
                        slots, fifos,
                        "{} under {model}, {placement:?}",
                        example.name
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 0, "nothing was compared");
}

#[test]
fn fifos_say_what_slots_say() {
    hold_slots_against_fifos(|name| ["queue", "abp", "litmus_mp", "litmus_sb"].contains(&name));
}

/// The same for all examples.
#[test]
#[ignore = "takes long: `make unbounded` runs it"]
fn fifos_say_what_slots_say_of_all_examples() {
    hold_slots_against_fifos(|_| true);
}
