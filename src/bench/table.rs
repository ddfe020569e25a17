//! The results as text: the paper's tables with our figures beside the paper's.

use std::fmt::Write;

use super::results::{Figures, GrowthPoint, LeastRow, Results, Row, Story, geometric_mean};
use crate::explore::report::table::{Align, columns};

/// What stands for a row that ran for ten hours without an end.
const PAPER_TIMEOUT: &str = "T/O";

impl Results {
    /// The results as text.
    pub fn text(&self) -> String {
        let mut text = self.heading();
        if !self.rows.is_empty() {
            text += "\nBuilding the boolean program (k = 1, all optional fences):\n\n";
            text += &self.building();
            text += "\nChecking it:\n\n";
            text += &self.checking();
        }
        if !self.least.is_empty() {
            text +=
                "\nWith the fewest fences, k as large as they need, from source to verdict:\n\n";
            text += &least(&self.least);
        }
        if !self.growth.is_empty() {
            text += "\nGrowth (predicate extrapolation, the programs' own fences):\n\n";
            text += &growth(&self.growth);
        }
        text + &self.summary()
    }

    fn heading(&self) -> String {
        let machine = &self.machine;
        let cpu = machine.cpu.as_deref().unwrap_or("unknown processor");
        let mut text = format!(
            "Cupola {}, Z3 {}, {}; {cpu}, {} cores, {} solver thread{}\n",
            machine.cupola,
            machine.solver,
            machine.system,
            machine.cores,
            self.jobs,
            if self.jobs == 1 { "" } else { "s" },
        );
        if self.has_baseline() {
            text += "fig. 6: the paper's own algorithm, run here with the same solver; paper: Tables 1 and 2 of SAS 2013\n";
        }
        if !self.complete {
            text += "NOT COMPLETE: it was ended before everything was run\n";
        }
        text
    }

    fn has_baseline(&self) -> bool {
        self.rows.iter().any(|row| row.baseline.is_some())
    }

    fn building(&self) -> String {
        let heading = [
            "algorithm",
            "model",
            "method",
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
        let rows = self.rows.iter().map(|row| self.building_row(row));
        let rows: Vec<Vec<String>> = std::iter::once(heading.map(str::to_owned).to_vec())
            .chain(rows)
            .collect();
        columns(&words_then_numbers(3, heading.len()), &rows)
    }

    fn building_row(&self, row: &Row) -> Vec<String> {
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
            text(paper, |paper| paper.predicates),
            if is_ce {
                ours.cubes.to_string()
            } else {
                String::new()
            },
            paper
                .and_then(|paper| paper.cubes)
                .map_or(String::new(), |cubes| cubes.to_string()),
            ours.smt_calls.to_string(),
            self.of_baseline(row, |baseline| count(baseline.smt_calls as f64)),
            paper_calls.unwrap_or_default(),
            row.fewer_calls().map_or(String::new(), times),
            time(ours.build_seconds),
            self.of_baseline(row, |baseline| time(baseline.build_seconds)),
            paper_build.unwrap_or_default(),
        ]
    }

    fn checking(&self) -> String {
        let heading = [
            "algorithm",
            "model",
            "method",
            "states",
            "fig. 6",
            "paper",
            "check",
            "fig. 6",
            "paper",
            "faster",
            "seconds",
            "verdict",
        ];
        let rows = self.rows.iter().map(|row| {
            let (ours, paper) = (&row.ours, row.paper.as_ref());
            let states = paper.and_then(|paper| paper.states_k);
            let check = paper.and_then(|paper| paper.check_seconds);
            vec![
                row.algorithm.clone(),
                row.model.to_string(),
                row.method.clone(),
                ours.states.to_string(),
                self.of_baseline(row, |baseline| baseline.states.to_string()),
                states.map_or(String::new(), |thousands| count(1000.0 * thousands)),
                time(ours.check_seconds),
                self.of_baseline(row, |baseline| time(baseline.check_seconds)),
                check.map_or(String::new(), time),
                row.less_time().map_or(String::new(), times),
                time(ours.seconds),
                verdict(row),
            ]
        });
        let rows: Vec<Vec<String>> = std::iter::once(heading.map(str::to_owned).to_vec())
            .chain(rows)
            .collect();
        let mut align = words_then_numbers(3, heading.len());
        align[heading.len() - 1] = Align::Left;
        columns(&align, &rows)
    }

    /// A figure of the baseline: empty where it was not run, the limit where it did not end.
    fn of_baseline(&self, row: &Row, show: impl Fn(&Figures) -> String) -> String {
        match &row.baseline {
            None => String::new(),
            Some(figures) if figures.ended() => show(figures),
            Some(_) => format!("> {:.0} s", self.baseline_limit_seconds),
        }
    }

