//! Observing a host: attach the probes, then one [`Snapshot`] a window, from what the probes counted and what `/proc`
//! and `/sys` say. One file for each part of the snapshot.

mod cpus;
mod doomed;
mod edges;
mod glob;
mod irqs;
mod names;
mod softirqs;
mod threads;

use std::{
    collections::BTreeSet,
    path::PathBuf,
    time::{Duration, Instant},
};

use crate::{
    Error,
    host::{self, Host, Root, cgroup},
    model::{self, OwnCost, SCHEMA, Snapshot, lint},
    probe::{self, Config, Family, Probes, Queueing},
};

/// Which woken threads count; all of them without a filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// This thread, or the threads of this process.
    pub pid: Option<u32>,
    /// Threads of this name; with a trailing `*`, threads whose name begins so.
    pub comm: Option<String>,
    /// Threads in this cgroup or below.
    pub cgroup: Option<PathBuf>,
    /// Wakes by interrupts whose number, handler name or device matches this glob.
    pub irq: Option<String>,
}

/// How to observe.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which woken threads count.
    pub filter: Filter,
    /// Which probes to attach; all of them by default.
    pub families: BTreeSet<Family>,
    /// Where `proc` and `sys` are.
    pub root: PathBuf,
}

impl Default for Options {
    fn default() -> Options {
        Options { filter: Filter::default(), families: Family::ALL.into(), root: "/".into() }
    }
}

/// A host under observation, until dropped.
pub struct Observer {
    filter: Filter,
    host: Host,
    probes: Probes,
    names: names::Names,
    cpus: cpus::Cpus,
    threads: threads::Threads,
    edges: edges::Edges,
    irqs: irqs::Irqs,
    softirqs: softirqs::Softirqs,
    since: Instant,
    own_cpu_ns: u64,
}

/// IRQ numbers that may appear while observing get a place too.
const SPARE_IRQS: u32 = 256;

impl Observer {
    /// Loads and attaches the probes. The first window begins when they are attached.
    ///
    /// # Errors
    /// Without permission, on a kernel without BTF or older than 5.18, and for a filter that names no cgroup there is.
    pub fn start(options: &Options) -> Result<Observer, Error> {
        let root = Root::new(&options.root);
        let mut host = Host::open(root.clone())?;
        let reading = host.refresh()?;
        let last_irq = reading.irqs.iter().filter_map(|row| row.irq).max().unwrap_or(0);
        let possible = host.topology().possible.last().map_or(1, |last| last + 1);
        let places: Vec<_> = (0..possible).map(|cpu| host.topology().place(cpu)).collect();
        let probes = Probes::attach(&Config {
            root: &options.root,
            places: &places,
            irqs: last_irq + SPARE_IRQS,
            realtime: host.kernel().realtime,
            queueing: queueing(&host),
            filter: &kernel_filter(&options.filter, &root)?,
            families: &options.families,
        })?;
        let mut observer = Observer {
            filter: options.filter.clone(),
            host,
            probes,
            names: names::Names::new(root),
            cpus: cpus::Cpus::default(),
            threads: threads::Threads::default(),
            edges: edges::Edges::default(),
            irqs: irqs::Irqs::default(),
            softirqs: softirqs::Softirqs::default(),
            since: Instant::now(),
            own_cpu_ns: host::sys::own_cpu_ns(),
        };
        // What was counted while the probes were attached one after the other belongs to no window.
        observer.snapshot()?;
        Ok(observer)
    }

