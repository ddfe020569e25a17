//! Text in aligned columns.

/// How a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// To the left: words.
    Left,
    /// To the right: numbers.
    Right,
}

/// Puts rows of cells, the first of which is the heading, into columns two blanks apart; a column
/// that is empty below its heading is left out.
pub(crate) fn columns(align: &[Align], rows: &[Vec<String>]) -> String {
    columns_and(align, 0, rows)
}

/// The same, but the last `kept` columns are shown whatever is in them.
pub(crate) fn columns_and(align: &[Align], kept: usize, rows: &[Vec<String>]) -> String {
    let filled = |column: usize| rows.iter().skip(1).any(|row| !row[column].is_empty());
    let used: Vec<usize> = (0..align.len())
        .filter(|&column| column + kept >= align.len() || filled(column))
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = used
        .iter()
        .map(|&column| width(column).unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in rows {
        let cells = used.iter().zip(&widths).map(|(&column, &width)| {
            let cell = &row[column];
            match align[column] {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            }
        });
        let line = cells.collect::<Vec<String>>().join("  ");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_empty_ones_left_out() {
        let rows = [
            ["step", "reads", "statement"],
            ["1", "", "x = 1;"],
            ["12", "", "skip;"],
        ];
        let rows: Vec<Vec<String>> = rows.map(|row| row.map(str::to_owned).to_vec()).to_vec();
        let text = columns(&[Align::Right, Align::Left, Align::Left], &rows);
        assert_eq!(text, "step  statement\n   1  x = 1;\n  12  skip;\n");
        let text = columns_and(&[Align::Right, Align::Left, Align::Left], 2, &rows);
        let kept = "step  reads  statement\n   1         x = 1;\n  12         skip;\n";
        assert_eq!(text, kept);
    }
}
