//! What several rules ask of a window, and the words in which they answer.

use crate::model::{CpuSet, Dist, Edge, Irq, Managed, Severity, Snapshot, Thread, units};

/// A 99th percentile of fewer events is a single event's story.
pub(super) const MIN_EVENTS: u64 = 100;

/// Whatever happens more seldom cannot cost a host anything worth a change, however long the window.
pub(super) const MIN_RATE: f64 = 10.0;

/// Lost time, as a share of the window, that is a warning: 10 ms of every second.
pub(super) const WARNING_SHARE: f64 = 0.01;

/// Lost time, as a share of the window, that is worth a word: 1 ms of every second.
pub(super) const NOTE_SHARE: f64 = 0.001;

/// From this share of wakes across CPUs on, a thread is more often away from what wakes it than not.
const MIN_CROSS_SHARE: f64 = 0.5;

/// True if so many events are enough to judge by.
pub(super) fn enough(events: u64, snapshot: &Snapshot) -> bool {
    events >= MIN_EVENTS && events as f64 >= MIN_RATE * snapshot.window_s
}

/// How much lost time matters; none if it does not.
pub(super) fn severity(lost_ns: u64, snapshot: &Snapshot) -> Option<Severity> {
    let share = lost_ns as f64 / (snapshot.window_s * 1e9);
    match share {
        WARNING_SHARE.. => Some(Severity::Warning),
        NOTE_SHARE.. => Some(Severity::Note),
        _ => None,
    }
}

/// The interrupt of this number.
pub(super) fn irq(snapshot: &Snapshot, number: u32) -> Option<&Irq> {
    snapshot.irqs.iter().find(|irq| irq.irq == Some(number))
}

/// The thread of this number.
pub(super) fn thread(snapshot: &Snapshot, tid: u32) -> Option<&Thread> {
    snapshot.threads.iter().find(|thread| thread.tid == tid)
}

/// The numbered interrupts that fired often enough to judge by.
pub(super) fn busy_irqs(snapshot: &Snapshot) -> impl Iterator<Item = (u32, &Irq)> {
    snapshot.irqs.iter().filter(|irq| enough(irq.count, snapshot)).filter_map(|irq| Some((irq.irq?, irq)))
}

/// True unless the kernel is known, or likely, to refuse to move it.
pub(super) fn movable(irq: &Irq) -> bool {
    matches!(irq.managed, Managed::No | Managed::Unknown)
}

/// The CPUs of a list in a window. One that makes no sense, as a window from elsewhere may have, names none.
pub(super) fn cpu_set(list: &str) -> CpuSet {
    CpuSet::parse_list(list).unwrap_or_default()
}

/// The CPUs where it fires: the effective ones, or where the kernel does not tell, the one that counted most.
pub(super) fn fires_on(irq: &Irq) -> String {
    if !irq.effective_cpus.is_empty() {
        return irq.effective_cpus.clone();
    }
    main_cpu(irq).map(|(cpu, _)| cpu.to_string()).unwrap_or_default()
}

/// True if a thread that runs on `cpu` is mostly elsewhere than where the interrupt that wakes it fires.
pub(super) fn away(cross_cpu_share: f64, cpu: u32, fires_on: &str) -> bool {
    let there = cpu_set(fires_on);
    cross_cpu_share >= MIN_CROSS_SHARE && !there.is_empty() && !there.contains(cpu)
}

/// The CPU that took most of its interrupts, and how many.
pub(super) fn main_cpu(irq: &Irq) -> Option<(u32, u64)> {
    irq.per_cpu.iter().copied().max_by_key(|(_, n)| *n)
}

/// The CPU with most idle time of those that are not isolated and for which `suits` holds.
pub(super) fn idlest(snapshot: &Snapshot, suits: impl Fn(u32) -> bool) -> Option<u32> {
    let open = snapshot.cpus.iter().filter(|cpu| !cpu.isolated && suits(cpu.cpu));
    open.max_by(|a, b| a.idle_share.total_cmp(&b.idle_share)).map(|cpu| cpu.cpu)
}

/// True for the kernel's per-CPU threads: they belong where they are, and `taskset` on them fails.
pub(super) fn bound_to_its_cpu(comm: &str) -> bool {
    let per_cpu =
        ["ksoftirqd/", "migration/", "cpuhp/", "ktimers/", "rcuc/", "rcuop/", "backlog_napi/", "idle_inject/"];
    let bound_worker = comm.strip_prefix("kworker/").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    bound_worker || per_cpu.iter().any(|prefix| comm.starts_with(prefix))
}

/// The handler thread of an interrupt or of a NAPI instance, which have rules of their own.
pub(super) fn serves_interrupts(comm: &str) -> bool {
    comm.starts_with("irq/") || comm.starts_with("napi/")
}

/// `IRQ 36 virtio1-req.0`
pub(super) fn irq_words(number: u32, irq: &Irq) -> String {
    format!("IRQ {number} {}", irq.name).trim_end().into()
}

/// `fio (pid 4711)`, or with its thread where that is not the process's first.
pub(super) fn thread_words(comm: &str, pid: u32, tid: u32) -> String {
    if pid == tid { format!("{comm} (pid {pid})") } else { format!("{comm} (pid {pid}, thread {tid})") }
}

/// `CPU 1`, `CPUs 0-3`
pub(super) fn cpu_words(list: &str) -> String {
    let noun = if cpu_set(list).single().is_some() { "CPU" } else { "CPUs" };
    format!("{noun} {list}")
}

/// `IRQ 36 virtio1-req.0`, `softirq NET_RX`, `kworker/1:2 (thread 91)`
pub(super) fn cause_words(edge: &Edge) -> String {
    use crate::model::CauseKind::*;
    let cause = &edge.cause;
    match (cause.kind, cause.irq, cause.tid) {
        (Irq, Some(irq), _) => format!("IRQ {irq} {}", cause.name),
        (Irq, None, _) => format!("interrupt {}", cause.name),
        (Softirq, Some(irq), _) => format!("softirq {} of IRQ {irq}", cause.name),
        (Softirq, None, _) => format!("softirq {}", cause.name),
        (Task, _, Some(tid)) => format!("{} (thread {tid})", cause.name),
        (Task, _, None) => cause.name.clone(),
    }
}

/// `p50 61 us, p99 114 us`
pub(super) fn p50_p99(dist: &Dist) -> String {
    format!("p50 {}, p99 {}", units::ns(dist.quantile(0.5)), units::ns(dist.quantile(0.99)))
}

/// The command that moves a thread.
pub(super) fn move_thread(cpus: &str, tid: u32) -> String {
    format!("`taskset -pc {cpus} {tid}`")
}

/// The command that moves an interrupt.
pub(super) fn move_irq(irq: u32, cpus: &str) -> String {
    format!("`echo {cpus} > /proc/irq/{irq}/smp_affinity_list`")
}
