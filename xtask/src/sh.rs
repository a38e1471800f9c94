//! Runs commands, with one line of progress for each.

use crate::toolchain;
use anyhow::{Context, Result, bail};
use std::collections::HashSet;
use std::env;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, IsTerminal, Write, stderr};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Lines of a failed command's output that are shown; the log has all.
const TAIL: usize = 30;

/// The workspace's directory.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Cargo's target directory.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// Where programs are: on the PATH, where cargo installs, and where Debian puts depmod and runqlat, which is not on
/// every user's PATH.
pub fn program_dirs() -> Vec<PathBuf> {
    let mut dirs = toolchain::program_dirs();
    dirs.extend(["/usr/sbin", "/sbin"].map(PathBuf::from));
    let mut seen = HashSet::new();
    dirs.retain(|dir| seen.insert(dir.clone()));
    dirs
}

/// A command in the workspace's directory.
pub fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    // `cargo run` put the libraries of its own toolchain there; other toolchains must not find them.
    command.env_remove("LD_LIBRARY_PATH");
    if let Ok(path) = env::join_paths(program_dirs()) {
        command.env("PATH", path);
    }
    command
}

/// A command that takes some time, and how it is announced.
pub struct Step<'a> {
    title: &'a str,
    command: &'a mut Command,
    limit: Duration,
}

/// A command that ended.
pub struct Ended {
    /// How.
    pub status: ExitStatus,
    /// Its output and errors, as they came.
    pub output: String,
    /// The file that has them too.
    pub log: PathBuf,
}

impl<'a> Step<'a> {
    /// A step that may take an hour.
    pub fn new(title: &'a str, command: &'a mut Command) -> Step<'a> {
        Step { title, command, limit: Duration::from_secs(3600) }
    }

    /// Kills the command if it takes longer.
    pub fn limit(mut self, limit: Duration) -> Step<'a> {
        self.limit = limit;
        self
    }

    /// Runs it; the output.
    ///
    /// # Errors
    /// If it can't start, fails or takes too long: with the tail of the output and the log's path.
    pub fn run(self) -> Result<String> {
        let title = self.title.to_owned();
        let ended = self.end()?;
        if !ended.status.success() {
            bail!("{title} failed ({}):\n{}\nall of it: {}", ended.status, tail(&ended.output), ended.log.display());
        }
        Ok(ended.output)
    }

    /// Runs it to its end, good or bad.
    ///
    /// # Errors
    /// If it can't start or takes too long.
    pub fn end(self) -> Result<Ended> {
        let log = log_path(self.title)?;
        let mut file = File::create(&log).with_context(|| format!("can't write {}", log.display()))?;
        let (reader, writer) = std::io::pipe()?;
        self.command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
        let program = self.command.get_program().display().to_string();
        let mut child = self.command.spawn().with_context(|| format!("can't run {program}"))?;
        // The command holds the pipe's other end until it is replaced: without this, reading would never end.
        self.command.stdout(Stdio::null()).stderr(Stdio::null());

        let (lines, arriving) = mpsc::channel();
        let reading = std::thread::spawn(move || {
            let mut reader = BufReader::new(reader);
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
                if lines.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    break;
                }
                line.clear();
            }
        });
        let mut progress = Progress::start(self.title);
        let mut output = String::new();
        loop {
            match arriving.recv_timeout(Duration::from_secs(1)) {
                Ok(line) => {
                    file.write_all(line.as_bytes())?;
                    progress.show(line.trim_end());
                    output.push_str(&line);
                }
                Err(RecvTimeoutError::Timeout) => progress.tick(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if progress.started.elapsed() > self.limit {
                child.kill()?;
                child.wait()?;
                progress.done("stopped");
                bail!(
                    "{} took more than {} s:\n{}\nall of it: {}",
                    self.title,
                    self.limit.as_secs(),
                    tail(&output),
                    log.display()
                );
            }
        }
        let status = child.wait()?;
        // It ended the channel, so it is at its end; nothing in it panics.
        let _ = reading.join();
        progress.done(if status.success() { "done" } else { "failed" });
        Ok(Ended { status, output, log })
    }
}

fn log_path(title: &str) -> Result<PathBuf> {
    let name: String = title.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let dir = target().join("xtask");
    fs::create_dir_all(&dir).with_context(|| format!("can't make {}", dir.display()))?;
    Ok(dir.join(name).with_extension("log"))
}

/// The last lines of an output.
pub fn tail(output: &str) -> String {
    let lines: Vec<&str> = output.lines().collect();
    lines[lines.len().saturating_sub(TAIL)..].join("\n")
}

/// `[ 12s] building fw-agent ...`: one line that changes on a terminal; elsewhere a line at the start, each minute and
/// at the end.
struct Progress<'a> {
    title: &'a str,
    started: Instant,
    terminal: bool,
    last: String,
    minutes: u64,
}

impl Progress<'_> {
    fn start(title: &str) -> Progress<'_> {
        let mut progress = Progress {
            title,
            started: Instant::now(),
            terminal: stderr().is_terminal(),
            last: String::new(),
            minutes: 0,
        };
        if progress.terminal {
            progress.tick();
        } else {
            progress.line("...");
        }
        progress
    }

    fn show(&mut self, line: &str) {
        // What moves the cursor (a BIOS does) would break the line.
        if self.terminal && !line.trim().is_empty() && !line.contains(char::is_control) {
            self.last = line.trim().to_owned();
            self.tick();
        }
    }

    fn tick(&mut self) {
        let seconds = self.started.elapsed().as_secs();
        if self.terminal {
            let line: String = format!("[{seconds:3}s] {} ... {}", self.title, self.last).chars().take(79).collect();
            eprint!("\r\x1b[K{line}");
            let _ = stderr().flush();
        } else if seconds / 60 > self.minutes {
            self.minutes = seconds / 60;
            self.line("...");
        }
    }

    fn done(&self, how: &str) {
        if self.terminal {
            eprint!("\r\x1b[K");
        }
        self.line(how);
    }

    fn line(&self, what: &str) {
        eprintln!("[{:3}s] {} {what}", self.started.elapsed().as_secs(), self.title);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_shows_its_output_and_its_log() {
        let mut command = command("sh");
        command.args(["-c", "echo out; echo err >&2; exit 3"]);
        let error = Step::new("failing for the test", &mut command).run().unwrap_err().to_string();
        assert!(error.contains("out\nerr\n") && error.contains("failing-for-the-test.log"), "{error}");
    }

    #[test]
    fn a_step_that_takes_too_long_is_stopped() {
        let mut command = command("sleep");
        let error = Step::new("hanging for the test", command.arg("1000")).limit(Duration::ZERO).run().unwrap_err();
        assert!(error.to_string().contains("took more than 0 s"), "{error}");
    }
}
