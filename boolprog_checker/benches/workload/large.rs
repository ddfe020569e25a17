//! The text that the benchmark and the test of the parser read.

/// A program of about `size` bytes.
pub fn text(size: usize) -> String {
    let mut text = String::from("decl a, b, c, d;\nvoid main() begin\n");
    while text.len() < size {
        text.push_str(
            "  a, b := schoose [a & !b | c, !a & d], (c | d) constrain 'a != 'b; // line\n",
        );
    }
    text.push_str("end\n");
    text
}
