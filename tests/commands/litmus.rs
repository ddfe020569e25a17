//! Tests of `cupola litmus`.

use assert_cmd::Command;
use cupola::source::SourceFile;

const MODELS: [&str; 3] = ["sc", "tso", "pso"];

pub(crate) fn cupola(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("cupola").unwrap();
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .arg("litmus")
        .args(args);
    command
}

pub(crate) fn stdout(command: &mut Command, code: i32) -> String {
    let output = command.assert().code(code).get_output().clone();
    String::from_utf8(output.stdout).unwrap()
}

fn stderr(command: &mut Command, code: i32) -> String {
    let output = command.assert().code(code).stdout("").get_output().clone();
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_tests_of_the_folder_are_as_expected() {
    for model in MODELS {
        let table = format!("tests/litmus/expect.{model}.csv");
        let text = stdout(
            &mut cupola(&["tests/litmus", "--model", model, "--expect", &table]),
            0,
        );
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1, "{text}");
        assert!(lines[0].ends_with(" as expected, 0 different"), "{text}");
        let count: usize = lines[0].split(' ').nth(2).unwrap().parse().unwrap();
        assert!(count >= 30, "{text}");
    }
}

#[test]
fn the_block_of_a_test_is_that_of_herd() {
    let expected = "\
Test SB Allowed
States 4
0:EAX=0; 1:EAX=0;
0:EAX=0; 1:EAX=1;
0:EAX=1; 1:EAX=0;
0:EAX=1; 1:EAX=1;
Ok
Witnesses
Positive: 1 Negative: 3
Condition exists (0:EAX=0 /\\ 1:EAX=0)
Observation SB Sometimes 1 3
";
    assert_eq!(
        stdout(
            &mut cupola(&["tests/litmus/sb.litmus", "--model", "tso"]),
            0
        ),
        expected
    );
}

#[test]
fn blocks_of_several_tests_stand_apart() {
    let files = ["tests/litmus/lock_xchg.litmus", "tests/litmus/s.litmus"];
    let expected = "\
Test lock-xchg Forbidden
States 2
0:EAX=0; 1:EAX=1;
0:EAX=1; 1:EAX=0;
Ok
Witnesses
Positive: 2 Negative: 0
Condition ~exists (0:EAX=0 /\\ 1:EAX=0)
Observation lock-xchg Never 0 2

Test S Allowed
States 4
1:EAX=0; [x]=1;
1:EAX=0; [x]=2;
1:EAX=1; [x]=1;
1:EAX=1; [x]=2;
Ok
Witnesses
Positive: 1 Negative: 3
Condition exists ([x]=2 /\\ 1:EAX=1)
Observation S Sometimes 1 3
";
    let text = stdout(&mut cupola(&[files[0], files[1], "--model", "pso"]), 0);
    assert_eq!(text, expected);
}

#[test]
fn a_test_becomes_a_program() {
    let expected = "\
// litmus test sb
// XCHG and MFENCE
shared x, lock = 1;

thread P0 {
  local EAX = 2, EBX;
  x = 1;
  EAX = swap(lock, EAX);
  fence;
  EBX = x;
}

// exists (0:EAX=1 /\\ not ([x]=0) \\/ 0:EBX=2)
finally !(P0.EAX == 1 && x != 0 || P0.EBX == 2);
";
    let test = "X86 sb\n\"XCHG and MFENCE\"\n{ x=0; lock=1; 0:EAX=2; }\n P0 ;\n MOV [x],$1 ;\n XCHG EAX,[lock] ;\n MFENCE ;\n MOV EBX,[x] ;\nexists (0:EAX=1 /\\ x!=0 \\/ 0:EBX=2)\n";
    let text = stdout(cupola(&["-", "--to-cup"]).write_stdin(test), 0);
    assert_eq!(text, expected);
    cupola::front::cup::load(&SourceFile::new("sb.cup", text)).unwrap();
}

