//! Which module may import which: data flows one way.
//!
//! The rules are about the paths in `src/**/*.rs`, those of `use` declarations and all others that begin with `crate`,
//! `super`, `self` or `cupola`. Unit tests are exempt.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The modules of the library and the command line: each imports only those before it.
const ORDER: [&str; 24] = [
    "source",
    "memory",
    "run",
    "front",
    "program",
    "reduce",
    "semantics",
    "verdict",
    "logic",
    "smt",
    "proof",
    "certificate",
    "certify",
    "extrapolate",
    "optimizations",
    "abstraction",
    "refine",
    "engine",
    "fences",
    "litmus",
    "regression",
    "bench",
    "render",
    "cli",
];

/// All that the vocabulary of answers is made of.
const BELOW_VERDICT: [&str; 5] = ["source", "memory", "run", "program", "semantics"];

/// What finds proofs, or runs programs: the check of certificates shares nothing with it.
const APART_FROM_CERTIFY: [&str; 9] = [
    "semantics",
    "verdict",
    "logic",
    "smt",
    "proof",
    "extrapolate",
    "abstraction",
    "refine",
    "engine",
];

/// The folders between whose files there is no cycle.
const WITHOUT_CYCLES: [&str; 6] = [
    "semantics",
    "reduce",
    "engine",
    "engine/backward",
    "engine/explore",
    "engine/predicate",
];

/// The path of a module or of an item of one.
type Names = Vec<String>;

/// An import: the file, the module that the file is, and what it names.
#[derive(Clone, Debug)]
struct Import {
    file: PathBuf,
    from: Names,
    to: Names,
}

impl Import {
    /// The modules at the top that it goes from and to.
    fn tops(&self) -> (&str, &str) {
        (&self.from[0], &self.to[0])
    }
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The files of a folder and of those in it, but for the files of unit tests.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let of_tests = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == "tests");
    paths.retain(|path| !of_tests(path));
    let within = paths.into_iter().flat_map(|path| match path.is_dir() {
        true => files(&path),
        false => vec![path],
    });
    within.collect()
}

/// The module that a file is.
fn module(file: &Path) -> Names {
    let path = file.strip_prefix(src()).expect("a file of src");
    let path = path.with_extension("");
    let names = path.iter().map(|name| name.to_string_lossy().into_owned());
    let mut names: Names = names.collect();
    if matches!(names.last().map(String::as_str), Some("mod" | "lib")) {
        names.pop();
    }
    // The binary has nothing but the command line.
    if names == ["main"] {
        names = vec!["cli".to_owned()];
    }
    names
}

/// The text of a file without its comments, its strings and its unit tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next();
    let mut rest = text.expect("there is a first part").chars().peekable();
    let mut code = String::new();
    while let Some(here) = rest.next() {
        match (here, rest.peek()) {
            ('/', Some('/')) => {
                rest.by_ref().find(|&next| next == '\n');
                code.push('\n');
            }
            ('\'', Some('"')) => _ = rest.next(),
            // A raw string: `r#"…"#`.
            ('r', Some('#')) => {
                let mut last = ' ';
                rest.by_ref().skip(2).find(|&next| {
                    let ends = (last, next) == ('"', '#');
                    last = next;
                    ends
                });
            }
            ('"', _) => {
                while let Some(next) = rest.next().filter(|&next| next != '"') {
                    if next == '\\' {
                        rest.next();
                    }
                }
            }
            _ => code.push(here),
        }
    }
    code
}

/// The words and the signs `::`, `{`, `}`, `,` and `;` of a text; others are one sign each.
fn tokens(code: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut in_word = false;
    for sign in code.chars() {
        let is_word = sign.is_alphanumeric() || sign == '_';
        match tokens.last_mut() {
            Some(last) if in_word && is_word => last.push(sign),
            Some(last) if last == ":" && sign == ':' => last.push(sign),
            _ if sign.is_whitespace() => {}
            _ => tokens.push(sign.to_string()),
        }
        in_word = is_word;
    }
    tokens
}

/// The paths of a text that begin with `crate`, `super`, `self` or `cupola`, groups of `use` declarations spelled out.
fn paths(code: &str) -> Vec<Names> {
    let tokens = tokens(code);
    let mut paths = Vec::new();
    let mut place = 0;
    while place < tokens.len() {
        let is_root = matches!(&*tokens[place], "crate" | "super" | "self" | "cupola");
        let goes_on = tokens.get(place + 1).is_some_and(|next| next == "::");
        let inside = place > 0 && tokens[place - 1] == "::";
        match is_root && goes_on && !inside {
            true => place = tree(&tokens, place, &Vec::new(), &mut paths),
            false => place += 1,
        }
    }
    paths
}

