//! What the commands print with `--json` obeys `docs/schema.json`.

use std::process::Command;

use serde_json::Value;

/// The commands, by the names of their schemas. Between them they have every verdict.
const COMMANDS: [(&str, &str); 36] = [
    ("verify", "verify examples/ticket.cup --json"),
    (
        "verify",
        "verify examples/peterson.cup --engine predicate --json",
    ),
    (
        "verify",
        "verify examples/queue.cup --model pso --fences none --explore-states 2000 --max-k 2 --json",
    ),
    (
        "verify",
        "verify examples/queue.cup --model pso -k 1,Tail=3 --engine predicate --json",
    ),
    (
        "verify",
        "verify examples/peterson.cup --model pso --fences none --json",
    ),
    (
        "verify",
        "verify examples/peterson.cup --model tso --timeout 0 --json",
    ),
    (
        "verify",
        "verify examples/ticket.cup --model sc --max-states 3 --json",
    ),
    ("explore", "explore examples/peterson.cup --model sc --json"),
    (
        "explore",
        "explore examples/peterson.cup --model tso --fences none --json",
    ),
    (
        "explore",
        "explore examples/litmus_sb.cup --model tso --outcomes --json",
    ),
    (
        "explore",
        "explore examples/peterson.cup --model sc --max-states 3 --json",
    ),
    (
        "fences",
        "fences examples/peterson.cup --model tso --explain b --json",
    ),
    (
        "fences",
        "fences examples/peterson.cup --model pso --timeout 0 --json",
    ),
    (
        "fences",
        "fences examples/producer_consumer_v1.cup --model pso --json",
    ),
    (
        "export",
        "export examples/peterson.cup --to chc --model pso -k 2 --json",
    ),
    (
        "translate",
        "translate examples/ticket.cup --model tso --json",
    ),
    (
        "translate",
        "translate examples/peterson.cup --model pso -k 2 --flush inline --fences a --json",
    ),
    ("prove", "prove examples/ticket.cup --json"),
    ("prove", "prove examples/ticket.cup --max-states 3 --json"),
    (
        "extrapolate",
        "extrapolate examples/ticket.cup --model pso --json",
    ),
    (
        "abstract",
        "abstract examples/ticket.cup --model tso --json",
    ),
    (
        "abstract",
        "abstract examples/ticket.cup --model pso --timeout 0 --json",
    ),
    ("litmus", "litmus tests/litmus/sb.litmus --model tso --json"),
    (
        "litmus",
        "litmus tests/litmus/sb.litmus --model tso --expect tests/litmus/expect.sc.csv --json",
    ),
    ("test", "test examples --filter litmus_sb --json"),
    ("test", "test tests/programs/regression --json"),
    ("bench", "bench dekker/sc --baseline --json"),
    ("bench", "bench --timeout 0 --json"),
    (
        "verify",
        "verify examples/peterson.cup --model pso --engine coherence --domain fd -k 0 --json",
    ),
    (
        "verify",
        "verify examples/peterson.cup --model tso --engine coherence --domain set --json",
    ),
    (
        "fences",
        "fences examples/bakery_rounds.cup --model tso --cost b=5 --cost-in-loop 2 --json",
    ),
    (
        "infer",
        "fences examples/peterson.cup --model pso --infer avoid --domain pd -k 1 --check --json",
    ),
    (
        "infer",
        "fences examples/lamport_fast.cup --model pso --infer avoid --domain pd -k 0 --json",
    ),
    ("bench_pldi", "bench pldi Pet --json"),
    ("bench_buffers", "bench buffers queue --json"),
    (
        "bench_tacas",
        "bench tacas --json examples/rmm/peterson.rmm examples/rmm/producer_consumer_v1_2.rmm",
    ),
];

#[test]
fn every_command_obeys_its_schema() {
    for (name, command) in COMMANDS {
        let output = Command::new(env!("CARGO_BIN_EXE_cupola"))
            .args(command.split_whitespace())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("the binary runs");
        let value: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("`{command}` prints no JSON: {error}"));
        assert_obeys(name, &value, command);
    }
}

#[test]
fn a_checked_boolean_program_obeys_its_schema() {
    for program in [
        "examples/peterson.cup --model sc",
        "examples/peterson.cup --model pso --fences none",
    ] {
        let pipe = format!("\"$0\" abstract {program} | \"$0\" check - --json");
        let checked = Command::new("sh")
            .args(["-c", &pipe])
            .arg(env!("CARGO_BIN_EXE_cupola"))
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("the shell runs");
        let value: Value = serde_json::from_slice(&checked.stdout).expect("it prints JSON");
        assert_obeys("check", &value, program);
    }
}

#[test]
fn checked_certificates_obey_their_schema() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let run = |args: &str| {
        let args = args.replace('@', &folder.path().display().to_string());
        Command::new(env!("CARGO_BIN_EXE_cupola"))
            .args(args.split_whitespace())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("the binary runs")
    };
    for (program, kind) in [("ticket", "invariant"), ("peterson", "states")] {
        let dir = format!("@/{kind}");
        run(&format!(
            "verify examples/{program}.cup --model tso --certificate {dir}"
        ));
        for (more, verdict) in [("", "accepted"), ("--timeout 0", "unknown")] {
            let checked = run(&format!("certify {dir} {more} --json"));
            let value: Value = serde_json::from_slice(&checked.stdout).expect("it prints JSON");
            assert_obeys("certify", &value, "certify");
            assert_eq!(value["verdict"], verdict);
            assert_eq!(value["kind"], kind);
        }
    }
}

