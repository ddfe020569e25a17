//! Drawing: a few shapes with coordinates in pixels.

use std::fmt::Write;

/// The colours of the series: told apart by people who see few colours.
pub const COLOURS: [&str; 8] = [
    "#0072b2", "#d55e00", "#666666", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
];

/// A drawing.
pub struct Svg {
    width: f64,
    height: f64,
    body: String,
}

/// Where a text stands with respect to its point.
#[derive(Clone, Copy, Debug)]
pub enum Anchor {
    /// To the right of it.
    Start,
    /// Around it.
    Middle,
    /// To the left of it.
    End,
}

/// The shape of a mark.
#[derive(Clone, Copy, Debug)]
pub enum Mark {
    /// A disc.
    Disc,
    /// A triangle.
    Triangle,
    /// A square.
    Square,
}

impl Svg {
    /// An empty drawing on white.
    pub fn new(width: f64, height: f64) -> Self {
        Svg {
            width,
            height,
            body: String::new(),
        }
    }

    /// A thin grey line.
    pub fn rule(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.line(from, to, "#dddddd", 1.0);
    }

    /// A line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, width: f64) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.add(format_args!(
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{colour}" stroke-width="{width}"/>"#
        ));
    }

    /// A text on one line.
    pub fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escaped(text);
        self.add(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#
        ));
    }

    /// A text in letters of one width.
    pub fn code(&mut self, (x, y): (f64, f64), text: &str, colour: &str) {
        let text = escaped(text);
        self.add(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" xml:space="preserve" fill="{colour}">{text}</text>"#
        ));
    }

    /// A heading.
    pub fn heading(&mut self, (x, y): (f64, f64), text: &str) {
        let text = escaped(text);
        self.add(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" font-size="15" font-weight="bold">{text}</text>"#
        ));
    }

    /// A mark.
    pub fn mark(&mut self, (x, y): (f64, f64), mark: Mark, colour: &str) {
        match mark {
            Mark::Disc => self.add(format_args!(
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{colour}"/>"#
            )),
            Mark::Triangle => {
                let (left, right, top, bottom) = (x - 4.5, x + 4.5, y - 4.5, y + 3.5);
                self.add(format_args!(
                    r#"<path d="M{left:.1} {bottom:.1} L{right:.1} {bottom:.1} L{x:.1} {top:.1} Z" fill="{colour}"/>"#
                ));
            }
            Mark::Square => {
                let (left, top) = (x - 3.5, y - 3.5);
                self.add(format_args!(
                    r#"<rect x="{left:.1}" y="{top:.1}" width="7" height="7" fill="{colour}"/>"#
                ));
            }
        }
    }

    /// The text of the file.
    pub fn finish(self) -> String {
        let Svg {
            width,
            height,
            body,
        } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"12\" \
             fill=\"#222222\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
        )
    }

    fn add(&mut self, shape: std::fmt::Arguments<'_>) {
        writeln!(self.body, "{shape}").expect("writing to a string succeeds");
    }
}

fn escaped(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
