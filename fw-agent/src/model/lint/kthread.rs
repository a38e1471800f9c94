//! The kernel's own threads. A window marks them by nothing but their names, and by what they lack: a second thread and
//! a cgroup of their own.

use crate::model::Thread;

/// One for each CPU, and workers: the kernel places them, `taskset` on them fails.
const FIXED: [&str; 9] =
    ["ksoftirqd/", "migration/", "cpuhp/", "ktimers/", "rcuc/", "rcuop/", "backlog_napi/", "idle_inject/", "kworker/"];

/// Handlers of interrupts and of NAPI instances.
const HANDLERS: [&str; 2] = ["irq/", "napi/"];

/// Others that are found on most hosts.
const HOUSEKEEPERS: [&str; 17] = [
    "rcu_",
    "rcub/",
    "rcuog/",
    "rcuos/",
    "kthreadd",
    "kswapd",
    "kcompactd",
    "khugepaged",
    "ksmd",
    "kauditd",
    "khungtaskd",
    "kdevtmpfs",
    "oom_reaper",
    "watchdogd",
    "scsi_eh_",
    "jbd2/",
    "xfsaild/",
];

/// True for threads that belong where they are, and cannot be moved by hand.
pub(super) fn fixed(comm: &str) -> bool {
    begins(comm, &FIXED)
}

/// The handler thread of an interrupt or of a NAPI instance, which have rules of their own.
pub(super) fn serves_interrupts(comm: &str) -> bool {
    begins(comm, &HANDLERS)
}

/// True for a thread of this name that is the kernel's, as far as it can be told. `thread` is what else is known of it.
pub(super) fn is_kernel(comm: &str, thread: Option<&Thread>) -> bool {
    let named = fixed(comm) || serves_interrupts(comm) || begins(comm, &HOUSEKEEPERS);
    named && thread.is_none_or(|t| t.pid == t.tid && matches!(t.cgroup.as_str(), "" | "/"))
}

fn begins(comm: &str, families: &[&str]) -> bool {
    families.iter().any(|family| comm.starts_with(family))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_threads_are_told_from_programs_that_sound_like_them() {
        assert!(
            ["rcu_preempt", "kworker/u8:2", "irq/36-virtio1", "jbd2/vda1-8"].iter().all(|comm| is_kernel(comm, None))
        );
        assert!(!is_kernel("postgres", None));
        let user = Thread { pid: 7, tid: 7, cgroup: "/system.slice/rcu.service".into(), ..Thread::default() };
        assert!(!is_kernel("rcu_daemon", Some(&user)));
        assert!(!is_kernel("rcu_daemon", Some(&Thread { pid: 7, tid: 8, ..Thread::default() })));
        assert!(is_kernel("rcu_preempt", Some(&Thread { pid: 17, tid: 17, cgroup: "/".into(), ..Thread::default() })));
    }
}
