//! What commands write: devices, FIFOs, links and modes stay what they are, inputs are never written over, and
//! no file is left half written.

use std::fs::{self, Permissions};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

const PROGRAM: &str =
    "shared x;\nthread P {\n  x = 1;\n  fence? a;\n  x = 2;\n}\ninvariant x >= 0;\n";

/// What a command said.
struct Said {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// A folder with a program and its proof.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().expect("there is room for files"));
        folder.put("p.cup", PROGRAM);
        folder.put("p.proof", "predicates {\n  x >= 0;\n}\n");
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).expect("files can be written");
        path
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn mode(&self, name: &str, mode: u32) {
        let mode = Permissions::from_mode(mode);
        fs::set_permissions(self.path(name), mode).expect("its own file");
    }

    /// The names of all files.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("it can be read");
        let names = entries.map(|entry| entry.expect("it can be read").file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs a command in the folder.
    fn cupola(&self, args: &str) -> Said {
        self.run(Command::new(env!("CARGO_BIN_EXE_cupola")).args(args.split_whitespace()))
    }

    fn run(&self, command: &mut Command) -> Said {
        let output = command.current_dir(self.0.path()).output();
        let output = output.expect("the binary runs");
        Said {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }

    /// The translation that is written everywhere here.
    fn translation(&self) -> String {
        let said = self.cupola("translate p.cup --model tso");
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        said.stdout
    }

    /// Asserts that a command is refused with a message and leaves a file as it was.
    #[track_caller]
    fn refused(&self, args: &str, file: &str, why: &str) {
        let before = fs::read(self.path(file)).expect("it is there");
        let names = self.names();
        let said = self.cupola(args);
        assert_eq!(said.code, Some(2), "{args}: {}", said.stderr);
        assert!(said.stderr.contains(why), "{args}: {}", said.stderr);
        let after = fs::read(self.path(file)).expect("it is there");
        assert!(before == after, "{args} has changed {file}");
        assert_eq!(self.names(), names, "{args}");
    }
}

#[test]
fn a_device_is_written_to_and_stays() {
    let folder = Folder::new();
    let said = folder.cupola("translate p.cup --model tso -o /dev/null");
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), ""));
    let kind = fs::metadata("/dev/null").expect("it is there").file_type();
    assert!(kind.is_char_device());
}

#[test]
fn a_full_device_is_told() {
    let folder = Folder::new();
    for args in [
        "translate p.cup --model tso -o /dev/full",
        "fences p.cup --model tso --emit /dev/full",
        "verify p.cup --save-proof /dev/full",
    ] {
        folder.refused(args, "p.cup", "No space left on device");
    }
    let kind = fs::metadata("/dev/full").expect("it is there").file_type();
    assert!(kind.is_char_device());
}

#[test]
fn a_fifo_is_written_to_and_stays() {
    let folder = Folder::new();
    let fifo = folder.path("pipe");
    let made = Command::new("mkfifo").arg(&fifo).status();
    assert!(made.expect("mkfifo runs").success());
    let reader = std::thread::spawn({
        let fifo = fifo.clone();
        move || fs::read_to_string(fifo)
    });
    let said = folder.cupola("translate p.cup --model tso -o pipe");
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let read = reader.join().expect("no panic").expect("it can be read");
    assert_eq!(read, folder.translation());
    let kind = fs::symlink_metadata(&fifo).expect("it is there");
    assert!(kind.file_type().is_fifo());
}

/// `/dev/stdout` leads to the file that standard output is, which another program may go on to write to.
#[test]
fn standard_output_by_name_is_standard_output() {
    let folder = Folder::new();
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let mut script = Command::new("sh");
        script.arg("-c").arg(format!(
            "echo before > log; {} translate p.cup --model tso -o {name} >> log; echo after >> log",
            env!("CARGO_BIN_EXE_cupola")
        ));
        assert_eq!(folder.run(&mut script).code, Some(0));
        let expected = format!("before\n{}after\n", folder.translation());
        assert_eq!(folder.text("log"), expected, "{name}");
        let said = folder.cupola(&format!("translate p.cup --model tso -o {name}"));
        assert_eq!(said.stdout, folder.translation(), "{name}");
    }
}

