//! Interrupts that the kernel refuses to move.

use super::{Feature, read};
use std::{fs, os::unix::fs::PermissionsExt, path::Path};

const NAME: &str = "affinity of IRQs";

/// Any write permission: newer kernels give none to the file of an interrupt that cannot be moved.
const WRITE: u32 = 0o222;

pub(super) fn examine(root: &Path) -> Feature {
    let numbers: Vec<String> =
        read::names(root, "proc/irq").into_iter().filter(|name| name.parse::<u32>().is_ok()).collect();
    let (mut fixed, mut likely, mut all) = (Vec::new(), Vec::new(), 0);
    for number in numbers {
        let Ok(file) = fs::metadata(root.join(format!("proc/irq/{number}/smp_affinity"))) else {
            continue;
        };
        let handlers = read::text(root, &format!("sys/kernel/irq/{number}/actions")).unwrap_or_default();
        // Without a handler it cannot fire.
        if handlers.is_empty() {
            continue;
        }
        all += 1;
        if file.permissions().mode() & WRITE == 0 {
            fixed.push(format!("{number} {handlers}"));
        } else if managed_by_name(&handlers) {
            likely.push(format!("{number} {handlers}"));
        }
    }
    match (fixed.len(), likely.len()) {
        _ if all == 0 => Feature::absent(NAME, "no interrupt with a handler in /proc/irq"),
        (0, 0) => Feature::present(NAME, format!("all {all} interrupts can be moved")),
        (0, n) => Feature::denied(NAME, format!("{n} of {all} likely managed by the kernel: {}", read::some(&likely)))
            .remedy("their threads can be moved instead"),
        (n, _) => Feature::denied(NAME, format!("{n} of {all} managed by the kernel: {}", read::some(&fixed)))
            .remedy("their threads can be moved instead"),
    }
}

/// Drivers that have the kernel spread their queues; on kernels before the file mode told, only their names do.
fn managed_by_name(handlers: &str) -> bool {
    let io_queue = |name: &str| {
        let queue = name.strip_prefix("nvme").and_then(|rest| rest.split_once('q'));
        queue.is_some_and(|(_, queue)| queue != "0" && queue.parse::<u32>().is_ok())
    };
    handlers
        .split(',')
        .map(str::trim)
        .any(|name| io_queue(name) || (name.starts_with("virtio") && name.contains("-req.")))
}