#[test]
fn the_stored_results_obey_the_schema() {
    let stored = include_str!("../../docs/performance/results.json");
    let value: Value = serde_json::from_str(stored).expect("they are JSON");
    assert_obeys("bench", &value, "docs/performance/results.json");
}

#[test]
fn the_validator_finds_mistakes() {
    let mut value: Value =
        serde_json::from_str(include_str!("../../docs/performance/results.json"))
            .expect("they are JSON");
    value["jobs"] = Value::from("two");
    value["rows"][0]["model"] = Value::from("arm");
    value["weather"] = Value::from("fine");
    let object = value.as_object_mut().expect("it is an object");
    object.remove("complete");
    let found = mistakes("bench", &value);
    assert_eq!(found.len(), 4, "{found:?}");
    let step = serde_json::json!({ "repeats_from": 1, "execution": { "initial": { "x": "1" } } });
    assert_eq!(
        mistakes("growth", &step).len(),
        3,
        "{:?}",
        mistakes("growth", &step)
    );
}

pub fn assert_obeys(name: &str, value: &Value, what: &str) {
    let mistakes = mistakes(name, value);
    assert!(mistakes.is_empty(), "{what}: {mistakes:#?}");
}

fn mistakes(name: &str, value: &Value) -> Vec<String> {
    let text = include_str!("../../docs/schema.json");
    let root: Value = serde_json::from_str(text).expect("the schema is JSON");
    let mut validator = Validator {
        root: &root,
        mistakes: Vec::new(),
    };
    validator.validate(&root["$defs"][name], value, "$");
    validator.mistakes
}

/// The part of JSON Schema that `docs/schema.json` uses.
struct Validator<'a> {
    root: &'a Value,
    mistakes: Vec<String>,
}

impl<'a> Validator<'a> {
    fn validate(&mut self, schema: &'a Value, value: &Value, place: &str) {
        let rules = schema.as_object().expect("a schema is an object");
        for (rule, wanted) in rules {
            match rule.as_str() {
                "$ref" => self.validate(self.definition(wanted), value, place),
                "type" => self.check(has_type(wanted, value), place, wanted),
                "const" => self.check(value == wanted, place, wanted),
                "enum" => {
                    let known = wanted.as_array().expect("a list").contains(value);
                    self.check(known, place, wanted);
                }
                "required" => self.require(wanted, value, place),
                "properties" => self.properties(wanted, value, place),
                "additionalProperties" => {
                    for (name, member) in value.as_object().into_iter().flatten() {
                        self.validate(wanted, member, &format!("{place}.{name}"));
                    }
                }
                "oneOf" => self.one_of(wanted, value, place),
                "description" => {}
                "items" => {
                    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.validate(wanted, item, &format!("{place}[{number}]"));
                    }
                }
                other => panic!("the validator does not know `{other}`"),
            }
        }
    }

    fn definition(&self, reference: &Value) -> &'a Value {
        let path = reference.as_str().expect("a reference is text");
        let pointer = path.strip_prefix('#').expect("it is within the file");
        self.root.pointer(pointer).expect("it is defined")
    }

    fn require(&mut self, wanted: &Value, value: &Value, place: &str) {
        let Some(object) = value.as_object() else {
            return;
        };
        for name in wanted.as_array().expect("a list") {
            let there = object.contains_key(name.as_str().expect("a name"));
            self.check(there, place, name);
        }
    }

    fn properties(&mut self, wanted: &'a Value, value: &Value, place: &str) {
        for (name, schema) in wanted.as_object().expect("an object") {
            if let Some(member) = value.get(name) {
                self.validate(schema, member, &format!("{place}.{name}"));
            }
        }
        // Programs that read the output put up with more fields; but no field may be missing in the schema.
        for name in value
            .as_object()
            .into_iter()
            .flat_map(|object| object.keys())
        {
            let described = wanted.get(name).is_some();
            self.check(
                described,
                &format!("{place}.{name}"),
                &"not described".into(),
            );
        }
    }

    fn one_of(&mut self, wanted: &'a Value, value: &Value, place: &str) {
        let tried = wanted.as_array().expect("a list").iter().map(|schema| {
            let mut alternative = Validator {
                root: self.root,
                mistakes: Vec::new(),
            };
            alternative.validate(schema, value, place);
            alternative.mistakes
        });
        let tried: Vec<Vec<String>> = tried.collect();
        let fitting = tried.iter().filter(|mistakes| mistakes.is_empty()).count();
        if fitting != 1 {
            let place = format!("{place}: {fitting} alternatives fit: {tried:?}");
            self.mistakes.push(place);
        }
    }

    fn check(&mut self, holds: bool, place: &str, wanted: &Value) {
        if !holds {
            self.mistakes.push(format!("{place}: {wanted}"));
        }
    }
}

fn has_type(wanted: &Value, value: &Value) -> bool {
    let one = |name: &Value| match name.as_str().expect("the name of a type") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "null" => value.is_null(),
        other => panic!("there is no type `{other}`"),
    };
    match wanted.as_array() {
        Some(names) => names.iter().any(one),
        None => one(wanted),
    }
}
