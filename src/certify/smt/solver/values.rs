//! Values in the words of SMT-LIB solvers.

/// `(- 5)` as `-5`.
pub(super) fn plain(value: &str) -> String {
    let negated = value
        .strip_prefix("(-")
        .and_then(|rest| rest.strip_suffix(')'));
    match negated {
        Some(number) => format!("-{}", number.trim()),
        None => value.to_owned(),
    }
}

/// The values in an answer to `get-value`, `((x 1) (y (- 5)))`, if it is one for these names.
pub(super) fn parse(answer: &str, names: &[String]) -> Option<Vec<String>> {
    let mut rest = answer.trim().strip_prefix('(')?;
    let mut values = Vec::new();
    for name in names {
        rest = rest.trim_start().strip_prefix('(')?;
        rest = rest.trim_start().strip_prefix(name.as_str())?.trim_start();
        let end = match rest.starts_with('(') {
            true => rest.find(')')? + 1,
            false => rest.find(')')?,
        };
        let (value, others) = rest.split_at(end);
        values.push(plain(value.trim()));
        rest = others.trim_start().strip_prefix(')')?;
    }
    (rest.trim() == ")").then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_to_get_value_are_read() {
        let names = ["v.X".to_owned(), "v.P.r".to_owned(), "v.Y".to_owned()];
        let answer = "((v.X 0)\n (v.P.r (- 12)) (v.Y 7))\n";
        let values = parse(answer, &names).expect("an answer");
        assert_eq!(values, ["0", "-12", "7"]);
    }

    #[test]
    fn other_answers_are_not() {
        let names = ["v.X".to_owned()];
        for answer in ["", "sat", "((v.Y 1))", "((v.X 1)", "(error \"no model\")"] {
            assert_eq!(parse(answer, &names), None, "{answer}");
        }
    }
}
