//! Programs that TSO or PSO break, and rules made wrong so that some of them are verified.

use indexmap::IndexSet;

use crate::engine::Context;
use crate::engine::explore::{ExploreConfig, explore};
use crate::engine::predicate::{Input, PredicateConfig, attempt, fifo_stage};
use crate::front::{Format, load};
use crate::memory::Model;
use crate::proof::parse;
use crate::run::wrong::{self, Wrong};
use crate::source::SourceFile;
use crate::verdict::{Method, VerdictKind};

/// Programs with predicates; each of them is broken under the model.
const BROKEN: [(Model, &str, &str); 5] = [
    (
        Model::Pso,
        "shared x; thread P { loop { x = 1; } } invariant zero: x == 0;",
        "predicates { x == 0; }",
    ),
    (
        Model::Tso,
        "shared x; thread P { loop { x = 1; } } thread Q { loop { x = 0; } } invariant zero: x == 0;",
        "predicates { x == 0; }",
    ),
    (
        Model::Pso,
        "shared x, y = 1, z;
        thread P { x = 1; z = 1; }
        thread Q { local c, b, r;
          c = z; assume(c == 1);
          atomic { b = x; assume(b == 0); r = swap(y, 0); } }
        invariant order: x <= y;",
        "predicates { x <= y; x == 0; y == 0; y == 1; z == 0; c == 1; b == 0; }",
    ),
    (
        Model::Tso,
        "shared X, Y, Z;
        thread P { local d; X = 1; Y = 1; d = Z; }
        thread Q { local a, b, c, s;
          Z = 1; fence; a = X; assume(a == 1); X = 2; fence;
          b = Y; assume(b == 0); c = Y; assume(c == 1); s = X; }
        finally once: !(Q.s == 2 && P.d == 0);",
        "predicates { X == 0; X == 1; X == 2; Y == 0; Y == 1; Z == 0; Z == 1; a == 1; b == 0; c == 1; s == 2; d == 0; }",
    ),
    (
        Model::Pso,
        "shared x; thread P { x = 1; fence; assert(x == 0, \"reached\"); }",
        "predicates { x == 0; }",
    ),
];

/// Whether a program is verified with FIFOs; of finite ones, also whether all runs of the reduced program are safe.
fn verified((model, program, proof): (Model, &str, &str)) -> bool {
    let source = SourceFile::new("broken.cup", program.to_owned());
    let loaded = load(source, Format::Cup).expect("the program is right");
    let proof = SourceFile::new("broken.proof", proof.to_owned());
    let (proof, _) = parse(&proof, &loaded.checked).expect("the proof is right");
    let input = Input {
        source: &loaded.source,
        program: &loaded.checked,
        proof: &proof,
    };
    let stage = fifo_stage(&input, model, &IndexSet::new()).expect("it can be reduced");
    let (config, context) = (PredicateConfig::default(), Context::default());
    let tried = attempt(&input, &stage, Method::Lazy, &config, &context);
    let tried = tried.expect("numbers are small").verdict.kind();
    let config = ExploreConfig {
        buffer: 3,
        ..ExploreConfig::default()
    };
    let explored = explore(&stage.program, Model::Sc, &config, &context);
    let explored = explored.expect("it can be explored").kind();
    tried == VerdictKind::Verified || explored == VerdictKind::Verified
}

#[test]
fn right_rules_verify_no_program_that_is_broken() {
    for broken in BROKEN {
        assert!(!verified(broken), "{}", broken.1);
    }
}

#[test]
fn every_wrong_rule_verifies_a_program_that_is_broken() {
    for rule in Wrong::ALL {
        let noticed = wrong::with(Some(rule), || BROKEN.into_iter().any(verified));
        assert!(noticed, "{rule:?}");
    }
}