    fn summary(&self) -> String {
        let mut text = String::from("\n");
        let mut line =
            |said: String| writeln!(text, "{said}").expect("writing to a string succeeds");
        let ended = self
            .rows
            .iter()
            .filter(|row| row.ended_baseline().is_some())
            .count();
        let mean = |of: fn(&Row) -> Option<f64>| geometric_mean(self.rows.iter().filter_map(of));
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
                self.least_ratio()
            ));
        }
        if let Some(paper) = mean(Row::baseline_to_paper) {
            line(format!(
                "fig. 6 here needs {paper:.1} times the calls that the paper counted, in the geometric mean"
            ));
        }
        let slowest = self.slowest();
        if let Some((name, seconds)) = slowest {
            line(format!(
                "slowest program and model, all methods and both placements together: {name}, {}",
                time(seconds)
            ));
        }
        line(format!("{} in all{}", time(self.seconds), self.memory()));
        if self.baseline_seconds > 0.5 {
            line(format!("fig. 6: {} in all", time(self.baseline_seconds)));
        }
        text
    }

    fn memory(&self) -> String {
        let bytes = self.peak_memory_bytes;
        bytes.map_or(String::new(), |bytes| {
            format!(", at most {:.0} MB of memory", bytes as f64 / 1_048_576.0)
        })
    }

    /// The least of the ratios against the paper's counts for each algorithm, as text.
    fn least_ratio(&self) -> String {
        let mut least: indexmap::IndexMap<&str, f64> = indexmap::IndexMap::new();
        for row in &self.rows {
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
    fn slowest(&self) -> Option<(String, f64)> {
        let mut sums: indexmap::IndexMap<String, f64> = indexmap::IndexMap::new();
        let rows = self
            .rows
            .iter()
            .map(|row| (&row.algorithm, row.model, &row.ours));
        let least = self
            .least
            .iter()
            .map(|row| (&row.algorithm, row.model, &row.ours));
        for (algorithm, model, ours) in rows.chain(least) {
            *sums.entry(format!("{algorithm} {model}")).or_default() += ours.seconds;
        }
        sums.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

fn least(rows: &[LeastRow]) -> String {
    let heading = [
        "algorithm",
        "model",
        "method",
        "fences",
        "k",
        "preds",
        "smt calls",
        "states",
        "build",
        "check",
        "seconds",
        "verdict",
    ];
    let lines = rows.iter().map(|row| {
        let ours = &row.ours;
        vec![
            row.algorithm.clone(),
            row.model.to_string(),
            row.method.clone(),
            format!("{{{}}}", row.fences.join(", ")),
            if row.k == 0 {
                "-".to_owned()
            } else {
                row.k.to_string()
            },
            ours.predicates.to_string(),
            ours.smt_calls.to_string(),
            ours.states.to_string(),
            time(ours.build_seconds),
            time(ours.check_seconds),
            time(ours.seconds),
            ours.verdict.clone(),
        ]
    });
    let lines: Vec<Vec<String>> = std::iter::once(heading.map(str::to_owned).to_vec())
        .chain(lines)
        .collect();
    let mut align = words_then_numbers(4, heading.len());
    align[heading.len() - 1] = Align::Left;
    columns(&align, &lines)
}

fn growth(points: &[GrowthPoint]) -> String {
    let heading = [
        "program",
        "threads",
        "k",
        "preds",
        "smt calls",
        "states",
        "seconds",
        "verdict",
    ];
    let lines = points.iter().map(|point| {
        let ours = &point.ours;
        let (threads, k) = match point.story {
            Story::Threads => (point.size, 1),
            Story::Bound => (2, point.size),
        };
        vec![
            point.curve.clone(),
            threads.to_string(),
            k.to_string(),
            ours.predicates.to_string(),
            ours.smt_calls.to_string(),
            ours.states.to_string(),
            time(ours.seconds),
            ours.verdict.clone(),
        ]
    });
    let lines: Vec<Vec<String>> = std::iter::once(heading.map(str::to_owned).to_vec())
        .chain(lines)
        .collect();
    let mut align = words_then_numbers(1, heading.len());
    align[heading.len() - 1] = Align::Left;
    columns(&align, &lines)
}

fn words_then_numbers(words: usize, all: usize) -> Vec<Align> {
    let align = |column| {
        if column < words {
            Align::Left
        } else {
            Align::Right
        }
    };
    (0..all).map(align).collect()
}

fn text<T, R: ToString>(from: Option<&T>, show: impl Fn(&T) -> R) -> String {
    from.map_or(String::new(), |value| show(value).to_string())
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
