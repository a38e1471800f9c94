//! Files of real machines, which are not part of the project: the tests use them where they lie beside it and say so
//! where they do not. The made-up hosts of `hosts/` have the same peculiarities.

mod tree;

use fw_agent::host::interrupts::{Description, identity};
use fw_agent::host::table::{CpuTable, Row};
use fw_agent::host::{Host, Topology};
use fw_agent::model::{CpuSet, Distance};
use std::path::{Path, PathBuf};
use tree::Tree;

/// A file or folder of the collection; none, with a word about it, if that is not there.
fn fixture(path: &str) -> Option<PathBuf> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/fixtures").join(path);
    let found = file.exists();
    if !found {
        eprintln!("skipped: {} is not there", file.display());
    }
    found.then_some(file)
}

fn table(path: &str) -> Option<CpuTable> {
    let bytes = std::fs::read(fixture(path)?).unwrap();
    let mut table = CpuTable::default();
    table.parse(&bytes);
    assert!(table.unknown().is_empty(), "{path}: {:?}", table.unknown());
    assert!(!table.rows().any(|row| row.is_torn()), "{path}");
    let lines = bytes.split(|b| *b == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
    assert_eq!(table.rows().len(), lines - 1, "{path}: every line but the header is a row");
    Some(table)
}

fn row<'t>(table: &'t CpuTable, label: &str) -> Row<'t> {
    table.rows().find(|row| row.label == label.as_bytes()).unwrap_or_else(|| panic!("no row {label}"))
}

fn name<'t>(table: &'t CpuTable, label: &str) -> &'t str {
    Description::parse(std::str::from_utf8(row(table, label).text).unwrap()).names
}

fn shape(table: &CpuTable) -> (usize, Option<u32>, usize, usize) {
    let numbered = table.rows().filter(|row| row.number().is_some()).count();
    (table.cpus().len(), table.cpus().last().copied(), table.rows().len(), numbered)
}

fn topology(name: &str) -> Option<Topology> {
    Some(Topology::read(&Tree::unpacked(&fixture(&format!("topology/{name}.sysfs.tar.gz"))?).root()))
}

fn list(text: &str) -> CpuSet {
    CpuSet::parse_list(text).unwrap()
}

#[test]
fn interrupts_of_104_cpus() {
    let Some(table) = table("interrupts/04_x86_104cpu_mlx5_iavf_i40e.txt") else {
        return;
    };
    assert_eq!(shape(&table), (104, Some(103), 1136, 1114));
    let irq = row(&table, "268");
    assert_eq!((name(&table, "268"), irq.total()), ("mlx5_comp0@pci:0000:19:00.0", 198_809_397));
    assert_eq!(irq.counts.iter().max_by_key(|(_, n)| n).unwrap().0, 90);
    assert!(row(&table, "LOC").total() > u64::from(u32::MAX));
}

#[test]
fn interrupts_of_80_cpus_with_equal_names() {
    let Some(table) = table("interrupts/05_x86_80cpu_rt418_mlx5_isolcpus.txt") else {
        return;
    };
    assert_eq!(shape(&table), (80, Some(79), 774, 755));
    let irq = |label| (name(&table, label), row(&table, label).total());
    assert_eq!(irq("527"), ("mlx5_comp0@pci:0000:19:00.1", 44_289_612));
    assert_eq!(irq("273"), ("mlx5_comp0@pci:0000:19:00.0", 1_020));
    let comp = table.rows().filter(|row| String::from_utf8_lossy(row.text).contains("mlx5_comp")).count();
    assert_eq!(comp, 302);
    let mut keys: Vec<(&[u8], &[u8])> = table.rows().map(|row| (row.label, identity(row))).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 774);
}

