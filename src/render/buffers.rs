//! Slots beside buffers of any length as text, and what facts about their entries are worth.

use super::{Cell, Column, NO_VALUE, Page, Table, Tone};
use crate::bench::Figures;
use crate::bench::buffers::{Results, TailRow, WayRow};

/// The results as text.
pub fn text(results: &Results, page: &Page) -> String {
    let mut text = String::new();
    if !results.complete {
        text += &page.prose("NOT COMPLETE: it was ended before everything was run\n\n");
    }
    let mut add = |title: &str, table: Table| {
        text += &page.prose(&format!("{title}:\n\n"));
        text += &table.text(page);
        text += "\n";
    };
    if !results.ways.is_empty() {
        add(
            "Slots, as many as are needed, beside buffers of any length (the fewest fences, proofs as they are)",
            ways(&results.ways),
        );
    }
    if !results.tails.is_empty() {
        add(
            "Facts about entries and their order, about entries alone, and none (no fences, no bound)",
            tails(&results.tails),
        );
    }
    text
}

/// The columns of all figures.
const FIGURES: [&str; 4] = ["preds", "smt calls", "states", "seconds"];

fn table(words: &[&str]) -> Table {
    let words = words.iter().map(|name| Column::words(*name));
    let figures = FIGURES.iter().map(|name| Column::numbers(*name));
    Table::new(words.chain([Column::words("verdict")]).chain(figures))
}

fn cells(ours: &Figures) -> [Cell; 5] {
    let tone = match ours.is_verified() {
        true => Tone::Good,
        false => Tone::Open,
    };
    [
        Cell::toned(tone, &*ours.verdict),
        ours.predicates.to_string().into(),
        ours.smt_calls.to_string().into(),
        ours.states.to_string().into(),
        format!("{:.2}", ours.seconds).into(),
    ]
}

fn ways(rows: &[WayRow]) -> Table {
    let mut table = table(&["program", "model", "fences", "k"]);
    for row in rows {
        let k = match (row.k, row.way.as_str()) {
            (Some(k), _) => k.to_string(),
            (None, "fifo") => "fifo".to_owned(),
            (None, _) => NO_VALUE.to_owned(),
        };
        let words = [
            row.program.clone(),
            row.model.to_string(),
            format!("{{{}}}", row.fences.join(", ")),
            k,
        ];
        table.push(words.into_iter().map(Cell::from).chain(cells(&row.ours)));
    }
    table
}

fn tails(rows: &[TailRow]) -> Table {
    let mut table = table(&["program", "model", "tail"]);
    for row in rows {
        let words = [row.program.clone(), row.model.to_string(), row.tail.clone()];
        table.push(words.into_iter().map(Cell::from).chain(cells(&row.ours)));
    }
    table
}
