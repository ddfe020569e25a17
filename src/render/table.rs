//! The formatter of all tables.
//!
//! Input: a [`Table`], that is columns with headings and rows of [`Cell`]s, and a [`Page`]. Output: lines
//! with the cells in aligned columns, two blanks apart.
//!
//! On a page that is too narrow for a row, cells that may be wrapped take several lines within their
//! column. Where even that is too wide, the last columns have no place in the row: below it, indented, stands
//! what it has in them, each cell with its heading.
//!
//! ```text
//! step  thread  line  statement
//!    1  P0         9  flag0 = 1;
//!       writes: flag0 = 1  P0 buffer: flag0 = 1
//! ```
//!
//! Invariant: no line is longer than the page, and every character of a value that is not a blank is shown,
//! whatever the width.

use super::page::{Page, Tone};
use super::wrap::{Breaks, hanging, longest_word, width_of, wrap};

/// The blanks between two columns.
const GAP: usize = 2;

/// The most blanks before what stands below a row; as many as the first column takes if that is less.
const INDENT: usize = 8;

/// What stands in a column where a row has no value; below a row nothing stands for it.
pub const NO_VALUE: &str = "-";

/// A column that may be wrapped is not made narrower than this, unless the page is.
const NARROW: usize = 16;

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    heading: String,
    align: Align,
    wraps: bool,
    optional: bool,
}

/// What a row has in a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    text: String,
    tone: Tone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Align {
    Left,
    Right,
}

/// How a table is laid out on a page.
struct Layout {
    /// The columns that stand side by side, with their widths.
    columns: Vec<(usize, usize)>,
    /// The columns that do not fit.
    below: Vec<usize>,
    /// The blanks before what stands below a row.
    indent: usize,
}

impl Column {
    /// A column of words, aligned to the left.
    pub fn words(heading: impl Into<String>) -> Self {
        Column {
            heading: heading.into(),
            align: Align::Left,
            wraps: false,
            optional: false,
        }
    }

    /// A column of numbers, aligned to the right.
    pub fn numbers(heading: impl Into<String>) -> Self {
        Column {
            align: Align::Right,
            ..Column::words(heading)
        }
    }

    /// The column whose cells are wrapped where the page is narrow.
    #[must_use]
    pub fn wrapped(self) -> Self {
        Column {
            wraps: true,
            ..self
        }
    }

    /// The column that is left out where all its cells are empty.
    #[must_use]
    pub fn optional(self) -> Self {
        Column {
            optional: true,
            ..self
        }
    }
}

impl Cell {
    /// A cell with the colour of its tone.
    pub fn toned(tone: Tone, text: impl Into<String>) -> Self {
        Cell {
            text: text.into(),
            tone,
        }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::toned(Tone::Plain, text)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::from(text.to_owned())
    }
}

impl Table {
    /// A table without rows.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Table {
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    ///
    /// # Panics
    ///
    /// If it has not one cell for each column.
    pub fn push<C: Into<Cell>>(&mut self, row: impl IntoIterator<Item = C>) {
        let row: Vec<Cell> = row.into_iter().map(C::into).collect();
        assert_eq!(row.len(), self.columns.len(), "one cell for each column");
        self.rows.push(row);
    }

    /// The headings and the rows as lines, each with its end.
    pub fn text(&self, page: &Page) -> String {
        let layout = self.layout(page.width());
        let headings = self.columns.iter().map(|column| &*column.heading);
        let headings: Vec<Cell> = headings.map(Cell::from).collect();
        let mut text = self.row_text(&layout, &headings, page);
        for row in &self.rows {
            text += &self.row_text(&layout, row, page);
            text += &self.text_below(&layout, row, page);
        }
        text
    }

    /// The cells of a row that stand side by side, on as many lines as the longest of them needs.
    fn row_text(&self, layout: &Layout, row: &[Cell], page: &Page) -> String {
        let cells = layout.columns.iter();
        let cells = cells.map(|&(column, width)| wrap(&row[column].text, width, Breaks::Items));
        let cells: Vec<Vec<String>> = cells.collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let mut text = String::new();
        for at in 0..height {
            let parts = layout.columns.iter().zip(&cells);
            let parts = parts.map(|(&(column, width), cell)| {
                let part = cell.get(at).map_or("", |part| part);
                let blanks = " ".repeat(width - width_of(part));
                let shown = page.paint(row[column].tone, part);
                match self.columns[column].align {
                    Align::Left => shown + &blanks,
                    Align::Right => blanks + &shown,
                }
            });
            let line = parts.collect::<Vec<String>>().join(&" ".repeat(GAP));
            text += line.trim_end_matches(' ');
            text.push('\n');
        }
        text
    }

