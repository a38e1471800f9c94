//! What the probes cost: run times as the kernel accounts them. That accounting itself costs about as much as a probe,
//! so it is switched on only for a slice of each window, and what the slice saw is scaled up to the window.

use std::{
    fs,
    os::fd::{AsFd, AsRawFd, OwnedFd},
    sync::{
        Arc, Mutex, MutexGuard,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    time::{Duration, Instant},
};

use aya::{
    programs::ProgramFd,
    sys::{Stats, enable_stats},
};

use crate::model;

/// How long the accounting is on: long enough for some thousand runs on a busy host.
const SLICE: Duration = Duration::from_millis(10);
/// How long it is off in between. Short enough for several slices in a window of a second.
const PAUSE: Duration = Duration::from_millis(240);

/// A loaded program.
pub struct Program {
    /// Its tracepoint.
    pub name: &'static str,
    /// The program itself.
    pub fd: ProgramFd,
}

/// The kernel's accounting of one program since it was loaded.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
struct Account {
    run_count: u64,
    run_time_ns: u64,
    recursion: u64,
}

/// What the slices of the present window saw.
#[derive(Default)]
struct Seen {
    /// Runs and run time, by program.
    runs: Vec<(u64, u64)>,
    lasted: Duration,
    recursion: u64,
}

/// Accounts for the probes' cost on a thread of its own, so that nobody waits for a slice to end.
pub struct Cost {
    names: Vec<&'static str>,
    seen: Arc<Mutex<Seen>>,
    recursion_reported: u64,
    // Dropping it ends the thread.
    _stop: Sender<()>,
}

impl Cost {
    /// Begins to account. Without the permission to, costs are 0, and nothing fails.
    pub fn start(programs: Vec<Program>) -> Cost {
        let names = programs.iter().map(|p| p.name).collect();
        let seen = Arc::new(Mutex::new(Seen { runs: vec![(0, 0); programs.len()], ..Seen::default() }));
        let (stop, stopped) = mpsc::channel();
        let to = seen.clone();
        let spawned = std::thread::Builder::new().name("fw-cost".into()).spawn(move || {
            while stopped.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) && slice(&programs, &stopped, &to) {}
        });
        // Without the thread there is no cost to show, as without the permission.
        drop(spawned);
        Cost { names, seen, recursion_reported: 0, _stop: stop }
    }

    /// The probes' cost over a window of `window`, and the programs skipped by recursion within it. Begins a new window.
    pub fn take(&mut self, window: Duration) -> (Vec<model::Probe>, u64) {
        let mut seen = lock(&self.seen);
        let scale = if seen.lasted.is_zero() { 0.0 } else { window.as_secs_f64() / seen.lasted.as_secs_f64() };
        let probe = |(name, (runs, ns)): (&&str, &mut (u64, u64))| model::Probe {
            name: (*name).into(),
            run_count: (std::mem::take(runs) as f64 * scale) as u64,
            run_time_ns: (std::mem::take(ns) as f64 * scale) as u64,
        };
        let probes = self.names.iter().zip(seen.runs.iter_mut()).map(probe).collect();
        seen.lasted = Duration::ZERO;
        let recursion = seen.recursion.saturating_sub(self.recursion_reported);
        self.recursion_reported = seen.recursion;
        (probes, recursion)
    }
}

/// Switches the accounting on for one slice. False if that is not allowed.
fn slice(programs: &[Program], stopped: &Receiver<()>, to: &Mutex<Seen>) -> bool {
    let mut scratch = String::new();
    let before: Vec<Account> = programs.iter().map(|p| account(p, &mut scratch)).collect();
    let Ok(on) = enable_stats(Stats::RunTime) else { return false };
    let began = Instant::now();
    let _ = stopped.recv_timeout(SLICE);
    let lasted = began.elapsed();
    drop::<OwnedFd>(on);
    let after: Vec<Account> = programs.iter().map(|p| account(p, &mut scratch)).collect();
    let mut seen = lock(to);
    for ((runs, ns), (before, after)) in seen.runs.iter_mut().zip(before.iter().zip(&after)) {
        *runs += after.run_count.saturating_sub(before.run_count);
        *ns += after.run_time_ns.saturating_sub(before.run_time_ns);
    }
    seen.recursion = after.iter().map(|a| a.recursion).sum();
    seen.lasted += lasted;
    true
}

/// A panic elsewhere leaves plain numbers behind, which are as good as before.
fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The kernel shows a program's accounts in the file descriptor's info.
fn account(program: &Program, scratch: &mut String) -> Account {
    scratch.clear();
    let path = format!("/proc/self/fdinfo/{}", program.fd.as_fd().as_raw_fd());
    if let Ok(mut file) = fs::File::open(path) {
        // Unreadable: the account stays at 0, as for a kernel that keeps none.
        let _ = std::io::Read::read_to_string(&mut file, scratch);
    }
    parse(scratch)
}

fn parse(fdinfo: &str) -> Account {
    let field = |name: &str| fdinfo.lines().find_map(|l| l.strip_prefix(name)?.trim_start().parse().ok()).unwrap_or(0);
    Account { run_count: field("run_cnt:"), run_time_ns: field("run_time_ns:"), recursion: field("recursion_misses:") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_read_from_fdinfo() {
        let text =
            "pos:\t0\nflags:\t02000002\nprog_type:\t26\nrun_time_ns:\t1234\nrun_cnt:\t56\nrecursion_misses:\t7\n";
        assert_eq!(parse(text), Account { run_count: 56, run_time_ns: 1234, recursion: 7 });
        assert_eq!(parse("garbage\nrun_cnt:\tx\n"), Account::default());
    }
}
