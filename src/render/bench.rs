//! The results of the paper's experiments as text: its tables with our figures beside the paper's.

use std::fmt::Write;

use indexmap::IndexMap;

use super::words::counted;
use super::{Cell, Column, NO_VALUE, Page, Table, Tone};
use crate::bench::{Figures, GrowthAxis, GrowthPoint, LeastRow, Results, Row, geometric_mean};

/// What stands for a row that ran for ten hours without an end.
const PAPER_TIMEOUT: &str = "T/O";

/// The results as text.
pub fn text(results: &Results, page: &Page) -> String {
    let mut text = page.prose(&heading(results));
    let mut add = |title: &str, table: Table| {
        text += &page.prose(&format!("\n{title}:\n\n"));
        text += &table.text(page);
    };
    if !results.rows.is_empty() {
        add(
            "Building the boolean program (k = 1, all optional fences)",
            building(results),
        );
        add("Checking it", checking(results));
    }
    if !results.least.is_empty() {
        add(
            "With the fewest fences, k as large as they need, from source to verdict",
            least(&results.least),
        );
    }
    if !results.growth.is_empty() {
        add(
            "Growth (predicate extrapolation, the programs' own fences)",
            growth(&results.growth),
        );
    }
    text + &page.prose(&summary(results))
}

fn heading(results: &Results) -> String {
    let machine = &results.machine;
    let cpu = machine.cpu.as_deref().unwrap_or("unknown processor");
    let mut text = format!(
        "Cupola {}, Z3 {}, {}; {cpu}, {} cores, {}\n",
        machine.cupola,
        machine.solver,
        machine.system,
        machine.cores,
        counted(results.jobs, "solver thread"),
    );
    if results.rows.iter().any(|row| row.baseline.is_some()) {
        text += "fig. 6: the paper's own algorithm, run here with the same solver; paper: Tables 1 and 2 of SAS 2013\n";
    }
    if !results.complete {
        text += "NOT COMPLETE: it was ended before everything was run\n";
    }
    text
}

/// A table whose first columns have words and the others numbers; what is empty is left out.
fn table(words: &[&str], numbers: &[&str]) -> Vec<Column> {
    let words = words.iter().copied().map(Column::words);
    let numbers = numbers.iter().copied().map(Column::numbers);
    words.chain(numbers).map(Column::optional).collect()
}

/// The same with the verdict at the end.
fn table_of_verdicts(words: &[&str], numbers: &[&str]) -> Table {
    let verdict = Column::words("verdict").optional().wrapped();
    Table::new(table(words, numbers).into_iter().chain([verdict]))
}

fn building(results: &Results) -> Table {
    let numbers = [
        "preds",
        "paper",
        "cubes",
        "paper",
        "smt calls",
        "fig. 6",
        "paper",
        "fewer",
        "build",
        "fig. 6",
        "paper",
    ];
    let mut table = Table::new(table(&["algorithm", "model", "method"], &numbers));
    for row in &results.rows {
        table.push(building_row(results, row));
    }
    table
}

fn building_row(results: &Results, row: &Row) -> Vec<String> {
    let (ours, paper) = (&row.ours, row.paper.as_ref());
    let is_ce = row.method == "ce";
    let paper_calls = paper.map(|paper| match paper.smt_calls_k {
        Some(thousands) => count(1000.0 * thousands),
        None => PAPER_TIMEOUT.to_owned(),
    });
    let paper_build = paper.map(|paper| match paper.build_seconds {
        Some(seconds) => time(seconds),
        None => PAPER_TIMEOUT.to_owned(),
    });
    vec![
        row.algorithm.clone(),
        row.model.to_string(),
        row.method.clone(),
        ours.predicates.to_string(),
        shown(paper.map(|paper| paper.predicates)),
        shown(is_ce.then_some(ours.cubes)),
        shown(paper.and_then(|paper| paper.cubes)),
        ours.smt_calls.to_string(),
        of_baseline(results, row, |baseline| count(baseline.smt_calls as f64)),
        paper_calls.unwrap_or_default(),
        shown(row.fewer_calls().map(times)),
        time(ours.build_seconds),
        of_baseline(results, row, |baseline| time(baseline.build_seconds)),
        paper_build.unwrap_or_default(),
    ]
}

