//! What the probes add to a wake-up, against runqlat, and what fw-top takes while it shows 100,000 wakes a second.

use super::background::{Background, terminate};
use super::truth::observe;
use super::{Bar, median};
use crate::{build, sh};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Of what runqlat adds, at most this share.
const ADDED_TIME: f64 = 0.4;
/// Of one core.
const TOP_CPU_SHARE: f64 = 0.02;
/// Resident, MiB.
const TOP_RSS_MB: f64 = 40.0;
/// Switches a second that the load is asked for.
const SWITCHES: &str = "100000";
/// How long fw-top is watched, and how long before that it may draw its first screens.
const WINDOW: Duration = Duration::from_secs(10);
const WARM_UP: Duration = Duration::from_secs(3);

/// Runs both parts.
pub fn run(runs: usize) -> Result<Vec<Bar>> {
    let agent = build::release("fw-agent")?;
    let fw_top = build::release("fw-top")?;
    let mut bars = vec![added_time(&agent, runs)?];
    bars.extend(top(&agent, &fw_top)?);
    Ok(bars)
}

fn added_time(agent: &Path, runs: usize) -> Result<Bar> {
    let (mut bare, mut observed, mut compared) = (Vec::new(), Vec::new(), Vec::new());
    for run in 1..=runs {
        bare.push(pipe_ns()?);
        let mut observe = Command::new(agent);
        let attached = Background::attached(observe.args(["observe", "--duration", "600s", "--text"]), "attached")?;
        observed.push(pipe_ns()?);
        drop(attached);
        let attached = Background::attached(&mut runqlat(&[]), RUNQLAT_ATTACHED)?;
        compared.push(pipe_ns()?);
        drop(attached);
        let last = |values: &[f64]| values.last().copied().unwrap_or_default();
        println!(
            "run {run}: {:.0} bare, {:.0} observed, {:.0} with runqlat",
            last(&bare),
            last(&observed),
            last(&compared)
        );
    }
    let [bare, observed, compared] = [bare, observed, compared].map(|values| median(&values));
    println!("perf bench sched pipe on CPU 0, medians of {runs} alternating runs, ns/op");
    println!("  bare               {bare:6.0}");
    println!("  fw-agent observe   {observed:6.0}  {:+6.0}", observed - bare);
    println!("  runqlat            {compared:6.0}  {:+6.0}", compared - bare);
    // If runqlat seemed to cost nothing, the machine was too noisy to tell anything.
    let ratio = if compared > bare { (observed - bare) / (compared - bare) } else { f64::NAN };
    Ok(Bar::at_most("added_time_vs_runqlat", ratio, ADDED_TIME))
}

/// What runqlat prints when it is attached.
pub const RUNQLAT_ATTACHED: &str = "Tracing run queue latency";

/// libbpf-tools' runqlat, with its announcement not held back in a buffer.
pub fn runqlat(args: &[&str]) -> Command {
    let mut command = sh::command("stdbuf");
    command.args(["-oL", "runqlat"]).args(args);
    command
}

fn pipe_ns() -> Result<f64> {
    let mut command = sh::command("taskset");
    command.args(["-c", "0", "perf", "bench", "sched", "pipe", "-l", "400000"]);
    let output = command.output().context("can't run taskset")?;
    let text = String::from_utf8_lossy(&output.stdout);
    parse_pipe(&text).with_context(|| format!("perf bench printed no usecs/op: {text}"))
}

/// The ns/op in the output of `perf bench sched pipe`.
fn parse_pipe(output: &str) -> Option<f64> {
    let line = output.lines().find(|line| line.contains("usecs/op"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? * 1000.0)
}

fn top(agent: &Path, fw_top: &Path) -> Result<Vec<Bar>> {
    let mut stress = sh::command("stress-ng");
    let _load = Background::start(stress.args(["--switch", "1", "--switch-freq", SWITCHES, "--timeout", "120"]))?;
    let seen = observe(agent, "2s")?;
    let wakes = seen["wakes"]["count"].as_f64().context("no wakes.count")?
        / seen["window_s"].as_f64().context("no window_s")?;

    // A terminal to draw on. Its standard input stays open: at its end, script would end fw-top.
    let mut script = sh::command("script");
    let screens = sh::target().join("xtask/fw-top.typescript");
    script.args(["-qfc", &format!("stty cols 120 rows 40; exec '{}'", fw_top.display())]).arg(&screens);
    script.env("TERM", "xterm-256color").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut terminal = Terminal(script.spawn().context("can't run script")?);
    let pid = terminal.wait_for_probes().with_context(|| format!("see {}", screens.display()))?;
    sleep(WARM_UP);
    let (before, since) = (cpu_ticks(pid)?, Instant::now());
    sleep(WINDOW);
    let ticks = cpu_ticks(pid)? - before;
    // /proc counts in hundredths of a second on every architecture (USER_HZ).
    let share = ticks as f64 / 100.0 / since.elapsed().as_secs_f64();
    let status = fs::read_to_string(format!("/proc/{pid}/status")).context("fw-top ended")?;
    let rss = parse_rss_kb(&status).context("no VmRSS of fw-top")? / 1024.0;
    println!("fw-top at {wakes:.0} wakes/s: {:.2} % of one core, {rss:.1} MiB resident", share * 100.0);
    Ok(vec![Bar::at_most("fw_top_cpu_share", share, TOP_CPU_SHARE), Bar::at_most("fw_top_rss_mb", rss, TOP_RSS_MB)])
}

/// A pseudo-terminal with fw-top in it; ended when dropped.
struct Terminal(Child);

impl Terminal {
    /// Waits until the program in the terminal holds a link to an eBPF program; its process id.
    fn wait_for_probes(&mut self) -> Result<u32> {
        let id = self.0.id();
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            ensure!(self.0.try_wait()?.is_none(), "fw-top ended at once");
            ensure!(Instant::now() < deadline, "fw-top attached no probe");
            let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
            for child in children.split_whitespace() {
                let links = fs::read_dir(format!("/proc/{child}/fd")).into_iter().flatten().flatten();
                let mut links = links.filter_map(|fd| fs::read_link(fd.path()).ok());
                if links.any(|link| link.to_string_lossy().contains("bpf_link")) {
                    return child.parse().context("a process id is a number");
                }
            }
            // Nothing announces that a process attached a probe.
            sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        terminate(&mut self.0);
    }
}

fn cpu_ticks(pid: u32) -> Result<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).context("fw-top ended")?;
    parse_cpu_ticks(&stat).context("unknown form of /proc/PID/stat")
}

/// utime + stime. The name before them may contain anything, spaces and brackets too.
fn parse_cpu_ticks(stat: &str) -> Option<u64> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
}

fn parse_rss_kb(status: &str) -> Option<f64> {
    status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perf_bench_is_read() {
        let output = "# Running 'sched/pipe' benchmark:\n# Executed 1000 pipe operations between two processes\n\n     \
                      Total time: 0.009 [sec]\n\n       9.922000 usecs/op\n         100786 ops/sec\n";
        assert_eq!(parse_pipe(output), Some(9922.0));
        assert_eq!(parse_pipe("perf: not found"), None);
    }

    #[test]
    fn process_files_are_read() {
        let stat = "4711 (fw) top) S 1 4711 4711 0 -1 4194560 1 0 0 0 25 17 0 0 20 0 1 0 100 0 0";
        assert_eq!(parse_cpu_ticks(stat), Some(42));
        assert_eq!(parse_cpu_ticks(""), None);
        assert_eq!(parse_rss_kb("VmHWM:\t  9000 kB\nVmRSS:\t   8192 kB\n"), Some(8192.0));
    }
}