#[test]
fn a_link_stays_and_what_it_leads_to_is_written() {
    let folder = Folder::new();
    fs::create_dir(folder.path("below")).expect("a folder");
    folder.put("below/file", "old");
    symlink("below/file", folder.path("link")).expect("a link");
    symlink("below/link-2", folder.path("nowhere")).expect("a link");
    symlink("made", folder.path("below/link-2")).expect("a link");
    folder.refused(
        "translate p.cup --model tso -o link",
        "below/file",
        "exists already",
    );
    for (link, file, force) in [
        ("link", "below/file", "--force"),
        ("nowhere", "below/made", ""),
    ] {
        let said = folder.cupola(&format!("translate p.cup --model tso -o {link} {force}"));
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        let found = fs::symlink_metadata(folder.path(link)).expect("it is there");
        assert!(found.is_symlink(), "{link}");
        assert_eq!(folder.text(file), folder.translation(), "{link}");
    }
}

#[test]
fn a_circle_of_links_is_told() {
    let folder = Folder::new();
    symlink("b", folder.path("a")).expect("a link");
    symlink("a", folder.path("b")).expect("a link");
    folder.refused("translate p.cup --model tso -o a", "p.cup", "cannot write");
}

#[test]
fn all_names_of_a_file_stay() {
    let folder = Folder::new();
    folder.put("one", &"long ".repeat(10_000));
    fs::hard_link(folder.path("one"), folder.path("two")).expect("another name");
    let said = folder.cupola("translate p.cup --model tso -o one --force");
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(folder.text("one"), folder.translation());
    assert_eq!(folder.text("two"), folder.translation());
}

#[test]
fn a_file_that_is_replaced_keeps_its_mode() {
    let folder = Folder::new();
    folder.put("out", "old");
    for mode in [0o640, 0o755, 0o600] {
        folder.mode("out", mode);
        let said = folder.cupola("translate p.cup --model tso -o out --force");
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        let found = fs::metadata(folder.path("out")).expect("it is there");
        assert_eq!(found.mode() & 0o7777, mode);
        assert_eq!(folder.text("out"), folder.translation());
    }
    folder.mode("p.cup", 0o600);
    let untidy = PROGRAM.replace("x = 1", "x  =  1");
    fs::write(folder.path("p.cup"), untidy).expect("its own file");
    assert_eq!(folder.cupola("fmt --in-place p.cup").code, Some(0));
    assert_eq!(folder.text("p.cup"), PROGRAM);
    let found = fs::metadata(folder.path("p.cup")).expect("it is there");
    assert_eq!(found.mode() & 0o7777, 0o600);
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let folder = Folder::new();
    folder.put("out", "old");
    folder.mode("out", 0o444);
    for args in [
        "translate p.cup --model tso -o out --force",
        "fences p.cup --model tso --emit out --force",
        "verify p.cup --save-proof out --force",
        "bench --from out --json -o out --force",
    ] {
        folder.refused(args, "out", "`out` is read-only");
    }
}

#[test]
fn a_folder_is_no_file() {
    let folder = Folder::new();
    fs::create_dir(folder.path("below")).expect("a folder");
    let args = "fences p.cup --model tso --emit below --force";
    folder.refused(args, "p.cup", "`below` is a folder");
    let args = "translate p.cup --model tso -o nowhere/out";
    folder.refused(args, "p.cup", "there is no folder `nowhere`");
}

