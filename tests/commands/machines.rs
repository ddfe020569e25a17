//! What other programs read: the XML of JUnit, SARIF, scripts for shells, pages for `man`, the version.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

fn cupola(args: &str) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_cupola"))
        .args(args.split_whitespace())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the binary runs");
    let text = String::from_utf8(output.stdout).expect("text");
    (output.status.code(), text)
}

/// What a command writes to a file; `@` stands for its path.
fn written(args: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out");
    let (code, _) = cupola(&args.replace('@', &path.display().to_string()));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{args}: {error}"));
    (code, text)
}

// JUnit

/// An element of XML.
#[derive(Debug)]
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    children: Vec<Element>,
    text: String,
}

/// The attributes that an element must have, those that it may have, and its children, as `junit-10.xsd` says.
type Rule = (
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);

fn rule(name: &str) -> Rule {
    match name {
        "testsuites" => (
            &[],
            &["name", "time", "tests", "failures", "disabled", "errors"],
            &["testsuite"],
        ),
        "testsuite" => (
            &["name", "tests"],
            &[
                "failures",
                "errors",
                "time",
                "disabled",
                "skipped",
                "timestamp",
                "hostname",
                "id",
                "package",
            ],
            &["properties", "testcase", "system-out", "system-err"],
        ),
        "testcase" => (
            &["name"],
            &["assertions", "time", "classname", "status"],
            &["skipped", "error", "failure", "system-out", "system-err"],
        ),
        "failure" => (&[], &["type", "message"], &[]),
        other => panic!("there is no element `{other}`"),
    }
}

/// Reads what is written here of XML: elements, attributes, text and entities; it panics where that is not well formed.
fn xml(text: &str) -> Element {
    let rest = text
        .strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        .expect("a declaration");
    let (root, rest) = element(rest.trim_start());
    assert_eq!(rest.trim(), "", "one element is the root");
    root
}

fn element(text: &str) -> (Element, &str) {
    let end = text.find('>').expect("a tag ends");
    let tag = text[1..end].trim_end_matches('/');
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let mut attributes = BTreeMap::new();
    while !rest.trim().is_empty() {
        let (key, after) = rest
            .trim_start()
            .split_once("=\"")
            .expect("an attribute has a value");
        let (value, after) = after.split_once('"').expect("a value ends");
        assert!(
            attributes
                .insert(key.to_owned(), unescaped(value))
                .is_none(),
            "{key} stands twice"
        );
        rest = after;
    }
    let mut element = Element {
        name: name.to_owned(),
        attributes,
        children: Vec::new(),
        text: String::new(),
    };
    let mut rest = &text[end + 1..];
    if text[..end].ends_with('/') {
        return (element, rest);
    }
    loop {
        let next = rest.find('<').expect("an element ends");
        element.text += &unescaped(&rest[..next]);
        rest = &rest[next..];
        if let Some(after) = rest.strip_prefix(&format!("</{name}>")) {
            return (element, after);
        }
        let (child, after) = self::element(rest);
        element.children.push(child);
        rest = after;
    }
}

fn unescaped(text: &str) -> String {
    assert!(!text.contains('<'), "{text}");
    let mut parts = text.split('&');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, after) = part.split_once(';').expect("an entity ends");
        plain.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            other => panic!("there is no entity `{other}`"),
        });
        plain += after;
    }
    plain
}

fn assert_junit(element: &Element) {
    let (required, optional, children) = rule(&element.name);
    for name in required {
        assert!(
            element.attributes.contains_key(*name),
            "{} has no {name}",
            element.name
        );
    }
    for (name, value) in &element.attributes {
        assert!(
            required.contains(&name.as_str()) || optional.contains(&name.as_str()),
            "{name}"
        );
        if ["tests", "failures", "errors", "skipped"].contains(&name.as_str()) {
            assert!(value.parse::<u32>().is_ok(), "{name}={value}");
        }
    }
    for child in &element.children {
        assert!(
            children.contains(&child.name.as_str()),
            "{} in {}",
            child.name,
            element.name
        );
        assert_junit(child);
    }
    if !children.is_empty() {
        assert_eq!(element.text.trim(), "", "{} has no text", element.name);
    }
}

