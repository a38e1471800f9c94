//! Made-up hosts with the peculiarities of real ones, read as a whole.

mod tree;

use fw_agent::host::cgroup::{Cgroup, Hierarchy};
use fw_agent::host::{Error, Host, Reading, Task};
use fw_agent::model::{Distance, Irq, Managed};
use std::os::unix::fs::MetadataExt;
use tree::Tree;

fn read(tree: &Tree) -> Reading {
    Host::open(tree.root()).unwrap().refresh().unwrap()
}

fn irq(reading: &Reading, label: &str) -> Irq {
    reading.irqs.iter().find(|irq| irq.label == label).unwrap_or_else(|| panic!("no row {label}")).clone()
}

#[test]
fn a_server_is_described() {
    let tree = Tree::named("mlx5-nvme-6.1");
    let reading = read(&tree);
    let host = &reading.host;
    assert_eq!((&*host.name, &*host.kernel, host.uptime_s), ("storage7", "6.1.0-18-amd64", 98_765));
    assert_eq!((host.cpus_online, host.cpus_possible, host.nodes), (4, 5, 2));
    assert_eq!((&*host.isolated, &*host.nohz_full, host.realtime), ("2-3", "", false));
    assert_eq!((host.irqbalance_pid, host.idle_states.join(" ")), (Some(812), "POLL C1".into()));
    assert_eq!(reading.unknown_lines, [" this line makes no sense"]);
    assert_eq!(reading.irqs.len(), 9);
}

#[test]
fn devices_are_known_by_their_classes() {
    let reading = read(&Tree::named("mlx5-nvme-6.1"));
    let device = |label| irq(&reading, label).device;
    assert_eq!((&*device("41"), &*device("51")), ("ens1f0", "nvme0"));
    assert_eq!(device("60"), "0000:00:1f.2", "an adapter with two disks is neither");
    assert_eq!((device("16"), device("LOC")), (String::new(), String::new()));
    let reading = read(&Tree::named("virtio-6.18"));
    let device = |label| irq(&reading, label).device;
    assert_eq!((&*device("36"), &*device("38"), &*device("39")), ("vda", "eth0", "0000:00:09.0"));
}

#[test]
fn managed_is_told_by_mode_or_name() {
    let reading = read(&Tree::named("mlx5-nvme-6.1"));
    let managed = |label| irq(&reading, label).managed;
    assert_eq!([managed("41"), managed("50")], [Managed::No; 2]);
    assert_eq!([managed("51"), managed("52")], [Managed::Likely, Managed::Yes]);
    assert_eq!([managed("16"), managed("LOC")], [Managed::Unknown; 2]);
    let reading = read(&Tree::named("virtio-6.18"));
    let managed = |label| irq(&reading, label).managed;
    assert_eq!([managed("36"), managed("38"), managed("39")], [Managed::Yes, Managed::No, Managed::No]);
    assert!(reading.host.realtime);
}

#[test]
fn affinity_and_node_are_read() {
    let reading = read(&Tree::named("mlx5-nvme-6.1"));
    let row = irq(&reading, "41");
    assert_eq!((&*row.affinity, &*row.effective_cpus, &*row.hint, row.node), ("0", "0", "1", Some(0)));
    assert_eq!((&*row.chip, &*row.name), ("IR-PCI-MSI", "mlx5_comp0@pci:0000:13:00.0"));
    assert_eq!(irq(&reading, "40").node, Some(1), "from the device if the interrupt has none");
    let row = irq(&reading, "51");
    assert_eq!((&*row.affinity, &*row.hint, row.node), ("0-1", "", Some(0)));
    assert_eq!((&*irq(&reading, "52").name, &*irq(&reading, "52").chip), ("", "IR-PCI-MSI"));
}

