//! Random runs of a program under SC, by an interpreter of its own.

use cupola::front::cup::ast::{ArithOp, CompareOp};
use cupola::program::{
    Action, Cond, Edge, EdgeId, Fifo, Init, LocId, Place, Program, Range, Term, ThreadId, VarId,
};

use super::random::Random;

/// Who has taken a step.
pub enum Mover {
    /// The thread with this number.
    Thread(usize),
    /// A background block of a thread.
    Background,
}

/// A run, as far as it has come: between two steps nobody holds the atomic section.
pub struct Walk<'p> {
    program: &'p Program,
    random: Random,
    /// Where the threads are.
    pub locations: Vec<LocId>,
    /// The values of the variables.
    pub values: Vec<i64>,
    /// The entries of the program's FIFOs, the oldest first.
    pub fifos: Vec<Vec<Vec<i64>>>,
    /// The edges taken, each with the value that was picked for an arbitrary one.
    pub taken: Vec<(EdgeId, Option<i64>)>,
}

impl std::fmt::Debug for Walk<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let values = self.program.var_ids().zip(&self.values);
        let values: Vec<String> = values
            .map(|(var, value)| format!("{} = {value}", self.program.var_name(var)))
            .collect();
        write!(f, "{:?} {}", self.locations, values.join(", "))
    }
}

/// A value of a range.
fn picked(range: Range, random: &mut Random) -> i64 {
    let (low, high) = range.ends();
    low + random.below((high - low + 1) as usize) as i64
}

