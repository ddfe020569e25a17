//! Logarithmic axes.

/// What an axis measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A number of things.
    Count,
    /// Time.
    Seconds,
}

/// A logarithmic scale from values to pixels.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// The logarithms of the ends, to base 10.
    ends: (f64, f64),
    /// The pixels of the ends.
    pixels: (f64, f64),
}

impl Axis {
    /// An axis that begins and ends at powers of ten and holds all values.
    pub fn decades(values: impl Iterator<Item = f64>, pixels: (f64, f64)) -> Self {
        let (least, most) = range(values);
        let from = least.log10().floor();
        let to = most.log10().ceil().max(from + 1.0);
        Axis {
            ends: (from, to),
            pixels,
        }
    }

    /// An axis that is little larger than the range of its values.
    pub fn close(values: impl Iterator<Item = f64>, pixels: (f64, f64)) -> Self {
        let (least, most) = range(values);
        Axis {
            ends: ((least / 1.15).log10(), (most * 1.15).log10()),
            pixels,
        }
    }

    /// The pixel of a value.
    pub fn pixel(&self, value: f64) -> f64 {
        let share = (value.log10() - self.ends.0) / (self.ends.1 - self.ends.0);
        self.pixels.0 + share * (self.pixels.1 - self.pixels.0)
    }

    /// The powers of ten on it.
    pub fn powers(&self) -> Vec<f64> {
        let (from, to) = (self.ends.0.ceil() as i32, self.ends.1.floor() as i32);
        (from..=to).map(|power| 10f64.powi(power)).collect()
    }
}

/// The least and the greatest of the positive values.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let values = values.filter(|value| *value > 0.0);
    values
        .fold(None, |range: Option<(f64, f64)>, value| {
            let (least, most) = range.unwrap_or((value, value));
            Some((least.min(value), most.max(value)))
        })
        .unwrap_or((1.0, 10.0))
}

impl Unit {
    /// A power of ten as text.
    pub fn text(self, value: f64) -> String {
        let power = value.log10().round() as i32;
        let digits = |power: i32| 10i64.pow(u32::try_from(power).unwrap_or(0)).to_string();
        match (self, power) {
            (Unit::Seconds, ..=-4) => format!("{} µs", digits(power + 6)),
            (Unit::Seconds, -3..=-1) => format!("{} ms", digits(power + 3)),
            (Unit::Seconds, 0..) => format!("{} s", digits(power)),
            (Unit::Count, ..=2) => digits(power),
            (Unit::Count, 3..=5) => format!("{}k", digits(power - 3)),
            (Unit::Count, 6..) => format!("{}M", digits(power - 6)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_hold_all_values() {
        let axis = Axis::decades([3.0, 0.0, 450.0].into_iter(), (0.0, 300.0));
        assert_eq!(axis.powers(), [1.0, 10.0, 100.0, 1000.0]);
        assert!((axis.pixel(10.0) - 100.0).abs() < 1e-9);
    }

    #[test]
    fn powers_of_ten_have_short_names() {
        assert_eq!(Unit::Count.text(1e5), "100k");
        assert_eq!(Unit::Count.text(1e6), "1M");
        assert_eq!(Unit::Seconds.text(1e-2), "10 ms");
        assert_eq!(Unit::Seconds.text(1e2), "100 s");
    }
}
