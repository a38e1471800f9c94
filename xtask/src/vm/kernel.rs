//! Debian's kernels, from its packages.

use super::Flavour;
use crate::sh::{self, Step};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// An unpacked kernel package.
pub struct Kernel {
    /// The directory that it was unpacked in.
    pub dir: PathBuf,
    /// Its release, e.g. `6.1.0-57-amd64`.
    pub release: String,
}

impl Kernel {
    fn in_dir(dir: PathBuf) -> Result<Kernel> {
        let boot = fs::read_dir(dir.join("boot")).with_context(|| format!("no kernel in {}", dir.display()))?;
        let release = boot
            .flatten()
            .find_map(|entry| Some(entry.file_name().to_str()?.strip_prefix("vmlinuz-")?.to_owned()))
            .with_context(|| format!("no kernel in {}", dir.display()))?;
        Ok(Kernel { dir, release })
    }

    /// The bootable file.
    pub fn vmlinuz(&self) -> PathBuf {
        self.dir.join("boot").join(format!("vmlinuz-{}", self.release))
    }
}

/// The kernel under `target/vm`, downloaded first if it isn't there. Deleting it there brings the newest again.
///
/// # Errors
/// If there is no such package, or it can't be fetched.
pub fn fetch(flavour: Flavour) -> Result<Kernel> {
    let dir = sh::target().join("vm").join(flavour.to_string());
    if !dir.exists() {
        let package = match newest(flavour)? {
            Some(package) => package,
            None => {
                let mut update = sh::command("apt-get");
                Step::new("updating the package lists", update.arg("update")).run()?;
                newest(flavour)?.with_context(|| format!("apt-get knows no kernel {flavour}"))?
            }
        };
        // Under another name until it is complete.
        let part = dir.with_extension("part");
        download(&package, &part)?;
        fs::rename(&part, &dir)?;
    }
    Kernel::in_dir(dir)
}

/// Name of the newest kernel package.
fn newest(flavour: Flavour) -> Result<Option<String>> {
    let output =
        sh::command("apt-cache").args(["pkgnames", "linux-image-6.1.0-"]).output().context("can't run apt-cache")?;
    Ok(newest_of(&String::from_utf8_lossy(&output.stdout), flavour))
}

fn newest_of(names: &str, flavour: Flavour) -> Option<String> {
    let suffix = match flavour {
        Flavour::Plain => "-amd64",
        Flavour::Rt => "-rt-amd64",
    };
    let abi =
        |name: &str| -> Option<u32> { name.strip_prefix("linux-image-6.1.0-")?.strip_suffix(suffix)?.parse().ok() };
    names.lines().filter_map(|name| Some((abi(name)?, name))).max().map(|(_, name)| name.to_owned())
}

fn download(package: &str, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    fs::create_dir_all(to)?;
    let mut apt = sh::command("apt-get");
    apt.current_dir(to).args(["download", package]);
    Step::new(&format!("downloading {package}"), &mut apt).run()?;
    let deb = fs::read_dir(to)?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "deb"))
        .with_context(|| format!("apt-get left no package in {}", to.display()))?;
    let mut dpkg = sh::command("dpkg-deb");
    Step::new(&format!("unpacking {package}"), dpkg.arg("-x").arg(&deb).arg(to)).run()?;
    fs::remove_file(deb)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_is_by_number_and_of_the_right_flavour() {
        let names = "linux-image-6.1.0-9-amd64\nlinux-image-6.1.0-57-cloud-amd64\nlinux-image-6.1.0-57-amd64\n\
                     linux-image-6.1.0-58-rt-amd64\nlinux-image-6.1.0-57-amd64-unsigned\nlinux-image-6.1.0-60-arm64\n";
        assert_eq!(newest_of(names, Flavour::Plain).as_deref(), Some("linux-image-6.1.0-57-amd64"));
        assert_eq!(newest_of(names, Flavour::Rt).as_deref(), Some("linux-image-6.1.0-58-rt-amd64"));
        assert_eq!(newest_of("", Flavour::Plain), None);
    }
}
