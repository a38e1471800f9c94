//! `fw-agent observe`

use super::{
    interrupts::{Interrupts, Waited},
    refuse, say,
    schedule::Schedule,
    values,
};
use fw_agent::{
    model::Snapshot,
    observe::{Filter, Observer, Options},
    probe::Family,
    report::{json, text},
};
use std::{
    collections::BTreeSet,
    io::{self, IsTerminal, Write},
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};

/// Watches wake-ups and reports who pays for them, and for what
///
/// Shows which interrupt wakes which thread, on which CPU, and how long each leg takes. Ctrl-C ends it early, with a
/// report of what was measured so far.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// How long to observe: 10s, 500ms, 2m or plain seconds [default: 10s, or as long as --count takes]
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    duration: Option<Duration>,
    /// Time between reports [default: one report at the end, or with --count 1s]
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    interval: Option<Duration>,
    /// Ends after this many reports
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
    /// Prints JSON, one object a line
    #[arg(long, conflicts_with = "text")]
    json: bool,
    /// Prints text, 100 columns wide (the default)
    #[arg(long)]
    text: bool,
    /// Rows a table of the text
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Attaches only these probes and leaves wakes alone, for the least cost [default: the whole chain]
    #[arg(long, value_name = "PROBES", value_delimiter = ',')]
    only: Vec<Only>,
    /// Only wakes by these interrupts: matches number, handler name and device; * and ? are wildcards
    #[arg(long, value_name = "GLOB", help_heading = "Filters (of the woken thread)")]
    irq: Option<String>,
    /// Only this thread, or the threads of this process
    #[arg(long, value_name = "N", value_parser = values::pid, help_heading = "Filters (of the woken thread)")]
    pid: Option<u32>,
    /// Only threads of this name; with a trailing *, threads whose name begins so
    #[arg(long, value_name = "NAME", value_parser = values::comm, help_heading = "Filters (of the woken thread)")]
    comm: Option<String>,
    /// Only threads in this cgroup (a directory under /sys/fs/cgroup) or below
    #[arg(long, value_name = "PATH", help_heading = "Filters (of the woken thread)")]
    cgroup: Option<PathBuf>,
}

/// Probes that make sense without the others: a wake's cause needs all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Only {
    /// Hard IRQs: counts, handler times
    Irqs,
    /// Softirqs and NAPI: counts, raise to entry, entry to exit
    Softirqs,
}

const EXAMPLES: &str = "\
Examples:
  fw-agent observe                                   one report about the next ten seconds
  fw-agent observe --duration 1m --comm fio          only threads named fio, for a minute
  fw-agent observe --interval 1s --count 5 --json    five objects, one a line
  fw-agent observe --irq 'virtio*' --top 3           only threads that these interrupts wake

Exit status: 0 after a report, 1 if the host did not allow it, 2 if the command line made no sense.
`fw-agent doctor` tells what this host allows.";

/// Observes and reports as the options say.
pub(super) fn run(args: &Args, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let schedule =
        Schedule::new(args.duration, args.interval, args.count).unwrap_or_else(|why| refuse("observe", &why));
    let interrupts = Interrupts::catch()?;
    let options = Options { filter: args.filter(), families: args.families(), ..Options::default() };
    let mut observer = Observer::start(&options)?;
    let started = Instant::now();
    say(&format!("attached: observing {schedule}, Ctrl-C to stop early"));
    let wait = |end| wait(&interrupts, started, end);
    reports(&schedule, wait, || observer.snapshot(), |snapshot, first| args.report(out, snapshot, first))?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn families(&self) -> BTreeSet<Family> {
        if self.only.is_empty() {
            return Family::ALL.into();
        }
        let family = |only: &Only| match only {
            Only::Irqs => Family::Irqs,
            Only::Softirqs => Family::Softirqs,
        };
        self.only.iter().map(family).collect()
    }

    fn filter(&self) -> Filter {
        Filter { pid: self.pid, comm: self.comm.clone(), cgroup: self.cgroup.clone(), irq: self.irq.clone() }
    }

    fn report(&self, out: &mut impl Write, snapshot: &Snapshot, first: bool) -> io::Result<()> {
        if self.json {
            json::write(out, snapshot)?;
        } else {
            if !first {
                writeln!(out)?;
            }
            text::write(out, snapshot, self.top)?;
        }
        // Whoever reads a pipe wants each report when it is due.
        out.flush()
    }
}

/// One report each time one is due; an interrupted wait gives the last one early.
fn reports<E>(
    schedule: &Schedule,
    mut wait: impl FnMut(Duration) -> Waited,
    mut snapshot: impl FnMut() -> Result<Snapshot, E>,
    mut report: impl FnMut(&Snapshot, bool) -> io::Result<()>,
) -> anyhow::Result<()>
where
    anyhow::Error: From<E>,
{
    for (n, end) in schedule.ends().enumerate() {
        let waited = wait(end);
        report(&snapshot()?, n == 0)?;
        if waited == Waited::Interrupted {
            break;
        }
    }
    Ok(())
}

/// Waits until `end` after the start, and tells a person how far it is.
fn wait(interrupts: &Interrupts, started: Instant, end: Duration) -> Waited {
    let deadline = started + end;
    let mut screen = io::stderr();
    if !screen.is_terminal() {
        return interrupts.wait_until(deadline);
    }
    loop {
        let passed = started.elapsed().as_secs();
        let _ = write!(screen, "\r{passed} s of {} s ", end.as_secs_f64());
        let step = deadline.min(started + Duration::from_secs(passed + 1));
        let waited = interrupts.wait_until(step);
        if waited == Waited::Interrupted || step == deadline {
            let _ = write!(screen, "\r{:40}\r", "");
            return waited;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// The windows that were reported when the wait with this number (from 0) is interrupted.
    fn reported(interrupted: usize) -> Vec<(f64, bool)> {
        let schedule = Schedule::new(None, None, Some(5)).unwrap();
        let (mut waits, mut windows, mut seen) = (0, 0, Vec::new());
        let wait = |_| {
            waits += 1;
            if waits > interrupted { Waited::Interrupted } else { Waited::Due }
        };
        let snapshot = || {
            windows += 1;
            Ok::<_, Infallible>(Snapshot { window_s: f64::from(windows), ..Snapshot::default() })
        };
        let report = |snapshot: &Snapshot, first| {
            seen.push((snapshot.window_s, first));
            Ok(())
        };
        reports(&schedule, wait, snapshot, report).unwrap();
        seen
    }

    #[test]
    fn an_interrupted_wait_gives_what_there_is() {
        assert_eq!(reported(0), [(1.0, true)]);
        assert_eq!(reported(1), [(1.0, true), (2.0, false)]);
        assert_eq!(reported(9).len(), 5);
    }

    #[test]
    fn a_closed_output_ends_it() {
        let schedule = Schedule::new(None, None, Some(5)).unwrap();
        let mut windows = 0;
        let snapshot = || {
            windows += 1;
            Ok::<_, Infallible>(Snapshot::default())
        };
        let closed = |_: &Snapshot, _| Err(io::ErrorKind::BrokenPipe.into());
        let error = reports(&schedule, |_| Waited::Due, snapshot, closed).unwrap_err();
        assert_eq!(error.downcast_ref::<io::Error>().unwrap().kind(), io::ErrorKind::BrokenPipe);
        assert_eq!(windows, 1);
    }
}