/// Before any work is done, and by whatever name.
#[test]
fn an_input_is_never_written_over() {
    let folder = Folder::new();
    symlink("p.cup", folder.path("link.cup")).expect("a link");
    fs::hard_link(folder.path("p.cup"), folder.path("name.cup")).expect("another name");
    folder.put("p.bp", "decl a;\nvoid main() begin\n  a := T;\nend\n");
    folder.put(
        "t.litmus",
        "X86 T\n{ }\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n",
    );
    folder.put("e.csv", "T,Always\n");
    folder.put("q.cup", PROGRAM);
    for (args, file) in [
        ("translate p.cup --model tso -o p.cup", "p.cup"),
        ("translate p.cup --model tso -o ./p.cup", "p.cup"),
        ("translate p.cup --model tso -o link.cup", "p.cup"),
        ("translate link.cup --model tso -o name.cup", "p.cup"),
        ("verify p.cup -o p.cup", "p.cup"),
        ("verify p.cup -o p.proof", "p.proof"),
        ("verify p.cup --save-proof p.cup", "p.cup"),
        ("verify p.cup --save-proof p.proof", "p.proof"),
        ("explore p.cup --model tso -o p.cup", "p.cup"),
        ("fences p.cup --model tso -o p.cup", "p.cup"),
        ("fences p.cup --model tso --emit p.cup", "p.cup"),
        ("fences p.cup --model tso --emit p.proof", "p.proof"),
        ("verify p.cup -o p.cup --json", "p.cup"),
        ("explore p.cup q.cup --model tso --sarif p.cup", "p.cup"),
        ("explore q.cup p.cup --model tso --html p.cup", "p.cup"),
        ("test p.cup --sarif p.cup", "p.cup"),
        ("test p.cup --junit p.cup --json", "p.cup"),
        ("verify p.cup --html p.cup", "p.cup"),
        ("verify p.cup --svg p.proof", "p.proof"),
        ("explore p.cup --model tso --html p.cup", "p.cup"),
        ("explore p.cup --model tso --svg link.cup", "p.cup"),
        ("fences p.cup --model tso --html p.cup", "p.cup"),
        ("translate p.cup --model tso --html p.cup", "p.cup"),
        ("litmus t.litmus --model tso --html t.litmus", "t.litmus"),
        ("verify p.cup --sarif p.cup", "p.cup"),
        ("step p.cup --model tso --save p.cup", "p.cup"),
        ("export p.cup --to c -o p.cup", "p.cup"),
        ("convert t.litmus --to cup -o t.litmus", "t.litmus"),
        ("convert p.cup --to cup -o .", "p.cup"),
        ("prove p.cup -o p.proof", "p.proof"),
        ("extrapolate p.cup --model tso -o p.cup", "p.cup"),
        ("abstract p.cup --model tso -o p.proof", "p.proof"),
        ("check p.bp -o p.bp", "p.bp"),
        ("litmus t.litmus --model tso -o t.litmus", "t.litmus"),
        (
            "litmus t.litmus --model tso --expect e.csv -o e.csv",
            "e.csv",
        ),
    ] {
        folder.refused(&format!("{args} --force"), file, "is an input");
    }
    let made = folder.cupola("verify p.cup --model tso --certificate cert");
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let args = "certify cert -o cert/source.cup --force";
    folder.refused(args, "cert/source.cup", "is an input");
}

#[test]
fn formatting_may_write_over_its_input() {
    let folder = Folder::new();
    let untidy = PROGRAM.replace("x = 1", "x  =  1");
    for args in ["fmt p.cup -o p.cup --force", "fmt p.cup -o . --force"] {
        folder.put("p.cup", &untidy);
        let said = folder.cupola(args);
        assert_eq!(said.code, Some(0), "{args}: {}", said.stderr);
        assert_eq!(folder.text("p.cup"), PROGRAM, "{args}");
    }
}

#[test]
fn two_results_do_not_go_to_one_file() {
    let folder = Folder::new();
    for args in [
        "fences p.cup --model tso -o new --emit ./new",
        "verify p.cup -o new --save-proof new --force",
        "explore p.cup --model tso -o new --html new",
        "litmus t.litmus --model tso --html new --svg new",
    ] {
        folder.refused(args, "p.cup", "two results would go to");
    }
}

#[test]
fn what_cannot_be_written_is_told_before_the_work() {
    let folder = Folder::new();
    folder.put("out", "old");
    for args in [
        "verify p.cup -o out",
        "verify p.cup --save-proof out",
        "verify p.cup --html out",
        "explore p.cup --model tso --svg out",
        "fences p.cup --model tso --html out",
        "translate p.cup --model tso --html out",
        "step p.cup --model tso --save out",
    ] {
        let said = folder.cupola(args);
        assert_eq!(said.code, Some(2), "{args}");
        assert_eq!(said.stdout, "", "{args}");
        assert!(
            said.stderr.contains("`out` exists already"),
            "{}",
            said.stderr
        );
    }
}

#[test]
fn a_certificate_takes_the_place_of_an_empty_folder_and_of_nothing_else() {
    let folder = Folder::new();
    fs::create_dir(folder.path("empty")).expect("a folder");
    folder.mode("empty", 0o700);
    let said = folder.cupola("verify p.cup --model tso --certificate empty");
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let found = fs::metadata(folder.path("empty")).expect("it is there");
    assert_eq!(found.mode() & 0o7777, 0o700);
    assert_eq!(folder.cupola("certify empty").code, Some(0));
    for (place, why) in [
        ("p.cup", "is no directory"),
        ("/dev/null", "is no directory"),
        ("empty", "holds a certificate"),
    ] {
        let args = format!("verify p.cup --model tso --certificate {place}");
        folder.refused(&args, "p.cup", why);
    }
}

