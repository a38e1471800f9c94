//! Trees of `/proc` and `/sys` for tests: written from one text file, or unpacked from an archive.
//!
//! The text has one entry a line:
//! ```text
//! # comment
//! proc/uptime: 12.34 56.78
//! proc/irq/36/smp_affinity 0444: 3
//! proc/interrupts:
//! |           CPU0       CPU1
//! sys/class/net/eth0/device -> ../../../devices/pci0000:00/0000:00:03.0/virtio2
//! sys/class/block/
//! ```
//! that is a file with its content (and mode), a file whose lines follow, each after a bar, a link and a directory.

#![allow(dead_code, reason = "each test file has this module, none needs all of it")]

use fw_agent::host::Root;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A tree that is removed when it is dropped.
pub struct Tree {
    directory: TempDir,
    /// Directory within, where `proc` and `sys` lie.
    root: PathBuf,
}

impl Tree {
    /// Writes the tree that a text describes.
    pub fn of(text: &str) -> Tree {
        let directory = tempfile::tempdir().unwrap();
        let tree = Tree { root: directory.path().to_owned(), directory };
        tree.write(text);
        tree
    }

    /// Writes the tree of `tests/hosts/NAME.tree`.
    pub fn named(name: &str) -> Tree {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/hosts/{name}.tree"));
        Tree::of(&fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display())))
    }

    /// Unpacks an archive, in which `proc` and `sys` may lie in a directory of their own.
    pub fn unpacked(archive: &Path) -> Tree {
        let directory = tempfile::tempdir().unwrap();
        let status = Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(directory.path()).status().unwrap();
        assert!(status.success(), "{}", archive.display());
        let mut top = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path());
        let own = top.find(|path| path.join("sys").is_dir());
        Tree { root: own.unwrap_or_else(|| directory.path().to_owned()), directory }
    }

    /// Writes further entries, or others in their place.
    pub fn write(&self, text: &str) {
        let mut file: Option<PathBuf> = None;
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let (Some(content), Some(file)) = (line.strip_prefix('|'), &file) {
                let before = fs::read_to_string(file).unwrap();
                fs::write(file, format!("{before}{content}\n")).unwrap();
            } else if let Some((link, target)) = line.split_once(" -> ") {
                symlink(target, self.place(link)).unwrap();
            } else if let Some(directory) = line.strip_suffix('/') {
                fs::create_dir_all(self.root.join(directory)).unwrap();
            } else {
                // Addresses have colons within paths, but no blank after them.
                let (entry, content) = line.split_once(": ").unwrap_or_else(|| (line.strip_suffix(':').unwrap(), ""));
                let (path, mode) = entry.split_once(' ').unwrap_or((entry, "0644"));
                let path = self.place(path);
                fs::write(&path, if content.is_empty() { String::new() } else { format!("{content}\n") }).unwrap();
                let mode = u32::from_str_radix(mode, 8).unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
                file = Some(path);
            }
        }
    }

    /// Removes a file or a directory with all in it.
    pub fn remove(&self, path: &str) {
        let path = self.root.join(path);
        if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
    }

    /// The root to read it under.
    pub fn root(&self) -> Root {
        assert!(self.directory.path().exists());
        Root::new(&self.root)
    }

    fn place(&self, path: &str) -> PathBuf {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }
}
