//! CPUs: which there are, which may be used, and what they share.

use super::root::Root;
use crate::model::{CpuSet, Distance, MAX_CPUS};
pub use fw_ebpf::context::Place;

const CPUS: &str = "sys/devices/system/cpu";
const NODES: &str = "sys/devices/system/node";

/// One online NUMA node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its number.
    pub node: u32,
    /// Its online CPUs; none for a node of memory only.
    pub cpus: CpuSet,
    /// The firmware's distances to the online nodes in order; 10 is the node itself. Empty if unknown.
    pub distances: Vec<u32>,
}

/// The CPUs of a host.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    /// CPUs that run.
    pub online: CpuSet,
    /// CPUs that could be plugged in.
    pub possible: CpuSet,
    /// CPUs that are plugged in.
    pub present: CpuSet,
    /// CPUs that the scheduler does not balance.
    pub isolated: CpuSet,
    /// CPUs that run without a tick when they can.
    pub nohz_full: CpuSet,
    /// Online nodes; empty for a kernel without NUMA.
    pub nodes: Vec<Node>,
    /// By CPU number, up to the highest online CPU.
    places: Vec<Place>,
}

impl Topology {
    /// Reads everything: some files for each CPU, so only when CPUs came or went. What is missing is derived from what
    /// is there, or unknown; nothing is an error.
    pub fn read(root: &Root) -> Topology {
        let set = |name: &str| list(root, &format!("{CPUS}/{name}"));
        let directories: CpuSet = root.numbered(CPUS, "cpu").into_iter().collect();
        let online = set("online").unwrap_or_else(|| online_by_directories(root, &directories));
        let present = set("present").unwrap_or_else(|| directories.union(&online));
        let possible = set("possible").unwrap_or_else(|| present.clone());
        let nodes = nodes(root, &online);
        let places =
            (0..online.last().map_or(0, |last| last + 1)).map(|cpu| place(root, cpu, &online, &nodes)).collect();
        let mut topology = Topology { online, possible, present, nodes, places, ..Topology::default() };
        topology.refresh_isolation(root);
        topology
    }

    /// Reads again what cpuset partitions change while the host runs.
    pub fn refresh_isolation(&mut self, root: &Root) {
        let boot = |option: &str| boot_option(root, option);
        self.isolated = list(root, &format!("{CPUS}/isolated")).unwrap_or_else(|| boot("isolcpus"));
        self.nohz_full = list(root, &format!("{CPUS}/nohz_full")).unwrap_or_else(|| boot("nohz_full"));
    }

    /// What a CPU shares. A CPU that is not online shares nothing.
    pub fn place(&self, cpu: u32) -> Place {
        self.places.get(cpu as usize).copied().unwrap_or_else(|| alone(cpu))
    }

    /// The node of an online CPU, if known.
    pub fn node(&self, cpu: u32) -> Option<u32> {
        let node = self.places.get(cpu as usize)?.node;
        (node < MAX_CPUS).then_some(node)
    }

    /// How far the second CPU is from the first.
    pub fn distance(&self, a: u32, b: u32) -> Distance {
        if a == b { Distance::SameCpu } else { Distance::ALL[self.place(a).distance(&self.place(b))] }
    }

    /// Number of cores that have an online CPU.
    pub fn cores(&self) -> u32 {
        self.online.iter().map(|cpu| self.place(cpu).core).collect::<CpuSet>().len()
    }

    /// Number of online nodes that have online CPUs; 1 for a kernel without NUMA.
    pub fn nodes_with_cpus(&self) -> u32 {
        let nodes = self.nodes.iter().filter(|node| !node.cpus.is_empty()).count() as u32;
        if self.nodes.is_empty() { 1 } else { nodes }
    }
}

fn list(root: &Root, path: &str) -> Option<CpuSet> {
    CpuSet::parse_list(&root.text(path)?).ok()
}

/// Offline CPUs have no `topology` directory. If none has any, there is nothing to tell them apart by.
fn online_by_directories(root: &Root, directories: &CpuSet) -> CpuSet {
    let has_topology = |cpu: &u32| root.path(format!("{CPUS}/cpu{cpu}/topology")).is_dir();
    let online: CpuSet = directories.iter().filter(has_topology).collect();
    if online.is_empty() { directories.clone() } else { online }
}

fn nodes(root: &Root, online: &CpuSet) -> Vec<Node> {
    let numbers = root.numbered(NODES, "node");
    let nodes = list(root, &format!("{NODES}/online")).unwrap_or_else(|| numbers.into_iter().collect());
    let node = |node: u32| {
        let distances = root.text(format!("{NODES}/node{node}/distance")).unwrap_or_default();
        Node {
            node,
            // The kernel lists offline CPUs as well once they have been online.
            cpus: list(root, &format!("{NODES}/node{node}/cpulist")).unwrap_or_default().intersection(online),
            distances: distances.split_ascii_whitespace().map_while(|d| d.parse().ok()).collect(),
        }
    };
    nodes.iter().map(node).collect()
}

fn place(root: &Root, cpu: u32, online: &CpuSet, nodes: &[Node]) -> Place {
    if !online.contains(cpu) {
        return alone(cpu);
    }
    let directory = format!("{CPUS}/cpu{cpu}");
    let lowest = |path: &str| list(root, path)?.intersection(online).first();
    // Renamed in 5.3; the old name stayed.
    let core = lowest(&format!("{directory}/topology/core_cpus_list"))
        .or_else(|| lowest(&format!("{directory}/topology/thread_siblings_list")))
        .unwrap_or(cpu);
    let llc = last_level_cache(root, &directory).and_then(|shared| lowest(&shared)).unwrap_or(core);
    let node = match nodes {
        [] => Some(0),
        nodes => nodes.iter().find(|node| node.cpus.contains(cpu)).map(|node| node.node),
    };
    let known = node.filter(|node| *node < MAX_CPUS);
    Place { core, llc, node: known.unwrap_or(alone(cpu).node) }
}

/// The place of a CPU that is not known to share anything.
fn alone(cpu: u32) -> Place {
    let cpu = cpu % MAX_CPUS;
    Place { core: cpu, llc: cpu, node: cpu + MAX_CPUS }
}

/// The list of CPUs that share the data cache of the highest level.
fn last_level_cache(root: &Root, directory: &str) -> Option<String> {
    let caches = root.numbered(format!("{directory}/cache"), "index").into_iter();
    let caches = caches.map(|index| format!("{directory}/cache/index{index}"));
    let level = |cache: &String| root.number::<u32>(format!("{cache}/level")).unwrap_or(0);
    let last = caches.max_by_key(level)?;
    Some(format!("{last}/shared_cpu_list"))
}

/// The CPUs of an option of the kernel's command line: for captured trees that lack the file in sysfs, and kernels
/// before 4.2. Flags stand before the list (`isolcpus=managed_irq,domain,2-3`); without the flag `domain` they do not
/// take CPUs from the scheduler. Later options win, as in the kernel.
fn boot_option(root: &Root, name: &str) -> CpuSet {
    let line = root.text("proc/cmdline").unwrap_or_default();
    let value = line.split_ascii_whitespace().filter_map(|word| word.strip_prefix(name)?.strip_prefix('=')).next_back();
    let (flags, cpus): (Vec<&str>, Vec<&str>) =
        value.unwrap_or_default().split(',').partition(|part| part.starts_with(|c: char| c.is_ascii_alphabetic()));
    if !flags.is_empty() && !flags.contains(&"domain") {
        return CpuSet::new();
    }
    CpuSet::parse_list(&cpus.join(",")).unwrap_or_default()
}
