//! Two hundred broken programs: small mistakes put into the examples.
//!
//! Every kind of mistake is one that no program survives, so each mutant must be rejected with exit
//! code 2, a message with line and column, and nothing on standard output; and since it is one
//! mistake, with one message.

use std::path::Path;

use assert_cmd::Command;
use cupola::front::cup::load;
use cupola::source::SourceFile;

use super::samples::{examples, render};

/// How many mutants there are at least.
const MUTANTS: usize = 200;

/// A token of a program, by its place in the text.
#[derive(Clone, Copy)]
struct Token<'t> {
    text: &'t str,
    start: usize,
}

/// A way to break a program: where it applies, and what the token becomes.
struct Mistake {
    name: &'static str,
    applies: fn(&[Token<'_>], usize) -> bool,
    replacement: fn(&str) -> String,
}

const MISTAKES: [Mistake; 14] = [
    Mistake {
        name: "a missing semicolon",
        applies: |tokens, at| tokens[at].text == ";",
        replacement: |_| String::new(),
    },
    Mistake {
        name: "a missing opening brace",
        applies: |tokens, at| tokens[at].text == "{",
        replacement: |_| String::new(),
    },
    Mistake {
        name: "a missing closing brace",
        applies: |tokens, at| tokens[at].text == "}",
        replacement: |_| String::new(),
    },
    Mistake {
        name: "a missing opening bracket",
        applies: |tokens, at| tokens[at].text == "(",
        replacement: |_| String::new(),
    },
    Mistake {
        name: "a missing closing bracket",
        applies: |tokens, at| tokens[at].text == ")",
        replacement: |_| String::new(),
    },
    Mistake {
        name: "one closing brace too many",
        applies: |tokens, at| tokens[at].text == "}",
        replacement: |brace| format!("{brace} {brace}"),
    },
    Mistake {
        name: "an assignment for a comparison",
        applies: |tokens, at| matches!(tokens[at].text, "==" | "!="),
        replacement: |_| "=".to_owned(),
    },
    Mistake {
        name: "a misspelt keyword",
        applies: |tokens, at| {
            let words = [
                "thread", "loop", "while", "do", "if", "skip", "shared", "fence",
            ];
            words.contains(&tokens[at].text)
        },
        replacement: |word| format!("{word}x"),
    },
    Mistake {
        name: "a character of no use",
        applies: |tokens, at| at > 0 && tokens[at - 1].text == "=",
        replacement: |token| format!("$ {token}"),
    },
    Mistake {
        name: "a number that is too large",
        applies: |tokens, at| tokens[at].text.starts_with(|c: char| c.is_ascii_digit()),
        replacement: |number| format!("9{number}000000000000000000"),
    },
    Mistake {
        name: "an undeclared variable",
        applies: is_target,
        replacement: |_| "undeclared".to_owned(),
    },
    Mistake {
        name: "a second shared access",
        applies: |tokens, at| {
            let copied = at > 1 && tokens[at - 1].text == "=" && is_target(tokens, at - 2);
            let is_shared = |name: &str| {
                let shared = tokens.iter().position(|token| token.text == "shared");
                shared.is_some_and(|first| {
                    let line = tokens[first..].iter().take_while(|token| token.text != ";");
                    line.into_iter().any(|token| token.text == name)
                })
            };
            copied
                && is_shared(tokens[at - 2].text)
                && tokens.get(at + 1).is_some_and(|next| next.text == ";")
                && !is_shared(tokens[at].text)
        },
        replacement: |value| format!("second + {value}"),
    },
    Mistake {
        name: "an unknown label",
        applies: |tokens, at| at > 0 && tokens[at - 1].text == "@",
        replacement: |_| "nowhere".to_owned(),
    },
    Mistake {
        name: "a local declared twice",
        applies: |tokens, at| at > 0 && tokens[at - 1].text == "local",
        replacement: |name| format!("{name}_twice, {name}_twice, {name}"),
    },
];

/// Whether a token is a whole variable that is assigned to.
fn is_target(tokens: &[Token<'_>], at: usize) -> bool {
    let starts = at > 0 && matches!(tokens[at - 1].text, ";" | "{" | "}" | ":");
    starts && tokens.get(at + 1).is_some_and(|next| next.text == "=")
}

/// The tokens of a program without its comments.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(c) = text[start..].chars().next() {
        let rest = &text[start..];
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if c == '"' {
            rest[1..].find('"').map_or(rest.len(), |end| end + 2)
        } else if word(c) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else if ["==", "!=", "<=", ">="].iter().any(|o| rest.starts_with(o)) {
            2
        } else {
            c.len_utf8()
        };
        if !c.is_whitespace() && !rest.starts_with("//") {
            let text = &rest[..length];
            tokens.push(Token { text, start });
        }
        start += length;
    }
    tokens
}

/// A broken program.
struct Mutant {
    origin: String,
    text: String,
}

/// The mutants: of every example and every kind of mistake two, at places that vary.
fn mutants() -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for (number, (path, text)) in examples().iter().enumerate() {
        // A second access needs a shared variable that every example has under a known name.
        let text = format!("{text}\nshared second;\n");
        let tokens = tokens(&text);
        for mistake in &MISTAKES {
            let places: Vec<usize> = (0..tokens.len())
                .filter(|&at| (mistake.applies)(&tokens, at))
                .collect();
            let chosen = [number, 7 * number + 3].map(|n| n % places.len().max(1));
            for (nth, &place) in chosen.iter().filter_map(|&n| Some((n, places.get(n)?))) {
                let token = tokens[place];
                let broken = format!(
                    "{}{}{}",
                    &text[..token.start],
                    (mistake.replacement)(token.text),
                    &text[token.start + token.text.len()..]
                );
                let name = path.file_stem().unwrap_or_default().to_string_lossy();
                mutants.push(Mutant {
                    origin: format!("{name}: {} (place {nth})", mistake.name),
                    text: broken,
                });
            }
        }
    }
    mutants.dedup_by(|a, b| a.text == b.text);
    mutants
}

