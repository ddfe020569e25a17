//! Macros: `macro NAME(a, b) … endmacro`, and calls `NAME(x, y)`.
//!
//! A call stands for the text of the macro with its arguments, token by token, in which further calls are
//! put in the same way. The text that comes out knows for each token where it stands in the file.

use indexmap::{IndexMap, IndexSet};

use crate::source::{Diagnostic, Span};

use super::scan::{Token, tokens};

/// How many tokens are looked at, those of calls inside calls included.
const MAX_TOKENS: usize = 1 << 21;

/// A text for the grammar, and where its parts stand in the file.
pub(super) struct Expanded {
    /// The text.
    pub text: String,
    /// For each token of the text, in order, where it begins there and its place in the file; empty if the
    /// text is that of the file.
    places: Vec<(usize, Span)>,
}

struct Macro<'t> {
    parameters: Vec<&'t str>,
    body: Vec<Token<'t>>,
}

struct Expander<'t> {
    macros: IndexMap<&'t str, Macro<'t>>,
    found: Vec<Token<'t>>,
    /// How many tokens have been looked at.
    steps: usize,
}

impl Expanded {
    /// The text with all macros put in.
    pub(super) fn of(text: String) -> Result<Self, Diagnostic> {
        let all = tokens(&text);
        if all.iter().all(|token| token.text != "macro") {
            return Ok(Expanded {
                text,
                places: Vec::new(),
            });
        }
        let mut expander = Expander {
            macros: IndexMap::new(),
            found: Vec::new(),
            steps: 0,
        };
        expander.expand(&all, &mut Vec::new())?;
        let mut expanded = Expanded {
            text: String::new(),
            places: Vec::new(),
        };
        for token in expander.found {
            expanded.places.push((expanded.text.len(), token.span));
            expanded.text += token.text;
            expanded.text.push(' ');
        }
        Ok(expanded)
    }

    /// The place in the file of a place in the text.
    pub(super) fn place(&self, place: Span) -> Span {
        let at = |offset: u32| {
            let next = self
                .places
                .partition_point(|(start, _)| *start <= offset as usize);
            next.checked_sub(1).map(|index| self.places[index].1)
        };
        match (at(place.start), at(place.end.saturating_sub(1))) {
            (Some(first), Some(last)) if last.end > first.start => first.to(last),
            (Some(first), _) => first,
            (None, _) => place,
        }
    }
}

