//! Two thousand litmus tests of four threads in one command, held against the axioms of the models.
//!
//! Each test is a cycle in the style of diy: a thread has two accesses with nothing, a fence or a locked instruction between
//! them, and its second access meets the first one of the next thread: a read sees the write, a write comes behind the read,
//! or one write behind the other. SC forbids all cycles; TSO allows those in which some write is followed by a read with
//! nothing between; PSO those in which a write is followed by any access without a fence. `make bench` shows the time.

use std::fmt::Write as _;

use crate::litmus::{cupola, stdout};

/// How many tests.
const TESTS: usize = 2000;
/// The second access of a thread and the first one of the next.
const LINKS: [&str; 3] = ["WR", "RW", "WW"];
const THREADS: usize = 4;
const LOCATIONS: [&str; THREADS] = ["x", "y", "u", "v"];

/// What stands between the accesses of a thread.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Between {
    Nothing,
    Fence,
    Locked,
}

/// A cycle: for each thread its link to the next, and what stands between its accesses.
struct Cycle {
    links: [&'static str; THREADS],
    between: [Between; THREADS],
}

impl Cycle {
    /// The cycle with this number in base three.
    fn new(number: usize) -> Self {
        let digit = |at: usize| number / 3_usize.pow(u32::try_from(at).unwrap()) % 3;
        let between = [Between::Nothing, Between::Fence, Between::Locked];
        Cycle {
            links: std::array::from_fn(|thread| LINKS[digit(thread)]),
            between: std::array::from_fn(|thread| between[digit(THREADS + thread)]),
        }
    }

    fn incoming(&self, thread: usize) -> &'static str {
        self.links[(thread + THREADS - 1) % THREADS]
    }

    /// Whether a thread writes first, and whether it reads then.
    fn accesses(&self, thread: usize) -> (bool, bool) {
        let writes = self.incoming(thread).ends_with('W');
        (writes, self.links[thread].starts_with('R'))
    }

    fn is_allowed(&self, model: &str) -> bool {
        (0..THREADS).any(|thread| {
            let (writes, reads) = self.accesses(thread);
            match (model, self.between[thread]) {
                ("tso", Between::Nothing) => writes && reads,
                ("pso", Between::Nothing | Between::Locked) => writes,
                _ => false,
            }
        })
    }

    fn thread(&self, thread: usize, condition: &mut Vec<String>) -> [String; 3] {
        let before = LOCATIONS[(thread + THREADS - 1) % THREADS];
        let behind = LOCATIONS[thread];
        let (writes, reads) = self.accesses(thread);
        let first = match (writes, self.incoming(thread)) {
            (true, "WW") => {
                condition.push(format!("{before}=2"));
                format!("MOV [{before}],$2")
            }
            (true, _) => format!("MOV [{before}],$1"),
            (false, _) => {
                condition.push(format!("{thread}:EAX=1"));
                format!("MOV EAX,[{before}]")
            }
        };
        let between = match self.between[thread] {
            Between::Nothing => String::new(),
            Between::Fence => "MFENCE".to_owned(),
            Between::Locked => format!("LOCK ADD [z{thread}],$1"),
        };
        let second = match reads {
            true => {
                condition.push(format!("{thread}:EBX=0"));
                format!("MOV EBX,[{behind}]")
            }
            false => format!("MOV [{behind}],$1"),
        };
        [first, between, second]
    }

    fn text(&self, name: &str) -> String {
        let mut condition = Vec::new();
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| self.thread(thread, &mut condition))
            .collect();
        let mut text = format!("X86 {name}\n{{ }}\n P0 | P1 | P2 | P3 ;\n");
        for row in 0..3 {
            let cells: Vec<&str> = threads.iter().map(|rows| rows[row].as_str()).collect();
            let _ = writeln!(text, " {} ;", cells.join(" | "));
        }
        let _ = writeln!(text, "exists ({})", condition.join(" /\\ "));
        text
    }
}

#[test]
#[allow(clippy::print_stderr, reason = "a run by hand shows the time")]
fn cycles_of_four_threads_are_decided_as_the_axioms_say() {
    let folder = tempfile::tempdir().unwrap();
    let tests = folder.path().join("tests");
    std::fs::create_dir(&tests).unwrap();
    let all = 3_usize.pow(u32::try_from(2 * THREADS).unwrap());
    let cycles = (0..TESTS).map(|number| Cycle::new(number * all / TESTS));
    let cycles: Vec<(String, Cycle)> = cycles
        .enumerate()
        .map(|(number, cycle)| (format!("C{number}"), cycle))
        .collect();
    for (name, cycle) in &cycles {
        std::fs::write(tests.join(format!("{name}.litmus")), cycle.text(name)).unwrap();
    }
    for model in ["sc", "tso", "pso"] {
        let word = |cycle: &Cycle| match cycle.is_allowed(model) {
            true => "Sometimes",
            false => "Never",
        };
        let lines = cycles
            .iter()
            .map(|(name, cycle)| format!("{name},{}\n", word(cycle)));
        let table = folder.path().join(format!("{model}.csv"));
        std::fs::write(&table, lines.collect::<String>()).unwrap();
        let (tests, table) = (tests.to_str().unwrap(), table.to_str().unwrap());
        let start = std::time::Instant::now();
        let answer = stdout(
            &mut cupola(&[tests, "--model", model, "--expect", table]),
            0,
        );
        eprintln!("{TESTS} tests under {model}: {:.2?}", start.elapsed());
        assert_eq!(
            answer,
            format!("Model {model}: {TESTS} as expected, 0 different\n")
        );
    }
}