#[test]
fn distances_follow_what_is_shared() {
    let tree = Tree::named("mlx5-nvme-6.1");
    let host = Host::open(tree.root()).unwrap();
    let distance = |a, b| host.topology().distance(a, b);
    assert_eq!([distance(0, 0), distance(2, 3)], [Distance::SameCpu, Distance::Sibling]);
    assert_eq!([distance(0, 1), distance(0, 2)], [Distance::SameLlc, Distance::Remote]);
    assert_eq!(distance(0, 4), Distance::Remote, "offline");
    assert_eq!((host.topology().cores(), host.topology().nodes.len()), (3, 3));
    let tree = Tree::named("virtio-6.18");
    let host = Host::open(tree.root()).unwrap();
    assert_eq!(host.topology().distance(0, 1), Distance::SameNode, "no caches, no nodes");
}

#[test]
fn an_arm_server_is_read() {
    let tree = Tree::named("arm64");
    let mut host = Host::open(tree.root()).unwrap();
    let reading = host.refresh().unwrap();
    assert_eq!(host.topology().online.to_string(), "0-1,3");
    assert_eq!((&*reading.host.isolated, &*reading.host.nohz_full), ("3", "1,3"));
    assert!(reading.unknown_lines.is_empty());
    let labels: Vec<&str> = reading.irqs.iter().map(|irq| &*irq.label).collect();
    assert_eq!(labels, ["10", "50", "52", "FIQ", "IPI0", "Err"]);
    assert_eq!((irq(&reading, "50").chip, irq(&reading, "50").name), ("ARMH0061:00".into(), "ACPI:Event".into()));
    assert_eq!((irq(&reading, "FIQ").name, irq(&reading, "10").count), ("usb_fiq".into(), 0));

    // The timer wraps on CPU 0, CPU 1 goes, CPU 2 comes, an interrupt goes and one comes, another gets a number again.
    tree.write(
        "proc/interrupts:\n\
         |          CPU0       CPU2       CPU3\n\
         | 10:          4        500          2     GICv3  27 Level     arch_timer\n\
         | 52:          3          0          0   ITS-MSI 81920 Edge      eth0-Tx-Rx-0\n\
         | 53:          0          6          0   ITS-MSI 81921 Edge      eth0-Tx-Rx-1\n\
         |IPI0:2768808081          0          0       Rescheduling interrupts\n\
         proc/softirqs:\n\
         |                    CPU0       CPU1       CPU2       CPU3\n\
         |       TIMER:    2776190     247490          7          1\n\
         sys/devices/system/cpu/cpu2/topology/core_cpus_list: 2\n",
    );
    tree.remove("sys/devices/system/cpu/cpu1/topology");
    let reading = host.refresh().unwrap();
    let row = |label| (irq(&reading, label).count, irq(&reading, label).per_cpu);
    assert_eq!(row("10"), (12, vec![(0, 10), (3, 2)]));
    assert_eq!((row("52"), row("53")), ((3, vec![(0, 3)]), (0, vec![])));
    assert_eq!(row("IPI0"), (1, vec![(0, 1)]));
    assert_eq!(host.topology().online.to_string(), "0,2-3");
    assert_eq!((reading.softirqs[0].count, &reading.softirqs[0].per_cpu[..]), (11, &[(0, 10), (3, 1)][..]));
    let hardirqs: Vec<(u32, u64)> = reading.cpus.iter().map(|cpu| (cpu.cpu, cpu.hardirqs)).collect();
    assert_eq!(hardirqs, [(0, 13), (2, 0), (3, 2)]);
}

#[test]
fn what_is_allocated_without_a_handler_has_a_past() {
    let tree = Tree::of("proc/interrupts:\n|  CPU0\n| 1: 1 chip 1-edge a\nproc/irq/7/node: 0\n");
    let mut host = Host::open(tree.root()).unwrap();
    host.refresh().unwrap();
    tree.write("proc/interrupts:\n|  CPU0\n| 1: 1 chip 1-edge a\n| 7: 900 chip 7-edge b\n| 8: 5 chip 8-edge c\n");
    let reading = host.refresh().unwrap();
    assert_eq!((irq(&reading, "7").count, irq(&reading, "8").count), (0, 5));
}

