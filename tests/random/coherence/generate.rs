//! Small programs with finite data, aimed at what abstract buffers and the inference of fences depend on: branches with places
//! for fences in some of them, elements of arrays that a variable picks, atomic operations, sections that end while stores
//! wait, assertions over memory.

use std::fmt::Write;

use crate::support::random::Random;

/// The most statements inside one another.
const DEPTH: usize = 2;

/// The shared variables that a statement may name; the index is a local.
const PLACES: [&str; 4] = ["x", "y", "a[i]", "a[1 - i]"];

/// The text of the program that belongs to a seed.
pub fn program(seed: u64) -> String {
    let mut writer = Writer {
        random: Random::new(seed),
        text: "shared x, y, a[2];\n".to_owned(),
        arrays: false,
        fences: 0,
        held: false,
        loops: seed % 4 == 1,
    };
    writer.arrays = writer.random.one_in(2);
    writer.program();
    writer.text
}

struct Writer {
    random: Random,
    text: String,
    /// Whether threads use the array.
    arrays: bool,
    /// Whether there are loops.
    loops: bool,
    /// The number of places for fences in the thread; places of different threads go together.
    fences: usize,
    /// Whether an atomic section is being written; they do not nest.
    held: bool,
}

impl Writer {
    fn program(&mut self) {
        let threads = 2 + usize::from(self.random.one_in(6));
        for thread in 0..threads {
            self.put(&format!("thread P{thread} {{\n  local r, s, i;\n"));
            if self.arrays && self.random.one_in(2) {
                self.put("  i = choose(0, 1);\n");
            }
            let count = if threads == 2 { 3 } else { 2 };
            self.fences = 0;
            self.block(count, 3, DEPTH);
            self.put("done: skip;\n}\n");
        }
        self.property(threads);
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn place(&mut self) -> &'static str {
        PLACES[self.random.below(if self.arrays { 4 } else { 2 })]
    }

    /// At least so many statements, and fewer than `more` beyond that.
    fn block(&mut self, least: usize, more: usize, depth: usize) {
        let count = least + self.random.below(more);
        for _ in 0..count {
            match self.random.below(12) {
                0 | 1 if depth > 0 => self.branch(depth - 1),
                2 if depth > 0 && !self.held => self.section(depth - 1),
                3 if depth > 0 && self.loops => {
                    self.put("  do {\n");
                    self.block(1, 2, depth - 1);
                    self.put("  } while (*);\n");
                }
                _ => self.step(),
            }
        }
    }

    fn branch(&mut self, depth: usize) {
        let head = match self.random.below(3) {
            0 => "  if (*) {\n",
            1 => "  if (r == 0) {\n",
            _ => "  if (s == 1) {\n",
        };
        self.put(head);
        self.block(1, 2, depth);
        if self.random.one_in(2) {
            self.put("  } else {\n");
            self.block(1, 1, depth);
        }
        self.put("  }\n");
    }

    fn section(&mut self, depth: usize) {
        self.put("  atomic {\n");
        self.held = true;
        self.block(1, 3, depth);
        self.held = false;
        self.put("  }\n");
    }

    fn step(&mut self) {
        let (place, value) = (self.place(), self.random.below(3));
        let local = ["r", "s"][self.random.below(2)];
        let text = match self.random.below(24) {
            0..=6 => format!("  {place} = {value};\n"),
            7 => format!("  {place} = {local};\n"),
            8..=12 => format!("  {local} = {place};\n"),
            13..=16 => {
                self.fences += 1;
                format!("  fence? f{};\n", self.fences)
            }
            17 => "  fence;\n".to_owned(),
            18 => format!(
                "  {local} = cas({place}, {value}, {});\n",
                self.random.below(3)
            ),
            19 => format!("  {local} = swap({place}, {value});\n"),
            20 if !self.loops => format!("  {local} = fetch_add({place}, 1);\n"),
            20 => format!("  {local} = {value};\n"),
            21 => format!("  assume({local} == {});\n", value.min(1)),
            22 => format!("  assert({local} != 2 || {place} != {value});\n"),
            _ => format!("  {local} = {value};\n"),
        };
        self.put(&text);
    }

    fn property(&mut self, threads: usize) {
        let (one, other) = (self.random.below(threads), self.random.below(threads));
        let (value, second) = (self.random.below(3), self.random.below(3));
        let _ = match self.random.below(5) {
            0 => writeln!(
                self.text,
                "finally !(P{one}.r == {value} && P{other}.s == {second});"
            ),
            1 => writeln!(
                self.text,
                "finally !(P{one}.r == {value} && x == {second});"
            ),
            2 => writeln!(
                self.text,
                "forbid P{one}@done && P{other}@done && P{one}.r == {value} && P{other}.s == {second};"
            ),
            3 => writeln!(self.text, "forbid P{one}@done && y == {value};"),
            _ => writeln!(self.text, "invariant x != {value} || P{one}.s != {second};"),
        };
    }
}
