//! Memorax as a program beside ours: run on a file, and its answer read.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cupola::bench::tacas::{PeerEnd, PeerFigures};

use super::Failure;

const NAME: &str = "memorax";

/// How often a run is looked at.
const TICK: Duration = Duration::from_millis(2);

/// Memorax, where it stands on the PATH.
pub struct Memorax {
    path: PathBuf,
    timeout: Duration,
}

/// One run.
struct Run {
    end: PeerEnd,
    seconds: f64,
    output: String,
}

impl Memorax {
    /// Looks for it on the PATH.
    pub fn find(timeout: Duration) -> Result<Self, Failure> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut found = std::env::split_paths(&path).map(|folder| folder.join(NAME));
        match found.find(|path| path.is_file()) {
            Some(path) => Ok(Memorax { path, timeout }),
            None => Err(Failure::with_hint(
                format!("there is no `{NAME}` on the PATH"),
                "build Memorax and add its folder to the PATH, or leave `--peer` away",
            )),
        }
    }

    /// Has it find one minimal set of fences, and then all.
    pub fn measure(&self, file: &Path) -> PeerFigures {
        let one = self.run(file, &["--only-one"]);
        let all = match one.end {
            PeerEnd::Answered => self.run(file, &[]),
            PeerEnd::Failed | PeerEnd::Timeout => Run {
                output: String::new(),
                ..one
            },
        };
        let sets = sets(&all.output);
        PeerFigures {
            tool: NAME.to_owned(),
            end: match (all.end, sets) {
                (PeerEnd::Answered, None) => PeerEnd::Failed,
                (end, _) => end,
            },
            sets,
            one_seconds: one.seconds,
            all_seconds: all.seconds,
        }
    }

    fn run(&self, file: &Path, options: &[&str]) -> Run {
        let start = Instant::now();
        let child = Command::new(&self.path)
            .args(["fencins", "--abstraction", "sb", "--rff"])
            .args(options)
            .arg(file)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let (end, output) = match child {
            Ok(child) => self.wait(child, start),
            Err(_) => (PeerEnd::Failed, String::new()),
        };
        Run {
            end,
            seconds: start.elapsed().as_secs_f64(),
            output,
        }
    }

    /// Waits for a run, but not longer than it may take.
    fn wait(&self, mut child: Child, start: Instant) -> (PeerEnd, String) {
        let mut stdout = child.stdout.take();
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(stdout) = &mut stdout {
                // What cannot be read is not understood.
                let _ = stdout.read_to_end(&mut bytes);
            }
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let end = loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => break PeerEnd::Answered,
                Ok(Some(_)) | Err(_) => break PeerEnd::Failed,
                Ok(None) if start.elapsed() >= self.timeout => {
                    let _ = child.kill();
                    let _ = child.wait();
                    break PeerEnd::Timeout;
                }
                Ok(None) => std::thread::sleep(TICK),
            }
        };
        match end {
            PeerEnd::Answered => (end, reader.join().unwrap_or_default()),
            // A child of the child may hold the pipe open.
            PeerEnd::Failed | PeerEnd::Timeout => (end, String::new()),
        }
    }
}

/// The number of sets in an answer: `Found 4 fence sets:`.
fn sets(output: &str) -> Option<usize> {
    let line = output
        .lines()
        .find(|line| line.starts_with("Found ") && line.contains("fence set"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
