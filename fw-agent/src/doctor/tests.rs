//! Made-up hosts, each as far as `doctor` looks.

use super::*;
use crate::{
    model::Managed,
    observe::{Observer, Options},
    probe::TRACEPOINTS,
};
use std::{fs, os::unix::fs::PermissionsExt};
use tempfile::TempDir;

/// A host made of files.
struct Host(TempDir);

impl Host {
    fn new(files: &[(&str, &str)]) -> Host {
        let host = Host(TempDir::new().unwrap());
        files.iter().for_each(|(path, text)| host.write(path, text.as_bytes()));
        host
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn examine(&self) -> Examination {
        examine(&Root::new(self.0.path()))
    }

    /// The feature's status and line.
    #[track_caller]
    fn feature(&self, name: &str) -> (Status, String) {
        let found = self.examine().features.into_iter().find(|feature| feature.name == name);
        let found = found.unwrap_or_else(|| panic!("no feature {name}"));
        (found.status, found.detail)
    }
}

/// BTF with these tracepoints: each a type `btf_trace_NAME` that points to a function of so many arguments.
fn btf(tracepoints: &[&str], arguments: u32) -> Vec<u8> {
    const INT: u32 = 1 << 24;
    const POINTER: u32 = 2 << 24;
    const TYPEDEF: u32 = 8 << 24;
    const FUNCTION: u32 = 13 << 24;
    // The first parameter is the probe's own data.
    let parameters = arguments + 1;
    let mut strings = b"\0int\0".to_vec();
    let mut types: Vec<u32> = vec![1, INT, 4, 32, 0, FUNCTION | parameters, 0];
    types.extend((0..parameters).flat_map(|_| [0, 1]));
    types.extend([0, POINTER, 2]);
    for name in tracepoints {
        types.extend([strings.len() as u32, TYPEDEF, 3]);
        strings.extend(format!("btf_trace_{name}\0").bytes());
    }
    let sections = [24u32, 0, 4 * types.len() as u32, 4 * types.len() as u32, strings.len() as u32];
    let mut bytes = 0xEB9Fu16.to_le_bytes().to_vec();
    bytes.extend([1, 0]);
    bytes.extend(sections.iter().chain(&types).flat_map(|word| word.to_le_bytes()));
    bytes.extend(strings);
    bytes
}

/// Every tracepoint that is probed but this one.
fn all_but(gone: &str) -> Vec<&'static str> {
    TRACEPOINTS.iter().map(|tracepoint| tracepoint.name).filter(|name| *name != gone).collect()
}

/// A virtual machine where everything works, with one managed interrupt.
fn good() -> Host {
    let host = Host::new(&[
        ("proc/sys/kernel/osrelease", "6.18.44\n"),
        ("proc/self/status", "Name:\tfw-agent\nCapEff:\t000001ffffffffff\n"),
        ("proc/self/limits", "Max locked memory         8388608              8388608              bytes\n"),
        ("proc/sys/kernel/unprivileged_bpf_disabled", "2\n"),
        ("proc/sys/kernel/bpf_stats_enabled", "0\n"),
        ("proc/irq/36/smp_affinity", "3\n"),
        ("proc/irq/39/smp_affinity", "3\n"),
        ("proc/irq/40/smp_affinity", "3\n"),
        ("proc/irq/default_smp_affinity", "3\n"),
        (
            "proc/interrupts",
            "      CPU0 CPU1\n\
             36:   0    9 PCI-MSIX-0000:00:02.0 1-edge virtio1-req.0\n\
             39:   8    0 PCI-MSIX-0000:00:03.0 1-edge virtio2-input.0\n\
             40:   0    0 PCI-MSIX-0000:00:03.0 2-edge\n\
             LOC:  5    6 Local timer interrupts\n",
        ),
        ("proc/612/comm", "irqbalance\n"),
        ("sys/kernel/irq/36/actions", "virtio1-req.0\n"),
        ("sys/kernel/irq/39/actions", "virtio2-input.0\n"),
        ("sys/kernel/irq/40/actions", "\n"),
        ("sys/kernel/security/lockdown", "[none] integrity confidentiality\n"),
        ("sys/fs/cgroup/unified/cgroup.controllers", "\n"),
        ("sys/fs/cgroup/cpu/release_agent", "\n"),
        ("sys/devices/system/cpu/isolated", "2-3\n"),
        ("sys/devices/system/cpu/nohz_full", "(null)\n"),
        ("sys/devices/system/cpu/cpuidle/current_driver", "intel_idle\n"),
        ("sys/devices/system/cpu/cpu1/cpuidle/state0/name", "POLL\n"),
        ("sys/devices/system/cpu/cpu1/cpuidle/state1/name", "C1\n"),
        ("sys/class/infiniband/mlx5_0/node_type", "1: CA\n"),
    ]);
    host.write("sys/kernel/btf/vmlinux", &btf(&all_but(""), 4));
    fs::create_dir_all(host.0.path().join("proc/self/ns")).unwrap();
    std::os::unix::fs::symlink("pid:[4026531836]", host.0.path().join("proc/self/ns/pid")).unwrap();
    let managed = host.0.path().join("proc/irq/36/smp_affinity");
    fs::set_permissions(managed, fs::Permissions::from_mode(0o444)).unwrap();
    host
}