fn checking(results: &Results) -> Table {
    let numbers = [
        "states", "fig. 6", "paper", "check", "fig. 6", "paper", "faster", "seconds",
    ];
    let mut table = table_of_verdicts(&["algorithm", "model", "method"], &numbers);
    for row in &results.rows {
        table.push(checking_row(results, row));
    }
    table
}

fn checking_row(results: &Results, row: &Row) -> Vec<Cell> {
    let (ours, paper) = (&row.ours, row.paper.as_ref());
    let states = paper.and_then(|paper| paper.states_k);
    let check = paper.and_then(|paper| paper.check_seconds);
    let cells = [
        row.algorithm.clone(),
        row.model.to_string(),
        row.method.clone(),
        ours.states.to_string(),
        of_baseline(results, row, |baseline| baseline.states.to_string()),
        shown(states.map(|thousands| count(1000.0 * thousands))),
        time(ours.check_seconds),
        of_baseline(results, row, |baseline| time(baseline.check_seconds)),
        shown(check.map(time)),
        shown(row.less_time().map(times)),
        time(ours.seconds),
    ];
    let cells = cells.into_iter().map(Cell::from);
    cells
        .chain([Cell::toned(tone(ours), verdict(row))])
        .collect()
}

/// A figure of the baseline: empty where it was not run, the limit where it did not end.
fn of_baseline(results: &Results, row: &Row, show: impl Fn(&Figures) -> String) -> String {
    match &row.baseline {
        None => String::new(),
        Some(figures) if figures.ended() => show(figures),
        Some(_) => format!("> {:.0} s", results.baseline_limit_seconds),
    }
}

fn summary(results: &Results) -> String {
    let mut text = String::from("\n");
    let mut line = |said: String| writeln!(text, "{said}").expect("writing to a string succeeds");
    let ended = results
        .rows
        .iter()
        .filter(|row| row.ended_baseline().is_some())
        .count();
    let mean = |of: fn(&Row) -> Option<f64>| geometric_mean(results.rows.iter().filter_map(of));
    if let (Some(calls), Some(faster)) = (mean(Row::fewer_calls), mean(Row::less_time)) {
        line(format!(
            "against fig. 6, geometric means over the {ended} rows where it ended: {} fewer calls, {} less time",
            times(calls),
            times(faster)
        ));
    }
    if let Some(calls) = mean(Row::fewer_calls_than_paper) {
        line(format!(
            "against the paper's own counts, geometric mean over its rows: {} fewer calls; least {}",
            times(calls),
            least_ratio(results)
        ));
    }
    if let Some(paper) = mean(Row::baseline_to_paper) {
        line(format!(
            "fig. 6 here needs {paper:.1} times the calls that the paper counted, in the geometric mean"
        ));
    }
    if let Some((name, seconds)) = slowest(results) {
        line(format!(
            "slowest program and model, all methods and both placements together: {name}, {}",
            time(seconds)
        ));
    }
    line(format!(
        "{} in all{}",
        time(results.seconds),
        memory(results)
    ));
    if results.baseline_seconds > 0.5 {
        line(format!("fig. 6: {} in all", time(results.baseline_seconds)));
    }
    text
}

fn memory(results: &Results) -> String {
    let bytes = results.peak_memory_bytes;
    bytes.map_or(String::new(), |bytes| {
        format!(", at most {:.0} MB of memory", bytes as f64 / 1_048_576.0)
    })
}