    /// The window since the previous call, or since the start.
    ///
    /// # Errors
    /// If `/proc/interrupts` or a map can no longer be read.
    pub fn snapshot(&mut self) -> Result<Snapshot, Error> {
        let reading = self.host.refresh()?;
        let window = self.since.elapsed();
        self.since = Instant::now();
        self.names.next_window();
        let maps = &mut self.probes.maps;
        let (mut cpus, mut irqs) = (reading.cpus, reading.irqs);
        let sum = self.cpus.advance(maps, &mut cpus, monotonic_ns(), window.as_nanos() as u64);
        self.irqs.advance(maps, &mut irqs)?;
        if let Some(pattern) = &self.filter.irq {
            irqs::want(maps, &irqs, pattern);
            irqs.retain(|row| irqs::wanted(row, pattern));
        }
        let known = self.threads.advance(maps, &mut self.names, &self.edges.threads());
        let active = self.edges.advance(maps, &known.gone)?;
        let edges = edges::rows(&active, &known, &self.names, &irqs);
        let threads = known.rows(&active, &self.names);
        for (_, tid) in known.gone {
            self.names.forget(tid);
        }
        irqs::add_consumers(&mut irqs, &edges);
        let softirqs = self.softirqs.advance(maps)?;
        let napi = self.softirqs.advance_napi(maps);
        let (probes, recursion) = self.probes.take_cost(window);
        let mut snapshot = Snapshot {
            schema: SCHEMA,
            host: reading.host,
            window_s: window.as_secs_f64(),
            filter: self.filter.to_string(),
            wakes: sum.wakes,
            runqueue: sum.runqueue,
            cpus,
            irqs,
            softirqs,
            napi,
            threads,
            edges,
            lints: Vec::new(),
            losses: model::Losses { recursion, ..sum.losses },
            own: self.own_cost(probes, window),
        };
        snapshot.lints = lint::check(&snapshot);
        Ok(snapshot)
    }

    fn own_cost(&mut self, probes: Vec<model::Probe>, window: Duration) -> OwnCost {
        let share = |ns: u64| ns as f64 / window.as_nanos().max(1) as f64;
        let cpu_ns = host::sys::own_cpu_ns();
        let used = cpu_ns.saturating_sub(std::mem::replace(&mut self.own_cpu_ns, cpu_ns));
        OwnCost {
            cpu_share: share(used),
            probes_cpu_share: share(probes.iter().map(|p| p.run_time_ns).sum()),
            resident_bytes: host::sys::own_resident_bytes(),
            maps_bytes: self.probes.memory(),
            probes,
        }
    }
}

fn queueing(host: &Host) -> Queueing {
    let topology = host.topology();
    let caches: BTreeSet<u32> = topology.online.iter().map(|cpu| topology.place(cpu).llc).collect();
    match (host.kernel().realtime, caches.len()) {
        (true, _) => Queueing::Direct,
        (false, 1) => Queueing::IdleByIpi,
        (false, _) => Queueing::ByIpi,
    }
}

/// The probes' clock.
fn monotonic_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// The filter in the terms of the probes.
fn kernel_filter(filter: &Filter, root: &Root) -> Result<probe::Filter, Error> {
    let cgroup = match &filter.cgroup {
        None => None,
        Some(path) => {
            let found = cgroup::Cgroup::find(root, &path.to_string_lossy())?;
            let controller = match found.hierarchy {
                cgroup::Hierarchy::Unified => None,
                cgroup::Hierarchy::Controllers(names) => names.into_iter().next(),
                cgroup::Hierarchy::Named(name) => {
                    return Err(Error::Filter(format!(
                        "{} is in the v1 hierarchy {name}, which has no controller and can't be filtered by: give the \
                         cgroup's directory in another hierarchy",
                        path.display()
                    )));
                }
            };
            Some(probe::Cgroup { id: found.id, depth: found.depth, controller })
        }
    };
    Ok(probe::Filter { pid: filter.pid, comm: filter.comm.clone(), cgroup, irqs: filter.irq.is_some() })
}

impl std::fmt::Display for Filter {
    /// As given on the command line; empty without a filter.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [
            self.irq.as_ref().map(|glob| format!("--irq {glob}")),
            self.pid.map(|pid| format!("--pid {pid}")),
            self.comm.as_ref().map(|comm| format!("--comm {comm}")),
            self.cgroup.as_ref().map(|path| format!("--cgroup {}", path.display())),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }
}
