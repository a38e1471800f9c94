//! Whether what `observe` says is right: its run-queue latency against runqlat's, its interrupt counts against
//! `/proc/interrupts`, and the cross-CPU share of wakes by the disk's interrupt where it must be none and all.

use super::Bar;
use super::background::Background;
use super::probes::{RUNQLAT_ATTACHED, runqlat};
use crate::{build, sh};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::available_parallelism;

/// Runs all three; `runs` doesn't matter, since each compares two views of the same events.
pub fn run(_runs: usize) -> Result<Vec<Bar>> {
    let agent = build::release("fw-agent")?;
    let mut bars = run_queue(&agent)?;
    bars.extend(disk(&agent)?);
    Ok(bars)
}

/// One window of `fw-agent observe`.
pub fn observe(agent: &Path, duration: &str) -> Result<Value> {
    parse(&Background::start(&mut observe_command(agent, duration))?.finish()?)
}

fn observe_command(agent: &Path, duration: &str) -> Command {
    let mut command = Command::new(agent);
    command.args(["observe", "--json", "--duration", duration]);
    command
}

fn parse(json: &str) -> Result<Value> {
    serde_json::from_str(json).context("fw-agent observe --json printed no JSON")
}

/// Both tools watch the same ten seconds, but for the moment that the second one takes to attach.
fn run_queue(agent: &Path) -> Result<Vec<Bar>> {
    let cpus = available_parallelism()?.to_string();
    let mut stress = sh::command("stress-ng");
    stress.args(["--cpu", &cpus, "--cpu-load", "50", "--switch", "2", "--switch-freq", "5000", "--timeout", "120"]);
    let load = Background::start(&mut stress)?;
    let observed = Background::attached(&mut observe_command(agent, "10s"), "attached")?;
    let compared = Background::attached(&mut runqlat(&["10", "1"]), RUNQLAT_ATTACHED)?;
    let observed = parse(&observed.finish()?)?;
    let compared = compared.finish()?;
    drop(load);
    let slots = parse_runqlat(&compared);
    println!("run-queue latency, {} times (runqlat: {})", observed["runqueue"]["count"], slots.iter().sum::<u64>());
    let mut bars = Vec::new();
    for (name, q) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
        let ns = observed["runqueue"]["latency"][format!("{name}_ns")].as_u64().context("no runqueue.latency")?;
        let theirs = quantile_slot(&slots, q).context("runqlat counted nothing")?;
        println!(
            "  {name}  {:.1} us, runqlat: {} to {} us",
            ns as f64 / 1e3,
            (1 << theirs) & !1,
            (1u64 << (theirs + 1)) - 1
        );
        bars.push(Bar::at_most(format!("runqueue_{name}_octaves_apart"), f64::from(slot(ns).abs_diff(theirs)), 1.0));
    }
    Ok(bars)
}

/// runqlat's slot for a latency: the power of two of whole microseconds, 0 and 1 together.
fn slot(ns: u64) -> u32 {
    (ns / 1000).max(1).ilog2()
}

/// Counts by slot of a histogram as libbpf-tools print it.
fn parse_runqlat(output: &str) -> Vec<u64> {
    output
        .lines()
        .filter(|line| line.contains("->"))
        .filter_map(|line| line.split_once(':')?.1.split_whitespace().next()?.parse().ok())
        .collect()
}

fn quantile_slot(slots: &[u64], q: f64) -> Option<u32> {
    let rank = ((q * slots.iter().sum::<u64>() as f64).ceil() as u64).max(1);
    let mut seen = 0;
    let found = slots.iter().position(|count| {
        seen += count;
        seen >= rank
    });
    found.map(|slot| slot as u32)
}

/// fio reads the disk from the CPU that takes its interrupt, then from another.
fn disk(agent: &Path) -> Result<Vec<Bar>> {
    let cpus = available_parallelism()?.get() as u32;
    let file = DiskFile::make()?;
    let irq = Edge::of(&file.read_while_observed(agent, None)?)?.irq;
    let Some(home) = irq.cpu.filter(|_| cpus > 1) else {
        println!("skipped: interrupt {} ({}) fires on no single CPU, or there is only one", irq.number, irq.name);
        return Ok(Vec::new());
    };
    let on = Edge::of(&file.read_while_observed(agent, Some(home))?)?;
    let away = Edge::of(&file.read_while_observed(agent, Some((home + 1) % cpus))?)?;
    println!("fio woken by interrupt {} ({}) on CPU {home}", irq.number, irq.name);
    println!("  on that CPU        {:5.1} % of {} wakes crossed CPUs", on.cross_cpu_share * 100.0, on.wakes);
    let mut bars = vec![
        Bar::at_most("irq_count_error", on.irq.count_error(), 0.01),
        Bar::at_most("fio_on_irq_cpu_cross_share", on.cross_cpu_share, 0.05),
    ];
    if away.irq.number == irq.number {
        println!("  on the next CPU    {:5.1} % of {} wakes crossed CPUs", away.cross_cpu_share * 100.0, away.wakes);
        bars.push(Bar::at_least("fio_off_irq_cpu_cross_share", away.cross_cpu_share, 0.95));
    } else {
        println!("skipped: every CPU has its own queue ({} there), so no thread can be away from it", away.irq.name);
    }
    Ok(bars)
}

/// A file on the disk of the target directory; a temporary directory may be in memory.
struct DiskFile(PathBuf);