#[test]
fn an_interrupt_that_fires_has_its_affinity_read_again() {
    let tree = Tree::of("proc/interrupts:\n|  CPU0\n| 1: 1 chip 1-edge a\nproc/irq/1/effective_affinity_list: 0\n");
    let mut host = Host::open(tree.root()).unwrap();
    assert_eq!(irq(&host.refresh().unwrap(), "1").effective_cpus, "0");
    tree.write("proc/interrupts:\n|  CPU0\n| 1: 2 chip 1-edge a\nproc/irq/1/effective_affinity_list: 5\n");
    assert_eq!(irq(&host.refresh().unwrap(), "1").effective_cpus, "5");
}

#[test]
fn a_tree_without_interrupts_is_refused_by_name() {
    let tree = Tree::of("proc/uptime: 1.0 1.0\n");
    let Err(error) = Host::open(tree.root()) else { panic!("opened") };
    assert!(matches!(error, Error::Read { .. }) && error.to_string().contains("proc/interrupts"), "{error}");
    tree.write("proc/interrupts: garbage\n");
    let Err(error) = Host::open(tree.root()) else { panic!("opened") };
    assert!(matches!(error, Error::NoCpus { .. }), "{error}");
}

#[test]
fn tasks_come_and_go() {
    let stat = |start: u32| format!("proc/7/stat: 7 (a) b) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 {start} 0\n");
    let tree = Tree::of(&stat(4711));
    assert_eq!(Task::read(&tree.root(), 7), None, "half gone");
    tree.write(
        "proc/7/status:\n|Name:\ta) b\n|Tgid:\t5\n|NSpid:\t7\t2\n|Cpus_allowed_list:\t0-1\n\
         proc/7/cgroup:\n|4:memory:/old\n|0::/system.slice/x.service\n",
    );
    let task = Task::read(&tree.root(), 7).unwrap();
    assert_eq!((task.tgid, &*task.comm, &task.namespace_tids[..]), (5, "a) b", &[7, 2][..]));
    assert_eq!((&*task.allowed_cpus, &*task.cgroup), ("0-1", "/system.slice/x.service"));
    assert!(task.is_alive(&tree.root()));
    tree.write(&stat(9000));
    assert!(!task.is_alive(&tree.root()), "the tid is used again");
    assert_eq!(Task::read(&tree.root(), 8), None);
}

#[test]
fn control_groups_are_found_wherever_they_are_mounted() {
    let tree = Tree::of(
        "proc/self/mountinfo:\n\
         |31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
         |32 31 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
         |41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n\
         sys/fs/cgroup/memory/pods/abc/\n\
         sys/fs/cgroup/unified/system.slice/ssh.service/\n",
    );
    let find = |path: &str| Cgroup::find(&tree.root(), path).unwrap();
    let inode = |path: &str| std::fs::metadata(tree.root().path(path)).unwrap().ino();
    let ssh = find("/system.slice/ssh.service");
    assert_eq!((&ssh.hierarchy, ssh.depth), (&Hierarchy::Unified, 2));
    assert_eq!(ssh.id, inode("sys/fs/cgroup/unified/system.slice/ssh.service"));
    assert_eq!(find("/sys/fs/cgroup/unified/system.slice/ssh.service"), ssh);
    let pod = Cgroup {
        hierarchy: Hierarchy::Controllers(vec!["memory".into()]),
        id: inode("sys/fs/cgroup/memory/pods/abc"),
        depth: 2,
    };
    assert_eq!((find("/pods/abc"), find("/sys/fs/cgroup/memory/pods/abc")), (pod.clone(), pod));
    assert_eq!((find("/").depth, find("/").hierarchy), (0, Hierarchy::Unified));
    assert!(matches!(Cgroup::find(&tree.root(), "/none"), Err(Error::NoCgroup { .. })));
}
