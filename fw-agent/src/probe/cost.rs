//! What the probes cost: run times as the kernel accounts them. That accounting itself costs about as much as a probe,
//! so it is switched on only for a slice of each window, and what the slice saw is scaled up to the window.

use std::{
    fs,
    os::fd::{AsFd, AsRawFd, OwnedFd},
    time::{Duration, Instant},
};

use aya::{
    programs::ProgramFd,
    sys::{Stats, enable_stats},
};

use crate::model;

/// How long the accounting is on, at most, in each window: long enough for some thousand runs on a busy host, and 2 %
/// of a window of one second.
pub const SLICE: Duration = Duration::from_millis(20);

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

/// Keeps the accounts of the programs of one window after the other.
#[derive(Default)]
pub struct Cost {
    /// Runs and run times seen in the slices of this window, by program.
    seen: Vec<(u64, u64)>,
    slices: Duration,
    recursion: u64,
    recursion_reported: u64,
    scratch: String,
}

impl Cost {
    /// Switches the accounting on for one slice, and waits for its end. Without the permission, or with the accounting
    /// on for good (`sysctl kernel.bpf_stats_enabled=1`), it works as well as can be: nothing fails.
    pub fn slice(&mut self, programs: &[Program], slice: Duration) {
        let before: Vec<Account> = programs.iter().map(|p| account(p, &mut self.scratch)).collect();
        let Ok(on) = enable_stats(Stats::RunTime) else { return };
        let began = Instant::now();
        std::thread::sleep(slice);
        let lasted = began.elapsed();
        drop::<OwnedFd>(on);
        self.seen.resize(programs.len(), (0, 0));
        self.recursion = 0;
        for (i, (program, before)) in programs.iter().zip(before).enumerate() {
            let after = account(program, &mut self.scratch);
            self.seen[i].0 += after.run_count.saturating_sub(before.run_count);
            self.seen[i].1 += after.run_time_ns.saturating_sub(before.run_time_ns);
            self.recursion += after.recursion;
        }
        self.slices += lasted;
    }

    /// The probes' cost over a window of `window`, and the programs skipped by recursion within it. Begins a new window.
    pub fn take(&mut self, programs: &[Program], window: Duration) -> (Vec<model::Probe>, u64) {
        let scale = if self.slices.is_zero() { 0.0 } else { window.as_secs_f64() / self.slices.as_secs_f64() };
        let probes = programs
            .iter()
            .zip(self.seen.drain(..).chain(std::iter::repeat((0, 0))))
            .map(|(program, (runs, ns))| model::Probe {
                name: program.name.into(),
                run_count: (runs as f64 * scale) as u64,
                run_time_ns: (ns as f64 * scale) as u64,
            })
            .collect();
        self.slices = Duration::ZERO;
        let recursion = self.recursion.saturating_sub(self.recursion_reported);
        self.recursion_reported = self.recursion;
        (probes, recursion)
    }
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
    let field = |name: &str| {
        fdinfo
            .lines()
            .find_map(|l| l.strip_prefix(name)?.trim_start().parse().ok())
            .unwrap_or(0)
    };
    Account {
        run_count: field("run_cnt:"),
        run_time_ns: field("run_time_ns:"),
        recursion: field("recursion_misses:"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_read_from_fdinfo() {
        let text = "pos:\t0\nflags:\t02000002\nprog_type:\t26\nrun_time_ns:\t1234\nrun_cnt:\t56\nrecursion_misses:\t7\n";
        assert_eq!(parse(text), Account { run_count: 56, run_time_ns: 1234, recursion: 7 });
        assert_eq!(parse("garbage\nrun_cnt:\tx\n"), Account::default());
    }
}
