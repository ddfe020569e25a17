//! Certificates with quantified facts: right ones are accepted, wrong ones are not.

mod changes;
mod edges;
mod runs;
mod sample;
mod traps;

use std::process::Command as Process;

use cupola::certificate::{self, Existing, Stored, StoredBody, fact_text, read_predicates};
use cupola::certify::{self, Report, Solver, Verdict};
use cupola::memory::Model;

use crate::why;
use runs::refutation;
use sample::{Made, Sample};

const QUEUE: &str = include_str!("../../../examples/queue.cup");

const MESSAGES: &str = "
shared data, flag;
thread P { local n; loop { n = n + 1; data = n; flag = n; } }
thread Q { local f, d; loop { f = flag; d = data; assert(f <= d, \"order\"); } }
";

const HANDSHAKE: &str = "
shared data, full;
thread P {
  local n, f;
  loop { f = full; if (f == 0) { n = n + 1; data = n; full = 1; } }
}
thread C {
  local m, f, d;
  loop { f = full; if (f == 1) { d = data; assert(d == m + 1, \"next\"); m = d; full = 0; } }
}
";

/// Programs whose buffers grow for ever, or in which two threads write a variable.
pub const SAMPLES: [Sample; 4] = [
    Sample {
        name: "queue_pso",
        text: QUEUE,
        model: Model::Pso,
        predicates: &[
            "Producer.Tail_t0_len == 0",
            "Head <= Tail",
            "Tail <= Producer.p",
            "Consumer.h == Head",
            "Consumer.t <= Tail",
            "Consumer.h < Consumer.t",
            "every e in Producer.Tail_t0: Tail <= e",
            "every e in Producer.Tail_t0: e <= Producer.p",
            "every e before f in Producer.Tail_t0: e <= f",
        ],
        split: 1,
        runs: 150,
        longest: 6,
    },
    Sample {
        name: "queue_tso",
        text: QUEUE,
        model: Model::Tso,
        predicates: &[
            "Producer.buffer_t0_len == 0",
            "Head <= Tail",
            "Tail <= Producer.p",
            "Consumer.h == Head",
            "Consumer.t <= Tail",
            "Consumer.h < Consumer.t",
            "every entry in Producer.buffer_t0: Tail <= entry.Tail",
            "every e in Producer.buffer_t0: e.Tail <= Producer.p",
            "every Tail before p in Producer.buffer_t0: Tail.Tail <= p.Tail",
        ],
        split: 1,
        runs: 150,
        longest: 6,
    },
    Sample {
        name: "messages_tso",
        text: MESSAGES,
        model: Model::Tso,
        predicates: &[
            "P.buffer_t0_len == 0",
            "flag <= data",
            "data <= P.n",
            "Q.f <= data",
            "Q.f <= Q.d",
            "P.buffer_t0_len > 0 && P.buffer_t0_newest_data == P.n || P.buffer_t0_len == 0 && data == P.n",
            "every e in P.buffer_t0: e.flag <= e.data",
            "every e in P.buffer_t0: data <= e.data",
            "every e in P.buffer_t0: e.data <= P.n",
            "every e before f in P.buffer_t0: e.data <= f.data",
        ],
        split: 1,
        runs: 150,
        longest: 6,
    },
    Sample {
        name: "handshake_tso",
        text: HANDSHAKE,
        model: Model::Tso,
        predicates: &[
            "P.buffer_t0_len == 0",
            "P.buffer_t0_len == 1",
            "C.buffer_t1_len == 0",
            "full == 0",
            "full == 1",
            "P.f == 0",
            "C.f == 1",
            "data == P.n",
            "data == C.m",
            "data == C.m + 1",
            "P.n == C.m",
            "P.n == C.m + 1",
            "C.d == C.m + 1",
            "C.d == data",
            "P.buffer_t0_newest_full == 1",
            "P.buffer_t0_newest_full == 0",
            "P.buffer_t0_len == 0 || P.buffer_t0_newest_data == P.n",
            "P.buffer_t0_newest_no_full == 1",
            "P.done_full_t0 == 0",
            "C.done_full_t1 == 0",
            "C.buffer_t1_len == 1",
            "every e before f in P.buffer_t0: !(e.no_full > P.done_full_t0)",
            "every e before f in P.buffer_t0: f.no_full == 1 && f.full == 1",
            "every e in P.buffer_t0: e.data == P.n",
            "every e in P.buffer_t0: e.no_full == P.done_full_t0",
            "every e in P.buffer_t0: e.no_full == 0 || e.no_full == 1 && e.full == 1",
            "every e in C.buffer_t1: e.full == 0 && e.no_full == 1",
        ],
        split: 5,
        runs: 600,
        longest: 4,
    },
];

/// The certificate as it is stored.
fn stored(made: &Made) -> Stored {
    certify::prepare(&made.certificate).expect("a certificate")
}

fn check(stored: &Stored, solver: &Solver) -> Report {
    certify::check(stored, solver).expect("a report")
}

/// cvc5 and Z3 as programs, as far as they are installed.
fn solvers() -> Vec<Solver> {
    let known = ["cvc5", "/usr/bin/z3"];
    let present = known
        .iter()
        .filter(|name| Process::new(name).arg("--version").output().is_ok());
    let processes = present.map(|name| Solver::Process(name.into()));
    [Solver::Library].into_iter().chain(processes).collect()
}

#[test]
fn right_certificates_are_accepted_by_all_solvers() {
    for sample in SAMPLES {
        let made = sample.make();
        let refuted = refutation(&made.table, &made.predicates, &made.runs);
        assert_eq!(refuted, None, "{}", made.name);
        let stored = stored(&made);
        for solver in solvers() {
            let report = check(&stored, &solver);
            let name = made.name;
            assert_eq!(
                report.verdict,
                Verdict::Accepted,
                "{name}, {solver}: {:?}",
                why(&report)
            );
        }
    }
}

#[test]
fn certificates_survive_their_files() {
    let stored = stored(&SAMPLES[2].make());
    let folder = tempfile::tempdir().expect("a directory");
    let dir = folder.path().join("certificate");
    certificate::write(&dir, &stored, Existing::Refuse).expect("written");
    let read = certificate::read(&dir).expect("read");
    let (StoredBody::Facts(written), StoredBody::Facts(read_again)) = (&stored.body, &read.body)
    else {
        panic!("certificates with facts");
    };
    assert_eq!(written.table, read_again.table);
    assert_eq!(check(&read, &Solver::Library).verdict, Verdict::Accepted);
    let mut names: Vec<String> = std::fs::read_dir(&dir)
        .expect("a directory")
        .map(|entry| {
            entry
                .expect("a file")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    let files = [
        "certificate.json",
        "facts.json",
        "obligations.smt2",
        "reduced.cup",
        "source.cup",
    ];
    assert_eq!(names, files);
}

#[test]
fn facts_survive_their_text() {
    for sample in SAMPLES {
        let made = sample.make();
        let program = &made.reduction.program;
        for predicate in &made.predicates {
            let certificate::Predicate::Fact(fact) = predicate else {
                continue;
            };
            let text = fact_text(program, &fact.fifo, &fact.entries, &fact.body);
            let text = text.expect("a fact names no control location");
            let again = read_predicates(
                &made.reduction.checked,
                program,
                std::slice::from_ref(&text),
            );
            assert_eq!(
                again.expect("a fact"),
                std::slice::from_ref(predicate),
                "{text}"
            );
        }
    }
}

#[test]
fn predicates_that_are_no_facts_are_refused() {
    let made = SAMPLES[1].make();
    for (text, reason) in [
        (
            "every e in Producer.buffer_t9: e.Tail == 0",
            "there is no FIFO",
        ),
        (
            "every e in Producer.buffer_t0: e.Head == 0",
            "have no field `Head`",
        ),
        ("every e in Producer.buffer_t0: e == 0", "are records"),
        ("every e of Producer.buffer_t0: e.Tail == 0", "a fact is"),
        (
            "every e before e in Producer.buffer_t0: e.Tail == 0",
            "two entries are called `e`",
        ),
        ("every e in Producer.buffer_t0: g.Tail == 0", "g"),
        ("every e in Producer.buffer_t0", ""),
    ] {
        let read = read_predicates(
            &made.reduction.checked,
            &made.reduction.program,
            &[text.to_owned()],
        );
        let error = read.expect_err(text).to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
}
