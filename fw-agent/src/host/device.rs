//! Which device an interrupt belongs to.
//!
//! The vectors of a PCI function are listed in its `msi_irqs`; what users know it by are the classes: a network
//! interface, an RDMA device, an NVMe controller, a disk. For virtio there is a virtio device in between.

use super::interrupts::pci_address;
use super::root::Root;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A function that takes interrupts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Device {
    /// Network interface, else RDMA device, NVMe controller or disk, else the PCI address.
    pub name: String,
    /// PCI address, e.g. `0000:19:00.0`.
    pub address: String,
    /// Its NUMA node, if it is near one.
    pub node: Option<u32>,
}

/// All PCI functions with their interrupts.
#[derive(Clone, Debug, Default)]
pub struct Devices {
    devices: Vec<Device>,
    by_irq: HashMap<u32, usize>,
    by_address: HashMap<String, usize>,
}

/// Classes by which users know a function, the first match counts. mlx5 ports have a network interface and an RDMA
/// device over the same vectors; NVMe controllers have a controller and namespaces.
const CLASSES: [&str; 4] = ["net", "infiniband", "nvme", "block"];

impl Devices {
    /// Walks `/sys/bus/pci/devices` and the classes: milliseconds on a large host, so not for every tick.
    pub fn read(root: &Root) -> Devices {
        const BUS: &str = "sys/bus/pci/devices";
        let names = class_names(root);
        let mut all = Devices::default();
        for address in root.names(BUS) {
            let function = format!("{BUS}/{address}");
            let name = names.get(&address).unwrap_or(&address).clone();
            let index = all.devices.len();
            let mut irqs = root.numbered(format!("{function}/msi_irqs"), "");
            if irqs.is_empty() && root.path(format!("{function}/driver")).exists() {
                // The line of a function without MSI, 0 if it has none. Others may share it: then the first is named.
                irqs.extend(root.number::<u32>(format!("{function}/irq")).filter(|irq| *irq > 0));
            }
            for irq in irqs {
                all.by_irq.entry(irq).or_insert(index);
            }
            let node = root.number(format!("{function}/numa_node"));
            all.by_address.insert(address.clone(), index);
            all.devices.push(Device { name, address, node });
        }
        all
    }

    /// The device of an interrupt: by the lists of vectors, else by a PCI address in what the row in
    /// `/proc/interrupts` says (chip and handlers).
    pub fn of(&self, irq: u32, description: &str) -> Option<Device> {
        if let Some(index) = self.by_irq.get(&irq) {
            return Some(self.devices[*index].clone());
        }
        let address = pci_address(description)?;
        let known = self.by_address.get(address).map(|index| self.devices[*index].clone());
        Some(known.unwrap_or_else(|| Device { name: address.to_owned(), address: address.to_owned(), node: None }))
    }
}

/// PCI address -> name of the class device.
fn class_names(root: &Root) -> HashMap<String, String> {
    let mut names = HashMap::new();
    for class in CLASSES {
        let mut found: HashMap<String, Vec<String>> = HashMap::new();
        for name in root.names(format!("sys/class/{class}")) {
            if let Some(address) = function_of(&root.path(format!("sys/class/{class}/{name}/device"))) {
                found.entry(address).or_default().push(name);
            }
        }
        for (address, mut members) in found {
            // A host bus adapter with many disks is none of them.
            if class != "block" || members.len() == 1 {
                // The port's own interface before those of its virtual functions, which have longer names.
                members.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
                names.entry(address).or_insert_with(|| members.swap_remove(0));
            }
        }
    }
    names
}

/// The PCI function that a class device lies under. The innermost: bridges stand further out in the path.
fn function_of(device: &Path) -> Option<String> {
    let place: PathBuf = device.canonicalize().ok()?;
    let addresses = place.ancestors().filter_map(|p| p.file_name()?.to_str());
    addresses.filter(|name| pci_address(name) == Some(name)).map(str::to_owned).next()
}