#[test]
fn mutants_get_few_messages() {
    let mutants = mutants();
    assert!(mutants.len() >= MUTANTS, "{} mutants", mutants.len());
    let mut single = 0;
    for mutant in &mutants {
        let file = SourceFile::new("mutant", mutant.text.as_str());
        let Err(found) = load(&file) else {
            panic!("{} is accepted\n{}", mutant.origin, mutant.text);
        };
        single += usize::from(found.len() == 1);
        let messages = render(&file, &found);
        assert!(found.len() <= 3, "{}\n{messages}", mutant.origin);
    }
    assert!(
        single * 100 >= mutants.len() * 98,
        "{single} of {}",
        mutants.len()
    );
}

#[test]
fn mutants_are_rejected_by_the_command() {
    let folder = tempfile::tempdir().expect("there is room for files");
    let mutants = mutants();
    let step = mutants.len() / MUTANTS;
    let chosen: Vec<&Mutant> = mutants.iter().step_by(step.max(1)).collect();
    assert!(chosen.len() >= MUTANTS);
    for mutant in chosen {
        let path = folder.path().join("mutant.cup");
        std::fs::write(&path, &mutant.text).expect("files can be written");
        check_command(&path, &mutant.origin);
    }
}

/// Runs the command on a broken program.
fn check_command(path: &Path, origin: &str) {
    let mut command = Command::cargo_bin("cupola").expect("the command is built");
    let output = command
        .args(["translate", "--model", "tso"])
        .arg(path)
        .output()
        .expect("the command runs");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{origin}\n{messages}");
    assert!(output.stdout.is_empty(), "{origin}");
    assert!(messages.starts_with("error: "), "{origin}\n{messages}");
    assert!(has_position(&messages), "{origin}\n{messages}");
}

/// Whether messages name a file, a line and a column.
fn has_position(messages: &str) -> bool {
    messages.lines().any(|line| {
        let mut parts = line.rsplit(':').map(str::parse::<usize>);
        line.contains("mutant.cup:")
            && parts.next().is_some_and(|column| column.is_ok())
            && parts.next().is_some_and(|line| line.is_ok())
    })
}
