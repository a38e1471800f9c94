//! One window of a host: what `observe` prints, `fw-top` shows and lints judge. Plain data; all counts and
//! distributions are of the window, not since boot. Units are in the names; rates are `count / window_s`.

use super::Dist;
use serde::{Deserialize, Serialize};

/// Version of the JSON form. Keys may be added within a version; none changes meaning or goes.
pub const SCHEMA: u32 = 1;

/// One window of observation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The host itself.
    pub host: Host,
    /// Length of the window, seconds.
    pub window_s: f64,
    /// The filter that the probes applied to woken threads, as given by the user; empty if none.
    pub filter: String,
    /// Threads woken: waking to running.
    pub wakes: Wakes,
    /// Threads made runnable (by a wake or by being preempted), to running: what `runqlat` counts.
    pub runqueue: Counted,
    /// Per CPU, in CPU order; online CPUs only.
    pub cpus: Vec<Cpu>,
    /// Interrupts, in the order of `/proc/interrupts`.
    pub irqs: Vec<Irq>,
    /// Softirqs that ran or were raised.
    pub softirqs: Vec<Softirq>,
    /// NAPI instances that were polled.
    pub napi: Vec<Napi>,
    /// Threads that became runnable, most time lost first.
    pub threads: Vec<Thread>,
    /// Edges (cause -> woken thread), most time lost first.
    pub edges: Vec<Edge>,
    /// What the judgements say, most important first.
    pub lints: Vec<Lint>,
    /// What was not counted, and why.
    pub losses: Losses,
    /// What observing cost.
    #[serde(rename = "self")]
    pub own: OwnCost,
}

/// The host that was observed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// `/proc/sys/kernel/hostname`.
    pub name: String,
    /// Kernel release.
    pub kernel: String,
    /// Seconds since boot at the end of the window.
    pub uptime_s: u64,
    /// Online CPUs.
    pub cpus_online: u32,
    /// Possible CPUs.
    pub cpus_possible: u32,
    /// Online NUMA nodes that have CPUs.
    pub nodes: u32,
    /// Isolated CPUs (`isolcpus=`, cpuset partitions) as a CPU list, e.g. `2-3`; empty if none.
    pub isolated: String,
    /// `nohz_full` CPUs as a CPU list; empty if none.
    pub nohz_full: String,
    /// True for a PREEMPT_RT kernel (softirqs run in threads there).
    pub realtime: bool,
    /// Whether irqbalance runs (pid), because it moves interrupts behind everybody's back.
    pub irqbalance_pid: Option<u32>,
    /// C-state names by index, as the `cpu_idle` event numbers them; empty without a cpuidle driver.
    pub idle_states: Vec<String>,
}

/// A count with its distribution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// Events.
    pub count: u64,
    /// How long each took.
    pub latency: Dist,
}

/// Wakes of the whole host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wakes {
    /// Wakes that led to a switch to the woken thread.
    pub count: u64,
    /// Wakes that found the thread still running, so that no switch followed. Not in `count`.
    pub still_running: u64,
    /// Waking to running.
    pub latency: Dist,
    /// The same by distance between the waking and the running CPU, indexed by [`Distance`].
    pub by_distance: [Dist; 5],
}

/// How far the running CPU is from the waking one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distance {
    /// The same CPU.
    SameCpu,
    /// A hardware thread of the same core.
    Sibling,
    /// The same last-level cache.
    SameLlc,
    /// The same NUMA node.
    SameNode,
    /// Another NUMA node.
    Remote,
}

impl Distance {
    /// All, nearest first; the index of each is its place in per-distance arrays.
    pub const ALL: [Distance; 5] =
        [Distance::SameCpu, Distance::Sibling, Distance::SameLlc, Distance::SameNode, Distance::Remote];

    /// In words.
    pub const fn label(self) -> &'static str {
        match self {
            Distance::SameCpu => "same CPU",
            Distance::Sibling => "SMT sibling",
            Distance::SameLlc => "same LLC",
            Distance::SameNode => "same node",
            Distance::Remote => "remote node",
        }
    }
}