/// Reads a path or a group from a place on, behind a prefix; says where it ends.
fn tree(tokens: &[String], mut place: usize, prefix: &Names, paths: &mut Vec<Names>) -> usize {
    let mut path = prefix.clone();
    loop {
        match tokens.get(place).map(String::as_str) {
            Some("{") => {
                place += 1;
                while tokens[place] != "}" {
                    place = tree(tokens, place, &path, paths);
                    place += usize::from(tokens[place] == ",");
                }
                return place + 1;
            }
            Some(word) => path.push(word.to_owned()),
            None => return place,
        }
        match tokens.get(place + 1).map(String::as_str) {
            Some("::") => place += 2,
            Some("as") => {
                paths.push(path);
                return place + 3;
            }
            _ => {
                paths.push(path);
                return place + 1;
            }
        }
    }
}

/// What a path names, seen from a module; `None` where that is the root of the crate itself.
fn resolve(module: &Names, path: &Names) -> Option<Names> {
    let mut names = match path[0].as_str() {
        "crate" | "cupola" => Names::new(),
        _ => module.clone(),
    };
    for name in path {
        match name.as_str() {
            "crate" | "cupola" | "self" => {}
            "super" => drop(names.pop()),
            name => names.push(name.to_owned()),
        }
    }
    (!names.is_empty()).then_some(names)
}

fn imports() -> Vec<Import> {
    let all = files(&src()).into_iter().flat_map(|file| {
        let text = std::fs::read_to_string(&file).expect("a file of src can be read");
        let from = module(&file);
        let named = paths(&code(&text)).into_iter();
        let named = named.filter_map(move |path| {
            Some(Import {
                file: file.clone(),
                to: resolve(&from, &path)?,
                from: from.clone(),
            })
        });
        named.collect::<Vec<_>>()
    });
    all.filter(|import| !import.from.is_empty()).collect()
}

fn assert_none(broken: Vec<&Import>, rule: &str) {
    let shown: Vec<String> = broken
        .iter()
        .map(|import| format!("{} names {}", import.file.display(), import.to.join("::")))
        .collect();
    assert!(shown.is_empty(), "{rule}:\n{}", shown.join("\n"));
}

#[test]
fn paths_are_found_in_all_their_forms() {
    let text = r#"
        //! See [`crate::comment`].
        use crate::a::{self, B, c::{D, E as F}};
        pub(crate) use super::{g, h::I};
        use std::crate_like::x;
        fn f() -> super::super::j::K { cupola::l::m("crate::string", '"', crate::n) }
        #[cfg(test)]
mod tests { use crate::test; }
    "#;
    let found: Vec<String> = paths(&code(text))
        .iter()
        .map(|path| path.join("::"))
        .collect();
    let expected = [
        "crate::a::self",
        "crate::a::B",
        "crate::a::c::D",
        "crate::a::c::E",
        "super::g",
        "super::h::I",
        "super::super::j::K",
        "cupola::l::m",
        "crate::n",
    ];
    assert_eq!(found, expected);
    let names = |path: &str| path.split("::").map(str::to_owned).collect::<Names>();
    let resolved = |path: &str| resolve(&names("x::y"), &names(path));
    assert_eq!(resolved("super::super::j::K"), Some(names("j::K")));
    assert_eq!(resolved("super::g"), Some(names("x::g")));
    assert_eq!(resolved("self::z"), Some(names("x::y::z")));
    assert_eq!(resolved("crate::a::self"), Some(names("a")));
}

#[test]
fn modules_import_only_earlier_ones() {
    let imports = imports();
    let used: BTreeSet<&str> = imports.iter().map(|import| import.tops().0).collect();
    let place = |module: &str| ORDER.iter().position(|other| *other == module);
    let upwards = imports.iter().filter(|import| {
        let (from, to) = import.tops();
        assert!(place(from).is_some(), "the order has no `{from}`");
        place(to).is_none_or(|to| Some(to) > place(from))
    });
    assert_none(upwards.collect(), "a module imports a later one");
    // Those that import nothing are not seen here.
    let known: BTreeSet<&str> = ORDER.into_iter().collect();
    let idle: Vec<&&str> = known.difference(&used).collect();
    assert_eq!(idle, [&"memory", &"optimizations", &"run", &"source"]);
}

#[test]
fn answers_are_made_of_few_modules() {
    let imports = imports();
    let others = imports.iter().filter(|import| {
        let (from, to) = import.tops();
        from == "verdict" && to != "verdict" && !BELOW_VERDICT.contains(&to)
    });
    assert_none(
        others.collect(),
        "`verdict` imports a module that it must not",
    );
}