impl<'t> Expander<'t> {
    /// Adds tokens to what is found; `calls` are the macros that they come from.
    fn expand(&mut self, all: &[Token<'t>], calls: &mut Vec<&'t str>) -> Result<(), Diagnostic> {
        let mut at = 0;
        while let Some(&token) = all.get(at) {
            self.steps += 1;
            if self.steps > MAX_TOKENS {
                return Err(error(token.span, "macros make this text too long", "here")
                    .with_note(format!("at most {MAX_TOKENS} words and symbols are read")));
            }
            at = if token.text == "macro" && calls.is_empty() {
                self.define(all, at)?
            } else if self.macros.contains_key(token.text) {
                self.call(all, at, calls)?
            } else {
                self.found.push(token);
                at + 1
            };
        }
        Ok(())
    }

    /// Reads a definition that begins at `start`, and says where it ends.
    fn define(&mut self, all: &[Token<'t>], start: usize) -> Result<usize, Diagnostic> {
        let place = all[start].span;
        let name = *all.get(start + 1).filter(|name| is_word(name.text)).ok_or(
            error(place, "this macro has no name", "a name follows")
                .with_note("write `macro NAME(a, b) … endmacro`"),
        )?;
        let (parameters, body) = arguments(all, start + 2, name)?;
        let mut names = IndexSet::new();
        for parameter in &parameters {
            match parameter.as_slice() {
                [word] if is_word(word.text) && names.insert(word.text) => {}
                _ => {
                    let place = parameter.first().map_or(name.span, |first| first.span);
                    let error = error(place, "this is no parameter", "expected a name of its own");
                    return Err(error.with_note("write `macro NAME(a, b) … endmacro`"));
                }
            }
        }
        let ends = |token: &Token<'_>| matches!(token.text, "macro" | "endmacro");
        let length = all[body..].iter().position(ends);
        let end = body + length.unwrap_or(all.len() - body);
        if all.get(end).is_none_or(|token| token.text != "endmacro") {
            let error = error(place, "this macro does not end", "it begins here");
            return Err(error.with_note("end it with `endmacro`; macros do not nest"));
        }
        let defined = Macro {
            parameters: names.into_iter().collect(),
            body: all[body..end].to_vec(),
        };
        if self.macros.insert(name.text, defined).is_some() {
            let message = format!("there are two macros `{}`", name.text);
            return Err(error(name.span, &message, "the second one")
                .with_note("give each macro a name of its own"));
        }
        Ok(end + 1)
    }

    /// Puts in the call that begins at `start`, and says where it ends.
    fn call(
        &mut self,
        all: &[Token<'t>],
        start: usize,
        calls: &mut Vec<&'t str>,
    ) -> Result<usize, Diagnostic> {
        let name = all[start];
        if calls.contains(&name.text) {
            let message = format!("the macro `{}` calls itself", name.text);
            return Err(error(name.span, &message, "this call")
                .with_note("a macro is put in where it is called, so it cannot call itself"));
        }
        let (values, end) = arguments(all, start + 1, name)?;
        let called = &self.macros[name.text];
        if values.len() != called.parameters.len() {
            let (takes, gets) = (called.parameters.len(), values.len());
            let message = format!("`{}` takes {takes} arguments, not {gets}", name.text);
            return Err(error(name.span, &message, "this call")
                .with_note("an argument is any text without a comma outside brackets"));
        }
        let mut body = Vec::new();
        for token in &called.body {
            let parameter = called
                .parameters
                .iter()
                .position(|name| *name == token.text);
            match parameter {
                Some(number) => body.extend_from_slice(&values[number]),
                None => body.push(*token),
            }
        }
        calls.push(name.text);
        self.expand(&body, calls)?;
        calls.pop();
        Ok(end)
    }
}

/// The list in round brackets that begins at `start`, and where it ends.
fn arguments<'t>(
    all: &[Token<'t>],
    start: usize,
    name: Token<'t>,
) -> Result<(Vec<Vec<Token<'t>>>, usize), Diagnostic> {
    let broken = || {
        error(name.span, "this macro's list is broken", "a list follows")
            .with_note("a list is `(a, b)` or `()`, with something before and behind each comma")
    };
    if all.get(start).is_none_or(|token| token.text != "(") {
        return Err(broken());
    }
    let mut list: Vec<Vec<Token<'t>>> = vec![Vec::new()];
    let mut depth = 1;
    let mut at = start + 1;
    while let Some(token) = all.get(at) {
        at += 1;
        match token.text {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        match token.text {
            ")" if depth == 0 => {
                let only_one = list.len() == 1;
                list.retain(|part| !(only_one && part.is_empty()));
                let is_whole = list.iter().all(|part| !part.is_empty());
                return if is_whole {
                    Ok((list, at))
                } else {
                    Err(broken())
                };
            }
            "," if depth == 1 => list.push(Vec::new()),
            _ => list.last_mut().expect("a list has a part").push(*token),
        }
    }
    Err(broken())
}

fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

fn error(place: Span, message: &str, label: &str) -> Diagnostic {
    Diagnostic::error(message, place, label)
}

#[cfg(test)]
mod tests {
    use super::super::span;
    use super::*;

    fn words(text: &str) -> String {
        let expanded = Expanded::of(text.to_owned()).expect("the macros are right");
        tokens(&expanded.text)
            .iter()
            .map(|token| token.text)
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn message(text: &str) -> String {
        let error = Expanded::of(text.to_owned()).err().expect("a broken macro");
        let place = &text[error.primary.0.range()];
        format!("{place} | {}", error.message)
    }

    #[test]
    fn calls_stand_for_texts() {
        assert_eq!(words("a b"), "a b");
        assert_eq!(
            words("macro m() x := 1 endmacro m() ; m()"),
            "x := 1 ; x := 1"
        );
        let swap = "macro s(a, b) [a] [b] endmacro s(x, f(1, 2)) s(s_, $b)";
        assert_eq!(words(swap), "[ x ] [ f ( 1 , 2 ) ] [ s_ ] [ $b ]");
        let nested = "macro one(a) a endmacro macro two(a) one(a) [one(a)] endmacro two(x)";
        assert_eq!(words(nested), "x [ x ]");
    }

    #[test]
    fn broken_macros_are_located() {
        let cases = [
            ("macro 1", "macro | this macro has no name"),
            ("macro m x endmacro", "m | this macro's list is broken"),
            ("macro m(a,) endmacro", "m | this macro's list is broken"),
            ("macro m(a a) endmacro", "a | this is no parameter"),
            ("macro m(a, a) endmacro", "a | this is no parameter"),
            ("macro m() x", "macro | this macro does not end"),
            (
                "macro m() macro n() endmacro",
                "macro | this macro does not end",
            ),
            (
                "macro m() endmacro macro m() endmacro",
                "m | there are two macros `m`",
            ),
            (
                "macro m() m() endmacro m()",
                "m | the macro `m` calls itself",
            ),
            (
                "macro m(a) a endmacro m()",
                "m | `m` takes 1 arguments, not 0",
            ),
            ("macro m() endmacro m", "m | this macro's list is broken"),
        ];
        for (text, expected) in cases {
            assert_eq!(message(text), expected, "{text}");
        }
        let many: String = (1..30)
            .map(|n| format!("macro m{n}() m{}() m{}() endmacro ", n - 1, n - 1))
            .collect();
        for first in ["x", ""] {
            let text = format!("macro m0() {first} endmacro {many} m29()");
            assert!(message(&text).ends_with("macros make this text too long"));
        }
    }

    #[test]
    fn places_are_those_of_the_file() {
        let text = "macro m(a) x := a endmacro m($r + 1)";
        let expanded = Expanded::of(text.to_owned()).unwrap();
        let at = expanded.text.find("$r").unwrap();
        let place = expanded.place(span(at..at + 2));
        assert_eq!(&text[place.range()], "$r");
        let at = expanded.text.find(":=").unwrap();
        assert_eq!(&text[expanded.place(span(at..at + 2)).range()], ":=");
    }
}
