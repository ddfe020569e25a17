//! The table of the TACAS 2012 paper as text, with our figures beside the paper's.

use super::words::counted;
use super::{Cell, Column, NO_VALUE, Page, Table, Tone};
use crate::bench::tacas::{Outcome, PaperFigures, PeerEnd, PeerFigures, Results, Row};

/// What is said of a program that is wrong whatever its fences.
const ERRONEOUS: &str = "erroneous";

/// The results as text.
pub fn text(results: &Results, page: &Page) -> String {
    let mut text = page.prose("Fences behind stores; seconds for one minimal set and for all of them; fences of a process in the smallest set.\n");
    if !results.complete {
        text += &page.prose("NOT COMPLETE: it was ended before everything was run\n");
    }
    text.push('\n');
    text += &table(results).text(page);
    text + &page.prose(&summary(results))
}

fn table(results: &Results) -> Table {
    let number = |heading: &str| Column::numbers(heading).optional();
    let mut table = Table::new([
        number(""),
        Column::words("program"),
        Column::words("model"),
        Column::numbers("one"),
        number("paper"),
        number("memorax"),
        Column::numbers("all"),
        number("paper"),
        number("memorax"),
        number("ratio"),
        Column::numbers("fences"),
        number("paper"),
        Column::numbers("sets"),
        number("paper"),
        number("memorax"),
    ]);
    for row in &results.rows {
        table.push(cells(row));
    }
    table
}

fn cells(row: &Row) -> Vec<Cell> {
    let paper =
        |figure: fn(&PaperFigures) -> String| row.paper.as_ref().map(figure).unwrap_or_default();
    let peer = |figure: fn(&PeerFigures) -> String| match &row.peer {
        None => String::new(),
        Some(peer) => match peer.end {
            PeerEnd::Answered => figure(peer),
            PeerEnd::Failed => "failed".to_owned(),
            PeerEnd::Timeout => format!("> {}", seconds(peer.all_seconds)),
        },
    };
    let tone = match row.agrees() {
        Some(false) => Tone::Bad,
        Some(true) | None => Tone::Plain,
    };
    let (fences, sets) = match row.ours.verdict {
        Outcome::Complete => (
            row.ours
                .fences
                .map_or(NO_VALUE.to_owned(), |n| n.to_string()),
            row.ours.sets.to_string(),
        ),
        Outcome::Erroneous => (ERRONEOUS.to_owned(), row.ours.sets.to_string()),
        Outcome::Unknown => ("unknown".to_owned(), format!("{} or more", row.ours.sets)),
    };
    let sets_of_peer = |peer: &PeerFigures| {
        peer.sets
            .map_or(NO_VALUE.to_owned(), |sets| sets.to_string())
    };
    vec![
        row.number
            .map(|number| number.to_string())
            .unwrap_or_default()
            .into(),
        row.program.clone().into(),
        row.model.to_string().into(),
        seconds(row.ours.one_seconds).into(),
        paper(|paper| seconds(paper.one_seconds)).into(),
        peer(|peer| seconds(peer.one_seconds)).into(),
        seconds(row.ours.all_seconds).into(),
        paper(|paper| seconds(paper.all_seconds)).into(),
        peer(|peer| seconds(peer.all_seconds)).into(),
        row.ratio()
            .map(|ratio| format!("{ratio:.1}"))
            .unwrap_or_default()
            .into(),
        Cell::toned(tone, fences),
        paper(|paper| {
            paper
                .fences
                .map_or(ERRONEOUS.to_owned(), |fences| fences.to_string())
        })
        .into(),
        Cell::toned(tone, sets),
        paper(|paper| paper.sets.to_string()).into(),
        peer(sets_of_peer).into(),
    ]
}

fn seconds(seconds: f64) -> String {
    match seconds {
        0.0..10.0 => format!("{seconds:.3}"),
        _ => format!("{seconds:.0}"),
    }
}

fn summary(results: &Results) -> String {
    let compared: Vec<bool> = results.rows.iter().filter_map(Row::agrees).collect();
    let agree = compared.iter().filter(|agrees| **agrees).count();
    let slowest = results
        .rows
        .iter()
        .map(|row| row.ours.all_seconds)
        .fold(0.0, f64::max);
    let mut text = String::new();
    if !compared.is_empty() {
        text += &format!(
            "\nThe paper's numbers of fences and sets come out for {agree} of {}.",
            counted(compared.len(), "program")
        );
    }
    text + &format!("\nThe slowest took {} s for all sets.\n", seconds(slowest))
}