#[test]
fn the_check_of_certificates_stands_alone() {
    let imports = imports();
    let shared = imports.iter().filter(|import| {
        let (from, to) = import.tops();
        from == "certify" && APART_FROM_CERTIFY.contains(&to)
    });
    assert_none(shared.collect(), "`certify` imports what finds proofs");
}

#[test]
fn an_engine_imports_no_other_engine() {
    let imports = imports();
    let engines: BTreeSet<String> = children("engine").into_keys().collect();
    let apart = ["portfolio", "store", "vacuity"];
    let is_engine = |name: &str| !apart.contains(&name) && engines.contains(name);
    assert!(
        ["explore", "backward", "predicate"]
            .into_iter()
            .all(is_engine)
    );
    let crossing = imports.iter().filter(|import| {
        let of = |names: &Names| {
            (names[0] == "engine")
                .then(|| names.get(1).cloned())
                .flatten()
        };
        match (of(&import.from), of(&import.to)) {
            (Some(from), Some(to)) => is_engine(&from) && is_engine(&to) && from != to,
            _ => false,
        }
    });
    assert_none(crossing.collect(), "an engine imports another one");
}

#[test]
fn only_the_command_line_names_its_parser() {
    let naming = files(&src()).into_iter().filter(|file| {
        let text = std::fs::read_to_string(file).expect("a file of src can be read");
        tokens(&code(&text)).iter().any(|token| token == "clap")
    });
    let modules: BTreeSet<String> = naming.map(|file| module(&file)[0].clone()).collect();
    assert_eq!(modules, BTreeSet::from(["cli".to_owned()]));
}

/// The modules of a folder, each with the items that its parent passes on from it.
fn children(folder: &str) -> BTreeMap<String, BTreeSet<String>> {
    let parent = std::fs::read_to_string(src().join(folder).join("mod.rs"));
    let parent = tokens(&code(&parent.expect("the folder is a module")));
    let mut children: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for words in parent.windows(3) {
        if let [first, name, last] = words
            && (first.as_str(), last.as_str()) == ("mod", ";")
        {
            children.insert(name.clone(), BTreeSet::new());
        }
    }
    for place in 0..parent.len() {
        if parent[place] == "use" && children.contains_key(&parent[place + 1]) {
            let mut paths = Vec::new();
            tree(&parent, place + 1, &Vec::new(), &mut paths);
            for path in paths {
                let item = path.last().expect("a path has names").clone();
                children.entry(path[0].clone()).or_default().insert(item);
            }
        }
    }
    children
}

/// Which modules of a folder import which others of it.
fn siblings(folder: &str, imports: &[Import]) -> BTreeSet<(String, String)> {
    let parent: Names = folder.split('/').map(str::to_owned).collect();
    let children = children(folder);
    let child = |names: &Names| -> Option<String> {
        let name = names.strip_prefix(&parent[..])?.first()?;
        let passed_on = || {
            let mut children = children.iter();
            children.find(|(_, items)| items.contains(name))
        };
        match children.contains_key(name) {
            true => Some(name.clone()),
            false => passed_on().map(|(child, _)| child.clone()),
        }
    };
    let pairs = imports.iter().filter_map(|import| {
        let (from, to) = (child(&import.from)?, child(&import.to)?);
        (from != to).then_some((from, to))
    });
    pairs.collect()
}

/// What is left when modules that import nothing of what is left are taken away: nothing, unless there is a cycle.
fn cyclic(mut pairs: BTreeSet<(String, String)>) -> BTreeSet<(String, String)> {
    loop {
        let importing: BTreeSet<String> = pairs.iter().map(|(from, _)| from.clone()).collect();
        let before = pairs.len();
        pairs.retain(|(_, to)| importing.contains(to));
        if pairs.len() == before {
            return pairs;
        }
    }
}

#[test]
fn cycles_are_found() {
    let pairs = |pairs: &[(&str, &str)]| -> BTreeSet<(String, String)> {
        let owned = |(from, to): &(&str, &str)| ((*from).to_owned(), (*to).to_owned());
        pairs.iter().map(owned).collect()
    };
    assert!(cyclic(pairs(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
    let cycle = pairs(&[("b", "c"), ("c", "d"), ("d", "b")]);
    let mut more = cycle.clone();
    more.extend(pairs(&[("c", "e")]));
    assert_eq!(cyclic(more), cycle);
}

#[test]
fn files_of_a_folder_import_each_other_one_way() {
    let imports = imports();
    for folder in WITHOUT_CYCLES {
        let pairs = siblings(folder, &imports);
        assert!(pairs.len() > 1, "{folder} has imports between its files");
        let cyclic = cyclic(pairs);
        assert!(cyclic.is_empty(), "{folder} has a cycle: {cyclic:?}");
    }
}
