//! Bases of programs with atomic sections under TSO, where the check has updates in place of sections, and with values
//! chosen from many.

use std::path::Path;

use cupola::certificate::Stored;
use cupola::certify::{self, Solver, Verdict};
use cupola::engine::backward::{self, Backward};
use cupola::engine::{Context, Engine, Task};
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::source::SourceFile;
use cupola::verdict::VerdictKind;

use crate::basis::{is_violated, of_text, verdict};

/// The programs made by hand that have atomic sections.
fn programs() -> Vec<SourceFile> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/backward");
    let mut found = Vec::new();
    for folder in ["compared", "rules"] {
        for file in std::fs::read_dir(dir.join(folder)).expect("the programs are there") {
            let path = file.expect("it can be read").path();
            let text = std::fs::read_to_string(&path).expect("it can be read");
            if text.contains("atomic {") {
                found.push(SourceFile::new(path.display().to_string(), text));
            }
        }
    }
    found
}

/// Those that are verified have certificates that are accepted, and those that are violated have none.
#[test]
fn programs_with_sections_have_certificates_under_tso() {
    let (mut accepted, mut none) = (0, 0);
    for source in programs() {
        let checked = cupola::front::cup::load(&source).expect("it is a program");
        let fences = Placement::Declared.in_force(&checked, Model::Tso);
        let task = Task {
            source: &source,
            program: &checked,
            model: Model::Tso,
            fences: &fences.expect("its own places"),
            proof: None,
            earlier: &[],
        };
        let name = source.name();
        let Ok(outcome) = Backward::default().run(&task, &Context::default()) else {
            continue;
        };
        let found = backward::certificate(&task, &Context::default());
        match outcome.verdict.kind() {
            VerdictKind::Verified => {
                let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
                let stored = certify::prepare(&found).expect("it can be stored");
                assert_eq!(verdict(&stored), Verdict::Accepted, "{name}");
                accepted += 1;
            }
            VerdictKind::Violated => {
                assert!(found.is_err(), "{name}");
                none += 1;
            }
            VerdictKind::Unknown => panic!("{name} is decided"),
        }
    }
    assert!(accepted >= 5 && none >= 5, "{accepted} and {none}");
}

/// A counter and a lock whose sections are updates only with their fences.
const FENCED: [&str; 2] = [
    "\
shared x;
thread P[2] { local r; atomic { fence? a; r = x; x = r + 1; fence? b; } }
finally both: x == 2;
fences tso: a, b;
",
    "\
shared x, y, taken;
thread P[2] {
  local r, s;
  atomic {
    taken = 1;
    fence? a;
    r = x;
    s = y;
    x = 1;
    y = 1;
    fence? b;
  }
  assert(r == s);
}
fences tso: a, b;
",
];

/// A basis of a program whose sections are updates says nothing about the same program without their fences.
#[test]
fn sections_without_their_fences_are_not_taken_for_updates() {
    let mut rejected = 0;
    for text in FENCED {
        let stored = of_text("fenced.cup", text, Model::Tso).stored;
        assert_eq!(verdict(&stored), Verdict::Accepted, "{text}");
        for fences in [&[][..], &["a"], &["b"]] {
            let mut changed = stored.clone();
            changed.config.fences = fences.iter().map(|&name| name.to_owned()).collect();
            if is_violated(&changed) {
                assert!(!is_accepted(&changed), "{fences:?} of {text}");
                rejected += 1;
            }
        }
    }
    assert!(rejected >= 3, "{rejected}");
}

fn is_accepted(stored: &Stored) -> bool {
    let found = certify::check(stored, &Solver::Library);
    found.is_ok_and(|report| report.verdict == Verdict::Accepted)
}

/// A value may be chosen from 2^20; from more it is refused, soon and by name.
#[test]
fn values_chosen_from_too_many_are_refused() {
    let text = |last: u32| {
        format!(
            "\
shared x;
thread P {{ local r; r = choose(0, {last}); x = 1; done: skip; }}
thread Q {{ local s; s = x; assert(s < 2); }}
"
        )
    };
    let stored = of_text("chosen.cup", text(1), Model::Tso).stored;
    assert_eq!(verdict(&stored), Verdict::Accepted);
    for (last, accepted) in [
        ((1 << 20) - 1, true),
        (1 << 20, false),
        (u32::MAX >> 2, false),
    ] {
        let mut changed = stored.clone();
        changed.source = SourceFile::new("chosen.cup", text(last));
        match verdict(&changed) {
            Verdict::Accepted => assert!(accepted, "{last}"),
            rejected => {
                let reason = format!("{rejected:?}");
                assert!(!accepted, "{last}: {reason}");
                assert!(
                    reason.contains("a value is chosen from too many"),
                    "{reason}"
                );
            }
        }
    }
}
