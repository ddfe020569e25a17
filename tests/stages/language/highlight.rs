//! The TextMate grammar for editors: every token of every program has a scope, and its words are those of the grammar.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use regex_lite::Regex;
use serde_json::Value;

const SYNTAX: &str = include_str!("../../../grammar/cupola.tmLanguage.json");
const GRAMMAR: &str = include_str!("../../../grammar/program.pest");

/// Words that are keywords in some places only.
const IN_PLACES: [&str; 5] = ["fifo", "append", "pop", "tso", "pso"];

/// A rule: a pattern, perhaps one for its end, and a scope.
struct Rule {
    scope: String,
    begin: Regex,
    end: Option<Regex>,
}

/// The rules in the order in which an editor tries them.
fn rules() -> Vec<Rule> {
    let syntax: Value = serde_json::from_str(SYNTAX).expect("the grammar is JSON");
    let mut rules = Vec::new();
    for included in syntax["patterns"].as_array().expect("patterns") {
        let name = included["include"]
            .as_str()
            .and_then(|name| name.strip_prefix('#'));
        let group = &syntax["repository"][name.expect("a name")];
        for rule in group["patterns"].as_array().expect("patterns") {
            let regex = |name: &str| {
                rule[name]
                    .as_str()
                    .map(|text| Regex::new(text).expect("a pattern"))
            };
            rules.push(Rule {
                scope: rule["name"].as_str().expect("a scope").to_owned(),
                begin: {
                    let pattern = rule["match"].as_str().or(rule["begin"].as_str());
                    let pattern = pattern.expect("a pattern");
                    // A rule is tried at one place.
                    Regex::new(&format!("^(?:{pattern})")).expect("a pattern")
                },
                end: regex("end"),
            });
        }
    }
    rules
}

/// The tokens of a text with their scopes, as an editor finds them: of the rules that match at a place, the first.
fn tokens<'a>(rules: &'a [Rule], text: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let found = rules
            .iter()
            .find_map(|rule| Some((rule, rule.begin.find(rest)?)));
        let (rule, found) = found.unwrap_or_else(|| panic!("no scope: {:.20}", rest));
        let end = match &rule.end {
            Some(end) => end
                .find_at(rest, found.end())
                .map_or(rest.len(), |end| end.end()),
            None => found.end(),
        };
        assert!(end > 0, "{}", rule.scope);
        tokens.push((&rest[..end], rule.scope.as_str()));
        rest = rest[end..].trim_start();
    }
    tokens
}

/// All programs of the input language below a folder.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("it can be read") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            found.extend(programs(&path));
        } else if path.extension().is_some_and(|extension| extension == "cup") {
            found.push(path);
        }
    }
    found
}

#[test]
fn every_token_of_every_program_has_a_scope() {
    let rules = rules();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["examples", "docs", "translations", "tests/programs"];
    let paths: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| programs(&root.join(folder)))
        .collect();
    assert!(paths.len() > 200, "{} programs", paths.len());
    let (mut used, words) = (BTreeSet::new(), words());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a program is text");
        for (token, scope) in tokens(&rules, &text) {
            used.insert(scope.to_owned());
            let is_word = token.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let is_name = scope == "variable.other.cupola";
            if is_word && !scope.contains("numeric") {
                assert_eq!(
                    is_name,
                    !words.contains(token),
                    "{}: {token}",
                    path.display()
                );
            }
        }
    }
    let all: BTreeSet<String> = rules.iter().map(|rule| rule.scope.clone()).collect();
    let unused: Vec<&String> = all
        .difference(&used)
        .filter(|scope| !scope.contains("block"))
        .collect();
    assert!(unused.is_empty(), "{unused:?}");
}

#[test]
fn tokens_are_told_apart() {
    let shown = |text: &str| {
        let rules = rules();
        let tokens = tokens(&rules, text)
            .into_iter()
            .map(|(token, scope)| format!("{token} {scope}"));
        tokens.collect::<Vec<_>>().join(", ").replace(".cupola", "")
    };
    assert_eq!(
        shown("a<=b0 // x\n/* fence\n */fence? f1;"),
        "a variable.other, <= keyword.operator.comparison, b0 variable.other, // x comment.line.double-slash, \
         /* fence\n */ comment.block, fence keyword.other.fence, ? keyword.operator.place, f1 variable.other, \
         ; punctuation.terminator"
    );
    assert_eq!(shown("\"if // 1\""), "\"if // 1\" string.quoted.double");
    assert_eq!(shown("iffy"), "iffy variable.other");
}

/// The words of the grammar.
fn words() -> BTreeSet<&'static str> {
    let begin = GRAMMAR
        .find("\nkeyword = @{")
        .expect("the grammar has keywords");
    let rule = &GRAMMAR[begin..];
    let rule = &rule[..rule.find("~ !word_char").expect("it ends")];
    let quoted = rule.split('"').skip(1).step_by(2);
    quoted.chain(IN_PLACES).collect()
}

#[test]
fn the_words_are_those_of_the_grammar() {
    let syntax: Value = serde_json::from_str(SYNTAX).expect("the grammar is JSON");
    let groups = syntax["repository"]["word"]["patterns"]
        .as_array()
        .expect("patterns");
    let mut found = BTreeSet::new();
    for group in groups {
        let pattern = group["match"].as_str().expect("a pattern");
        let Some(list) = pattern
            .strip_prefix("\\b(")
            .and_then(|rest| rest.strip_suffix(")\\b"))
        else {
            continue;
        };
        for word in list.split('|') {
            assert!(found.insert(word), "`{word}` stands twice");
        }
    }
    assert_eq!(found, words());
    for word in IN_PLACES {
        assert!(GRAMMAR.contains(&format!("\"{word}\"")), "{word}");
    }
}