impl DiskFile {
    fn make() -> Result<DiskFile> {
        let dir = sh::target().join("xtask");
        fs::create_dir_all(&dir)?;
        let file = DiskFile(dir.join("fio.bin"));
        Background::start(file.fio().arg("--create_only=1"))?.finish()?;
        Ok(file)
    }

    fn fio(&self) -> Command {
        let mut fio = sh::command("fio");
        fio.args([
            "--name=read",
            "--rw=randread",
            "--bs=4k",
            "--iodepth=1",
            "--direct=1",
            "--ioengine=psync",
            "--size=64M",
        ]);
        fio.arg(format!("--filename={}", self.0.display()));
        fio
    }

    fn read_while_observed(&self, agent: &Path, cpu: Option<u32>) -> Result<Value> {
        let mut fio = self.fio();
        fio.args(["--time_based", "--runtime=60"]).args(cpu.map(|cpu| format!("--cpus_allowed={cpu}")));
        let _load = Background::start(&mut fio)?;
        observe(agent, "5s")
    }
}

impl Drop for DiskFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// The interrupt that wakes fio most.
struct Edge {
    irq: Irq,
    wakes: u64,
    cross_cpu_share: f64,
}

struct Irq {
    number: u64,
    name: String,
    /// The CPU that it fires on, if it is one.
    cpu: Option<u32>,
    /// In `/proc/interrupts`.
    count: u64,
    /// Seen by the probes.
    handled: u64,
}

impl Irq {
    fn count_error(&self) -> f64 {
        self.count.abs_diff(self.handled) as f64 / self.count as f64
    }
}

impl Edge {
    fn of(observed: &Value) -> Result<Edge> {
        let edges = observed["edges"].as_array().context("no edges")?.iter();
        let edge = edges
            .filter(|edge| edge["comm"] == "fio" && edge["cause"]["irq"].is_u64())
            .max_by_key(|edge| edge["wakes"].as_u64())
            .context("no interrupt is seen to wake fio")?;
        let irq = observed["irqs"]
            .as_array()
            .context("no irqs")?
            .iter()
            .find(|irq| irq["irq"] == edge["cause"]["irq"])
            .context("an edge from an interrupt that is not listed")?;
        let number = |value: &Value| value.as_u64().with_context(|| format!("no number: {value}"));
        ensure!(number(&edge["wakes"])? > 0, "fio was never woken");
        Ok(Edge {
            irq: Irq {
                number: number(&irq["irq"])?,
                name: irq["name"].as_str().unwrap_or_default().to_owned(),
                cpu: irq["effective_cpus"].as_str().and_then(|cpus| cpus.parse().ok()),
                count: number(&irq["count"])?,
                handled: number(&irq["handler"]["count"])?,
            },
            wakes: number(&edge["wakes"])?,
            cross_cpu_share: edge["cross_cpu_share"].as_f64().context("an edge without cross_cpu_share")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const RUNQLAT: &str = "\
Tracing run queue latency... Hit Ctrl-C to end.

     usecs               : count    distribution
         0 -> 1          : 290      |***********************                 |
         2 -> 3          : 369      |*****************************           |
         4 -> 7          : 435      |***********************************     |
         8 -> 15         : 0        |                                        |
        16 -> 31         : 6        |                                        |
";

    #[test]
    fn runqlat_is_read_and_ranked() {
        let slots = parse_runqlat(RUNQLAT);
        assert_eq!(slots, [290, 369, 435, 0, 6]);
        assert_eq!(quantile_slot(&slots, 0.0), Some(0));
        assert_eq!(quantile_slot(&slots, 0.5), Some(1));
        assert_eq!(quantile_slot(&slots, 0.99), Some(2));
        assert_eq!(quantile_slot(&slots, 1.0), Some(4));
        assert_eq!(quantile_slot(&parse_runqlat("failed to load BPF object"), 0.5), None);
    }

    #[test]
    fn slots_are_powers_of_two_of_whole_microseconds() {
        assert_eq!([0, 999, 1_999, 2_000, 3_999, 4_000, 16_000].map(slot), [0, 0, 0, 1, 1, 2, 4]);
    }

    #[test]
    fn the_interrupt_that_wakes_fio_most_is_found() {
        let observed = json!({
            "irqs": [
                {"irq": 30, "name": "virtio1-req.0", "effective_cpus": "1", "count": 1000, "handler": {"count": 995}},
                {"irq": 31, "name": "virtio2-input.0", "effective_cpus": "0-1", "count": 5, "handler": {"count": 5}},
            ],
            "edges": [
                {"cause": {"kind": "task", "irq": null, "name": "fio"}, "comm": "fio", "wakes": 5000, "cross_cpu_share": 0.1},
                {"cause": {"kind": "irq", "irq": 31, "name": "x"}, "comm": "fio", "wakes": 2, "cross_cpu_share": 0.5},
                {"cause": {"kind": "irq", "irq": 30, "name": "x"}, "comm": "fio", "wakes": 990, "cross_cpu_share": 0.99},
            ],
        });
        let edge = Edge::of(&observed).unwrap();
        assert_eq!((edge.irq.number, edge.irq.cpu, edge.wakes, edge.cross_cpu_share), (30, Some(1), 990, 0.99));
        assert_eq!(edge.irq.count_error(), 0.005);
        assert!(Edge::of(&json!({"edges": []})).is_err());
    }
}
