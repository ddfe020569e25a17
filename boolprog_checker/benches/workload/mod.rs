//! The program that benchmarks and the test of memory use run.

use std::fmt::Write;

use boolprog_checker::{Limits, Mode, Options, Program, parse};

/// A program whose threads change `variables` globals in any order, with choices and conditions
/// like those of a predicate abstraction. It has far more states than any search visits.
pub fn program(variables: usize, threads: usize) -> Program {
    let mut text = String::new();
    for v in 0..variables {
        let _ = writeln!(text, "decl b{v};");
    }
    text.push_str("void main() begin\n");
    let all: Vec<_> = (0..variables).map(|v| format!("b{v}")).collect();
    let _ = writeln!(
        text,
        "  {} := {};",
        all.join(", "),
        vec!["F"; variables].join(", ")
    );
    text.push_str("  assert(!b0);\n");
    for thread in 1..threads {
        let _ = writeln!(text, "  start_thread goto T{thread};");
    }
    for thread in 0..threads {
        thread_text(&mut text, variables, threads, thread);
    }
    text.push_str("end\n");
    parse(&text).expect("it is a program")
}

fn thread_text(text: &mut String, variables: usize, threads: usize, thread: usize) {
    let own: Vec<_> = (0..variables).filter(|v| v % threads == thread).collect();
    let labels: Vec<_> = own.iter().map(|v| format!("A{v}")).collect();
    let _ = writeln!(text, "T{thread}: goto {};", labels.join(", "));
    for v in own {
        let (left, right) = ((v + 1) % variables, (v + 2) % variables);
        let _ = writeln!(text, "A{v}: assume(!(b{left} & b{right}) | b{v});");
        let _ = writeln!(
            text,
            "  b{v} := schoose [!b{v} | (b{left} & b{right}), b{v}];"
        );
        let _ = writeln!(text, "  goto T{thread};");
    }
}

/// A three-valued search of this many states.
pub fn options(max_states: usize) -> Options {
    let limits = Limits {
        max_states,
        ..Limits::default()
    };
    Options {
        mode: Mode::ThreeValued,
        limits,
        ..Options::default()
    }
}