/// One CPU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cpu {
    /// CPU number.
    pub cpu: u32,
    /// NUMA node, if known.
    pub node: Option<u32>,
    /// Isolated from the scheduler's balancing.
    pub isolated: bool,
    /// Device interrupts taken (all numbered rows of `/proc/interrupts`).
    pub hardirqs: u64,
    /// Share of the window, 0 to 1, in traced hard-IRQ handlers (devices, local timer, function-call IPIs).
    pub hardirq_share: f64,
    /// Share of the window in softirqs (hard IRQs that interrupted them excluded).
    pub softirq_share: f64,
    /// Share of the window idle (between the two `cpu_idle` events, interrupts in between excluded).
    pub idle_share: f64,
    /// Threads that ran here after a wake: waking to running.
    pub wakes: Counted,
    /// Threads that ran here after becoming runnable.
    pub runqueue: Counted,
}

/// Whether the kernel refuses to move an interrupt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Managed {
    /// The kernel chose its CPU at allocation and refuses changes.
    Yes,
    /// The driver's name says so, but only a write would prove it.
    Likely,
    /// It can be moved.
    No,
    /// It has no affinity file (per-CPU and architecture interrupts), or it could not be read.
    #[default]
    Unknown,
}

/// One row of `/proc/interrupts`, with what else is known about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Irq {
    /// The number; none for architecture rows such as LOC.
    pub irq: Option<u32>,
    /// The row's label: the number, or LOC, NMI, Err...
    pub label: String,
    /// Handler names as the row gives them; the row's description for architecture rows.
    pub name: String,
    /// Interrupt controller, e.g. `PCI-MSIX-0000:00:02.0`.
    pub chip: String,
    /// The device it belongs to: a network interface, block device or RDMA device if known, else a bus address.
    pub device: String,
    /// Whether it can be moved.
    pub managed: Managed,
    /// Interrupts in the window, from `/proc/interrupts`.
    pub count: u64,
    /// The same by CPU: (CPU, count), zeroes left out.
    pub per_cpu: Vec<(u32, u64)>,
    /// CPUs asked for (`smp_affinity_list`); empty if unknown.
    pub affinity: String,
    /// CPUs where it fires now (`effective_affinity_list`); empty if unknown.
    pub effective_cpus: String,
    /// What the driver suggests (`affinity_hint`), as a CPU list; empty if nothing.
    pub hint: String,
    /// NUMA node of the device, if known.
    pub node: Option<u32>,
    /// Time in the handlers, one value for each interrupt seen by the probes.
    pub handler: Dist,
    /// Threads that it wakes, directly or through a softirq or its kernel thread, most wakes first.
    pub consumers: Vec<Consumer>,
}

/// A thread that an interrupt wakes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Consumer {
    /// Thread.
    pub tid: u32,
    /// Its name.
    pub comm: String,
    /// Wakes in the window.
    pub wakes: u64,
    /// Share, 0 to 1, of them that ran on another CPU than the waking one.
    pub cross_cpu_share: f64,
}

/// One softirq vector, all CPUs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Softirq {
    /// `NET_RX`, `TIMER`...
    pub name: String,
    /// Times it ran (entry to exit).
    pub count: u64,
    /// Raise to entry.
    pub delay: Dist,
    /// Entry to exit.
    pub run: Dist,
    /// Runs by CPU: (CPU, count), zeroes left out.
    pub per_cpu: Vec<(u32, u64)>,
}

/// One NAPI instance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Napi {
    /// NAPI id.
    pub id: u32,
    /// Network interface.
    pub device: String,
    /// Polls.
    pub polls: u64,
    /// Packets they handled.
    pub work: u64,
    /// Polls that used up their budget: more was waiting.
    pub exhausted: u64,
    /// CPU of the last poll.
    pub cpu: u32,
}

