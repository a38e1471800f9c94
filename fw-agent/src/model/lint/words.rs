//! The words in which rules answer.

use super::facts::cpu_set;
use crate::model::{Dist, Edge, Irq, units};

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
    match (list, cpu_set(list).single()) {
        ("", _) => "unknown CPUs".into(),
        (_, Some(_)) => format!("CPU {list}"),
        (_, None) => format!("CPUs {list}"),
    }
}

/// `IRQ 36 virtio1-req.0`, `softirq NET_RX`, `kworker/1:2 (thread 91)`
pub(super) fn cause_words(edge: &Edge) -> String {
    use crate::model::CauseKind::*;
    let cause = &edge.cause;
    match (cause.kind, cause.irq, cause.tid) {
        (Irq, Some(irq), _) => format!("IRQ {irq} {}", cause.name).trim_end().into(),
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