#[test]
fn junit_has_the_structure_of_its_schema() {
    for (args, code) in [
        ("test examples --filter litmus_sb --junit @", Some(0)),
        ("test tests/programs/regression --junit @", Some(10)),
    ] {
        let (ended, text) = written(args);
        assert_eq!(ended, code, "{args}");
        let root = xml(&text);
        assert_junit(&root);
        let cases = || root.children.iter().flat_map(|suite| &suite.children);
        let failures = cases().filter(|case| !case.children.is_empty()).count();
        assert_eq!(root.attributes["tests"], cases().count().to_string());
        assert_eq!(root.attributes["failures"], failures.to_string());
        assert_eq!(failures > 0, code == Some(10));
        for suite in &root.children {
            assert_eq!(suite.attributes["tests"], suite.children.len().to_string());
        }
    }
}

#[test]
fn what_has_a_meaning_in_xml_is_escaped() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = "a&b <\"c\">.cup";
    std::fs::write(folder.path().join(name), "thread P { x = 1 < 2; }\n").expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_cupola"))
        .args(["test", "--junit", "out"])
        .current_dir(folder.path())
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(10));
    let root = xml(&std::fs::read_to_string(folder.path().join("out")).expect("a file"));
    assert_junit(&root);
    assert_eq!(root.children[0].attributes["name"], name);
}

// SARIF

/// The properties of the objects of SARIF 2.1.0 that are used, with those that must be there.
fn fields(kind: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match kind {
        "log" => (&["version", "runs"], &["$schema"]),
        "run" => (&["tool"], &["results", "columnKind"]),
        "tool" => (&["driver"], &[]),
        "driver" => (&["name"], &["semanticVersion", "rules"]),
        "rule" => (&["id"], &["shortDescription", "defaultConfiguration"]),
        "configuration" => (&[], &["level"]),
        "message" => (&["text"], &[]),
        "result" => (
            &["message"],
            &["ruleId", "ruleIndex", "level", "locations", "codeFlows"],
        ),
        "location" => (&[], &["physicalLocation", "message"]),
        "physical" => (&["artifactLocation"], &["region"]),
        "artifact" => (&[], &["uri"]),
        "region" => (&[], &["startLine"]),
        "flow" => (&["threadFlows"], &[]),
        "thread" => (&["locations"], &[]),
        "step" => (&[], &["location"]),
        other => panic!("{other}"),
    }
}

/// Asserts that an object has the properties of its kind and no others: the schema allows none.
fn object<'a>(kind: &str, value: &'a Value) -> &'a Value {
    let (required, optional) = fields(kind);
    let found: BTreeSet<&str> = value
        .as_object()
        .unwrap_or_else(|| panic!("{kind}: {value}"))
        .keys()
        .map(String::as_str)
        .collect();
    for name in required {
        assert!(found.contains(name), "{kind} has no {name}");
    }
    for name in found {
        assert!(
            required.contains(&name) || optional.contains(&name),
            "{kind}: {name}"
        );
    }
    value
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value
        .as_array()
        .unwrap_or_else(|| panic!("a list: {value}"))
        .iter()
}

fn assert_level(value: &Value) {
    let levels = ["none", "note", "warning", "error"];
    assert!(
        levels.contains(&value.as_str().expect("a level")),
        "{value}"
    );
}

fn assert_message(value: &Value) {
    let text = object("message", value)["text"].as_str().expect("a text");
    assert!(!text.is_empty());
}

fn assert_location(value: &Value) {
    object("location", value);
    if let Some(message) = value.get("message") {
        assert_message(message);
    }
    let place = object("physical", &value["physicalLocation"]);
    let uri = object("artifact", &place["artifactLocation"])["uri"]
        .as_str()
        .expect("a reference");
    let plain = |c: char| c.is_ascii_alphanumeric() || "/.-_~%:".contains(c);
    assert!(!uri.is_empty() && uri.chars().all(plain), "{uri}");
    if let Some(region) = place.get("region") {
        assert!(object("region", region)["startLine"].as_u64() >= Some(1));
    }
}

