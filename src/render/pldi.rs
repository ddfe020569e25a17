//! The tables of the PLDI 2011 paper as text, with our figures beside the paper's.

use super::words::counted;
use super::{Cell, Column, Page, Table, Tone};
use crate::bench::pldi::{Inference, Mark, Results, Verification};

/// The results as text.
pub fn text(results: &Results, page: &Page) -> String {
    let mut text = String::new();
    if !results.complete {
        text += &page.prose("NOT COMPLETE: it was ended before everything was run\n\n");
    }
    if !results.verification.is_empty() {
        text += &page.prose("Table 1: programs with enough fences under PSO, verified by abstract store buffers.\n\n");
        text += &verification(&results.verification).text(page);
        text += "\n";
    }
    if !results.inference.is_empty() {
        text += &page.prose("Table 2: programs with too few fences under PSO, and the fences that abstract store buffers infer: as few as are needed (optimal), more, or none that helps (unfixable).\n\n");
        text += &inference(&results.inference).text(page);
        text += "\n";
    }
    text + &page.prose(&summary(results))
}

fn verification(rows: &[Verification]) -> Table {
    let mut table = Table::new([
        Column::words("program"),
        Column::words("domain"),
        Column::numbers("k"),
        Column::words("verified"),
        Column::words("paper"),
        Column::numbers("states"),
        Column::numbers("paper"),
        Column::numbers("seconds"),
    ]);
    for row in rows {
        table.push([
            row.program.clone().into(),
            row.domain.clone().into(),
            row.k.to_string().into(),
            Cell::toned(tone(row.agrees()), yes(row.verified)),
            yes(row.paper.verified).into(),
            thousands(row.states).into(),
            paper_thousands(row.paper.kilostates).into(),
            seconds(row.seconds).into(),
        ]);
    }
    table
}

fn inference(rows: &[Inference]) -> Table {
    let mut table = Table::new([
        Column::words("program"),
        Column::words("domain"),
        Column::numbers("k"),
        Column::words("fences"),
        Column::words("paper"),
        Column::words("placements").wrapped(),
        Column::numbers("states"),
        Column::numbers("paper"),
        Column::numbers("seconds"),
    ]);
    for row in rows {
        let placements: Vec<String> = row
            .placements
            .iter()
            .map(|names| format!("{{{}}}", names.join(", ")))
            .collect();
        table.push([
            row.program.clone().into(),
            row.domain.clone().into(),
            row.k.to_string().into(),
            Cell::toned(tone(row.is_as_good()), row.mark.word().to_owned()),
            row.paper.mark.word().into(),
            placements.join(" ").into(),
            thousands(row.states).into(),
            paper_thousands(row.paper.kilostates).into(),
            seconds(row.seconds).into(),
        ]);
    }
    table
}

fn tone(is_good: bool) -> Tone {
    match is_good {
        true => Tone::Plain,
        false => Tone::Bad,
    }
}

fn yes(verified: bool) -> String {
    match verified {
        true => "yes",
        false => "no",
    }
    .to_owned()
}

/// The number of states in thousands, as the paper has it.
fn thousands(states: usize) -> String {
    format!("{:.1}", states as f64 / 1000.0)
}

fn paper_thousands(kilostates: Option<f64>) -> String {
    kilostates.map_or("memory".to_owned(), |kilostates| format!("{kilostates:.1}"))
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.2}")
}

fn summary(results: &Results) -> String {
    let mut text = String::new();
    if !results.verification.is_empty() {
        let agree = results
            .verification
            .iter()
            .filter(|row| row.agrees())
            .count();
        text += &format!(
            "Table 1: the paper's verdict comes out in {agree} of {}.\n",
            counted(results.verification.len(), "cell")
        );
    }
    if !results.inference.is_empty() {
        let rows = || results.inference.iter();
        let good = rows().filter(|row| row.is_as_good()).count();
        let better = rows().filter(|row| row.mark < row.paper.mark).count();
        let decided = rows()
            .filter(|row| row.paper.mark == Mark::OutOfStates && row.mark != Mark::OutOfStates)
            .count();
        text += &format!(
            "Table 2: the paper's mark or a better one in {good} of {}, a better one in {better}; {decided} are decided for which the paper's tool had no memory.\n",
            counted(results.inference.len(), "cell")
        );
    }
    text
}
