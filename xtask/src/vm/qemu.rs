//! Runs a machine in QEMU.

use super::Machine;
use crate::sh::{self, Step};
use anyhow::Result;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

/// The machine's interrupts are real MSI-X ones, emulated: nvme's are managed, virtio-net's and e1000e's can be moved.
/// No KVM: a stock kernel doesn't boot with it on every virtual machine that this may run on. One emulating thread for both
/// CPUs: with one each, the plain kernel hung under the suite in two of six runs, with one thread in none of six. Why is
/// not proven; the kernel patching its own code, when the run-time accounting of programs is switched, is suspected.
const MACHINE: &[&str] = &[
    "-machine",
    "q35",
    "-accel",
    "tcg,thread=single",
    "-cpu",
    "max",
    "-m",
    "2048",
    "-smp",
    "2",
    "-nographic",
    "-no-reboot",
    "-nic",
    "none",
    "-netdev",
    "user,id=n0,restrict=on",
    "-device",
    "virtio-net-pci,netdev=n0,mq=on,vectors=6",
    "-netdev",
    "user,id=n1,restrict=on",
    "-device",
    "e1000e,netdev=n1",
    "-device",
    "nvme,drive=d0,serial=fastwake",
];

/// Boots a machine and waits until it is off; what it wrote on its console.
///
/// # Errors
/// If QEMU fails, or the machine is not off within the limit.
pub fn boot(title: &str, machine: &Machine, limit: Duration) -> Result<String> {
    let mut qemu = sh::command("qemu-system-x86_64");
    let initramfs = machine.payload.with_file_name("initramfs");
    concatenate([&machine.base, &machine.payload], &initramfs)?;
    qemu.args(MACHINE)
        .arg("-kernel")
        .arg(machine.kernel.vmlinuz())
        .arg("-initrd")
        .arg(initramfs)
        .args(["-append", "console=ttyS0 panic=-1 quiet mitigations=off tsc=reliable"])
        .args(["-drive", &format!("file={},if=none,id=d0,format=raw", machine.disk.display())])
        .args(["-virtfs", &format!("local,path={},mount_tag=out,security_model=none", machine.out.display())]);
    Step::new(title, &mut qemu).limit(limit).run()
}

/// Joins archives. The kernel looks for an uncompressed one only at multiples of four bytes, and skips zeroes before it.
fn concatenate(parts: [&Path; 2], to: &Path) -> Result<()> {
    let mut whole = File::create(to)?;
    for part in parts {
        let length = io::copy(&mut File::open(part)?, &mut whole)?;
        let padding = length.next_multiple_of(4) - length;
        io::copy(&mut io::repeat(0).take(padding), &mut whole)?;
    }
    Ok(())
}