#[test]
fn a_host_where_everything_works() {
    let examination = good().examine();
    assert!(examination.can_observe());
    insta::assert_snapshot!(examination);
}

#[test]
fn a_host_with_nothing() {
    let examination = Host::new(&[]).examine();
    assert!(!examination.can_observe());
    insta::assert_snapshot!(examination);
}

#[test]
fn a_container_without_rights_on_an_old_kernel() {
    let host = good();
    host.write("proc/sys/kernel/osrelease", b"5.10.0-30-amd64");
    host.write("sys/kernel/btf/vmlinux", &btf(&all_but(""), 3));
    host.write("proc/self/status", b"CapEff:\t00000000a80425fb\n");
    host.write("sys/kernel/security/lockdown", b"none integrity [confidentiality]");
    fs::remove_file(host.0.path().join("proc/self/ns/pid")).unwrap();
    std::os::unix::fs::symlink("pid:[4026532601]", host.0.path().join("proc/self/ns/pid")).unwrap();
    insta::assert_snapshot!(host.examine());
}

#[test]
fn the_version_is_compared_as_numbers() {
    for (release, status) in [
        ("5.17.15", Status::Absent),
        ("5.18.0-rc1", Status::Present),
        ("5.9", Status::Absent),
        ("10.0", Status::Present),
        ("6.1-rt", Status::Present),
        ("six", Status::Absent),
    ] {
        let host = Host::new(&[("proc/sys/kernel/osrelease", release)]);
        assert_eq!(host.feature("kernel 5.18+").0, status, "{release}");
    }
}

#[test]
fn a_missing_tracepoint_is_named() {
    let host = good();
    host.write("sys/kernel/btf/vmlinux", &btf(&all_but("softirq_raise"), 4));
    let (status, detail) = host.feature("softirq events");
    assert_eq!(status, Status::Absent);
    assert!(detail.contains("softirq_raise") && !detail.contains("softirq_entry"), "{detail}");
    assert!(!host.examine().can_observe());

    host.write("sys/kernel/btf/vmlinux", &btf(&all_but("napi_poll"), 4));
    assert_eq!(host.feature("NAPI events").0, Status::Absent);
    assert!(host.examine().can_observe());
    assert!(host.examine().summary().contains("NAPI events"));
}

#[test]
fn btf_that_is_garbage_is_no_btf() {
    for bytes in [b"".as_slice(), b"\x9f\xeb", &[0xff; 64]] {
        let host = good();
        host.write("sys/kernel/btf/vmlinux", bytes);
        assert_eq!(host.feature("BTF").0, Status::Absent);
    }
}

/// `observe` refuses the hosts of which `doctor` says that it cannot run, before it asks the kernel for anything.
#[test]
fn observe_refuses_in_one_sentence() {
    let refusal = |host: &Host| {
        let options = Options { root: host.0.path().into(), ..Options::default() };
        let sentence = Observer::start(&options).err().expect("it is refused").to_string();
        assert!(!host.examine().can_observe() && !sentence.contains('\n'), "{sentence}");
        sentence
    };
    let host = good();
    host.write("sys/kernel/btf/vmlinux", &btf(&all_but(""), 3));
    assert!(refusal(&host).ends_with(
        "is too old, its sched_switch does not tell whether a thread is still runnable: boot Linux 5.18 or newer"
    ));
    fs::remove_file(host.0.path().join("sys/kernel/btf/vmlinux")).unwrap();
    let sentence = refusal(&host);
    assert!(
        sentence.contains("sys/kernel/btf/vmlinux") && sentence.contains("built with CONFIG_DEBUG_INFO_BTF"),
        "{sentence}"
    );
    fs::remove_file(host.0.path().join("proc/interrupts")).unwrap();
    let sentence = refusal(&host);
    assert!(sentence.starts_with("cannot read") && sentence.contains("with /proc and /sys mounted"), "{sentence}");
}