/// One thread that became runnable.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Thread {
    /// Process.
    pub pid: u32,
    /// Thread.
    pub tid: u32,
    /// Name.
    pub comm: String,
    /// Cgroup path, if it could be read.
    pub cgroup: String,
    /// True if it exited in the window.
    pub exited: bool,
    /// CPUs it may run on, as a CPU list; empty if it is gone.
    pub allowed_cpus: String,
    /// CPU it last ran on after a wait.
    pub cpu: u32,
    /// Wakes that led to running.
    pub wakes: u64,
    /// Times it was preempted while runnable.
    pub preempted: u64,
    /// Wakes or waits during which it changed CPU.
    pub migrations: u64,
    /// Waking to running.
    pub latency: Dist,
    /// Runnable to running.
    pub runqueue: Dist,
    /// Wakes by distance, indexed by [`Distance`].
    pub by_distance: [u64; 5],
    /// Share, 0 to 1, of wakes that ran on another CPU than the waking one.
    pub cross_cpu_share: f64,
    /// What its waits (wakes and preemptions) were spent on, ns.
    pub waited_for: WaitedFor,
}

/// What occupied the CPU while a thread waited for it, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitedFor {
    /// Reaching the other CPU's run queue (IPI).
    pub queue_ns: u64,
    /// Other threads.
    pub thread_ns: u64,
    /// Hard-IRQ handlers.
    pub hardirq_ns: u64,
    /// Softirqs.
    pub softirq_ns: u64,
    /// Leaving idle.
    pub idle_ns: u64,
    /// The scheduler's own work after the CPU left idle.
    pub switch_ns: u64,
}

/// What woke a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CauseKind {
    /// A hard IRQ: a device's (with a number) or an architecture vector (LOC: local timer, CAL: function call, IWI: IRQ work).
    Irq,
    /// A softirq, with the IRQ that raised it if there was one.
    Softirq,
    /// Another thread (or itself, by way of a timer: then the cause is the IRQ).
    #[default]
    Task,
}

/// The cause of a wake.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// Which kind.
    pub kind: CauseKind,
    /// The hard IRQ, or the one that raised the softirq; none for architecture vectors and tasks.
    pub irq: Option<u32>,
    /// The waking thread, for tasks.
    pub tid: Option<u32>,
    /// `virtio1-req.0`, `NET_RX`, `TIMER (LOC)` (the softirq, raised by an interrupt without a number), `LOC`, or the
    /// waking thread's name.
    pub name: String,
}

/// Cause -> woken thread: what planning works on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// What wakes.
    pub cause: Cause,
    /// Process of the woken thread.
    pub pid: u32,
    /// The woken thread.
    pub tid: u32,
    /// Its name.
    pub comm: String,
    /// Wakes in the window.
    pub wakes: u64,
    /// Share, 0 to 1, of wakes that ran on another CPU than the waking one.
    pub cross_cpu_share: f64,
    /// Wakes by distance, indexed by [`Distance`].
    pub by_distance: [u64; 5],
    /// Wakes during which the thread changed CPU.
    pub migrations: u64,
    /// Waking to running.
    pub latency: Dist,
    /// The same, only wakes that ran on the waking CPU.
    pub latency_same_cpu: Dist,
    /// The same, only wakes that ran on another CPU.
    pub latency_cross_cpu: Dist,
    /// Where the time went.
    pub legs: Legs,
    /// Wakes by the C-state the target CPU was in, indexed as [`Host::idle_states`]; the rest found it busy.
    pub idle_states: Vec<u64>,
    /// Threads that held the CPU last before the woken one ran, most time first (the four heaviest).
    pub occupants: Vec<Occupant>,
}

/// A thread that held the CPU while another waited for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupant {
    /// Thread.
    pub tid: u32,
    /// Name.
    pub comm: String,
    /// For how long, ns, in all.
    pub held_ns: u64,
}

/// The legs of a wake. The first three lie before the waking (what came before it in the chain); the last six add up to
/// the wake-up latency exactly: `sum_ns` over them is `latency.sum_ns`. A leg's distribution counts only the wakes in
/// which it took any time. The time from the device to the handler's entry cannot be observed: it has no leg.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Legs {
    /// Hard-IRQ entry to waking, or to raising the softirq.
    pub handler: Dist,
    /// Softirq raise to entry.
    pub softirq_delay: Dist,
    /// Softirq entry to waking.
    pub softirq_run: Dist,
    /// Waking to queued, where another CPU had to be told by an IPI.
    pub queue: Dist,
    /// Another thread held the CPU.
    pub thread: Dist,
    /// Hard-IRQ handlers ran on the CPU.
    pub hardirq: Dist,
    /// Softirqs ran on the CPU.
    pub softirq: Dist,
    /// The CPU was idle and had to leave its C-state.
    pub idle: Dist,
    /// From leaving idle to the switch: the scheduler's own work.
    pub switch: Dist,
}

