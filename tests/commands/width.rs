//! The width of reports: that which is asked for, none in pipes.

use std::process::Command;

fn cupola(args: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_cupola"))
        .args(args.split_whitespace())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("COLUMNS", "30")
        .output()
        .expect("the binary runs");
    String::from_utf8(output.stdout).expect("reports are text")
}

#[track_caller]
fn assert_fits(text: &str, width: usize) {
    for line in text.lines() {
        assert!(line.chars().count() <= width, "{line}\nin\n{text}");
    }
}

/// The lines of each step: those from its number to the next number.
fn steps(text: &str) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    let table = text.lines().skip_while(|line| !line.starts_with("step "));
    for line in table.skip(1).take_while(|line| line.starts_with(' ')) {
        let begins = line[..4].trim().parse::<usize>().is_ok();
        match steps.last_mut() {
            Some(last) if !begins => *last += line,
            _ => steps.push(line.to_owned()),
        }
    }
    steps
}

const PETERSON: &str = "explore examples/peterson.cup --model tso --fences none --quiet";

#[test]
fn a_trace_is_readable_at_60_columns() {
    let (whole, narrow) = (cupola(PETERSON), cupola(&format!("{PETERSON} --width 60")));
    assert_fits(&narrow, 60);
    let (whole, narrow) = (steps(&whole), steps(&narrow));
    assert_eq!(whole.len(), 14);
    assert_eq!(narrow.len(), whole.len());
    for (whole, narrow) in whole.iter().zip(&narrow) {
        for letter in whole.chars().filter(|letter| !letter.is_whitespace()) {
            let (shown, wanted) = (narrow.matches(letter), whole.matches(letter));
            assert!(shown.count() >= wanted.count(), "{whole}\n{narrow}");
        }
    }
}

#[test]
fn what_does_not_fit_stands_below_its_step() {
    let text = cupola(&format!("{PETERSON} --width 60"));
    let wanted = "\
examples/peterson.cup under tso: violated, forbid `mutex`
  (687 states, at most 5 stores buffered)

step  thread  line  statement                 reads
   1  P0        13  flag0 = 1;
      writes: flag0 = 1  P0 buffer: flag0 = 1
   2  P0        14  fence? a; is off
      P0 buffer: flag0 = 1
";
    assert!(text.starts_with(wanted), "{text}");
    let wanted = "
  14  P1        31  while (o1 != 0 && t1 ==   o1 = 0, t1 = 0
                    0) is false
      P0 buffer: flag0 = 1, turn = 1
      P1 buffer: flag1 = 1, turn = 0
broken: forbid mutex: P0@cs && P1@cs; (line 40)
";
    assert!(text.ends_with(wanted), "{text}");
}

#[test]
fn every_report_fits() {
    let commands = [
        "verify examples/peterson.cup --fences none",
        "verify examples/ticket.cup --engine predicate --max-states 3",
        "fences examples/peterson.cup --model tso --explain b",
        "explore examples/litmus_sb.cup --model tso --outcomes",
        "explore examples/peterson.cup --model sc --max-states 3",
        "litmus tests/litmus/iriw.litmus --model tso",
        "bench --from docs/performance/results.json",
    ];
    for command in commands {
        for width in [60, 40] {
            assert_fits(&cupola(&format!("{command} --width {width}")), width);
        }
    }
}

#[test]
fn a_pipe_has_no_width() {
    let text = cupola(PETERSON);
    assert!(text.lines().any(|line| line.len() > 100), "{text}");
}

#[test]
fn a_width_below_20_is_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_cupola"))
        .args(["explore", "-", "--model", "sc", "--width", "19"])
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(2));
}