#[test]
fn the_newer_capabilities_are_enough() {
    let host = good();
    host.write("proc/self/status", b"CapEff:\t000000c000000000\n");
    assert!(host.examine().can_observe());
    assert_eq!(host.feature("CAP_SYS_ADMIN").0, Status::Denied);
    // The older one stands in for them.
    host.write("proc/self/status", b"CapEff:\t0000000000200000\n");
    assert!(host.examine().can_observe());
}

#[test]
fn a_back_port_counts_more_than_the_version() {
    let host = good();
    host.write("proc/sys/kernel/osrelease", b"5.14.0-503.el9");
    assert_eq!(host.feature("kernel 5.18+").0, Status::Present);
    host.write("sys/kernel/btf/vmlinux", &btf(&all_but(""), 3));
    assert_eq!(host.feature("kernel 5.18+").0, Status::Absent);
}

#[test]
fn cgroup_modes() {
    let v2 = Host::new(&[("sys/fs/cgroup/cgroup.controllers", "cpu\n")]);
    assert_eq!(v2.feature("cgroups"), (Status::Present, "version 2, at /sys/fs/cgroup".into()));
    let v1 = Host::new(&[("sys/fs/cgroup/cpu/release_agent", "")]);
    assert!(v1.feature("cgroups").1.starts_with("version 1"));
    assert_eq!(Host::new(&[]).feature("cgroups").0, Status::Absent);
}

#[test]
fn managed_interrupts_where_the_file_mode_does_not_tell() {
    let host = Host::new(&[
        ("proc/irq/30/smp_affinity", "f\n"),
        ("proc/irq/31/smp_affinity", "f\n"),
        ("proc/interrupts", " CPU0\n30: 1 PCI-MSI 0-edge nvme0q0\n31: 1 PCI-MSI 1-edge nvme0q12\n"),
    ]);
    let (status, detail) = host.feature("affinity of IRQs");
    assert_eq!(status, Status::Denied);
    assert_eq!(detail, "1 of 2 likely managed by the kernel: 31 nvme0q12");
}

/// Whatever a host is like, the two commands must not contradict each other.
#[test]
fn interrupts_are_judged_as_observe_does() {
    for release in ["6.1.0", "6.12.0"] {
        let host = good();
        host.write("proc/sys/kernel/osrelease", release.as_bytes());
        host.write("proc/interrupts", b" CPU0\n36: 1 x 0-edge virtio1-req.0\n37: 1 x 1-edge virtio3-request\n");
        host.write("proc/irq/37/smp_affinity", b"3\n");
        let mut observed = crate::host::Host::open(Root::new(host.0.path())).unwrap();
        let managed = observed.refresh().unwrap().irqs.iter().filter(|irq| irq.managed != Managed::No).count();
        let (_, detail) = host.feature("affinity of IRQs");
        let names = detail.split_once(": ").unwrap().1;
        assert_eq!(names.split(", ").count(), managed, "{release}: {detail}");
    }
}

#[test]
fn realtime_by_flag_or_version() {
    for file in [("sys/kernel/realtime", "1\n"), ("proc/sys/kernel/version", "#1 SMP PREEMPT_RT Debian\n")] {
        assert_eq!(Host::new(&[file]).feature("PREEMPT_RT").0, Status::Present);
    }
}

#[test]
fn json_has_status_and_remedy() {
    let json = serde_json::to_value(good().examine()).unwrap();
    let feature = &json["features"][0];
    assert_eq!((&feature["name"], &feature["status"]), (&"kernel 5.18+".into(), &"present".into()));
    assert!(feature["remedy"].is_string() && feature["required"].is_boolean());
}
