//! Waiting that Ctrl-C and termination end early.

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    flag,
    iterator::Signals,
};
use std::{
    io,
    sync::{
        Arc,
        atomic::AtomicBool,
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    thread,
    time::Instant,
};

/// Whether a wait ended as planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waited {
    /// The time has come.
    Due,
    /// Somebody asked to stop.
    Interrupted,
}

/// Requests to stop.
pub(super) struct Interrupts(Receiver<()>);

impl Interrupts {
    /// Turns SIGINT, SIGTERM and SIGHUP into requests. A second one ends the process at once, as it would have without.
    pub(super) fn catch() -> io::Result<Interrupts> {
        let signals = [SIGINT, SIGTERM, SIGHUP];
        let asked = Arc::new(AtomicBool::new(false));
        for signal in signals {
            // In this order: the first signal finds the flag down, and raises it for the second.
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&asked))?;
            flag::register(signal, Arc::clone(&asked))?;
        }
        let mut signals = Signals::new(signals)?;
        let (sender, receiver) = mpsc::channel();
        thread::Builder::new().name("signals".into()).spawn(move || {
            // Nobody receiving means that the process is about to end.
            signals.forever().take_while(|_| sender.send(()).is_ok()).for_each(drop);
        })?;
        Ok(Interrupts(receiver))
    }

    /// Waits until the deadline, or until asked to stop.
    pub(super) fn wait_until(&self, deadline: Instant) -> Waited {
        match self.0.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Err(RecvTimeoutError::Timeout) => Waited::Due,
            Ok(()) | Err(RecvTimeoutError::Disconnected) => Waited::Interrupted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use signal_hook::low_level::raise;
    use std::time::Duration;

    #[test]
    fn a_signal_ends_the_wait_and_a_deadline_too() {
        let interrupts = Interrupts::catch().unwrap();
        assert_eq!(interrupts.wait_until(Instant::now()), Waited::Due);
        raise(SIGTERM).unwrap();
        assert_eq!(interrupts.wait_until(Instant::now() + Duration::from_secs(600)), Waited::Interrupted);
    }
}