#[test]
fn interrupts_of_a_guest_with_msi_domains() {
    let Some(table) = table("interrupts/09_x86_12cpu_virtio_pcimsix.txt") else {
        return;
    };
    assert_eq!(shape(&table), (12, Some(11), 77, 57));
    let irq = row(&table, "69");
    assert_eq!((name(&table, "69"), irq.total()), ("virtio1-input.0", 17_140));
    assert_eq!(irq.counts.iter().find(|(cpu, _)| *cpu == 11), Some(&(11, 17_125)));
    let text = std::str::from_utf8(irq.text).unwrap();
    let description = Description::parse(text);
    assert!(description.chip.starts_with("PCI-MSIX-0000:") && description.hwirq.is_some(), "{text}");
    row(&table, "HYP");
}

#[test]
fn interrupts_of_arm64() {
    let Some(table) = table("interrupts/13_arm64_8cpu_ena_ipi_nospace.txt") else {
        return;
    };
    assert_eq!(shape(&table), (8, Some(7), 59, 51));
    assert_eq!(row(&table, "IPI0").total(), 22_166_462_124);
    assert_eq!((name(&table, "10"), row(&table, "10").total()), ("arch_timer", 26_767_542_953));
    assert_eq!(name(&table, "58"), "eth0-Tx-Rx-0");
    assert_eq!(Description::parse(std::str::from_utf8(row(&table, "50").text).unwrap()).chip, "ARMH0061:00");
    assert_eq!((row(&table, "Err").columns, row(&table, "Err").per_cpu), (1, false));
}

#[test]
fn interrupts_of_old_and_small_machines() {
    if let Some(table) = table("interrupts/14_x86_4cpu_old_chip_join.txt") {
        assert_eq!(shape(&table), (4, Some(3), 30, 15));
        assert_eq!((name(&table, "46"), row(&table, "46").total()), ("iwlwifi", 43_539_055));
    }
    if let Some(table) = table("interrupts/19_rpi_bcm2836_fiq_no_counters.txt") {
        assert_eq!(shape(&table), (4, Some(3), 23, 15));
        assert_eq!(name(&table, "62"), "dwc_otg, dwc_otg_pcd, dwc_otg_hcd:usb1");
        assert_eq!((row(&table, "62").total(), row(&table, "FIQ").columns), (521_451_447, 0));
        assert_eq!(row(&table, "FIQ").text, b"usb_fiq");
    }
    if let Some(table) = table("interrupts/30_x86_8cpu_irq_without_name.txt") {
        assert_eq!(shape(&table), (8, Some(7), 37, 19));
        assert_eq!((name(&table, "30"), row(&table, "30").total()), ("", 190));
    }
    if let Some(table) = table("interrupts/48_x86_procfs_fixture.txt") {
        assert_eq!(shape(&table), (4, Some(3), 47, 28));
        assert_eq!((name(&table, "27"), row(&table, "27").total()), ("virtio5-req.2", 2_654));
    }
}

#[test]
fn softirqs() {
    for (path, cpus) in [("softirqs/03_104cpu_rhel8.txt", 104), ("softirqs/11_procfs_fixture.txt", 2)] {
        let Some(table) = table(path) else { continue };
        assert_eq!((table.cpus().len(), table.rows().len()), (cpus, 10), "{path}");
        assert!(table.rows().all(|row| row.per_cpu && row.text.is_empty()), "{path}");
    }
}

/// Any further file of the same kinds is read without loss too.
#[test]
fn every_file_is_read_without_loss() {
    for kind in ["interrupts", "softirqs"] {
        let Some(folder) = fixture(kind) else { continue };
        for file in std::fs::read_dir(folder).unwrap() {
            let path = format!("{kind}/{}", file.unwrap().file_name().to_string_lossy());
            table(&path).unwrap().rows().for_each(|row| assert!(!row.label.is_empty()));
        }
    }
}