    /// The cells of a row that do not fit beside the others, with their headings; those without a value are
    /// left out.
    fn text_below(&self, layout: &Layout, row: &[Cell], page: &Page) -> String {
        let room = page.width().unwrap_or(usize::MAX) - layout.indent;
        let filled = layout.below.iter();
        let filled = filled.filter(|&&column| !["", NO_VALUE].contains(&&*row[column].text));
        let mut lines: Vec<String> = Vec::new();
        for &column in filled {
            let cell = page.paint(row[column].tone, &row[column].text);
            let cell = format!("{}: {cell}", self.columns[column].heading);
            match lines.last_mut() {
                Some(line) if width_of(line) + GAP + width_of(&cell) <= room => {
                    *line = format!("{line}{}{cell}", " ".repeat(GAP));
                }
                _ => lines.extend(hanging(&cell, room)),
            }
        }
        let indent = " ".repeat(layout.indent);
        lines
            .iter()
            .map(|line| format!("{indent}{line}\n"))
            .collect()
    }

    fn layout(&self, page: Option<usize>) -> Layout {
        let shown = (0..self.columns.len()).filter(|&column| self.is_shown(column));
        let shown: Vec<usize> = shown.collect();
        let mut layout = Layout {
            columns: Vec::new(),
            below: Vec::new(),
            indent: 0,
        };
        let Some(page) = page else {
            let columns = shown.iter().map(|&column| (column, self.natural(column)));
            layout.columns = columns.collect();
            return layout;
        };
        for column in shown {
            let least = self.least(column);
            match layout.columns[..] {
                [] => layout.columns.push((column, least.min(page))),
                [(_, first), ..] => {
                    layout.indent = (first + GAP).min(INDENT);
                    let fits = layout.below.is_empty() && layout.width() + GAP + least <= page;
                    match fits {
                        true => layout.columns.push((column, least)),
                        false => layout.below.push(column),
                    }
                }
            }
        }
        self.widen(&mut layout, page);
        layout
    }

    /// Gives what is free beside the columns to those that want more, one blank at a time, to the narrowest
    /// first.
    fn widen(&self, layout: &mut Layout, page: usize) {
        for _ in layout.width()..page {
            let wanting = layout.columns.iter_mut();
            let wanting = wanting.filter(|(column, width)| *width < self.natural(*column));
            let Some((_, width)) = wanting.min_by_key(|(_, width)| *width) else {
                return;
            };
            *width += 1;
        }
    }

    fn is_shown(&self, column: usize) -> bool {
        let filled = |row: &Vec<Cell>| !row[column].text.is_empty();
        !self.columns[column].optional || self.rows.iter().any(filled)
    }

    /// The width at which nothing is wrapped.
    fn natural(&self, column: usize) -> usize {
        self.texts(column).map(width_of).max().unwrap_or(0)
    }

    /// The width below which the column does not stand beside others.
    fn least(&self, column: usize) -> usize {
        let natural = self.natural(column);
        if !self.columns[column].wraps {
            return natural;
        }
        let word = self.texts(column).map(longest_word).max().unwrap_or(0);
        natural.min(word.max(NARROW))
    }

    fn texts(&self, column: usize) -> impl Iterator<Item = &str> {
        let heading = &*self.columns[column].heading;
        let cells = self.rows.iter().map(move |row| &*row[column].text);
        std::iter::once(heading).chain(cells)
    }
}