#[test]
fn differences_are_listed_and_have_an_exit_code() {
    let args = [
        "tests/litmus",
        "--model",
        "pso",
        "--expect",
        "tests/litmus/expect.tso.csv",
    ];
    let text = stdout(&mut cupola(&args), 10);
    assert!(text.starts_with("Model pso: "), "{text}");
    assert!(
        text.contains("\nMP: expected Never, observed Sometimes\n"),
        "{text}"
    );
    assert!(
        text.contains("\nMP-forall: expected Always, observed Sometimes\n"),
        "{text}"
    );
    assert!(!text.contains("\nSB:"), "{text}");
}

#[test]
fn a_limit_is_told_and_has_an_exit_code() {
    let args = [
        "tests/litmus/iriw.litmus",
        "--model",
        "tso",
        "--max-states",
        "10",
    ];
    let text = stdout(&mut cupola(&args), 5);
    assert!(
        text.contains("Unknown: there are more than 10 states: allow more states\n"),
        "{text}"
    );
    assert!(text.ends_with("Observation IRIW Unknown\n"), "{text}");
}

#[test]
fn json_is_one_object() {
    let args = [
        "tests/litmus/mp.litmus",
        "--model",
        "pso",
        "--json",
        "--expect",
        "tests/litmus/expect.pso.csv",
    ];
    let json: serde_json::Value = serde_json::from_str(&stdout(&mut cupola(&args), 0)).unwrap();
    assert_eq!(json["schema"], 2);
    assert_eq!(json["model"], "pso");
    let test = &json["tests"][0];
    assert_eq!(test["test"], "MP");
    assert_eq!(test["observation"], "Sometimes");
    assert_eq!(test["holds"], true);
    assert_eq!(test["states"].as_array().unwrap().len(), 4);
    assert_eq!(
        test["states"][2],
        serde_json::json!({ "1:EAX": 1, "1:EBX": 0 })
    );
    assert_eq!(json["comparison"]["agree"], 1);
}

/// The instructions: one file for each thing, with what the manuals say.
#[test]
fn instructions_do_what_the_manuals_say() {
    for model in ["sc", "tso"] {
        let table = format!("tests/x86/expect.{model}.csv");
        let text = stdout(
            &mut cupola(&["tests/x86", "--model", model, "--expect", &table]),
            0,
        );
        let count: usize = text.split(' ').nth(2).unwrap().parse().unwrap();
        assert!(count >= 120, "{text}");
    }
}

/// A folder is decided as far as it goes.
#[test]
fn what_is_not_modelled_is_listed_with_its_reasons() {
    let args = [
        "tests/x86_refused",
        "tests/litmus/sb.litmus",
        "--model",
        "tso",
    ];
    let text = stdout(&mut cupola(&args), 5);
    assert!(text.contains("Observation SB Sometimes 1 3\n"), "{text}");
    let (_, listed) = text.split_once("\nNot modelled 20\n").expect("the list");
    let expected = "\
aarch64.litmus:1: tests of `AArch64` are not modelled
address-in-memory.litmus:4: an address in memory is not modelled
before-array.litmus:4: `a` has no element at -4 bytes from its beginning
beside-array.litmus:4: `a` has no element at 8 bytes from its beginning
c.litmus:1: tests of kind `C` are not modelled
cpuid.litmus:4: the instruction `CPUID` is not modelled
loaded-address.litmus:5: the address in `EAX` is not known
misaligned.litmus:4: `a` has no element at 2 bytes from its beginning
mixed-accesses.litmus:4: mixed sizes: `x` has 32 bits and is accessed with 64
mixed-sizes.litmus:4: mixed sizes: `x` has 64 bits and is accessed with 32
movnti.litmus:4: the instruction `movntil %eax,(x)` is not modelled
observed.litmus:5: `observed` is not modelled
pointer.litmus:2: `int *x` is not modelled
shift-0-memory.litmus:4: whether a shift by 0 writes memory is not defined
shift-cl-memory.litmus:5: whether a shift by 0 writes memory is not defined
undefined-at-start.litmus:4: ZF, SF and PF may be undefined here
undefined-by-register.litmus:7: CF may be undefined here
undefined-carry.litmus:5: CF may be undefined here
undefined-overflow.litmus:5: OF may be undefined here
unknown-address.litmus:4: `ESI` may hold an address here
unknown-address.litmus:5: the address in `ESI` is not known
";
    let listed = listed.replace("tests/x86_refused/", "");
    let (listed, notes) = listed.split_at(listed.find("= ").expect("notes"));
    assert_eq!(listed, expected);
    assert!(
        notes.contains("= first it would have to be decided what their accesses mean"),
        "{notes}"
    );
    assert_eq!(notes.matches("the instructions are MOV").count(), 1);
}

