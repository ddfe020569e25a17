//! C with POSIX threads, as the software verification competition has it.
//!
//! Each thread is a function, each location a label, each step a piece between `__VERIFIER_atomic_begin` and `_end`;
//! an atomic section is one such piece, loops in it included. To wait is `__VERIFIER_assume`: a run in which a thread
//! waits for ever has no further steps of that thread, and neither has one that ends there. A property over states is
//! checked after every step. With `-DCUPOLA_RUN` the file has definitions of all these functions, so that it can be run:
//! it takes random choices for a number of steps.
//!
//! Names have prefixes, since the library of C has more words than can be listed.
//!
//! Values are `long long`. What a program computes is checked against a range in which no expression of the program
//! overflows; a value outside of it is an error of its own, so that nothing is called safe that was not looked at.

use std::fmt::Write;

use crate::program::{
    Action, Cond, Edge, EdgeId, Init, LocId, Place, Program, PropertyId, PropertyKind, Term,
    ThreadId,
};

use super::expr::{Syntax, Writer};
use super::names::Names;
use super::range::{in_64_bits, stays};
use super::specs::{broken, located};
use super::symbolic::{added, as_term};
use super::{Exported, Refused};

const PRELUDE: &str = r#"#include <pthread.h>

#ifdef CUPOLA_RUN
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t section = PTHREAD_MUTEX_INITIALIZER;
static long steps_left = 20000;
static void reach_error(void) { printf("violated\n"); exit(10); }
/* Ends the run after some steps, and where a thread waits in an atomic section: all others wait for ever then. */
static void __VERIFIER_atomic_begin(void) {
  pthread_mutex_lock(&section);
  if (--steps_left <= 0) { printf("no violation\n"); exit(0); }
}
static void __VERIFIER_atomic_end(void) { pthread_mutex_unlock(&section); sched_yield(); }
static long long __VERIFIER_nondet_longlong(void) { return rand() % 7 - 3; }
static int __VERIFIER_nondet_int(void) { return rand(); }
static void __VERIFIER_assume(int holds) { if (!holds) { printf("blocked\n"); exit(0); } }
#else
extern void reach_error(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern long long __VERIFIER_nondet_longlong(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
#endif
"#;

/// The program in C.
pub(super) fn text(exported: Exported<'_>) -> Result<String, Refused> {
    let program = exported.program();
    let mut export = C {
        exported,
        program,
        names: Names::with_prefixes(program, &[], ["v_", "thread_"]),
        located: located(program),
        range: in_64_bits(exported)?,
        out: String::new(),
    };
    export.header();
    export.declarations();
    export.checks();
    for thread in program.thread_ids() {
        export.thread(thread);
    }
    export.main();
    Ok(export.out)
}

struct C<'a> {
    exported: Exported<'a>,
    program: &'a Program,
    names: Names,
    /// The threads whose location some property reads.
    located: Vec<bool>,
    /// No value may be greater.
    range: i64,
    out: String,
}

impl C<'_> {
    fn header(&mut self) {
        for line in self.exported.header() {
            let _ = writeln!(self.out, "/* {line} */");
        }
        self.out.push_str(
            "/* The program is safe if reach_error is never called, in memory that is sequentially consistent.\n   \
             Values are long long: one that leaves the range GREATEST is an error by way of range_error. With CUT_RANGE\n   \
             runs in which one does are left out. Arbitrary values are those of the range.\n   \
             To run it with random choices: cc -pthread -DCUPOLA_RUN FILE */\n",
        );
        self.out.push_str(PRELUDE);
        let _ = write!(
            self.out,
            "\n/* No expression over values from -GREATEST to GREATEST leaves 64 bits. */\n\
             #define GREATEST {}\n",
            self.write(|w| w.constant(self.range))
        );
        // Not every program uses all of them.
        self.out.push_str(
            "\n/* Some of these are not needed by every program. */\n\
             static inline long long range(long long low, long long high) {\n  \
             long long value = __VERIFIER_nondet_longlong();\n\
             #ifdef CUPOLA_RUN\n  \
             value = low + (long long)((unsigned)rand() % ((unsigned long long)high - (unsigned long long)low + 1));\n\
             #endif\n  \
             __VERIFIER_assume(low <= value && value <= high);\n  \
             return value;\n}\n\
             /* A store into a full buffer: k is too small. With CUT_OVERFLOW such runs are left out. */\n\
             #ifdef CUT_OVERFLOW\n\
             static inline void overflow_error(void) { __VERIFIER_assume(0); }\n\
             #else\n\
             static inline void overflow_error(void) { reach_error(); }\n\
             #endif\n\
             /* A value that is too large or too small. With CUT_RANGE such runs are left out. */\n\
             #ifdef CUT_RANGE\n\
             static inline void range_error(void) { __VERIFIER_assume(0); }\n\
             #else\n\
             static inline void range_error(void) { reach_error(); }\n\
             #endif\n\
             static inline long long kept(long long value) {\n  \
             if (value < -GREATEST || value > GREATEST) range_error();\n  \
             return value;\n}\n\
             static inline long long any(void) {\n  \
             long long value = __VERIFIER_nondet_longlong();\n  \
             __VERIFIER_assume(-GREATEST <= value && value <= GREATEST);\n  \
             return value;\n}\n\
             static inline int either(void) { return __VERIFIER_nondet_int() % 2 != 0; }\n\n",
        );
    }

    fn declarations(&mut self) {
        for var in self.program.var_ids() {
            let start = match self.program.vars[var.index()].init {
                Init::Value(value) => format!(" = {}", self.write(|w| w.constant(value))),
                Init::Range(_) | Init::Any => String::new(),
            };
            let _ = writeln!(self.out, "long long {}{start};", self.names.var(var));
        }
        for thread in self
            .program
            .thread_ids()
            .filter(|thread| self.located[thread.index()])
        {
            let entry = self.program.threads[thread.index()].entry.index();
            let _ = writeln!(self.out, "int at_{} = {entry};", self.names.thread(thread));
        }
    }

    /// The check of the properties of states.
    fn checks(&mut self) {
        self.out.push_str("\nstatic void check(void) {\n");
        for spec in &self.program.specs {
            let cond = self.write(|w| w.cond(&broken(spec, self.program)));
            let property = self.exported.property(spec.property);
            let _ = writeln!(self.out, "  if ({cond}) reach_error(); /* {property} */");
        }
        self.out.push_str("}\n");
    }

    fn thread(&mut self, thread: ThreadId) {
        let graph = &self.program.threads[thread.index()];
        self.function(
            thread,
            self.names.thread(thread).to_owned(),
            graph.entry,
            None,
        );
        for (number, background) in graph.backgrounds.iter().enumerate() {
            let name = format!("step_{}_{number}", self.names.thread(thread));
            self.function(thread, name, background.entry, Some(graph.end));
        }
    }

    /// A function for a thread, or for a `background` block, which begins anew where it comes to `end`.
    fn function(&mut self, thread: ThreadId, name: String, entry: LocId, end: Option<LocId>) {
        let _ = writeln!(self.out, "\nstatic void *{name}(void *argument) {{");
        if end.is_some() {
            self.out.push_str("again:\n  __VERIFIER_atomic_begin();\n");
        }
        let locations = self.reached(thread, entry, end);
        let _ = writeln!(self.out, "  goto l{};", entry.index());
        for at in locations {
            self.location(thread, at, end);
        }
        if end.is_some() {
            self.out
                .push_str("done:\n  check();\n  __VERIFIER_atomic_end();\n  goto again;\n");
        }
        self.out.push_str("  return argument;\n}\n");
    }

    /// The locations from an entry, those behind `end` left out.
    fn reached(&self, thread: ThreadId, entry: LocId, end: Option<LocId>) -> Vec<LocId> {
        let graph = &self.program.threads[thread.index()];
        let mut reached = vec![entry];
        let mut next = 0;
        while let Some(at) = reached.get(next).copied() {
            next += 1;
            for edge in &graph.location(at).edges {
                if Some(edge.target) != end && !reached.contains(&edge.target) {
                    reached.push(edge.target);
                }
            }
        }
        reached
    }

    fn location(&mut self, thread: ThreadId, at: LocId, end: Option<LocId>) {
        let graph = &self.program.threads[thread.index()];
        let location = graph.location(at);
        let labels: String = location
            .labels
            .iter()
            .map(|label| format!(" /* {label} */"))
            .collect();
        let _ = writeln!(self.out, "l{}:{labels}", at.index());
        let edges: Vec<EdgeId> = (0..location.edges.len())
            .map(|number| EdgeId { thread, at, number })
            .collect();
        let Some(first) = edges.first() else {
            self.out.push_str("  return argument;\n");
            return;
        };
        let _ = writeln!(self.out, "  /* {} */", self.exported.comment(*first));
        if !location.held {
            self.out.push_str("  __VERIFIER_atomic_begin();\n");
        }
        if let Some(bounds) = &self.program.edge(*first).bounds {
            self.require(&bounds.cond, bounds.property);
        }
        let begins_background = graph.backgrounds.iter().any(|block| block.entry == at);
        let retry = match (location.held, begins_background) {
            (false, _) => Some(format!("l{}", at.index())),
            // Nothing has happened in the block yet.
            (true, true) => Some("again".to_owned()),
            // The thread holds the section, and all others wait too.
            (true, false) => None,
        };
        self.choice(&edges, retry.as_deref(), end);
    }

    /// One of several edges: by its condition where two exclude each other, else by a choice.
    fn choice(&mut self, edges: &[EdgeId], retry: Option<&str>, end: Option<LocId>) {
        let program = self.program;
        let action = |id: &EdgeId| &program.edge(*id).action;
        match edges {
            [one] => self.edge(*one, retry, end),
            [yes, no] => {
                let cond = match (action(yes), action(no)) {
                    (Action::Assume(cond), Action::Assume(Cond::Not(not))) if **not == *cond => {
                        self.write(|w| w.cond(cond))
                    }
                    _ => "either()".to_owned(),
                };
                let _ = writeln!(self.out, "  if ({cond}) {{");
                self.edge(*yes, None, end);
                self.out.push_str("  } else {\n");
                self.edge(*no, None, end);
                self.out.push_str("  }\n");
            }
            _ => unreachable!("a location has one edge, or the two of a condition"),
        }
    }

    /// What an edge does, and the jump behind it. Where a thread waits it goes back to `retry`, if it holds nothing.
    fn edge(&mut self, id: EdgeId, retry: Option<&str>, end: Option<LocId>) {
        let edge = self.program.edge(id);
        if let Action::Assume(cond) = &edge.action
            && let Some(retry) = retry
        {
            let cond = self.write(|w| w.cond(cond));
            let _ = writeln!(
                self.out,
                "#ifdef CUPOLA_RUN\n  if (!{cond}) {{ __VERIFIER_atomic_end(); goto {retry}; }}\n#else\n  \
                 __VERIFIER_assume({cond});\n#endif"
            );
        } else {
            self.action(edge);
        }
        self.jump(id.thread, edge.target, end);
    }

    fn jump(&mut self, thread: ThreadId, target: LocId, end: Option<LocId>) {
        if Some(target) == end {
            self.out.push_str("  goto done;\n");
            return;
        }
        let held = self.program.threads[thread.index()].location(target).held;
        if !held {
            if self.located[thread.index()] {
                let name = self.names.thread(thread);
                let _ = writeln!(self.out, "  at_{name} = {};", target.index());
            }
            self.out
                .push_str("  check();\n  __VERIFIER_atomic_end();\n");
        }
        let _ = writeln!(self.out, "  goto l{};", target.index());
    }

    fn require(&mut self, cond: &Cond, property: PropertyId) {
        let cond = self.write(|w| w.cond(cond));
        let error = match self.program.property(property).kind {
            PropertyKind::Overflow => "overflow_error",
            _ => "reach_error",
        };
        let property = self.exported.property(property);
        let _ = writeln!(self.out, "  if (!{cond}) {error}(); /* {property} */");
        let _ = writeln!(self.out, "  __VERIFIER_assume({cond});");
    }

    fn action(&mut self, edge: &Edge) {
        let text = self.write(|w| {
            let set = |place: &Place, value: &str| self.set(w, place, value);
            match &edge.action {
                Action::Skip | Action::Fence => String::new(),
                Action::Assume(Cond::Const(true)) => String::new(),
                Action::Assume(cond) => format!("  __VERIFIER_assume({});\n", w.cond(cond)),
                // `require` writes it.
                Action::Assert(..) => String::new(),
                Action::Assign(place, term) | Action::Store(place, term) => {
                    set(place, &self.kept(w, term))
                }
                Action::Append(..) | Action::Pop(_) => {
                    unreachable!("programs with FIFOs are refused")
                }
                Action::Havoc(place) => set(place, "any()"),
                Action::Choose(place, range) => {
                    let (low, high) = range.ends();
                    set(
                        place,
                        &format!("range({}, {})", w.constant(low), w.constant(high)),
                    )
                }
                Action::Load(place, source) => set(place, &w.term(&as_term(source))),
                Action::Cas(place, target, expected, new) => {
                    let is = w.equal(&w.term(&as_term(target)), &w.term(expected));
                    let new = set(target, &self.kept(w, new));
                    let (yes, no) = (set(place, "1"), set(place, "0"));
                    format!("  if {is} {{\n{new}{yes}  }} else {{\n{no}  }}\n")
                }
                Action::Swap(place, target, new) => {
                    let old = w.term(&as_term(target));
                    let (new, result) = (set(target, &self.kept(w, new)), set(place, "tmp"));
                    format!("  {{\n  long long tmp = {old};\n{new}{result}  }}\n")
                }
                Action::FetchAdd(place, target, difference) => {
                    let old = w.term(&as_term(target));
                    let new = set(target, &self.kept(w, &added(target, difference)));
                    let result = set(place, "tmp");
                    format!("  {{\n  long long tmp = {old};\n{new}{result}  }}\n")
                }
            }
        });
        self.out.push_str(&text);
        if let Action::Assert(cond, property) = &edge.action {
            self.require(&cond.clone(), *property);
        }
    }

    /// A value that is computed, with a check that it stays in the range unless it cannot leave it.
    fn kept(&self, writer: &Writer<'_>, term: &Term) -> String {
        let value = writer.term(term);
        match stays(term, self.range) {
            true => value,
            false => format!("kept({value})"),
        }
    }

    fn set(&self, writer: &Writer<'_>, place: &Place, value: &str) -> String {
        match place {
            Place::Var(var) => format!("  {} = {value};\n", self.names.var(*var)),
            Place::Choice(index, vars) => {
                let vars = vars.iter().map(|var| format!("&{}", self.names.var(*var)));
                let vars: Vec<String> = vars.collect();
                format!(
                    "  *{} = {value};\n",
                    writer.pick(&writer.term(index), &vars)
                )
            }
        }
    }

    fn main(&mut self) {
        self.out.push_str("\nint main(void) {\n");
        for var in self.program.var_ids() {
            let start = match self.program.vars[var.index()].init {
                Init::Value(_) => continue,
                Init::Range(range) => {
                    let (low, high) = range.ends();
                    self.write(|w| format!("range({}, {})", w.constant(low), w.constant(high)))
                }
                Init::Any => "any()".to_owned(),
            };
            let _ = writeln!(self.out, "  {} = {start};", self.names.var(var));
        }
        self.out
            .push_str("  __VERIFIER_atomic_begin();\n  check();\n  __VERIFIER_atomic_end();\n");
        let mut functions = Vec::new();
        for thread in self.program.thread_ids() {
            let name = self.names.thread(thread);
            functions.push(name.to_owned());
            let backgrounds = 0..self.program.threads[thread.index()].backgrounds.len();
            functions.extend(backgrounds.map(|number| format!("step_{name}_{number}")));
        }
        if !functions.is_empty() {
            let _ = writeln!(self.out, "  pthread_t started[{}];", functions.len());
        }
        for (number, function) in functions.iter().enumerate() {
            let _ = writeln!(
                self.out,
                "  pthread_create(&started[{number}], 0, {function}, 0);"
            );
        }
        for number in 0..functions.len() {
            let _ = writeln!(self.out, "  pthread_join(started[{number}], 0);");
        }
        self.out.push_str("  return 0;\n}\n");
    }

    fn write<T>(&self, with: impl FnOnce(&Writer<'_>) -> T) -> T {
        with(&Writer {
            syntax: Syntax::C,
            var: &|var| self.names.var(var).to_owned(),
            at: &|thread| format!("at_{}", self.names.thread(thread)),
        })
    }
}