/// Asserts that a text is a log of SARIF 2.1.0, and returns its results.
fn sarif(text: &str) -> Vec<Value> {
    let log: Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(object("log", &log)["version"], "2.1.0");
    let mut results = Vec::new();
    for run in list(&log["runs"]) {
        object("run", run);
        let kinds = ["utf16CodeUnits", "unicodeCodePoints"];
        assert!(kinds.contains(&run["columnKind"].as_str().expect("a kind")));
        let driver = object("driver", &object("tool", &run["tool"])["driver"]);
        let mut ids = Vec::new();
        for rule in list(&driver["rules"]) {
            assert_message(&object("rule", rule)["shortDescription"]);
            assert_level(&object("configuration", &rule["defaultConfiguration"])["level"]);
            ids.push(rule["id"].clone());
        }
        for result in list(&run["results"]) {
            object("result", result);
            assert_message(&result["message"]);
            assert_level(&result["level"]);
            let index = result["ruleIndex"].as_u64().expect("an index");
            assert_eq!(ids[index as usize], result["ruleId"]);
            list(&result["locations"]).for_each(assert_location);
            for flow in result.get("codeFlows").into_iter().flat_map(list) {
                for thread in list(&object("flow", flow)["threadFlows"]) {
                    let steps = list(&object("thread", thread)["locations"]);
                    steps.for_each(|step| assert_location(&object("step", step)["location"]));
                    assert!(list(&thread["locations"]).next().is_some());
                }
            }
            results.push(result.clone());
        }
    }
    results
}

#[test]
fn sarif_has_the_structure_of_its_schema() {
    let of = |args: &str| sarif(&written(args).1);
    let broken = of("verify examples/peterson.cup --fences none --sarif @");
    assert_eq!(broken.len(), 2, "under tso and under pso");
    let place = &broken[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "examples/peterson.cup");
    assert_eq!(place["region"]["startLine"], 40);
    assert!(list(&broken[0]["codeFlows"][0]["threadFlows"][0]["locations"]).count() > 5);
    assert_eq!(of("verify examples/peterson.cup --sarif @").len(), 0);
    let explored = of("explore examples/peterson.cup --fences none --model all --sarif @");
    assert_eq!(explored.len(), 2);
    let unknown = of("explore examples/peterson.cup --model sc --max-states 3 --sarif @");
    assert_eq!(unknown[0]["level"], "warning");
    let tested = of("test tests/programs/regression --sarif @");
    assert_eq!(tested[0]["ruleId"], "difference");
    let litmus = of("verify tests/litmus/sb.litmus --model tso --sarif @");
    let place = &litmus[0]["locations"][0]["physicalLocation"];
    assert!(
        place.get("region").is_none(),
        "its lines are those of another program"
    );
}

// Shells, `man`, the version

#[test]
fn completions_are_scripts_of_their_shells() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, script) = cupola(&format!("completions {shell}"));
        assert_eq!(code, Some(0), "{shell}");
        for word in ["verify", "fences", "junit"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cupola");
    let args = format!("completions bash -o {}", path.display());
    assert_eq!(cupola(&args).0, Some(0));
    let checked = Command::new("bash").arg("-n").arg(&path).status();
    assert!(checked.expect("bash runs").success());
}

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let (_, help) = cupola("--help");
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_command_has_a_page_of_the_manual() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, _) = cupola(&format!("man {}/man1", folder.path().display()));
    assert_eq!(code, Some(0));
    let page = |name: &str| {
        let path = folder.path().join(format!("man1/{name}.1"));
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    assert!(page("cupola").contains(".TH CUPOLA 1"));
    let commands = commands();
    assert!(commands.len() >= 17, "{commands:?}");
    for command in commands {
        let page = page(&format!("cupola-{command}"));
        assert!(page.contains(&format!("cupola\\-{command}")), "{command}");
    }
    let again = format!("man {}/man1", folder.path().display());
    assert_eq!(cupola(&again).0, Some(2), "pages are not replaced unasked");
    assert_eq!(cupola(&format!("{again} --force")).0, Some(0));
}

#[test]
fn the_version_names_the_solver_and_perhaps_a_commit() {
    let (code, text) = cupola("--version");
    assert_eq!(code, Some(0));
    let start = format!("cupola {} (", env!("CARGO_PKG_VERSION"));
    let told = text
        .trim_end()
        .strip_prefix(&start)
        .unwrap_or_else(|| panic!("{text}"));
    let told = told.strip_suffix(')').expect("it ends");
    let solver = match told.split_once(", ") {
        Some((commit, solver)) => {
            let commit = commit.strip_prefix("commit ").expect("a commit");
            assert!(
                commit.len() == 12 && commit.chars().all(|c| c.is_ascii_hexdigit()),
                "{commit}"
            );
            solver
        }
        None => told,
    };
    let number = solver.strip_prefix("libz3 ").expect("the solver");
    assert!(number.starts_with(|c: char| c.is_ascii_digit()), "{number}");
}