#[test]
fn a_host_of_104_cpus() {
    let Some(archive) = fixture("hosts/dell-104cpu-mlx5.sysroot.tar.gz") else {
        return;
    };
    let tree = Tree::unpacked(&archive);
    let mut host = Host::open(tree.root()).unwrap();
    let reading = host.refresh().unwrap();
    assert_eq!((reading.host.cpus_online, reading.host.nodes, reading.irqs.len()), (104, 2, 1136));
    let irq = reading.irqs.iter().find(|irq| irq.irq == Some(268)).unwrap();
    assert_eq!((&*irq.affinity, &*irq.effective_cpus, irq.node), ("14", "14", Some(0)));
    assert_eq!(irq.device, "0000:19:00.0");
    let apart = reading.irqs.iter().filter(|irq| !irq.effective_cpus.is_empty() && irq.affinity != irq.effective_cpus);
    assert_eq!(apart.count(), 29);
    let topology = host.topology();
    assert!(topology.online.iter().all(|cpu| topology.node(cpu) == Some(cpu % 2)));
    assert_eq!(topology.nodes[0].distances, [10, 21]);
    assert_eq!((topology.distance(3, 55), topology.distance(3, 5)), (Distance::Sibling, Distance::SameLlc));
    assert_eq!((topology.distance(3, 4), topology.cores()), (Distance::Remote, 52));
}

#[test]
fn a_host_with_nohz_full() {
    let Some(archive) = fixture("hosts/rt514-80cpu-nohzfull.sysroot.tar.gz") else {
        return;
    };
    let tree = Tree::unpacked(&archive);
    let mut host = Host::open(tree.root()).unwrap();
    let reading = host.refresh().unwrap();
    assert_eq!((reading.host.cpus_online, &*reading.host.nohz_full), (80, "0-4,11-79"));
    let irq = reading.irqs.iter().find(|irq| irq.irq == Some(151)).unwrap();
    assert_eq!(irq.effective_cpus, "42");
    assert!(host.topology().nohz_full.contains(42));
}

#[test]
fn offline_cpus_and_nodes() {
    let Some(topology) = topology("01_offline-cpu0-node0") else {
        return;
    };
    assert_eq!((topology.online.to_string(), topology.online.len()), ("4-20".into(), 17));
    assert_eq!((topology.possible.len(), topology.nodes_with_cpus(), topology.nodes.len()), (192, 1, 1));
    assert_eq!((topology.node(4), topology.node(5)), (None, Some(1)));
    assert!(topology.nodes[0].cpus.is_subset(&topology.online));
}

#[test]
fn offline_cpus_without_topology() {
    let Some(topology) = topology("11_ghw-offline-cpus") else {
        return;
    };
    assert_eq!((topology.online.len(), topology.possible.len(), topology.nohz_full.len()), (2, 4, 0));
    assert_eq!(topology.cores(), 2);
}

#[test]
fn hybrid_cores() {
    let Some(topology) = topology("02_hybrid-1P6c2t-2E4c") else {
        return;
    };
    assert_eq!((topology.online.len(), topology.cores()), (20, 14));
    let has_sibling =
        |cpu: &u32| topology.online.iter().any(|other| topology.distance(*cpu, other) == Distance::Sibling);
    let (paired, single): (CpuSet, CpuSet) = (
        topology.online.iter().filter(has_sibling).collect(),
        topology.online.iter().filter(|c| !has_sibling(c)).collect(),
    );
    assert_eq!((paired, single), (list("0-11"), list("12-19")));
}

#[test]
fn nodes_within_sockets() {
    if let Some(topology) = topology("09_xeon-snc2-memoryside") {
        assert_eq!((topology.nodes_with_cpus(), topology.cores()), (4, 40));
        assert_eq!(topology.nodes[0].distances, [10, 21, 11, 21]);
        assert_eq!((topology.node(2), topology.node(5)), (Some(2), Some(1)));
    }
    if let Some(topology) = topology("10_x86-40-cod-2node-per-socket") {
        assert_eq!((topology.online.len(), topology.possible.len(), topology.cores()), (40, 80, 40));
        assert_eq!(topology.nodes[0].distances, [10, 20, 20, 20]);
    }
}

#[test]
fn nodes_of_memory_only() {
    let Some(topology) = topology("18_nri-multi-node-pmem") else {
        return;
    };
    assert_eq!((topology.online.len(), topology.nodes_with_cpus(), topology.nodes.len()), (112, 4, 8));
    assert!(topology.nodes[4..].iter().all(|node| node.cpus.is_empty()));
    assert_eq!(topology.isolated.to_string(), "4-7,60-63");
}
