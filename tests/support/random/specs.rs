//! What random programs say about themselves: the fences in force and the specs.

use cupola::front::cup::ast::{
    ArithOp, CompareOp, Cond, CondKind, ExprKind, Item, ItemKind, Placement, Spec, SpecKind,
    ThreadRef,
};
use cupola::memory::Model;

use super::Random;
use super::build::{
    and, binary, compare, cond, expr, indexed, item, local_of, name, neg, not, num, or, thread_ref,
    var,
};
use super::generate::{Flavour, LOCALS, Shared, ThreadText};
use super::marked::{LABELS, marked_spec};

/// Which optional fences are in force.
pub(super) fn placements(random: &mut Random, texts: &[ThreadText]) -> Vec<Item> {
    let mut places: Vec<&str> = texts
        .iter()
        .flat_map(|text| text.optional.iter().copied())
        .collect();
    places.sort_unstable();
    places.dedup();
    let chosen = |random: &mut Random| {
        places
            .iter()
            .filter(|_| random.one_in(2))
            .map(|place| name(place))
            .collect::<Vec<_>>()
    };
    let lines = [Model::Tso, Model::Pso].map(|model| Placement {
        model,
        places: chosen(random),
    });
    let lines = lines.into_iter().filter(|line| !line.places.is_empty());
    lines.map(|line| item(ItemKind::Placement(line))).collect()
}

/// What is to hold.
pub(super) fn specs(random: &mut Random, shared: &Shared, texts: &[ThreadText]) -> Vec<Item> {
    let count = match shared.flavour {
        Flavour::Arrays => return Vec::new(),
        Flavour::Copies => 2,
        Flavour::Locations => 1,
        Flavour::Mixed | Flavour::Sections => random.below(3),
    };
    let mut items = Vec::new();
    if shared.flavour == Flavour::Locations {
        let text = &texts[random.below(texts.len())];
        let copy = text.copies.map(|copies| random.below(copies));
        let thread = thread_ref(&text.thread.name.text, copy);
        items.extend(LABELS.map(|label| marked_spec(random, &thread, label)));
    }
    for number in 0..count {
        let kind = random.pick(&[SpecKind::Invariant, SpecKind::Forbid, SpecKind::Finally]);
        let left = atom(random, shared, texts);
        let right = atom(random, shared, texts);
        // Conditions that mostly hold: a spec that fails at once says little about a model.
        let condition = match kind {
            SpecKind::Forbid => and(left, right),
            SpecKind::Invariant | SpecKind::Finally => or(left, right),
        };
        let spec_name = random.one_in(2).then(|| name(&format!("spec{number}")));
        items.push(item(ItemKind::Spec(Spec {
            kind,
            name: spec_name,
            cond: condition,
        })));
    }
    items
}

/// A literal of a spec: a location, a local or a shared variable, negated or not.
fn atom(random: &mut Random, shared: &Shared, texts: &[ThreadText]) -> Cond {
    let text = &texts[random.below(texts.len())];
    let copy = text.copies.map(|copies| random.below(copies));
    let thread = thread_ref(&text.thread.name.text, copy);
    let value = num(random.below(3));
    let thread = match copy {
        Some(1) if shared.constant == Some(2) => ThreadRef {
            copy: Some(Box::new(var("LAST"))),
            ..thread
        },
        _ => thread,
    };
    let kind = match shared.flavour {
        Flavour::Locations => random.below(4) / 2 * 2,
        Flavour::Copies => random.below(5),
        Flavour::Mixed | Flavour::Arrays | Flavour::Sections => random.below(3),
    };
    let positive = match kind {
        3 => {
            let index = expr(ExprKind::Place(local_of(thread, random.pick(&LOCALS))));
            let index = binary(ArithOp::Mod, neg(index), num(3));
            let element = expr(ExprKind::Place(indexed("A", index)));
            compare(CompareOp::Eq, element, value)
        }
        4 => {
            let of = |local| expr(ExprKind::Place(local_of(thread.clone(), local)));
            let difference = binary(ArithOp::Sub, neg(of("r")), of("s"));
            compare(CompareOp::Lt, difference, neg(value))
        }
        0 if !text.labels.is_empty() => cond(CondKind::At(
            thread,
            name(&text.labels[random.below(text.labels.len())]),
        )),
        1 => {
            let local = expr(ExprKind::Place(local_of(thread, random.pick(&LOCALS))));
            let side = match random.one_in(4) {
                true => binary(ArithOp::Mod, local, num(2)),
                false => local,
            };
            compare(CompareOp::Eq, side, value)
        }
        _ => compare(CompareOp::Eq, var(random.pick(&shared.names())), value),
    };
    if random.one_in(2) {
        not(positive)
    } else {
        positive
    }
}
