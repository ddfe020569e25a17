//! Curves and clouds of points on logarithmic axes, several panels side by side.

use itertools::Itertools;

use super::axis::{Axis, Unit};
use super::svg::{Anchor, COLOURS, Mark, Svg};

const PANEL: f64 = 300.0;
const SIDE: f64 = 230.0;
const TOP: f64 = 60.0;
const LEFT: f64 = 60.0;
const LEGEND_LINE: f64 = 18.0;

/// Some curves on the same axes.
pub struct Panel {
    /// What the horizontal axis shows.
    pub across: &'static str,
    /// What the vertical axis shows.
    pub up: &'static str,
    /// The unit of the vertical axis.
    pub unit: Unit,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// Some points with a name.
pub struct Curve {
    /// The name.
    pub name: String,
    /// The points.
    pub points: Vec<(f64, f64)>,
    /// Whether they are joined by lines.
    pub joined: bool,
}

/// Draws the panels, and below them the names of the first panel's curves.
pub fn draw(title: &str, panels: &[Panel]) -> String {
    let names: Vec<&str> = panels
        .first()
        .map(|panel| {
            panel
                .curves
                .iter()
                .map(|curve| curve.name.as_str())
                .collect()
        })
        .unwrap_or_default();
    let legend = TOP + SIDE + 55.0;
    let lines = names.len().div_ceil(2) as f64;
    let width = (PANEL * panels.len() as f64).max(2.0 * PANEL);
    let mut svg = Svg::new(width, legend + LEGEND_LINE * lines + 10.0);
    svg.heading((10.0, 22.0), title);
    for (number, panel) in panels.iter().enumerate() {
        draw_panel(&mut svg, PANEL * number as f64, panel);
    }
    for (number, name) in names.iter().enumerate() {
        let x = LEFT + PANEL * (number % 2) as f64;
        let y = legend + LEGEND_LINE * (number / 2) as f64;
        svg.mark((x, y), mark(number), colour(number));
        svg.text((x + 10.0, y + 4.0), Anchor::Start, name);
    }
    svg.finish()
}

fn draw_panel(svg: &mut Svg, left: f64, panel: &Panel) {
    let points = || {
        panel
            .curves
            .iter()
            .flat_map(|curve| curve.points.iter().copied())
    };
    let (x0, x1) = (left + LEFT, left + PANEL - 10.0);
    let (y0, y1) = (TOP + SIDE, TOP);
    let across = Axis::close(points().map(|(x, _)| x), (x0, x1));
    let up = Axis::decades(points().map(|(_, y)| y), (y0, y1));
    for power in up.powers() {
        let y = up.pixel(power);
        svg.rule((x0, y), (x1, y));
        svg.text((x0 - 6.0, y + 4.0), Anchor::End, &panel.unit.text(power));
    }
    for x in marked(points().map(|(x, _)| x)) {
        svg.rule((across.pixel(x), y0), (across.pixel(x), y0 + 4.0));
        svg.text(
            (across.pixel(x), y0 + 17.0),
            Anchor::Middle,
            &format!("{x:.0}"),
        );
    }
    svg.line((x0, y0), (x1, y0), "#222222", 1.0);
    svg.text(((x0 + x1) / 2.0, y0 + 34.0), Anchor::Middle, panel.across);
    svg.text((x0, y1 - 10.0), Anchor::Start, panel.up);
    for (number, curve) in panel.curves.iter().enumerate() {
        let places = curve.points.iter().filter(|(_, y)| *y > 0.0);
        let places = places
            .map(|&(x, y)| (across.pixel(x), up.pixel(y)))
            .collect_vec();
        if curve.joined {
            for (from, to) in places.iter().tuple_windows() {
                svg.line(*from, *to, colour(number), 1.5);
            }
        }
        for place in places {
            svg.mark(place, mark(number), colour(number));
        }
    }
}

/// The values that get a number: all if there are few, else some that are far enough apart.
fn marked(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut marked: Vec<f64> = Vec::new();
    for value in values.sorted_by(f64::total_cmp).dedup() {
        if marked.last().is_none_or(|last| value / last >= 1.25) {
            marked.push(value);
        }
    }
    marked
}

fn colour(number: usize) -> &'static str {
    COLOURS[number % COLOURS.len()]
}

fn mark(number: usize) -> Mark {
    [Mark::Disc, Mark::Triangle, Mark::Square][number % 3]
}
