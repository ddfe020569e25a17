//! A property for a random program that has few: one that could go wrong.

use cupola::front::cup::ast::{CompareOp, Cond, Expr, ExprKind, ItemKind, Spec, SpecKind, Tree};

use super::Random;
use super::build::{and, compare, expr, item, local_of, not, num, thread_ref, var};

/// How many properties are thought of before the last one is taken.
const TRIES: usize = 8;

/// The program with one more spec: that two variables do not end with certain values. Where it can
/// be, it is one for which `fits` holds, so that what the caller is after is not rare.
pub fn with_property(tree: &Tree, seed: u64, fits: impl Fn(&Tree) -> bool) -> Tree {
    let mut random = Random::new(seed ^ 0x5EED);
    let mut candidates = (0..TRIES).map(|_| with_spec(tree, &mut random));
    let last = candidates.find(|tree| fits(tree));
    last.unwrap_or_else(|| with_spec(tree, &mut Random::new(seed)))
}

fn with_spec(tree: &Tree, random: &mut Random) -> Tree {
    let mut tree = tree.clone();
    let condition = not(and(equation(&tree, random), equation(&tree, random)));
    tree.items.push(item(ItemKind::Spec(Spec {
        kind: SpecKind::Finally,
        name: None,
        cond: condition,
    })));
    tree
}

/// That a variable has a small value.
fn equation(tree: &Tree, random: &mut Random) -> Cond {
    let variables = variables(tree);
    let variable = variables[random.below(variables.len())].clone();
    compare(CompareOp::Eq, variable, num(random.below(3)))
}

/// The scalars of a program, registers twice: what a thread has read is of more interest.
fn variables(tree: &Tree) -> Vec<Expr> {
    let mut variables = Vec::new();
    let checked = cupola::front::cup::check(tree.clone()).expect("the program obeys all rules");
    for item in &tree.items {
        match &item.kind {
            ItemKind::Shared(shared) => {
                let scalars = shared.iter().filter(|variable| variable.size.is_none());
                variables.extend(scalars.map(|variable| var(&variable.name.text)));
            }
            ItemKind::Thread(thread) => {
                let copies = checked.symbols.threads[&thread.name.text].copies;
                for copy in 0..copies.unwrap_or(1) {
                    let thread = thread_ref(&thread.name.text, copies.map(|_| copy));
                    let register = |name| {
                        let place = local_of(thread.clone(), name);
                        expr(ExprKind::Place(place))
                    };
                    variables.extend(["r", "s", "r", "s"].map(register));
                }
            }
            ItemKind::Const(_) | ItemKind::Placement(_) | ItemKind::Spec(_) => {}
        }
    }
    variables
}
