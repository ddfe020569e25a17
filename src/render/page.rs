//! Where text is shown: how wide a line may be, whether verdicts have colours, and the words for advice.
//!
//! A [`Page`] is all that the renderer knows of a terminal and of the command line. The default page is
//! that of files and pipes: lines of any length, no colours; its advice names no options.

use super::Advice;
use super::wrap::hanging;

/// The narrowest page: on less, words would be cut everywhere.
const MIN_WIDTH: usize = 20;

/// Where text is shown.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    width: Option<usize>,
    colors: bool,
    advice: fn(Advice) -> String,
}

/// What a colour says of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Nothing: the colour of other text.
    #[default]
    Plain,
    /// Verified: green.
    Good,
    /// Violated: red.
    Bad,
    /// Unknown: yellow.
    Open,
}

impl Page {
    /// A page of files and pipes: lines of any length, no colours.
    pub fn unlimited() -> Self {
        Page::default()
    }

    /// The same page with lines of at most so many columns; less than 20 counts as 20.
    #[must_use]
    pub fn with_width(self, width: Option<usize>) -> Self {
        Page {
            width: width.map(|width| width.max(MIN_WIDTH)),
            ..self
        }
    }

    /// The same page with colours, or without.
    #[must_use]
    pub fn with_colors(self, colors: bool) -> Self {
        Page { colors, ..self }
    }

    /// The same page with these words for advice.
    #[must_use]
    pub fn with_advice(self, advice: fn(Advice) -> String) -> Self {
        Page { advice, ..self }
    }

    /// The words for an advice: an order, in lower case and without a final dot.
    pub fn advise(&self, advice: Advice) -> String {
        (self.advice)(advice)
    }

    /// How wide a line may be; `None` is as wide as it gets.
    pub fn width(&self) -> Option<usize> {
        self.width
    }

    /// A word in the colour of its tone.
    pub fn paint(&self, tone: Tone, text: &str) -> String {
        match tone.code().filter(|_| self.colors && !text.is_empty()) {
            Some(code) => format!("\x1b[{code}m{text}\x1b[0m"),
            None => text.to_owned(),
        }
    }

    /// Lines of prose, broken between words where they are too long; the rest of a broken line is
    /// indented two blanks more than the line. Colours take no room.
    pub fn prose(&self, text: &str) -> String {
        let Some(width) = self.width else {
            return text.to_owned();
        };
        let lines = text.split_inclusive('\n').map(|line| {
            let (line, end) = match line.strip_suffix('\n') {
                Some(line) => (line, "\n"),
                None => (line, ""),
            };
            broken(line, width) + end
        });
        lines.collect()
    }
}

impl Default for Page {
    fn default() -> Self {
        Page {
            width: None,
            colors: false,
            advice: |advice| advice.to_string(),
        }
    }
}

impl Tone {
    /// The code of the colour in the control sequences of terminals.
    fn code(self) -> Option<u8> {
        match self {
            Tone::Plain => None,
            Tone::Good => Some(32),
            Tone::Bad => Some(31),
            Tone::Open => Some(33),
        }
    }
}

/// One line of prose, on as many lines as it needs.
fn broken(line: &str, width: usize) -> String {
    let text = line.trim_start_matches(' ');
    // Text that is indented so far that nothing fits beside the blanks moves to the left.
    let indent = (line.len() - text.len()).min(width / 2);
    let blanks = " ".repeat(indent);
    let lines = hanging(text, width - indent);
    let lines = lines.iter().map(|line| format!("{blanks}{line}"));
    lines.collect::<Vec<String>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unlimited_page_changes_nothing() {
        let text = "a line that has many words in it\n    indented\n\n";
        assert_eq!(Page::unlimited().prose(text), text);
        assert_eq!(Page::unlimited().paint(Tone::Bad, "violated"), "violated");
    }

    #[test]
    fn prose_is_broken_between_words_and_the_rest_is_indented() {
        let page = Page::unlimited().with_width(Some(24));
        let text = "\n  the buffers of P0 overflow at every bound\nshort\n";
        let broken = "\n  the buffers of P0\n    overflow at every\n    bound\nshort\n";
        assert_eq!(page.prose(text), broken);
    }

    #[test]
    fn blanks_within_a_line_that_fits_stay() {
        let page = Page::unlimited().with_width(Some(24));
        assert_eq!(page.prose("  a    b  \n"), "  a    b  \n");
    }

    #[test]
    fn verdicts_have_colours_where_the_page_has() {
        let page = Page::unlimited().with_colors(true);
        assert_eq!(page.paint(Tone::Good, "safe"), "\x1b[32msafe\x1b[0m");
        assert_eq!(page.paint(Tone::Plain, "safe"), "safe");
        assert_eq!(page.paint(Tone::Open, ""), "");
    }
}
