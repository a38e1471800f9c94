//! The host that the tests run on.

use fw_agent::host::{Host, Root, Task};

#[test]
fn this_host_is_read_without_loss() {
    let mut host = Host::open(Root::live()).unwrap();
    let first = host.refresh().unwrap();
    assert!(first.irqs.iter().all(|irq| irq.count == 0), "the first refresh is the baseline");
    let second = host.refresh().unwrap();
    assert_eq!(second.unknown_lines, [""; 0]);
    assert!(second.irqs.iter().all(|irq| irq.count < 1 << 30), "no counter runs backwards");
    assert_eq!(second.cpus.len(), host.topology().online.len() as usize);
    assert!(!second.host.kernel.is_empty() && second.host.uptime_s > 0);
}

#[test]
fn this_task_is_read() {
    let task = Task::read(&Root::live(), std::process::id()).unwrap();
    assert_eq!((task.tgid, task.tid), (std::process::id(), std::process::id()));
    assert!(task.is_alive(&Root::live()) && !task.allowed_cpus.is_empty());
}
