//! The thread that observes: keys never wait for it. It owns the source, which need not be movable between threads.

use fw_agent::model::Snapshot;
use std::{
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread,
    time::{Duration, Instant},
};

/// Where windows come from.
pub trait Source {
    /// The window since the previous call (or since the start).
    ///
    /// # Errors
    /// If the host cannot be observed any more.
    fn snapshot(&mut self) -> anyhow::Result<Snapshot>;
}

/// Tells the sampling thread what to do. Dropping it ends the thread.
#[derive(Debug)]
pub struct Control(Sender<Command>);

#[derive(Debug)]
enum Command {
    Tick(Duration),
    Discard(Arc<Snapshot>),
}

impl Control {
    /// Windows of this length from now on.
    pub fn tick(&self, tick: Duration) {
        // A thread that has ended has said why already.
        let _ = self.0.send(Command::Tick(tick));
    }

    /// Frees a window in the sampling thread, which has time for that.
    pub fn discard(&self, window: Arc<Snapshot>) {
        let _ = self.0.send(Command::Discard(window));
    }
}

/// Starts sampling every `tick`. `open` makes the source in the new thread, and this waits for it, so that a host that
/// refuses is told before the terminal is taken. Each window, or the error that ends sampling, is given to `deliver`,
/// which says whether anybody still listens.
///
/// # Errors
/// Those of `open`.
pub fn start<S: Source>(
    open: impl FnOnce() -> anyhow::Result<S> + Send + 'static,
    tick: Duration,
    deliver: impl Fn(anyhow::Result<Snapshot>) -> bool + Send + 'static,
) -> anyhow::Result<Control> {
    let (control, commands) = mpsc::channel();
    let (opened, ready) = mpsc::channel();
    thread::Builder::new().name("fw-top-sampler".into()).spawn(move || match open() {
        Ok(source) => {
            // Nobody waits any more if the program is ending.
            let _ = opened.send(Ok(()));
            // Other threads keep the program alive, so a panic here must be told like any other end of sampling.
            if panic::catch_unwind(AssertUnwindSafe(|| sample(source, tick, &commands, &deliver))).is_err() {
                deliver(Err(anyhow::anyhow!("the sampling thread panicked; this is a bug in fw-top")));
            }
        }
        Err(error) => drop(opened.send(Err(error))),
    })?;
    ready.recv().unwrap_or_else(|_| Err(anyhow::anyhow!("the sampling thread ended before it began")))?;
    Ok(Control(control))
}

fn sample(
    mut source: impl Source,
    mut tick: Duration,
    commands: &Receiver<Command>,
    deliver: &impl Fn(anyhow::Result<Snapshot>) -> bool,
) {
    let mut last = Instant::now();
    loop {
        // A new tick counts from the last window, so that pressing the key often does not put windows off for ever.
        match commands.recv_timeout((last + tick).saturating_duration_since(Instant::now())) {
            Ok(Command::Tick(new)) => {
                tick = new;
                continue;
            }
            Ok(Command::Discard(window)) => {
                drop(window);
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => (),
        }
        last = Instant::now();
        let window = source.snapshot();
        let failed = window.is_err();
        if !deliver(window) || failed {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a window for each number of seconds, then fails.
    struct Script(Vec<f64>);

    impl Source for Script {
        fn snapshot(&mut self) -> anyhow::Result<Snapshot> {
            let window_s = self.0.pop().ok_or_else(|| anyhow::anyhow!("the script is over"))?;
            Ok(Snapshot { window_s, ..Snapshot::default() })
        }
    }

    #[test]
    fn windows_come_until_the_source_fails() {
        let (tx, rx) = mpsc::channel();
        let open = || Ok(Script(vec![2.0, 1.0]));
        let control = start(open, Duration::from_millis(1), move |w| tx.send(w).is_ok()).unwrap();
        let got: Vec<Option<f64>> = rx.iter().map(|w| w.ok().map(|s| s.window_s)).collect();
        assert_eq!(got, [Some(1.0), Some(2.0), None]);
        control.tick(Duration::from_secs(1));
    }

    #[test]
    fn a_panic_ends_sampling_with_an_error() {
        struct Broken;
        impl Source for Broken {
            fn snapshot(&mut self) -> anyhow::Result<Snapshot> {
                panic!("on purpose")
            }
        }
        let (tx, rx) = mpsc::channel();
        let _control = start(|| Ok(Broken), Duration::from_millis(1), move |w| tx.send(w).is_ok()).unwrap();
        assert!(rx.recv().unwrap().unwrap_err().to_string().contains("panicked"));
    }

    #[test]
    fn a_source_that_cannot_be_opened_is_told_at_once() {
        let refused = start(|| Err::<Script, _>(anyhow::anyhow!("no permission")), Duration::from_secs(1), |_| true);
        assert_eq!(refused.unwrap_err().to_string(), "no permission");
    }

    #[test]
    fn a_window_is_freed_by_the_sampling_thread() {
        let control = start(|| Ok(Script(Vec::new())), Duration::from_secs(86_400), |_| true).unwrap();
        let window = Arc::new(Snapshot::default());
        let watched = Arc::downgrade(&window);
        control.discard(window);
        while watched.strong_count() > 0 {
            thread::yield_now();
        }
    }

    #[test]
    fn a_shorter_tick_is_obeyed_at_once() {
        let (tx, rx) = mpsc::channel();
        let control =
            start(|| Ok(Script(vec![1.0])), Duration::from_secs(86_400), move |w| tx.send(w).is_ok()).unwrap();
        control.tick(Duration::from_millis(1));
        assert!(rx.recv().unwrap().is_ok());
    }
}
