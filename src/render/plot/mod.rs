//! The results of the paper's experiments as plots: SVG files, the same bytes for the same results.
//!
//! Input: [`Results`]. Output: file names and texts, which `cupola bench --plot` writes. [`rows`] puts the
//! rows of the tables beside each other, `curves` draws growth; both use the logarithmic axes of
//! [`axis`] and the drawing of [`svg`].

mod axis;
mod curves;
mod rows;
pub(super) mod svg;

use crate::bench::{Figures, GrowthAxis, Results, Row};
use axis::Unit;
use curves::{Curve, Panel};
use rows::Dots;

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plot {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub svg: String,
}

/// All plots that the results have figures for.
pub fn plots(results: &Results) -> Vec<Plot> {
    let mut plots = Vec::new();
    if !results.rows.is_empty() {
        plots.push(Plot {
            name: "calls.svg",
            svg: rows::draw(
                "Solver calls to build the boolean program",
                Unit::Count,
                &calls(results),
            ),
        });
        plots.push(Plot {
            name: "time.svg",
            svg: rows::draw(
                "Time to build and check the boolean program",
                Unit::Seconds,
                &time(results),
            ),
        });
        plots.push(Plot {
            name: "predicates.svg",
            svg: curves::draw(
                "Solver calls against predicates, all rows",
                &[by_predicates(results)],
            ),
        });
    }
    for (axis, name, title) in [
        (
            GrowthAxis::Bound,
            "growth-k.svg",
            "Growth with the size of the buffers",
        ),
        (
            GrowthAxis::Threads,
            "growth-threads.svg",
            "Growth with the number of threads",
        ),
    ] {
        let panels = growth(results, axis);
        if !panels.is_empty() {
            plots.push(Plot {
                name,
                svg: curves::draw(title, &panels),
            });
        }
    }
    plots
}

fn calls(results: &Results) -> Vec<Dots> {
    let dots = |row: &Row| Dots {
        label: label(row),
        ours: Some(row.ours.smt_calls as f64),
        printed: row.ended_baseline().map(|figures| figures.smt_calls as f64),
        paper: row
            .paper
            .as_ref()
            .and_then(|paper| paper.smt_calls_k)
            .map(|k| 1000.0 * k),
    };
    results.rows.iter().map(dots).collect()
}

fn time(results: &Results) -> Vec<Dots> {
    let dots = |row: &Row| Dots {
        label: label(row),
        ours: Some(row.ours.work_seconds()),
        printed: row.ended_baseline().map(|figures| figures.work_seconds()),
        paper: row
            .paper
            .as_ref()
            .and_then(|paper| Some(paper.build_seconds? + paper.check_seconds.unwrap_or_default())),
    };
    results.rows.iter().map(dots).collect()
}

fn label(row: &Row) -> String {
    format!("{} {} {}", row.algorithm, row.model, row.method)
}

/// Predicates and calls of every run.
fn by_predicates(results: &Results) -> Panel {
    let ours = results.rows.iter().map(|row| &row.ours);
    let ours = ours.chain(results.growth.iter().map(|point| &point.ours));
    let printed = results.rows.iter().filter_map(Row::ended_baseline);
    let curve = |name: &str, points: Vec<(f64, f64)>| Curve {
        name: name.to_owned(),
        points,
        joined: false,
    };
    let pair = |figures: &Figures| (figures.predicates as f64, figures.smt_calls as f64);
    Panel {
        across: "predicates",
        up: "solver calls",
        unit: Unit::Count,
        curves: vec![
            curve("Cupola", ours.map(pair).collect()),
            curve("the paper's algorithm", printed.map(pair).collect()),
        ],
    }
}

/// States, calls and seconds against what grows.
fn growth(results: &Results, axis: GrowthAxis) -> Vec<Panel> {
    let across = match axis {
        GrowthAxis::Threads => "threads",
        GrowthAxis::Bound => "k",
    };
    let panel = |up, unit, of: fn(&Figures) -> f64| Panel {
        across,
        up,
        unit,
        curves: curves(results, axis, of),
    };
    let panels = [
        panel("states", Unit::Count, |ours| ours.states as f64),
        panel("solver calls", Unit::Count, |ours| ours.smt_calls as f64),
        panel("seconds", Unit::Seconds, |ours| ours.seconds),
    ];
    let panels = panels.into_iter().filter(|panel| !panel.curves.is_empty());
    panels.collect()
}

fn curves(results: &Results, axis: GrowthAxis, of: fn(&Figures) -> f64) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for point in results.growth.iter().filter(|point| point.axis == axis) {
        let place = (point.size as f64, of(&point.ours));
        match curves.iter_mut().find(|curve| curve.name == point.curve) {
            Some(curve) => curve.points.push(place),
            None => curves.push(Curve {
                name: point.curve.clone(),
                points: vec![place],
                joined: true,
            }),
        }
    }
    curves
}
