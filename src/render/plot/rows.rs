//! One line per row of the tables, with a mark for each of the three figures.

use super::axis::{Axis, Unit};
use super::svg::{Anchor, COLOURS, Mark, Svg};

const LEFT: f64 = 150.0;
const WIDTH: f64 = 860.0;
const TOP: f64 = 70.0;
const LINE: f64 = 18.0;

/// The three figures of a row.
#[derive(Clone, Debug)]
pub struct Dots {
    /// The name of the row.
    pub label: String,
    /// Cupola's figure.
    pub ours: Option<f64>,
    /// The paper's algorithm's, run here.
    pub printed: Option<f64>,
    /// The paper's.
    pub paper: Option<f64>,
}

const SERIES: [(&str, Mark); 3] = [
    ("Cupola", Mark::Disc),
    ("the paper's algorithm, here", Mark::Triangle),
    ("the paper's figure", Mark::Square),
];

/// Draws the rows from top to bottom, on a logarithmic axis.
pub fn draw(title: &str, unit: Unit, rows: &[Dots]) -> String {
    let bottom = TOP + LINE * rows.len() as f64;
    let mut svg = Svg::new(WIDTH, bottom + 40.0);
    let values = rows.iter().flat_map(Dots::values).flatten();
    let axis = Axis::decades(values, (LEFT + 10.0, WIDTH - 30.0));
    svg.heading((10.0, 22.0), title);
    legend(&mut svg);
    for power in axis.powers() {
        let x = axis.pixel(power);
        svg.rule((x, TOP - 8.0), (x, bottom));
        svg.text((x, bottom + 18.0), Anchor::Middle, &unit.text(power));
    }
    for (number, row) in rows.iter().enumerate() {
        let y = TOP + LINE * (number as f64 + 0.5);
        svg.text((LEFT, y + 4.0), Anchor::End, &row.label);
        let places: Vec<Option<f64>> = row
            .values()
            .iter()
            .map(|value| {
                value
                    .filter(|value| *value > 0.0)
                    .map(|value| axis.pixel(value))
            })
            .collect();
        let known = || places.iter().flatten().copied();
        let (least, most) = (
            known().fold(f64::MAX, f64::min),
            known().fold(0.0, f64::max),
        );
        if least < most {
            svg.line((least, y), (most, y), "#bbbbbb", 1.5);
        }
        for (series, place) in places.iter().enumerate().rev() {
            if let Some(x) = place {
                svg.mark((*x, y), SERIES[series].1, COLOURS[series]);
            }
        }
    }
    svg.finish()
}

impl Dots {
    fn values(&self) -> [Option<f64>; 3] {
        [self.ours, self.printed, self.paper]
    }
}

fn legend(svg: &mut Svg) {
    for (number, (name, mark)) in SERIES.into_iter().enumerate() {
        let x = LEFT + 20.0 + 210.0 * number as f64;
        svg.mark((x, 44.0), mark, COLOURS[number]);
        svg.text((x + 10.0, 48.0), Anchor::Start, name);
    }
}
