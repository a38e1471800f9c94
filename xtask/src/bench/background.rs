//! Programs that run beside what is measured.

use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Longest time from a program's start to its announcement.
const PATIENCE: Duration = Duration::from_secs(30);

/// A program in the background; terminated when dropped.
pub struct Background {
    child: Child,
    stdout: Option<JoinHandle<String>>,
    stderr: Option<JoinHandle<String>>,
}

impl Background {
    /// Starts a program.
    pub fn start(command: &mut Command) -> Result<Background> {
        Self::spawn(command, "", None)
    }

    /// Starts a program and waits for a line that contains the announcement, which it prints when it is attached.
    ///
    /// # Errors
    /// If it can't start, ends, or stays silent: with what it wrote.
    pub fn attached(command: &mut Command, announcement: &str) -> Result<Background> {
        let (tell, told) = mpsc::channel();
        let mut background = Self::spawn(command, announcement, Some(tell))?;
        if told.recv_timeout(PATIENCE).is_err() {
            background.terminate();
            let said = background.collect();
            bail!("{} did not say `{announcement}`: {}", command.get_program().display(), said.1);
        }
        Ok(background)
    }

    fn spawn(command: &mut Command, announcement: &str, tell: Option<Sender<()>>) -> Result<Background> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("can't run {}", command.get_program().display()))?;
        let stdout = child.stdout.take().map(|pipe| follow(pipe, announcement, tell.clone()));
        let stderr = child.stderr.take().map(|pipe| follow(pipe, announcement, tell));
        Ok(Background { child, stdout, stderr })
    }

    /// Waits for its end; what it printed.
    ///
    /// # Errors
    /// If it failed: with its errors.
    pub fn finish(mut self) -> Result<String> {
        let status = self.child.wait()?;
        let (stdout, stderr) = self.collect();
        if !status.success() {
            bail!("a program in the background failed ({status}): {stderr}");
        }
        Ok(stdout)
    }

    fn collect(&mut self) -> (String, String) {
        let join =
            |thread: Option<JoinHandle<String>>| thread.and_then(|thread| thread.join().ok()).unwrap_or_default();
        (join(self.stdout.take()), join(self.stderr.take()))
    }

    fn terminate(&mut self) {
        terminate(&mut self.child);
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.terminate();
    }
}

/// Asks a child to end and waits until it has. Not a kill: stress-ng would leave its workers behind.
pub fn terminate(child: &mut Child) {
    if let Ok(None) = child.try_wait() {
        // Neither can fail for a child that has not been waited for.
        let _ = Command::new("sh").args(["-c", "kill $0", &child.id().to_string()]).status();
        let _ = child.wait();
    }
}

/// Reads to the end, so that the program never waits for its reader.
fn follow(pipe: impl Read + Send + 'static, announcement: &str, tell: Option<Sender<()>>) -> JoinHandle<String> {
    let announcement = announcement.to_owned();
    thread::spawn(move || {
        let mut whole = String::new();
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            if let Some(tell) = tell.as_ref().filter(|_| line.contains(&announcement)) {
                // Nobody listens any more after the first time.
                let _ = tell.send(());
            }
            whole.push_str(&line);
            whole.push('\n');
        }
        whole
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_announcement_is_waited_for_and_output_kept() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo attached >&2; echo result"]);
        assert_eq!(Background::attached(&mut shell, "attached").unwrap().finish().unwrap(), "result\n");
    }

    #[test]
    fn a_program_that_ends_without_announcement_is_an_error() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo no permission >&2; exit 1"]);
        let error = Background::attached(&mut shell, "attached").err().unwrap().to_string();
        assert!(error.contains("no permission"), "{error}");
    }
}
