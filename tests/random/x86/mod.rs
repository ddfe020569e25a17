//! `litmus` on random x86 tests, held against a machine that was written from the instruction manuals.
//!
//! `CUPOLA_RANDOM_PROGRAMS=N` sets how many programs are tried, `CUPOLA_RANDOM_SEED=S` the first seed; `make litmus` is a
//! long run. A failure is shrunk, and printed as a test.

mod generate;
mod machine;
mod print;
mod replay;

use std::collections::BTreeSet;

use cupola::engine::{Context, Limits};
use cupola::litmus::{self, Decision, FinalStates, LOOP_BUFFER};
use cupola::memory::Model;
use cupola::source::SourceFile;

use machine::{Answer, Final, Ins, Machine, Reg};
use print::{Locations, NAMES};

use crate::support::compared::Compared;

/// Programs where nothing else is asked for.
const SHORT_RUN: u64 = 400;
/// The most states of one program.
const STATES: usize = 60_000;

/// The seeds of this run.
fn seeds() -> impl Iterator<Item = u64> {
    let setting = |name: &str| {
        let text = std::env::var(name).ok();
        text.map(|text| text.parse().expect(name))
    };
    let first = setting("CUPOLA_RANDOM_SEED").unwrap_or(0);
    first..first + setting("CUPOLA_RANDOM_PROGRAMS").unwrap_or(SHORT_RUN)
}

/// The registers that are shown: all that programs use but for those that hold addresses.
fn shown_registers(machine: &Machine) -> Vec<(usize, Reg)> {
    let (numbers, bits): (&[usize], _) = match machine.wide {
        true => (&[0, 1, 2, 3, 8, 9], 64),
        false => (&[0, 1, 2, 3], 32),
    };
    let whole = |number| Reg {
        number,
        bits,
        high: false,
    };
    let threads = 0..machine.threads.len();
    threads
        .flat_map(|thread| numbers.iter().map(move |&number| (thread, whole(number))))
        .collect()
}

fn names(machine: &Machine) -> Vec<String> {
    let registers = shown_registers(machine).into_iter();
    let registers = registers.map(|(thread, reg)| {
        let name = print::register(reg, machine.wide);
        format!("{thread}:{name}")
    });
    registers.chain(NAMES.map(str::to_owned)).collect()
}

/// A final state of the machine as the values of what is shown.
fn row(machine: &Machine, (registers, memory): &Final) -> Vec<u64> {
    let shown = shown_registers(machine).into_iter();
    let registers = shown.map(|(thread, reg)| registers[thread][reg.number]);
    registers.chain(memory.iter().copied()).collect()
}

/// The final states that `litmus` found, in the same order and as bits.
fn rows(machine: &Machine, locations: &Locations, states: &FinalStates) -> BTreeSet<Vec<u64>> {
    let names = names(machine);
    let registers = names.len() - NAMES.len();
    let columns = names.iter().enumerate().map(|(at, name)| {
        let found = states.locations.iter();
        let mut found = found.map(ToString::to_string);
        let column = found.position(|other| other == *name).expect("it is shown");
        let bits = match at.checked_sub(registers) {
            Some(location) => locations.bits(location),
            None if machine.wide => 64,
            None => 32,
        };
        (column, u64::MAX >> (64 - bits))
    });
    let columns: Vec<(usize, u64)> = columns.collect();
    let bits = |row: &Vec<i64>| {
        let values = columns.iter();
        values
            .map(|&(column, mask)| row[column] as u64 & mask)
            .collect()
    };
    states.rows.iter().map(bits).collect()
}

fn context() -> Context {
    Context {
        limits: Limits {
            explore_states: 10 * STATES,
            ..Limits::default()
        },
        ..Context::default()
    }
}

/// Whether both sides agree on a program under SC and under TSO; `Ok(false)` if they were not compared.
fn check(machine: &Machine, locations: &Locations) -> Result<bool, String> {
    let text = print::test(machine, locations, &names(machine));
    let parsed = litmus::parse(&SourceFile::new("random.litmus", text));
    let mut compared = false;
    for (model, buffered) in [(Model::Sc, false), (Model::Tso, true)] {
        let machine = Machine {
            buffered,
            ..machine.clone()
        };
        let answer = machine.finals(STATES);
        let test = match (&parsed, &answer) {
            (Ok(_), Answer::Undefined) => {
                return Err("a jump asks for an undefined flag, but the test is read".to_owned());
            }
            (Ok(test), _) => test,
            (Err(rejection), _) => {
                let expected = |message: &str| message.ends_with("may be undefined here");
                let mut messages = rejection.diagnostics.iter().map(|found| &found.message);
                let all = messages.all(|message| expected(message)) && rejection.not_modelled;
                let found = || format!("not read: {:?}", rejection.diagnostics);
                return all.then_some(false).ok_or_else(found);
            }
        };
        let decision = litmus::decide(test, model, LOOP_BUFFER, &context());
        if let (Answer::Finals(finals), Decision::Decided(states)) = (answer, decision) {
            let expected: BTreeSet<Vec<u64>> =
                finals.iter().map(|last| row(&machine, last)).collect();
            let found = rows(&machine, locations, &states);
            if found != expected {
                let missing: Vec<_> = expected.difference(&found).collect();
                let extra: Vec<_> = found.difference(&expected).collect();
                let names = names(&machine);
                return Err(format!(
                    "{model}: {names:?}\nmissing {missing:x?}\nextra {extra:x?}"
                ));
            }
            compared = true;
        }
    }
    Ok(compared)
}

/// The same program with as many instructions as possible left out while `check` fails.
fn shrunk(mut machine: Machine, locations: &Locations) -> Machine {
    let fails = |machine: &Machine| check(machine, locations).is_err();
    for thread in 0..machine.threads.len() {
        for at in 0..machine.threads[thread].len() {
            let mut smaller = machine.clone();
            smaller.threads[thread][at].ins = Ins::Nop;
            smaller.threads[thread][at].lock = false;
            if fails(&smaller) {
                machine = smaller;
            }
        }
    }
    machine
}

#[test]
#[allow(clippy::print_stderr, reason = "a long run says how much it compared")]
fn litmus_agrees_with_a_machine_written_from_the_manuals() {
    let mut total = Compared::default();
    for seed in seeds() {
        let (machine, locations) = generate::program(seed);
        match check(&machine, &locations) {
            Ok(compared) => total.count(compared),
            Err(_) => {
                let smaller = shrunk(machine, &locations);
                let error = check(&smaller, &locations).expect_err("shrinking keeps the failure");
                let text = print::test(&smaller, &locations, &names(&smaller));
                panic!("seed {seed}: {error}\n{text}");
            }
        }
    }
    eprintln!("litmus and the machine: {total:?}");
    total.assert_percent(60);
}
