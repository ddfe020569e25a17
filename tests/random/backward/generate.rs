//! Small programs with finite data, aimed at the rules of the backward search.
//!
//! Threads store constants, load values that they expect, update and fence; half of the programs have loops that store, so
//! that buffers grow without bound. The property is mostly that not all threads can come to their ends: each load that
//! is expected to yield some values is a question about what can be read when.

use std::fmt::Write;

use crate::support::random::Random;

const VARS: [&str; 3] = ["x", "y", "z"];

/// The text of the program that belongs to a seed; with loops that store if the seed is odd.
pub fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut writer = Writer {
        vars: 1 + random.below(3).min(1) + usize::from(random.one_in(8)),
        threads: 2 + usize::from(random.one_in(4)),
        loops: seed % 2 == 1,
        sections: random.one_in(4),
        delayed: random.one_in(3),
        random,
        text: String::new(),
    };
    writer.program();
    writer.text
}

struct Writer {
    random: Random,
    vars: usize,
    threads: usize,
    loops: bool,
    sections: bool,
    /// Whether threads begin with stores that must still be in their buffers when others are loaded.
    delayed: bool,
    text: String,
}

impl Writer {
    fn program(&mut self) {
        let initial = match self.random.below(12) {
            0 => " = 0..1",
            1 => " = 2",
            _ => "",
        };
        let names = VARS[..self.vars].join(", ");
        self.put(&format!("shared {names}{initial};\n"));
        let loops_in = self.random.below(self.threads);
        for thread in 0..self.threads {
            self.put(&format!("thread P{thread} {{\n  local r, s;\n"));
            if self.delayed {
                self.delayed_stores(thread);
            }
            let count = 2 + self.random.below(if self.threads == 2 { 5 } else { 3 });
            let count = if self.delayed { count / 2 } else { count };
            let repeated = (self.loops && thread == loops_in).then(|| self.random.below(count));
            for step in 0..count {
                if repeated == Some(step) || (self.loops && self.random.one_in(12)) {
                    self.repeated();
                } else if self.sections && self.random.one_in(3) {
                    self.section();
                } else {
                    self.step();
                }
            }
            self.put("done: skip;\n}\n");
        }
        self.property();
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn var(&mut self) -> &'static str {
        VARS[self.random.below(self.vars)]
    }

    /// Stores, and a load that yields what was there before them.
    fn delayed_stores(&mut self, thread: usize) {
        let own = VARS[thread % self.vars];
        let other = VARS[(thread + 1) % self.vars];
        let first = match self.random.below(3) {
            0 => own,
            _ => VARS[self.random.below(self.vars)],
        };
        self.put(&format!("  {first} = 2;\n  {own} = 1;\n"));
        self.put(&format!("  r = {other};\n  assume(r == 0);\n"));
    }

    fn step(&mut self) {
        let (var, value) = (self.var(), self.random.below(3));
        let text = match self.random.below(20) {
            0..=7 => format!("  {var} = {value};\n"),
            8..=12 => format!("  r = {var};\n  assume(r == {value});\n"),
            13 | 14 => format!("  r = {var};\n  assume(r != {value});\n"),
            15 => format!("  s = {var};\n"),
            16 => format!("  {var} = s;\n"),
            17 => "  fence;\n".to_owned(),
            18 => {
                let new = self.random.below(3);
                let wanted = self.random.below(2);
                format!("  r = cas({var}, {value}, {new});\n  assume(r == {wanted});\n")
            }
            _ => format!("  s = swap({var}, {value});\n"),
        };
        self.put(&text);
    }

    /// A loop that stores, perhaps with a load.
    fn repeated(&mut self) {
        let head = match self.random.below(3) {
            0 => "  while (*) {\n",
            _ => "  do {\n",
        };
        let is_do = head.contains("do");
        self.put(head);
        for _ in 0..1 + self.random.below(2) {
            let (var, value) = (self.var(), self.random.below(3));
            self.put(&format!("  {var} = {value};\n"));
        }
        if self.random.one_in(3) {
            self.step();
        }
        self.put(if is_do { "  } while (*);\n" } else { "  }\n" });
    }

    fn section(&mut self) {
        self.put("  atomic {\n");
        if self.random.one_in(2) {
            self.put("  fence;\n");
        }
        for _ in 0..1 + self.random.below(3) {
            self.step();
        }
        self.put("  }\n");
    }

    fn property(&mut self) {
        let all: Vec<String> = (0..self.threads)
            .map(|thread| format!("P{thread}@done"))
            .collect();
        let all = all.join(" && ");
        let (var, value) = (self.var(), self.random.below(3));
        let other = self.random.below(3);
        let thread = self.random.below(self.threads);
        let kind = if self.delayed {
            self.random.below(5)
        } else {
            self.random.below(10)
        };
        let _ = match kind {
            0..=3 => writeln!(self.text, "forbid {all};"),
            4 => writeln!(self.text, "forbid {all} && {var} == {value};"),
            5 => writeln!(self.text, "forbid P{thread}@done && {var} == {value};"),
            6 => writeln!(self.text, "finally !({var} == {value});"),
            7 => writeln!(
                self.text,
                "finally !(P{thread}.s == {other} && {var} == {value});"
            ),
            8 => writeln!(self.text, "invariant P{thread}.s != {value};"),
            _ => writeln!(
                self.text,
                "invariant {var} != {value} || P{thread}.r != {other};"
            ),
        };
    }
}