impl Legs {
    /// The legs before the waking, in order, with their short names.
    pub fn before(&self) -> [(&'static str, &Dist); 3] {
        [("handler", &self.handler), ("softirq delay", &self.softirq_delay), ("softirq run", &self.softirq_run)]
    }

    /// The legs of the wake-up latency, in order, with their short names.
    pub fn wake(&self) -> [(&'static str, &Dist); 6] {
        [
            ("queue (IPI)", &self.queue),
            ("other thread", &self.thread),
            ("hard IRQ", &self.hardirq),
            ("softirq", &self.softirq),
            ("idle exit", &self.idle),
            ("switch", &self.switch),
        ]
    }
}

/// How much a lint matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    #[default]
    Note,
    /// Costs latency or CPU now.
    Warning,
}

/// A judgement with its evidence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lint {
    /// Stable name, e.g. `cross-cpu-wake`.
    pub name: String,
    /// How much it matters.
    pub severity: Severity,
    /// What was measured, one sentence with figures.
    pub evidence: String,
    /// What to do about it, one sentence.
    pub advice: String,
    /// The interrupt it is about.
    pub irq: Option<u32>,
    /// The thread it is about.
    pub tid: Option<u32>,
    /// Wake-up time, ns, that it costs within the window, as far as it can be told; orders lints of one severity.
    pub lost_ns: u64,
}

/// What the probes could not count, events in the window. All zero on a healthy host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Losses {
    /// Two waiting threads shared a wake slot; the first one's wait was not measured.
    pub aliased: u64,
    /// No room for another thread: its wakes are in the host's and CPU's totals only.
    pub threads_full: u64,
    /// No room for another edge: its wakes are in the totals and the thread's only.
    pub edges_full: u64,
    /// Interrupts with a number beyond the table.
    pub irq_out_of_range: u64,
    /// Events on a CPU beyond the table.
    pub cpu_out_of_range: u64,
    /// Waits that seemed to end before they began (clocks of two CPUs apart).
    pub clock: u64,
    /// NAPI instances shared a place: the polls of the later one are not counted.
    pub napi_full: u64,
    /// Programs that the kernel skipped because one was running on that CPU already.
    pub recursion: u64,
    /// The same losses by CPU: (CPU, events), zeroes left out. `recursion` is not known by CPU.
    pub per_cpu: Vec<(u32, u64)>,
}

impl Losses {
    /// Each reason with its count, in order.
    pub fn reasons(&self) -> [(&'static str, u64); 8] {
        [
            ("aliased", self.aliased),
            ("threads full", self.threads_full),
            ("edges full", self.edges_full),
            ("IRQ out of range", self.irq_out_of_range),
            ("CPU out of range", self.cpu_out_of_range),
            ("clock", self.clock),
            ("NAPI full", self.napi_full),
            ("recursion", self.recursion),
        ]
    }

    /// All reasons together.
    pub fn total(&self) -> u64 {
        self.reasons().iter().map(|(_, n)| n).sum()
    }
}

/// What observing cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OwnCost {
    /// CPU time of this process over the window, as a share of one core.
    pub cpu_share: f64,
    /// Run time of the probes over the window, as a share of one core. Estimated from slices, see [`Probe`].
    pub probes_cpu_share: f64,
    /// Resident memory of this process, bytes.
    pub resident_bytes: u64,
    /// Memory of the maps in the kernel, bytes.
    pub maps_bytes: u64,
    /// Each program.
    pub probes: Vec<Probe>,
}

/// The cost of one eBPF program. The kernel's own accounting of program run times would double the cost of a probe, so
/// it is switched on only for short slices of each window and scaled up to the window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// Tracepoint.
    pub name: String,
    /// Runs in the window, scaled up from the slices.
    pub run_count: u64,
    /// Time in the program in the window, ns, scaled up from the slices.
    pub run_time_ns: u64,
}
