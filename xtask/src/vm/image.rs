//! What a machine boots into: a base (busybox and modules), made once for a kernel, and a payload (programs, a script),
//! made for each run. The kernel unpacks one archive after the other.

use super::kernel::Kernel;
use crate::sh::{self, Step};
use anyhow::{Context, Result};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// All modules that the base has, in an order that works: rxe needs crc32_generic before it can make a device.
pub const MODULES: &[&str] = &["virtio_pci", "9pnet_virtio", "9p", "virtio_net", "e1000e", "nvme", "crc32_generic"];

/// Modules for which nothing has been written yet that loads them, but which a command may.
const ON_DEMAND: &[&str] = &["ib_uverbs", "rdma_ucm", "rdma_rxe"];

/// The first process. It must not return, or the kernel panics and the machine reboots.
const INIT: &str = "#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/programs:/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tracefs trace /sys/kernel/tracing
mount -t bpf bpf /sys/fs/bpf
mount -t tmpfs tmp /tmp
for m in virtio_pci 9pnet_virtio 9p $(cat /modules); do modprobe $m || echo \"no module $m\"; done
mount -t 9p -o trans=virtio,version=9p2000.L out /out
ip link set lo up
sh /script
echo $? >/out/rc
umount /out
poweroff -f
";

/// Version of what this file puts into the base: to be raised when that changes.
const BASE_VERSION: u32 = 1;

/// The base for a kernel; made if it isn't there yet.
pub fn base(kernel: &Kernel) -> Result<PathBuf> {
    let image = kernel.dir.join(format!("base-{BASE_VERSION}.cpio.gz"));
    if !image.exists() {
        let root = kernel.dir.join("base");
        directories(&root, &["bin", "dev", "out", "proc", "sys", "tmp"])?;
        fs::copy(find("busybox")?, root.join("bin/busybox")).context("can't copy busybox")?;
        modules(kernel, &root)?;
        let init = root.join("init");
        fs::write(&init, INIT)?;
        fs::set_permissions(&init, fs::Permissions::from_mode(0o755))?;
        pack(&root, "gzip -1", &image)?;
        fs::remove_dir_all(root)?;
    }
    Ok(image)
}

/// Copies the modules with those that they depend on.
fn modules(kernel: &Kernel, root: &Path) -> Result<()> {
    let mut depmod = sh::command("depmod");
    depmod.arg("-b").arg(&kernel.dir).arg(&kernel.release);
    Step::new("listing the kernel's modules", &mut depmod).run()?;
    let mut modprobe = sh::command("modprobe");
    modprobe.arg("-d").arg(&kernel.dir).args(["-S", &kernel.release, "--show-depends", "-a"]);
    let output = modprobe.args(MODULES).args(ON_DEMAND).output().context("can't run modprobe")?;
    for file in module_files(&String::from_utf8_lossy(&output.stdout)) {
        let inside = Path::new(file).strip_prefix(&kernel.dir).with_context(|| format!("{file} isn't the kernel's"))?;
        copy(Path::new(file), &root.join(inside))?;
    }
    let mut depmod = sh::command("depmod");
    Step::new("listing the machine's modules", depmod.arg("-b").arg(root).arg(&kernel.release)).run()?;
    Ok(())
}

/// The files in the output of `modprobe --show-depends`.
fn module_files(output: &str) -> impl Iterator<Item = &str> {
    output.lines().filter_map(|line| line.strip_prefix("insmod ")?.split_whitespace().next())
}

/// Programs with their libraries, the modules to load and the script, packed in the directory of the run.
pub fn payload(run: &Path, programs: &[PathBuf], modules: &[&str], script: &str) -> Result<PathBuf> {
    let root = run.join("payload");
    directories(&root, &["programs"])?;
    fs::write(root.join("modules"), modules.join("\n"))?;
    fs::write(root.join("script"), script)?;
    for program in programs {
        let name = program.file_name().with_context(|| format!("{} is no program", program.display()))?;
        let copied = root.join("programs").join(name);
        copy(program, &copied)?;
        // Only for speed: debugging information is most of a program, and all of it would stay in the machine's memory.
        // A script can't be stripped and needn't be.
        let _ = sh::command("strip").arg(&copied).output();
        let output = sh::command("ldd").arg(program).output().context("can't run ldd")?;
        for library in libraries(&String::from_utf8_lossy(&output.stdout)) {
            let inside = root.join(library.trim_start_matches('/'));
            if !inside.exists() {
                copy(Path::new(library), &inside)?;
            }
        }
    }
    let image = run.join("payload.cpio");
    pack(&root, "cat", &image)?;
    Ok(image)
}

/// The files in the output of `ldd`.
fn libraries(output: &str) -> impl Iterator<Item = &str> {
    output.lines().filter_map(|line| line.split_whitespace().find(|word| word.starts_with('/')))
}

fn directories(root: &Path, names: &[&str]) -> Result<()> {
    for name in names {
        let dir = root.join(name);
        fs::create_dir_all(&dir).with_context(|| format!("can't make {}", dir.display()))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let parent = to.parent().unwrap_or(to);
    fs::create_dir_all(parent).with_context(|| format!("can't make {}", parent.display()))?;
    fs::copy(from, to).with_context(|| format!("can't copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn find(program: &str) -> Result<PathBuf> {
    ["/bin", "/usr/bin"]
        .map(|dir| Path::new(dir).join(program))
        .into_iter()
        .find(|path| path.exists())
        .with_context(|| format!("no {program} in /bin"))
}

/// Packs a directory into an initramfs.
fn pack(root: &Path, compress: &str, image: &Path) -> Result<()> {
    // Under another name until it is complete.
    let part = image.with_extension("part");
    let mut shell = sh::command("bash");
    shell.current_dir(root).args([
        "-c",
        "set -o pipefail; find . | cpio --quiet -o -H newc -R 0:0 | $1 >\"$2\"",
        "pack",
        compress,
    ]);
    Step::new("packing the machine's file system", shell.arg(&part)).run()?;
    fs::rename(part, image)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_found_in_what_ldd_prints() {
        let output = "\tlinux-vdso.so.1 (0x00007ffc)\n\tlibgcc_s.so.1 => /lib/x86_64-linux-gnu/libgcc_s.so.1 (0x00007f)\n\
                      \tlibnone.so => not found\n\t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n";
        let found: Vec<_> = libraries(output).collect();
        assert_eq!(found, ["/lib/x86_64-linux-gnu/libgcc_s.so.1", "/lib64/ld-linux-x86-64.so.2"]);
        assert_eq!(libraries("\tnot a dynamic executable\n").count(), 0);
    }

    #[test]
    fn built_in_modules_have_no_file() {
        let output = "builtin virtio_pci\ninsmod /k/lib/modules/6.1/kernel/nvme.ko multipath=0\n";
        assert_eq!(module_files(output).collect::<Vec<_>>(), ["/k/lib/modules/6.1/kernel/nvme.ko"]);
    }
}
