//! Programs that have FIFOs themselves: they are explored, and refused at their place by all that cannot handle them.

use assert_cmd::Command;
use tempfile::TempDir;

const QUEUE: &str = "tests/programs/fifo/queue.cup";

/// Runs a command and returns its exit code, standard output and standard error.
fn run(args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cupola"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(args);
    let output = command.output().expect("the binary runs");
    let text = |bytes| String::from_utf8(bytes).expect("the output is text");
    (
        output.status.code().expect("it ends"),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn the_oldest_entry_is_taken_first() {
    for command in ["explore", "verify"] {
        let (exit, out, _) = run(&[command, QUEUE, "--model", "sc"]);
        assert_eq!(exit, 0, "{out}");
        let (exit, out, _) = run(&[command, "tests/programs/fifo/stack.cup", "--model", "sc"]);
        assert_eq!(exit, 10, "{out}");
        assert!(out.contains("append(q, 2);"), "{out}");
    }
}

#[test]
fn a_fifo_that_grows_without_end_is_not_all_seen() {
    for command in ["explore", "verify"] {
        let growing = "tests/programs/fifo/growing.cup";
        let (exit, out, _) = run(&[command, growing, "--model", "sc"]);
        assert_eq!(exit, 5, "{out}");
        assert!(out.contains("unknown"), "{out}");
        assert!(out.contains("the limit being 8"), "{out}");
    }
}

#[test]
fn only_sc_gives_fifos_a_meaning() {
    for command in ["explore", "verify", "translate", "fences"] {
        for model in ["tso", "pso"] {
            let (exit, out, error) = run(&[command, QUEUE, "--model", model]);
            assert_eq!((exit, out.as_str()), (2, ""), "{command}");
            assert!(error.contains("has SC semantics only"), "{error}");
        }
    }
}

#[test]
fn engines_that_cannot_handle_them_say_so() {
    for engine in ["predicate", "backward"] {
        let (exit, out, _) = run(&["verify", QUEUE, "--model", "sc", "--engine", engine]);
        assert_eq!(exit, 5, "{out}");
        let reason = format!("{engine}: the program has FIFOs");
        assert!(out.contains(&reason), "{out}");
    }
}

#[test]
fn commands_that_cannot_handle_them_name_the_place() {
    let commands: [&[&str]; 10] = [
        &["export", "--to", "promela"],
        &["export", "--to", "c"],
        &["export", "--to", "chc"],
        &["export", "--to", "dot"],
        &["export", "--to", "dot", "--states", "100"],
        &["export", "--to", "litmus"],
        &["convert", "--to", "rmm"],
        &["prove"],
        &["abstract", "--model", "sc"],
        &["extrapolate", "--model", "sc"],
    ];
    for command in commands {
        let (exit, out, error) = run(&[command, &[QUEUE]].concat());
        assert_eq!((exit, out.as_str()), (2, ""), "{command:?}");
        assert!(error.contains("FIFO"), "{error}");
        assert!(error.contains("queue.cup:5:3"), "{error}");
    }
}

/// The certificate of another program, of each kind, with the program exchanged.
#[test]
fn certificates_say_nothing_of_them() {
    let folder = TempDir::new().expect("there is room for a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let other = path("other.cup");
    std::fs::write(
        &other,
        "shared X; thread P { X = 1; } invariant small: X < 2;",
    )
    .expect("room");
    for (engine, kind) in [
        ("explore", "states"),
        ("predicate", "invariant"),
        ("backward", "basis"),
    ] {
        let dir = path(engine);
        let verify = ["verify", &other, "--model", "sc", "--engine", engine];
        let (exit, out, error) = run(&[&verify[..], &["--certificate", &dir]].concat());
        assert_eq!(exit, 0, "{out}{error}");
        let (exit, out, _) = run(&["certify", &dir]);
        assert_eq!(exit, 0, "{out}");
        assert!(out.contains(kind), "{out}");
        std::fs::copy(QUEUE, path(&format!("{engine}/source.cup"))).expect("the file is there");
        let (exit, out, error) = run(&["certify", &dir]);
        assert_eq!((exit, out.as_str()), (2, ""), "{engine}");
        assert!(
            error.contains("cannot handle programs with FIFOs"),
            "{error}"
        );
    }
    let (exit, out, error) = run(&[
        "verify",
        QUEUE,
        "--model",
        "sc",
        "--certificate",
        &path("own"),
    ]);
    assert_eq!(exit, 5, "{out}");
    assert!(
        error.contains("no certificate for sc: it has FIFOs"),
        "{error}"
    );
    assert!(!folder.path().join("own").exists());
}
