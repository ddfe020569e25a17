//! What a program of Memorax does, written from its manual: every process is an automaton whose instructions
//! are taken one by one, on memory and store buffers. Nothing here knows how Cupola translates such programs.

use std::collections::BTreeSet;

use cupola::front::cup::ast::{ArithOp, Cond, CondKind, Expr, ExprKind};
use cupola::front::rmm::syntax::{
    Domain, Memory, MemoryKind, Model as Source, Process, Statement, StatementKind, Variable,
};
use cupola::memory::Model;

/// How many states are looked at.
const MAX_STATES: usize = 60_000;
/// How long a buffer may get.
const MAX_BUFFER: usize = 6;

/// Whether a forbidden state is reachable; `None` if a limit is met.
pub fn reachable(source: &Source, model: Model) -> Option<bool> {
    let machine = Machine::new(source);
    let mut seen: BTreeSet<State> = machine.initial().into_iter().collect();
    let mut open: Vec<State> = seen.iter().cloned().collect();
    let mut limited = false;
    while let Some(state) = open.pop() {
        if machine.is_forbidden(&state, source) {
            return Some(true);
        }
        if seen.len() > MAX_STATES {
            return None;
        }
        for next in machine.successors(&state, model) {
            if next.buffers.iter().any(|buffer| buffer.len() > MAX_BUFFER) {
                limited = true;
            } else if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    (!limited).then_some(false)
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    at: Vec<usize>,
    registers: Vec<Vec<i64>>,
    memory: Vec<i64>,
    /// Oldest first: number of the location, value.
    buffers: Vec<Vec<(usize, i64)>>,
}

/// An automaton: for each control state its instructions with their targets.
#[derive(Default)]
struct Automaton<'s> {
    edges: Vec<Vec<(Instruction<'s>, usize)>>,
    labels: Vec<(&'s str, usize)>,
    gotos: Vec<(usize, &'s str)>,
}

#[derive(Clone)]
enum Instruction<'s> {
    Nop,
    Fence,
    Set(&'s str, &'s Expr),
    Assume(&'s Cond, bool),
    PointsTo(&'s Expr, i64),
    ReadEqual(usize, &'s Expr),
    ReadTo(&'s str, usize),
    Write(usize, &'s Expr),
    Locked(Vec<Vec<Instruction<'s>>>),
}

struct Machine<'s> {
    processes: Vec<&'s Process>,
    automata: Vec<Automaton<'s>>,
    /// All memory locations: those of all, then those of each process.
    locations: Vec<(Option<usize>, &'s Variable)>,
}

impl<'s> Machine<'s> {
    fn new(source: &'s Source) -> Self {
        let processes = source.processes.iter();
        let processes: Vec<&Process> = processes
            .flat_map(|process| std::iter::repeat_n(process, process.copies))
            .collect();
        let globals = source.data.iter().map(|variable| (None, variable));
        let owned = processes.iter().enumerate();
        let owned = owned.flat_map(|(number, process)| {
            let data = process.data.iter();
            data.map(move |variable| (Some(number), variable))
        });
        let mut machine = Machine {
            locations: globals.chain(owned).collect(),
            automata: Vec::new(),
            processes,
        };
        for number in 0..machine.processes.len() {
            let mut automaton = Automaton::default();
            let start = automaton.state();
            machine.list(
                &mut automaton,
                number,
                &machine.processes[number].body,
                start,
            );
            for (at, label) in automaton.gotos.clone() {
                let target = automaton.label(label);
                automaton.edges[at].push((Instruction::Nop, target));
            }
            machine.automata.push(automaton);
        }
        machine
    }

    fn list(
        &self,
        automaton: &mut Automaton<'s>,
        process: usize,
        list: &'s [Statement],
        from: usize,
    ) -> usize {
        list.iter().fold(from, |from, statement| {
            self.statement(automaton, process, statement, from)
        })
    }

    /// Adds a statement that begins at a control state, and says where it ends.
    fn statement(
        &self,
        automaton: &mut Automaton<'s>,
        process: usize,
        statement: &'s Statement,
        from: usize,
    ) -> usize {
        if let Some(label) = &statement.label {
            automaton.labels.push((&label.text, from));
        }
        match &statement.kind {
            StatementKind::Block(list) => self.list(automaton, process, list, from),
            StatementKind::Goto(label) => {
                automaton.gotos.push((from, &label.text));
                automaton.state()
            }
            StatementKind::If(cond, then, otherwise) => {
                let end = automaton.state();
                for (holds, inner) in [(true, Some(then)), (false, otherwise.as_ref())] {
                    let start = automaton.state();
                    automaton.edge(from, Instruction::Assume(cond, holds), start);
                    let last = match inner {
                        Some(inner) => self.statement(automaton, process, inner, start),
                        None => start,
                    };
                    automaton.edge(last, Instruction::Nop, end);
                }
                end
            }
            StatementKind::While(cond, body) => {
                let (start, end) = (automaton.state(), automaton.state());
                automaton.edge(from, Instruction::Assume(cond, true), start);
                automaton.edge(from, Instruction::Assume(cond, false), end);
                let last = self.statement(automaton, process, body, start);
                automaton.edge(last, Instruction::Nop, from);
                end
            }
            StatementKind::Either(lists) => {
                let end = automaton.state();
                for list in lists {
                    let start = automaton.state();
                    automaton.edge(from, Instruction::Nop, start);
                    let last = self.list(automaton, process, list, start);
                    automaton.edge(last, Instruction::Nop, end);
                }
                end
            }
            kind => {
                let end = automaton.state();
                for row in self.instructions(process, kind) {
                    let last = row.len() - 1;
                    let mut at = from;
                    for (number, instruction) in row.into_iter().enumerate() {
                        let next = if number == last {
                            end
                        } else {
                            automaton.state()
                        };
                        automaton.edge(at, instruction, next);
                        at = next;
                    }
                }
                end
            }
        }
    }

    /// What an instruction is: one row, or one for each location that a pointer may point to.
    fn instructions(&self, process: usize, kind: &'s StatementKind) -> Vec<Vec<Instruction<'s>>> {
        let memory = match kind {
            StatementKind::ReadEqual(memory, _)
            | StatementKind::ReadTo(_, memory)
            | StatementKind::Write(memory, _)
            | StatementKind::LockedWrite(memory, _)
            | StatementKind::Cas(memory, ..) => memory,
            other => return vec![vec![self.plain(process, other, 0)]],
        };
        let MemoryKind::Pointer(pointer) = &memory.kind else {
            let location = self.location(process, memory);
            return vec![vec![self.plain(process, kind, location)]];
        };
        let globals = self.locations.iter().filter(|(owner, _)| owner.is_none());
        let row = |location: usize| {
            let points = Instruction::PointsTo(pointer, location as i64);
            vec![points, self.plain(process, kind, location)]
        };
        (0..globals.count()).map(row).collect()
    }

    fn plain(&self, process: usize, kind: &'s StatementKind, location: usize) -> Instruction<'s> {
        match kind {
            StatementKind::Nop | StatementKind::LoadFence => Instruction::Nop,
            StatementKind::Fence => Instruction::Fence,
            StatementKind::Set(register, value) => Instruction::Set(&register.text, value),
            StatementKind::Assume(cond) => Instruction::Assume(cond, true),
            StatementKind::ReadEqual(_, value) => Instruction::ReadEqual(location, value),
            StatementKind::ReadTo(register, _) => Instruction::ReadTo(&register.text, location),
            StatementKind::Write(_, value) => Instruction::Write(location, value),
            StatementKind::LockedWrite(_, value) => {
                Instruction::Locked(vec![vec![Instruction::Write(location, value)]])
            }
            StatementKind::Cas(_, expected, new) => Instruction::Locked(vec![vec![
                Instruction::ReadEqual(location, expected),
                Instruction::Write(location, new),
            ]]),
            StatementKind::Locked(lists) => {
                let rows = lists.iter().map(|list| self.locked(process, list));
                Instruction::Locked(rows.collect())
            }
            other => panic!("{other:?} is no instruction"),
        }
    }

    fn locked(&self, process: usize, list: &'s [Statement]) -> Vec<Instruction<'s>> {
        let instructions = list.iter().flat_map(|statement| match &statement.kind {
            StatementKind::Block(list) => self.locked(process, list),
            kind => self.instructions(process, kind).remove(0),
        });
        instructions.collect()
    }

    fn location(&self, process: usize, memory: &Memory) -> usize {
        let (owner, name) = match &memory.kind {
            MemoryKind::Global(name) => (None, name),
            MemoryKind::Own(name) => (Some(process), name),
            MemoryKind::Other(name, other) if *other < process => (Some(*other), name),
            MemoryKind::Other(name, other) => (Some(other + 1), name),
            MemoryKind::Pointer(_) => panic!("a pointer has no name"),
        };
        let mut locations = self.locations.iter();
        let is_it =
            |(of, variable): &(_, &Variable)| *of == owner && variable.name.text == name.text;
        locations.position(is_it).expect("it is declared")
    }

    fn initial(&self) -> Vec<State> {
        let empty = State {
            at: vec![0; self.processes.len()],
            registers: vec![Vec::new(); self.processes.len()],
            memory: Vec::new(),
            buffers: vec![Vec::new(); self.processes.len()],
        };
        let mut states = vec![empty];
        for (_, variable) in &self.locations {
            states = with_values(states, variable, |state, value| state.memory.push(value));
        }
        for (number, process) in self.processes.iter().enumerate() {
            for register in &process.registers {
                states = with_values(states, register, |state, value| {
                    state.registers[number].push(value);
                });
            }
        }
        states
    }

    fn is_forbidden(&self, state: &State, source: &Source) -> bool {
        source.forbidden.iter().any(|row| {
            let mut labels = row.labels.iter().enumerate();
            labels.all(|(number, label)| match label {
                None => true,
                Some(label) => self.automata[number].label(&label.text) == state.at[number],
            })
        })
    }

    fn successors(&self, state: &State, model: Model) -> Vec<State> {
        let mut found = Vec::new();
        for number in 0..self.processes.len() {
            for (instruction, target) in &self.automata[number].edges[state.at[number]] {
                for mut next in self.step(state, number, instruction, model) {
                    next.at[number] = *target;
                    found.push(next);
                }
            }
            found.extend(updates(state, number, model));
        }
        found
    }

    /// The states behind an instruction, the control state apart.
    fn step(
        &self,
        state: &State,
        process: usize,
        instruction: &Instruction<'_>,
        model: Model,
    ) -> Vec<State> {
        let mut next = state.clone();
        let value = |expr: &Expr| self.value(state, process, expr);
        let enabled = match instruction {
            Instruction::Nop => true,
            Instruction::Fence => state.buffers[process].is_empty(),
            Instruction::Set(register, expr) => {
                let value = value(expr);
                self.assign(&mut next, process, register, value)
            }
            Instruction::Assume(cond, holds) => self.holds(state, process, cond) == *holds,
            Instruction::PointsTo(pointer, number) => value(pointer) == *number,
            Instruction::ReadEqual(location, expr) => {
                read(state, process, *location) == value(expr)
            }
            Instruction::ReadTo(register, location) => {
                let value = read(state, process, *location);
                self.assign(&mut next, process, register, value)
            }
            Instruction::Write(location, expr) => {
                let value = value(expr);
                match model {
                    Model::Sc => next.memory[*location] = value,
                    Model::Tso | Model::Pso => next.buffers[process].push((*location, value)),
                }
                contains(self.locations[*location].1.domain, value)
            }
            Instruction::Locked(rows) => return self.locked_step(state, process, rows),
        };
        if enabled { vec![next] } else { Vec::new() }
    }

    fn locked_step(
        &self,
        state: &State,
        process: usize,
        rows: &[Vec<Instruction<'_>>],
    ) -> Vec<State> {
        if rows.iter().flatten().any(writes) && !state.buffers[process].is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for row in rows {
            let mut states = vec![state.clone()];
            for instruction in row {
                let after = |state: &State| match instruction {
                    Instruction::Locked(inner) => self.locked_step(state, process, inner),
                    // Writes reach memory at once.
                    other => self.step(state, process, other, Model::Sc),
                };
                states = states.iter().flat_map(after).collect();
            }
            found.extend(states);
        }
        found
    }

    fn register(&self, process: usize, name: &str) -> usize {
        let mut registers = self.processes[process].registers.iter();
        let found = registers.position(|register| register.name.text == name);
        found.expect("it is declared")
    }

    fn assign(&self, state: &mut State, process: usize, name: &str, value: i64) -> bool {
        let number = self.register(process, name);
        state.registers[process][number] = value;
        contains(self.processes[process].registers[number].domain, value)
    }

    fn value(&self, state: &State, process: usize, expr: &Expr) -> i64 {
        let value = |expr: &Expr| self.value(state, process, expr);
        match &expr.kind {
            ExprKind::Num(number) => *number,
            ExprKind::Place(place) => {
                state.registers[process][self.register(process, &place.name.text)]
            }
            ExprKind::Neg(inner) => -value(inner),
            ExprKind::Binary(ArithOp::Add, left, right) => value(left) + value(right),
            ExprKind::Binary(_, left, right) => value(left) - value(right),
            ExprKind::Tid => panic!("Memorax has no `tid`"),
        }
    }

    fn holds(&self, state: &State, process: usize, cond: &Cond) -> bool {
        let holds = |cond: &Cond| self.holds(state, process, cond);
        let value = |expr: &Expr| self.value(state, process, expr);
        match &cond.kind {
            CondKind::True => true,
            CondKind::False => false,
            CondKind::Not(inner) => !holds(inner),
            CondKind::And(left, right) => holds(left) && holds(right),
            CondKind::Or(left, right) => holds(left) || holds(right),
            CondKind::Compare(op, left, right) => op.holds(value(left), value(right)),
            CondKind::Any | CondKind::At(..) => panic!("Memorax has no such condition"),
        }
    }
}

impl<'s> Automaton<'s> {
    fn state(&mut self) -> usize {
        self.edges.push(Vec::new());
        self.edges.len() - 1
    }

    fn edge(&mut self, from: usize, instruction: Instruction<'s>, to: usize) {
        self.edges[from].push((instruction, to));
    }

    fn label(&self, name: &str) -> usize {
        let mut labels = self.labels.iter();
        labels
            .find(|(label, _)| *label == name)
            .expect("it is there")
            .1
    }
}

fn with_values(
    states: Vec<State>,
    variable: &Variable,
    set: impl Fn(&mut State, i64),
) -> Vec<State> {
    let values = match (variable.initial, variable.domain) {
        (Some(value), _) => value..=value,
        (None, Domain::Range(low, high)) => low..=high,
        (None, Domain::Integers) => panic!("only finite domains are compared"),
    };
    let mut found = Vec::new();
    for state in states {
        for value in values.clone() {
            let mut state = state.clone();
            set(&mut state, value);
            found.push(state);
        }
    }
    found
}

/// The newest store of the process's own, else memory.
fn read(state: &State, process: usize, location: usize) -> i64 {
    let mut buffer = state.buffers[process].iter().rev();
    let own = buffer.find(|(of, _)| *of == location);
    own.map_or(state.memory[location], |(_, value)| *value)
}

/// A store of a process reaches memory: its oldest, under PSO the oldest of any location.
fn updates(state: &State, process: usize, model: Model) -> Vec<State> {
    let buffer = &state.buffers[process];
    let may_go = |at: usize| match model {
        Model::Pso => buffer[..at].iter().all(|(of, _)| *of != buffer[at].0),
        Model::Sc | Model::Tso => at == 0,
    };
    let update = |at: usize| {
        let mut next = state.clone();
        let (location, value) = next.buffers[process].remove(at);
        next.memory[location] = value;
        next
    };
    let all = 0..buffer.len();
    all.filter(|at| may_go(*at)).map(update).collect()
}

fn writes(instruction: &Instruction<'_>) -> bool {
    match instruction {
        Instruction::Write(..) => true,
        Instruction::Locked(rows) => rows.iter().flatten().any(writes),
        _ => false,
    }
}

fn contains(domain: Domain, value: i64) -> bool {
    match domain {
        Domain::Integers => true,
        Domain::Range(low, high) => (low..=high).contains(&value),
    }
}