/// What is written beside the answer does not keep it from being told, and each failure is told once.
#[test]
fn an_answer_is_not_lost() {
    let folder = Folder::new();
    for (args, code, answer) in [
        ("verify p.cup --html /dev/full", 2, "verified"),
        ("verify p.cup --sarif /dev/full", 2, "verified"),
        ("verify p.cup --save-proof /dev/full", 2, "verified"),
        ("verify p.cup -o /dev/full", 2, "verified"),
        ("explore p.cup --model tso --html /dev/full", 2, "safe"),
        (
            "fences p.cup --model tso --emit /dev/full",
            2,
            "no fence is needed",
        ),
        (
            "fences p.cup --model tso --html /dev/full",
            2,
            "no fence is needed",
        ),
        (
            "translate p.cup --model tso --html /dev/full",
            2,
            "invariant x >= 0;",
        ),
        ("test p.cup --junit /dev/full", 2, "test result: passed"),
        ("test p.cup --sarif /dev/full", 2, "test result: passed"),
    ] {
        let said = folder.cupola(args);
        assert_eq!(said.code, Some(code), "{args}: {}", said.stderr);
        assert!(said.stdout.contains(answer), "{args}: {}", said.stdout);
        let told = said.stderr.matches("No space left on device").count();
        assert_eq!(told, 1, "{args}: {}", said.stderr);
    }
    let mut help = Command::new("sh");
    let binary = env!("CARGO_BIN_EXE_cupola");
    help.arg("-c").arg(format!("{binary} --help > /dev/full"));
    assert_eq!(folder.run(&mut help).code, Some(2));
}

/// A folder is no file, which is found out before the work; so is a folder in which nothing can be made.
#[test]
fn folders_are_told_before_the_work() {
    let folder = Folder::new();
    for args in [
        "verify p.cup --html .",
        "verify p.cup --svg .",
        "verify p.cup --sarif .",
        "verify p.cup --save-proof .",
        "explore p.cup --model tso --html .",
        "fences p.cup --model tso --emit .",
        "test p.cup --junit .",
        "step p.cup --model tso --save .",
    ] {
        folder.refused(args, "p.cup", "`.` is a folder");
        assert_eq!(folder.cupola(args).stdout, "", "{args}");
    }
    let said = folder.cupola("verify p.cup -o /proc/no-such-file");
    assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""));
    let message =
        "error: cannot write `/proc/no-such-file`: No such file or directory (os error 2)\n";
    assert_eq!(said.stderr, message);
}

#[test]
fn a_failure_is_told_once() {
    let folder = Folder::new();
    let test = "X86 T\n{ }\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n";
    folder.put("t.litmus", test);
    let said = folder.cupola("litmus t.litmus --model all --html t.litmus --force");
    assert_eq!(said.code, Some(2));
    assert_eq!(
        said.stderr.matches("is an input").count(),
        1,
        "{}",
        said.stderr
    );
    assert_eq!(folder.text("t.litmus"), test);
}

/// In a file system of 64 KB, of which almost nothing is left.
#[test]
fn a_full_disk_leaves_what_was_there() {
    let folder = Folder::new();
    let stores: String = (0..2_000)
        .map(|value| format!("  x = {value};\n"))
        .collect();
    folder.put(
        "big.cup",
        &format!("shared x;\nthread P {{\n{stores}}}\ninvariant x >= 0;\n"),
    );
    fs::create_dir(folder.path("disk")).expect("a folder");
    let script = "
        mount -t tmpfs -o size=64k none disk || exit 77
        echo old > disk/file; echo old > disk/one; ln disk/one disk/two
        chmod 640 disk/file; mkdir disk/empty
        for where in '-o disk/new' '-o disk/file --force' '-o disk/one --force' '-o disk/empty'; do
          $CUPOLA translate big.cup --model tso $where > told; echo code $?; grep -c invariant told
        done
        $CUPOLA verify big.cup --model sc --certificate disk/cert > report; echo code $?
        $CUPOLA verify big.cup --model sc --certificate disk/empty > report; echo code $?
        cat disk/file disk/one disk/two; stat -c %a disk/file; ls -A disk disk/empty
    ";
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", script]);
    command.env("CUPOLA", env!("CARGO_BIN_EXE_cupola"));
    command.stdin(Stdio::null());
    if !Path::new("/proc/self/ns/user").exists() {
        return;
    }
    let said = folder.run(&mut command);
    if said.code == Some(77) || said.stderr.starts_with("unshare: ") {
        // Where no file system may be mounted, `/dev/full` is all that can be tried.
        return;
    }
    // A result that does not fit is told all the same.
    let codes = "code 2\n1\n".repeat(4) + &"code 2\n".repeat(2);
    let kept = "old\nold\nold\n640\ndisk:\nempty\nfile\none\ntwo\n\ndisk/empty:\n";
    assert_eq!(said.stdout, format!("{codes}{kept}"), "{}", said.stderr);
    let told = said.stderr.matches("No space left on device").count();
    assert_eq!(told, 6, "{}", said.stderr);
}