impl<'p> Walk<'p> {
    /// A run that is determined by its seed; arbitrary initial values are small.
    pub fn new(program: &'p Program, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut start = |init: Init| match init {
            Init::Value(value) => value,
            Init::Range(range) => picked(range, &mut random),
            Init::Any => random.below(3) as i64,
        };
        Walk {
            values: program.vars.iter().map(|var| start(var.init)).collect(),
            program,
            random,
            locations: program.threads.iter().map(|thread| thread.entry).collect(),
            fifos: vec![Vec::new(); program.fifos.len()],
            taken: Vec::new(),
        }
    }

    /// Takes a random step, an atomic section being one, and tells whose; `None` if there is none or
    /// one fails.
    pub fn step(&mut self) -> Option<Mover> {
        for _ in 0..50 {
            let before = (
                self.locations.clone(),
                self.values.clone(),
                self.fifos.clone(),
            );
            let taken = self.taken.len();
            if let Some(mover) = self.try_step() {
                return Some(mover);
            }
            (self.locations, self.values, self.fifos) = before;
            self.taken.truncate(taken);
        }
        None
    }

    fn try_step(&mut self) -> Option<Mover> {
        let thread = self.random.below(self.program.threads.len());
        let graph = &self.program.threads[thread];
        let backgrounds = &graph.backgrounds;
        let choice = self.random.below(1 + backgrounds.len());
        let (mut at, background) = match choice {
            0 => (self.locations[thread], false),
            number => (backgrounds[number - 1].entry, true),
        };
        for _ in 0..200 {
            let edges = &graph.locations[at.index()].edges;
            if edges.is_empty() {
                return None;
            }
            let number = self.random.below(edges.len());
            let edge = &edges[number];
            let picks = match &edge.action {
                Action::Havoc(to) | Action::Choose(to, _) => Some(to),
                _ => None,
            };
            let picks = picks.map(|to| self.place(to));
            if !self.run(edge) {
                return None;
            }
            let id = EdgeId {
                thread: ThreadId::new(thread),
                at,
                number,
            };
            let value = picks.map(|var| self.values[var.index()]);
            self.taken.push((id, value));
            at = edge.target;
            if !graph.locations[at.index()].held {
                if background {
                    return Some(Mover::Background);
                }
                self.locations[thread] = at;
                return Some(Mover::Thread(thread));
            }
        }
        None
    }

    /// Runs a step; false if it is blocked or is an error.
    fn run(&mut self, edge: &Edge) -> bool {
        if edge
            .bounds
            .as_ref()
            .is_some_and(|bounds| !self.holds(&bounds.cond))
        {
            return false;
        }
        match &edge.action {
            Action::Skip | Action::Fence => {}
            Action::Append(fifo, entry) => {
                let entry = entry.iter().map(|value| self.term(value)).collect();
                self.fifos[fifo.id.index()].push(entry);
                self.show(fifo);
            }
            Action::Pop(fifo) => {
                if self.fifos[fifo.id.index()].is_empty() {
                    return false;
                }
                self.fifos[fifo.id.index()].remove(0);
                self.show(fifo);
            }
            Action::Assume(cond) | Action::Assert(cond, _) => return self.holds(cond),
            Action::Assign(to, value) | Action::Store(to, value) => {
                self.set(to, self.term(value));
            }
            Action::Havoc(to) => {
                let value = self.random.below(5) as i64 - 2;
                self.set(to, value);
            }
            Action::Choose(to, range) => {
                let value = picked(*range, &mut self.random);
                self.set(to, value);
            }
            Action::Load(to, from) => self.set(to, self.values[self.place(from).index()]),
            Action::Cas(to, on, expected, new) => {
                let success = self.values[self.place(on).index()] == self.term(expected);
                let (on, new) = (self.place(on), self.term(new));
                self.set(to, i64::from(success));
                if success {
                    self.values[on.index()] = new;
                }
            }
            Action::Swap(to, on, new) => {
                let (on, new) = (self.place(on), self.term(new));
                let old = self.values[on.index()];
                self.set(to, old);
                self.values[on.index()] = new;
            }
            Action::FetchAdd(to, on, difference) => {
                let (on, difference) = (self.place(on), self.term(difference));
                let old = self.values[on.index()];
                self.set(to, old);
                self.values[on.index()] = old + difference;
            }
        }
        true
    }

    /// Sets the variables that show a FIFO.
    fn show(&mut self, fifo: &Fifo) {
        let entries = &self.fifos[fifo.id.index()];
        self.values[fifo.length.index()] = entries.len() as i64;
        for field in 0..fifo.width() {
            let end = |entry: Option<&Vec<i64>>| entry.map_or(0, |entry| entry[field]);
            self.values[fifo.oldest[field].index()] = end(entries.first());
            self.values[fifo.newest[field].index()] = end(entries.last());
        }
    }

    fn set(&mut self, place: &Place, value: i64) {
        let var = self.place(place);
        self.values[var.index()] = value;
    }

    fn place(&self, place: &Place) -> VarId {
        match place {
            Place::Var(var) => *var,
            Place::Choice(index, vars) => vars[self.index(index)],
        }
    }

    fn index(&self, term: &Term) -> usize {
        usize::try_from(self.term(term)).expect("the bounds were checked")
    }

    fn term(&self, term: &Term) -> i64 {
        match term {
            Term::Const(value) => *value,
            Term::Var(var) => self.values[var.index()],
            Term::Choice(index, elements) => self.term(&elements[self.index(index)]),
            Term::Neg(inner) => -self.term(inner),
            Term::Binary(op, a, b) => {
                let (a, b) = (self.term(a), self.term(b));
                match op {
                    ArithOp::Add => a + b,
                    ArithOp::Sub => a - b,
                    ArithOp::Mul => a * b,
                    ArithOp::Div => (a - (a % b + b) % b) / b,
                    ArithOp::Mod => (a % b + b) % b,
                }
            }
        }
    }

    fn holds(&self, cond: &Cond) -> bool {
        match cond {
            Cond::Const(value) => *value,
            Cond::Not(inner) => !self.holds(inner),
            Cond::And(a, b) => self.holds(a) && self.holds(b),
            Cond::Or(a, b) => self.holds(a) || self.holds(b),
            Cond::Compare(op, a, b) => {
                let (a, b) = (self.term(a), self.term(b));
                match op {
                    CompareOp::Eq => a == b,
                    CompareOp::Ne => a != b,
                    CompareOp::Lt => a < b,
                    CompareOp::Le => a <= b,
                    CompareOp::Gt => a > b,
                    CompareOp::Ge => a >= b,
                }
            }
            Cond::At(thread, locations) => locations.contains(&self.locations[thread.index()]),
        }
    }
}
