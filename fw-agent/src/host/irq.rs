//! What the kernel tells about one interrupt in `/proc/irq/N` and `/sys/kernel/irq/N`.

use super::root::Root;
use super::sys::Version;
use crate::model::{CpuSet, Managed};
use std::os::unix::fs::PermissionsExt;

/// Where an interrupt may fire, and whether that can be changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Affinity {
    /// Whether the kernel refuses to move it.
    pub managed: Managed,
    /// CPUs asked for; empty if unknown.
    pub requested: String,
    /// CPUs where it fires now; empty if unknown. On x86 one CPU, chosen out of the requested ones.
    pub effective: String,
    /// CPUs that the driver suggests; empty if none.
    pub hint: String,
    /// NUMA node, if the kernel knows it.
    pub node: Option<u32>,
}

impl Affinity {
    /// Reads everything. `names` are the handlers; see [`managed`].
    pub fn read(root: &Root, irq: u32, names: &str, kernel: Version) -> Affinity {
        let hint = root.text(format!("proc/irq/{irq}/affinity_hint"));
        let mut affinity = Affinity {
            managed: managed(root, irq, names, kernel),
            hint: hint.and_then(|mask| CpuSet::parse_mask(&mask).ok()).unwrap_or_default().to_string(),
            node: root.number(format!("proc/irq/{irq}/node")),
            ..Affinity::default()
        };
        affinity.refresh(root, irq);
        affinity
    }

    /// Reads again what changes when an interrupt is moved.
    pub fn refresh(&mut self, root: &Root, irq: u32) {
        let list = |name: &str| {
            let text = root.text(format!("proc/irq/{irq}/{name}")).unwrap_or_default();
            CpuSet::parse_list(&text).unwrap_or_default().to_string()
        };
        self.requested = list("smp_affinity_list");
        self.effective = list("effective_affinity_list");
    }
}

/// From this kernel on, `smp_affinity` of an interrupt that user space cannot move is read-only, so that a writable one
/// is proof of the contrary. Kernels that took the change over from it show it too, but only the read-only side is proof
/// there.
const MODE_TELLS: Version = Version { major: 6, minor: 12 };

/// Whether the kernel refuses to move an interrupt, without trying: by the mode of `/proc/irq/N/smp_affinity`; on older
/// kernels, where that is writable for all, by its handlers' names.
pub fn managed(root: &Root, irq: u32, names: &str, kernel: Version) -> Managed {
    let Ok(file) = std::fs::metadata(root.path(format!("proc/irq/{irq}/smp_affinity"))) else {
        return Managed::Unknown;
    };
    match file.permissions().mode() & 0o222 {
        0 => Managed::Yes,
        _ if kernel < MODE_TELLS && names.split(", ").any(driver_asks_for_managed) => Managed::Likely,
        _ => Managed::No,
    }
}

/// Whether a handler's name is one of a driver that lets the kernel spread its queues.
fn driver_asks_for_managed(name: &str) -> bool {
    is_nvme_io_queue(name) || is_virtio_blk_queue(name) || name.starts_with("megasas") || name.starts_with("smartpqi")
}

/// `nvme0q1`; the admin queue `nvme0q0` can be moved.
fn is_nvme_io_queue(name: &str) -> bool {
    let queue = name.strip_prefix("nvme").and_then(|name| name.split_once('q'));
    queue.is_some_and(|(device, queue)| device.parse::<u32>().is_ok() && queue.parse::<u32>().is_ok_and(|q| q > 0))
}

/// `virtio0-req.0`. virtio-scsi calls its queues `virtio0-request`, and they are managed as well.
fn is_virtio_blk_queue(name: &str) -> bool {
    let queue = name.strip_prefix("virtio").and_then(|name| name.split_once('-'));
    queue.is_some_and(|(device, queue)| {
        device.parse::<u32>().is_ok() && (queue.starts_with("req.") || queue == "request")
    })
}

/// What `/sys/kernel/irq/N` says: what the row in `/proc/interrupts` says, but each in a file of its own, so that there
/// is no doubt where a name with blanks ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Interrupt controller.
    pub chip: String,
    /// Number within the controller.
    pub hwirq: Option<u64>,
    /// `edge` or `level`.
    pub trigger: String,
    /// Flow handler, e.g. `fasteoi`.
    pub flow: String,
    /// Handlers, as `/proc/interrupts` prints them.
    pub names: String,
}

impl Facts {
    /// Reads them; none if the interrupt is gone or the kernel has no such files.
    pub fn read(root: &Root, irq: u32) -> Option<Facts> {
        let text = |name: &str| root.text(format!("sys/kernel/irq/{irq}/{name}"));
        Some(Facts {
            names: text("actions")?.replace(',', ", "),
            chip: text("chip_name").unwrap_or_default(),
            hwirq: root.number(format!("sys/kernel/irq/{irq}/hwirq")),
            trigger: text("type").unwrap_or_default(),
            flow: text("name").unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_io_queues_of_known_drivers_are_likely_managed() {
        for name in ["nvme0q1", "nvme12q31", "virtio0-req.3", "virtio3-request", "megasas0-msix4", "smartpqi"] {
            assert!(driver_asks_for_managed(name), "{name}");
        }
        for name in ["nvme0q0", "nvme-fcq1", "virtio0-input.0", "virtio0-config", "mlx5_comp0@pci:0000:19:00.0", ""] {
            assert!(!driver_asks_for_managed(name), "{name}");
        }
    }
}
