//! `-k` with sizes for single variables, in `verify`, `certify`, `extrapolate` and `abstract`.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

/// Two stores to `x` may be buffered at once, one to `y`.
const PROGRAM: &str = "\
shared x, y;
thread P { x = 1; x = 2; y = 1; fence; }
thread Q { local r; r = y; assert(r <= 1, \"small\"); }
invariant low: x <= 2;
";

const PROOF: &str = "predicates { x <= 2; x <= 1; y <= 1; Q.r <= 1; }\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("two.cup"), PROGRAM).unwrap();
    std::fs::write(folder.path().join("two.proof"), PROOF).unwrap();
    folder
}

fn cupola(folder: &Path, args: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cupola"));
    command.current_dir(folder).args(args.split(' '));
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn a_proof_needs_only_the_sizes_that_are_exceeded() {
    let folder = folder();
    let verify = |k: &str| {
        let engine = "--engine predicate --json";
        let (code, json, error) = cupola(
            folder.path(),
            &format!("verify two.cup --model pso -k {k} {engine}"),
        );
        let json: Value = serde_json::from_str(&json).unwrap_or_else(|_| panic!("{error}"));
        (code, json.to_string())
    };
    for (k, code) in [("1", 5), ("1,y=2", 5), ("1,x=2", 0), ("2", 0)] {
        let (found, json) = verify(k);
        assert_eq!(found, Some(code), "{k}: {json}");
        let shown = match k.parse::<u32>() {
            Ok(number) => format!("\"k\":{number}"),
            Err(_) => format!("\"k\":\"{k}\""),
        };
        assert!(json.contains(&shown), "{k}: {json}");
    }
}

#[test]
fn a_certificate_says_the_sizes() {
    let folder = folder();
    let verify = "verify two.cup --model pso -k 1,x=2 --engine predicate --certificate proof";
    let (code, text, error) = cupola(folder.path(), verify);
    assert_eq!(code, Some(0), "{text}{error}");
    let (code, text, error) = cupola(folder.path(), "certify proof");
    assert_eq!(code, Some(0), "{text}{error}");
    assert!(text.contains("k = 1,x=2"), "{text}");
    let file = folder.path().join("proof/certificate.json");
    let json = std::fs::read_to_string(&file).unwrap();
    for (sizes, message) in [
        ("\"1,y=2\"", "rejected"),
        ("\"1,z=2\"", "no shared variable `z`"),
        ("\"1,x=0\"", "from 1 to 64 entries, not 0"),
        ("0", "from 1 to 64 entries, not 0"),
    ] {
        let changed = json.replace("\"1,x=2\"", sizes);
        assert_ne!(changed, json);
        std::fs::write(&file, changed).unwrap();
        let (code, text, error) = cupola(folder.path(), "certify proof");
        assert_ne!(code, Some(0), "{sizes}");
        assert!((text + &error).contains(message), "{sizes}: {error}");
    }
}

#[test]
fn predicates_are_about_the_slots_that_there_are() {
    let folder = folder();
    let (code, text, error) = cupola(folder.path(), "extrapolate two.cup --model pso -k 1,x=2");
    assert_eq!(code, Some(0), "{error}");
    assert!(text.contains("P.x_2_t0 <= 2"), "{text}");
    assert!(text.contains("P.x_cnt_t0 == 2"), "{text}");
    assert!(
        !text.contains("y_2_t0") && !text.contains("y_cnt_t0 == 2"),
        "{text}"
    );
    let (code, text, error) = cupola(
        folder.path(),
        "abstract two.cup --model pso -k 1,x=2 --json",
    );
    assert_eq!(code, Some(0), "{error}");
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["k"], "1,x=2");
}

#[test]
fn every_command_refuses_sizes_that_mean_nothing() {
    let folder = folder();
    for command in ["verify", "fences", "extrapolate", "abstract", "translate"] {
        for (model, k, message) in [
            ("tso", "1,x=2", "one buffer for all variables"),
            ("pso", "1,z=2", "no shared variable `z`"),
            ("pso", "1,x=65", "from 1 to 64 entries"),
        ] {
            let args = format!("{command} two.cup --model {model} -k {k}");
            let (code, _, error) = cupola(folder.path(), &args);
            assert_eq!(code, Some(2), "{args}: {error}");
            assert!(error.contains(message), "{args}: {error}");
        }
    }
    let (code, _, error) = cupola(folder.path(), "verify two.cup --model all -k 1,x=2");
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("--model pso"), "{error}");
}