#[test]
fn tests_that_are_not_modelled_are_in_the_json() {
    let args = ["tests/x86_refused/c.litmus", "--model", "tso", "--json"];
    let json: serde_json::Value = serde_json::from_str(&stdout(&mut cupola(&args), 5)).unwrap();
    let listed = &json["not_modelled"][0];
    assert_eq!(listed["file"], "tests/x86_refused/c.litmus");
    assert_eq!(listed["reasons"][0]["line"], 1);
    let notes = listed["reasons"][0]["notes"][0].as_str().unwrap();
    assert!(notes.contains("would have to be decided"), "{notes}");
}

#[test]
fn sfence_is_not_modelled_under_pso() {
    let args = ["tests/x86/sb-sfence.litmus", "--model", "pso"];
    let text = stdout(&mut cupola(&args), 5);
    assert!(
        text.contains("Unknown: SFENCE under pso is not modelled\n"),
        "{text}"
    );
}

/// A loop that stores without a fence fills any buffer.
#[test]
fn a_loop_that_fills_its_buffer_is_unknown() {
    let test = "X86 T\n{ x=0; }\n P0 ;\n L: MOV [x],$1 ;\n MOV EAX,[y] ;\n TEST EAX,EAX ;\n JZ L ;\nexists (x=1)\n";
    let text = stdout(cupola(&["-", "--model", "tso"]).write_stdin(test), 5);
    assert!(text.contains("the limit being 8: raise --buffer"), "{text}");
    stdout(cupola(&["-", "--model", "sc"]).write_stdin(test), 0);
}

#[test]
fn a_witness_is_an_execution_to_the_state_that_is_asked_for() {
    let args = ["tests/litmus/sb.litmus", "--model", "tso", "--witness"];
    let text = stdout(&mut cupola(&args), 0);
    let (_, witness) = text.split_once("\nWitness\n").expect("a witness");
    assert!(witness.contains("flushes x = 1"), "{text}");
    assert!(witness.contains("P0.EAX = 0, P1.EAX = 0"), "{text}");
    let never = ["tests/litmus/sb.litmus", "--model", "sc", "--witness"];
    assert!(!stdout(&mut cupola(&never), 0).contains("\nWitness\n"));
}

#[test]
fn what_is_wrong_is_an_error_at_its_place() {
    let test = "X86 T\n{ x=0; }\n P0 | P1 ;\n MOV [x],$1 | LOCK MOV [x],$1 ;\nexists (x=2)\n";
    let text = stderr(cupola(&["-", "--model", "tso"]).write_stdin(test), 2);
    assert!(
        text.contains("`LOCK MOV [x],$1` is not an instruction of x86"),
        "{text}"
    );
    assert!(text.contains("<stdin>:4:15"), "{text}");
}

#[test]
fn bad_usage_is_an_error() {
    let sb = "tests/litmus/sb.litmus";
    stderr(&mut cupola(&[sb]), 2);
    stderr(&mut cupola(&["tests/litmus", "--to-cup"]), 2);
    stderr(&mut cupola(&["src/litmus", "--model", "sc"]), 2);
    stderr(&mut cupola(&["no/such/file.litmus", "--model", "sc"]), 2);
    stderr(
        &mut cupola(&[sb, "--model", "sc", "--expect", "tests/litmus/sb.litmus"]),
        2,
    );
}