impl Layout {
    /// The width of the columns that stand side by side.
    fn width(&self) -> usize {
        let columns: usize = self.columns.iter().map(|&(_, width)| width).sum();
        columns + GAP * self.columns.len().saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(width: usize) -> Page {
        Page::unlimited().with_width(Some(width))
    }

    fn steps() -> Table {
        let mut table = Table::new([
            Column::numbers("step"),
            Column::words("reads").optional(),
            Column::words("statement").wrapped(),
            Column::words("P0 buffer"),
        ]);
        table.push(["1", "", "x = 1;", "x = 1"]);
        table.push(["12", "", "if (x == 1 && y == 1) is true", ""]);
        table
    }

    #[test]
    fn columns_are_aligned_and_empty_optional_ones_left_out() {
        let wanted = "\
step  statement                      P0 buffer
   1  x = 1;                         x = 1
  12  if (x == 1 && y == 1) is true
";
        assert_eq!(steps().text(&Page::unlimited()), wanted);
        assert_eq!(steps().text(&page(46)), wanted);
    }

    #[test]
    fn columns_that_are_not_optional_stay() {
        let mut table = Table::new([Column::words("reads"), Column::words("writes")]);
        table.push(["", "x = 1"]);
        assert_eq!(
            table.text(&Page::unlimited()),
            "reads  writes\n       x = 1\n"
        );
    }

    #[test]
    fn a_long_cell_is_wrapped_within_its_column() {
        let wanted = "\
step  statement         P0 buffer
   1  x = 1;            x = 1
  12  if (x == 1 && y
      == 1) is true
";
        assert_eq!(steps().text(&page(33)), wanted);
    }

    #[test]
    fn columns_that_do_not_fit_go_below() {
        let wanted = "\
step  statement
   1  x = 1;
      P0 buffer: x = 1
  12  if (x == 1 && y ==
      1) is true
";
        assert_eq!(steps().text(&page(26)), wanted);
    }

    /// A table of numbers with many columns, as that of proofs.
    fn numbers() -> Table {
        let words = |heading| Column::words(heading);
        let mut table = Table::new([
            words("model"),
            Column::numbers("k"),
            words("method"),
            Column::numbers("preds"),
            Column::numbers("smt calls"),
            Column::numbers("build"),
            Column::numbers("states"),
            Column::numbers("memory"),
            Column::numbers("check"),
            words("verdict").wrapped(),
        ]);
        for (model, tone, verdict) in [
            ("tso", Tone::Good, "verified"),
            (
                "pso",
                Tone::Open,
                "unknown: a buffer overflows at every bound",
            ),
        ] {
            let cells = [
                model, "1", "pe+split", "121", "12345", "10.52 s", "1234567", "100.1 MB", "0.01 s",
            ];
            let cells = cells.into_iter().map(Cell::from);
            table.push(cells.chain([Cell::toned(tone, verdict)]));
        }
        table
    }

    #[test]
    fn numbers_are_never_wrapped() {
        let wanted = "\
model  k  method    preds  smt calls    build   states
tso    1  pe+split    121      12345  10.52 s  1234567
       memory: 100.1 MB  check: 0.01 s  verdict: verified
pso    1  pe+split    121      12345  10.52 s  1234567
       memory: 100.1 MB  check: 0.01 s
       verdict: unknown: a buffer overflows at every bound
";
        assert_eq!(numbers().text(&page(60)), wanted);
    }

    #[test]
    fn what_has_no_value_is_not_shown_below() {
        let mut table = Table::new([Column::words("fences"), Column::words("note")]);
        table.push(["{a, b}", NO_VALUE]);
        table.push(["{a}", "waits for the lock"]);
        let wanted =
            "fences\n{a, b}\n{a}\n        note: waits\n          for the\n          lock\n";
        assert_eq!(table.text(&page(20)), wanted);
    }

    #[test]
    fn no_line_is_longer_than_the_page_and_nothing_is_lost() {
        for table in [steps(), numbers()] {
            let cells = table.rows.iter().flatten();
            let cells: String = cells.map(|cell| &*cell.text).collect();
            let whole = table.text(&Page::unlimited());
            for width in 20..=whole.lines().map(width_of).max().unwrap_or(0) {
                let text = table.text(&page(width));
                let longest = text.lines().map(width_of).max();
                assert!(longest.is_some_and(|longest| longest <= width), "{text}");
                for letter in cells.chars().filter(|letter| !letter.is_whitespace()) {
                    let (shown, wanted) = (text.matches(letter), cells.matches(letter));
                    assert!(shown.count() >= wanted.count(), "{letter} in\n{text}");
                }
            }
        }
    }

    #[test]
    fn colours_take_no_room() {
        let table = numbers();
        for width in [60, 200] {
            let plain = page(width);
            let painted = table.text(&plain.with_colors(true));
            let bare = painted.replace("\x1b[32m", "").replace("\x1b[33m", "");
            assert!(painted.contains("\x1b[32mverified\x1b[0m\n"), "{painted}");
            assert_eq!(bare.replace("\x1b[0m", ""), table.text(&plain));
        }
    }

    #[test]
    #[should_panic(expected = "one cell for each column")]
    fn rows_have_a_cell_for_each_column() {
        Table::new([Column::words("a")]).push(["1", "2"]);
    }
}
