//! Witnesses of `litmus`, run again on the machine: a test asks for one of its final states, and the execution that
//! `litmus` gives must lead the machine to that state.
//!
//! The machine takes its steps when the witness accesses memory; what stands between two accesses of a thread only
//! concerns the thread. A locked instruction is one step of the machine, taken when the witness writes.

use cupola::litmus::{self, Decision, LOOP_BUFFER, Witness};
use cupola::memory::Model;
use cupola::semantics::{Access, MoveKind};
use cupola::source::SourceFile;

use super::machine::{Final, Machine, State};
use super::print::{self, Locations};
use super::{context, names, row, rows, seeds};
use crate::support::compared::Compared;

/// One in so many of the programs of the other test.
const SHARE: u64 = 4;

/// The final state that a witness leads the machine to.
fn replayed(machine: &Machine, witness: &Witness) -> Result<Final, String> {
    let program = &witness.program;
    let is_shared = |access: &Access| !program.var_display_name(access.var).contains('.');
    let mut state = machine.start();
    for step in &witness.violation.trace().steps {
        let thread = step.action.thread.index();
        let (reads, writes) = (
            step.reads.iter().any(is_shared),
            step.writes.iter().any(is_shared),
        );
        let next = match step.action.kind {
            MoveKind::Flush(_) => machine.flush(&state, thread),
            _ if reads || writes => access(machine, &state, thread, writes),
            _ => continue,
        };
        state = next.ok_or_else(|| format!("the machine cannot follow {step:?}"))?;
    }
    for thread in 0..machine.threads.len() {
        while machine.is_local(&state, thread) {
            state = machine
                .stepped(&state, thread)
                .ok_or("a thread waits at the end")?;
        }
    }
    machine
        .final_state(&state)
        .ok_or_else(|| "the machine has not come to its end".to_owned())
}

/// The machine goes on to the thread's next access, and makes it; the load of a locked instruction is no access of its
/// own.
fn access(machine: &Machine, state: &State, thread: usize, writes: bool) -> Option<State> {
    let mut state = state.clone();
    while machine.is_local(&state, thread) {
        state = machine.stepped(&state, thread)?;
    }
    match machine.is_locked(&state, thread) && !writes {
        true => Some(state),
        false => machine.stepped(&state, thread),
    }
}

/// Asks for a final state of a program, and runs the witness. `Ok(false)` if there is none to ask for.
fn check(machine: &Machine, locations: &Locations, pick: u64) -> Result<bool, String> {
    let names = names(machine);
    let read = |text: String| litmus::parse(&SourceFile::new("random.litmus", text));
    let text = print::test(machine, locations, &names);
    let decided = |test| match litmus::decide(test, Model::Tso, LOOP_BUFFER, &context()) {
        Decision::Decided(states) => Some(states),
        Decision::Unknown(_) | Decision::NotModelled(_) => None,
    };
    let test = read(text.clone()).ok();
    let Some(states) = test.as_ref().and_then(decided) else {
        return Ok(false);
    };
    let found: Vec<Vec<u64>> = rows(machine, locations, &states).into_iter().collect();
    if found.is_empty() {
        return Ok(false);
    }
    let wanted = &found[usize::try_from(pick).expect("small") % found.len()];
    let equal = names.iter().zip(wanted);
    let equal: Vec<String> = equal
        .map(|(name, value)| format!("{name}={value:#x}"))
        .collect();
    let asked = format!("exists ({})", equal.join(" /\\ "));
    let asked = text.replace("forall (true)", &asked);
    let test = read(asked).map_err(|rejection| format!("{:?}", rejection.diagnostics))?;
    let states = decided(&test).ok_or("the same test is not decided")?;
    let witness = states.witness.ok_or("the state has no witness")?;
    let last = replayed(machine, &witness)?;
    match row(machine, &last) == *wanted {
        true => Ok(true),
        false => Err(format!("asked for {wanted:x?}, came to {last:x?}")),
    }
}

#[test]
fn witnesses_lead_the_machine_to_the_state_that_is_asked_for() {
    let mut total = Compared::default();
    for seed in seeds().filter(|seed| seed % SHARE < 2) {
        let (machine, locations) = super::generate::program(seed);
        match check(&machine, &locations, seed) {
            Ok(compared) => total.count(compared),
            Err(error) => {
                let text = print::test(&machine, &locations, &names(&machine));
                panic!("seed {seed}: {error}\n{text}");
            }
        }
    }
    total.assert_percent(50);
}
