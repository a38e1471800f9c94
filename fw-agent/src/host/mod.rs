//! Readers of `/proc` and `/sys`, every one under a [`Root`], and [`Host`], which reads with them what a
//! [`Snapshot`](crate::model::Snapshot) needs for every window.

pub mod cgroup;
pub mod cpuidle;
pub mod deltas;
pub mod device;
pub mod interrupts;
pub mod irq;
pub mod irqbalance;
mod irqs;
pub mod root;
pub mod softirqs;
pub mod sys;
pub mod table;
pub mod task;
pub mod topology;

pub use root::Root;
pub use task::Task;
pub use topology::{Place, Topology};

use crate::model;
use irqs::Irqs;
use softirqs::Softirqs;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use table::CpuTable;

/// What cannot be read and cannot be done without.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file is missing or may not be read.
    #[error("cannot read {path}: {source}; run as root on a host with /proc and /sys mounted", path = .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file has no line that names the CPUs.
    #[error("{path} does not begin with a line of CPUs; is it the file of a Linux kernel?", path = .path.display())]
    NoCpus {
        /// The file.
        path: PathBuf,
    },
    /// No mounted hierarchy has the control group.
    #[error(
        "no control group {path:?}; give its directory, e.g. /sys/fs/cgroup/system.slice, or a path from /proc/PID/cgroup"
    )]
    NoCgroup {
        /// As it was asked for.
        path: String,
    },
}

/// [`Error`] is the error.
pub type Result<T> = std::result::Result<T, Error>;

/// An interrupt that did not fire has its affinity read again at least this often: a share of them at every refresh.
/// One that fired has it read at every refresh. On a host of 4,000 interrupts, reading all costs 100 ms.
const AFFINITY_MAX_AGE: Duration = Duration::from_secs(60);

/// How often all processes are looked through for an irqbalance that was started meanwhile.
const IRQBALANCE_EVERY: Duration = Duration::from_secs(10);

/// A table is read again if a CPU came or went while the kernel printed it, so many times at most.
const TORN_RETRIES: u32 = 3;

/// What was read at a refresh. Counts are those since the refresh before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// The host.
    pub host: model::Host,
    /// Online CPUs, with the interrupts that they took; what only probes can know is empty.
    pub cpus: Vec<model::Cpu>,
    /// Rows of `/proc/interrupts`, in order; what only probes can know is empty.
    pub irqs: Vec<model::Irq>,
    /// Rows of `/proc/softirqs`, in order; what only probes can know is empty.
    pub softirqs: Vec<model::Softirq>,
    /// Lines of both files that make no sense, verbatim.
    pub unknown_lines: Vec<String>,
    /// Rows of `/proc/interrupts` that were torn by a CPU that came or went, in all retries. Their counts are not lost:
    /// they appear at the next refresh.
    pub torn_rows: u32,
}

/// A host, live or captured.
pub struct Host {
    root: Root,
    kernel: sys::Kernel,
    idle_states: Vec<String>,
    topology: Topology,
    irqbalance: Option<u32>,
    irqbalance_sought: Instant,
    table: CpuTable,
    irqs: Irqs,
    softirqs: Softirqs,
    buffer: Vec<u8>,
}

impl Host {
    /// Reads what does not change and looks whether what changes can be read.
    ///
    /// # Errors
    /// [`Error::Read`] or [`Error::NoCpus`] if `/proc/interrupts` cannot be read. All else may be missing.
    pub fn open(root: Root) -> Result<Host> {
        let kernel = sys::Kernel::read(&root);
        let mut host = Host {
            idle_states: cpuidle::state_names(&root),
            topology: Topology::read(&root),
            irqbalance: irqbalance::find(&root, None),
            irqbalance_sought: Instant::now(),
            table: CpuTable::default(),
            irqs: Irqs::new(&root, kernel.version),
            softirqs: Softirqs::default(),
            buffer: Vec::new(),
            kernel,
            root,
        };
        host.read_interrupts()?;
        Ok(host)
    }

    /// Reads what changed. The counts of the first refresh are all 0: it is the baseline.
    ///
    /// # Errors
    /// [`Error::Read`] or [`Error::NoCpus`] if `/proc/interrupts` cannot be read.
    pub fn refresh(&mut self) -> Result<Reading> {
        let torn_rows = self.read_interrupts()?;
        if !self.topology.online.iter().eq(self.table.cpus().iter().copied()) {
            self.topology = Topology::read(&self.root);
        }
        self.topology.refresh_isolation(&self.root);
        let irqs = self.irqs.update(&self.root, &self.table);
        // Old or small kernels may lack the file.
        let has_softirqs = self.root.read_into("proc/softirqs", &mut self.buffer).is_ok();
        let softirqs = if has_softirqs { self.softirqs.update(&self.buffer) } else { Vec::new() };
        Ok(Reading {
            host: self.describe(),
            cpus: self.cpus(&irqs),
            irqs,
            softirqs,
            unknown_lines: [self.table.unknown(), self.softirqs.unknown()].concat(),
            torn_rows,
        })
    }

    /// The CPUs, as of the last refresh.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The kernel.
    pub fn kernel(&self) -> &sys::Kernel {
        &self.kernel
    }

    /// Where this host's files lie.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Reads `/proc/interrupts`; gives the number of torn rows.
    fn read_interrupts(&mut self) -> Result<u32> {
        const FILE: &str = "proc/interrupts";
        let mut torn = 0;
        for _ in 0..TORN_RETRIES {
            self.root.read_into(FILE, &mut self.buffer)?;
            self.table.parse(&self.buffer);
            if self.table.cpus().is_empty() {
                return Err(Error::NoCpus { path: self.root.path(FILE) });
            }
            torn = self.table.rows().filter(|row| row.is_torn()).count() as u32;
            if torn == 0 {
                break;
            }
        }
        Ok(torn)
    }

    fn describe(&mut self) -> model::Host {
        let seek = self.irqbalance_sought.elapsed() >= IRQBALANCE_EVERY;
        if seek || self.irqbalance.is_some() {
            self.irqbalance = irqbalance::find(&self.root, self.irqbalance);
        }
        if seek {
            self.irqbalance_sought = Instant::now();
        }
        model::Host {
            name: self.kernel.hostname.clone(),
            kernel: self.kernel.release.clone(),
            uptime_s: sys::uptime_s(&self.root),
            cpus_online: self.topology.online.len(),
            cpus_possible: self.topology.possible.len(),
            nodes: self.topology.nodes_with_cpus(),
            isolated: self.topology.isolated.to_string(),
            nohz_full: self.topology.nohz_full.to_string(),
            realtime: self.kernel.realtime,
            irqbalance_pid: self.irqbalance,
            idle_states: self.idle_states.clone(),
        }
    }

    fn cpus(&self, irqs: &[model::Irq]) -> Vec<model::Cpu> {
        let mut hardirqs = vec![0; self.topology.online.last().map_or(0, |last| last as usize + 1)];
        for (cpu, count) in irqs.iter().filter(|irq| irq.irq.is_some()).flat_map(|irq| &irq.per_cpu) {
            if let Some(sum) = hardirqs.get_mut(*cpu as usize) {
                *sum += count;
            }
        }
        let cpu = |cpu: u32| model::Cpu {
            cpu,
            node: self.topology.node(cpu),
            isolated: self.topology.isolated.contains(cpu),
            hardirqs: hardirqs[cpu as usize],
            ..model::Cpu::default()
        };
        self.topology.online.iter().map(cpu).collect()
    }
}