/// The least of the ratios against the paper's counts for each algorithm, as text.
fn least_ratio(results: &Results) -> String {
    let mut least: IndexMap<&str, f64> = IndexMap::new();
    for row in &results.rows {
        if let Some(ratio) = row.fewer_calls_than_paper() {
            let known = least.entry(&row.algorithm).or_insert(ratio);
            *known = known.min(ratio);
        }
    }
    let each = least
        .iter()
        .map(|(name, ratio)| format!("{} on {name}", times(*ratio)));
    each.collect::<Vec<String>>().join(", ")
}

/// The algorithm and model that took longest in all.
fn slowest(results: &Results) -> Option<(String, f64)> {
    let mut sums: IndexMap<String, f64> = IndexMap::new();
    let rows = results
        .rows
        .iter()
        .map(|row| (&row.algorithm, row.model, &row.ours));
    let least = results
        .least
        .iter()
        .map(|row| (&row.algorithm, row.model, &row.ours));
    for (algorithm, model, ours) in rows.chain(least) {
        *sums.entry(format!("{algorithm} {model}")).or_default() += ours.seconds;
    }
    sums.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))
}

fn least(rows: &[LeastRow]) -> Table {
    let numbers = [
        "k",
        "preds",
        "smt calls",
        "states",
        "build",
        "check",
        "seconds",
    ];
    let mut table = table_of_verdicts(&["algorithm", "model", "method", "fences"], &numbers);
    for row in rows {
        let ours = &row.ours;
        let cells = [
            row.algorithm.clone(),
            row.model.to_string(),
            row.method.clone(),
            format!("{{{}}}", row.fences.join(", ")),
            match row.k {
                0 => NO_VALUE.to_owned(),
                k => k.to_string(),
            },
            ours.predicates.to_string(),
            ours.smt_calls.to_string(),
            ours.states.to_string(),
            time(ours.build_seconds),
            time(ours.check_seconds),
            time(ours.seconds),
        ];
        let cells = cells.into_iter().map(Cell::from);
        table.push(cells.chain([Cell::toned(tone(ours), &*ours.verdict)]));
    }
    table
}

fn growth(points: &[GrowthPoint]) -> Table {
    let numbers = ["threads", "k", "preds", "smt calls", "states", "seconds"];
    let mut table = table_of_verdicts(&["program"], &numbers);
    for point in points {
        let ours = &point.ours;
        let (threads, k) = match point.axis {
            GrowthAxis::Threads => (point.size, 1),
            GrowthAxis::Bound => (2, point.size),
        };
        let cells = [
            point.curve.clone(),
            threads.to_string(),
            k.to_string(),
            ours.predicates.to_string(),
            ours.smt_calls.to_string(),
            ours.states.to_string(),
            time(ours.seconds),
        ];
        let cells = cells.into_iter().map(Cell::from);
        table.push(cells.chain([Cell::toned(tone(ours), &*ours.verdict)]));
    }
    table
}

/// A figure, or nothing.
fn shown<T: ToString>(figure: Option<T>) -> String {
    figure.map_or(String::new(), |figure| figure.to_string())
}

/// The colour of what was found.
fn tone(figures: &Figures) -> Tone {
    match figures.is_verified() {
        true => Tone::Good,
        false => Tone::Open,
    }
}

/// The verdict, and the baseline's where it differs.
fn verdict(row: &Row) -> String {
    let ours = &row.ours.verdict;
    match row.ended_baseline() {
        Some(baseline) if baseline.verdict != *ours => {
            format!("{ours} (fig. 6: {})", baseline.verdict)
        }
        Some(_) | None => ours.clone(),
    }
}

fn count(number: f64) -> String {
    format!("{number:.0}")
}

fn times(ratio: f64) -> String {
    if ratio < 10.0 {
        format!("{ratio:.1}x")
    } else {
        format!("{ratio:.0}x")
    }
}

fn time(seconds: f64) -> String {
    if seconds < 0.1 {
        format!("{:.1} ms", 1000.0 * seconds)
    } else if seconds < 100.0 {
        format!("{seconds:.2} s")
    } else {
        format!("{seconds:.0} s")
    }
}
