//! Looks what a system has. Changes nothing.

use crate::{sh, toolchain};
use std::env;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The oldest minor version of bpf-linker 0.x that does.
const LINKER_MINOR: u32 = 13;

/// A system: this one, or one made up by a test.
pub struct System {
    /// Where programs are.
    pub dirs: Vec<PathBuf>,
    /// Where rustup keeps its toolchains.
    pub rustup_home: PathBuf,
    /// The toolchain that the user named, if any.
    pub named_toolchain: Option<String>,
    /// Whether we may install packages.
    pub privileged: bool,
    /// Runs a program to learn its version: the path and one argument to what it prints.
    pub version: fn(&Path, &str) -> Option<String>,
}

impl System {
    /// The one that this runs on.
    pub fn this() -> System {
        let dirs = sh::program_dirs();
        System {
            privileged: is_root() || toolchain::has_program(&dirs, "sudo"),
            dirs,
            rustup_home: toolchain::rustup_home(),
            named_toolchain: env::var(toolchain::OVERRIDE).ok(),
            version: toolchain::version,
        }
    }

    /// Whether it has a program.
    pub fn has(&self, program: &str) -> bool {
        toolchain::has_program(&self.dirs, program)
    }

    /// Whether we know how to install on it.
    pub fn can_install(&self) -> bool {
        self.privileged && self.has("apt-get")
    }

    /// The toolchain for the eBPF object.
    pub fn toolchain(&self) -> Option<String> {
        self.named_toolchain.clone().or_else(|| toolchain::find(&self.rustup_home, self.version))
    }

    /// Whether it has a bpf-linker that knows our LLVM.
    pub fn linker_is_recent(&self) -> bool {
        let linker = self.dirs.iter().map(|dir| dir.join("bpf-linker")).find(|path| path.is_file());
        linker
            .and_then(|path| (self.version)(&path, "--version"))
            .and_then(|version| minor(&version))
            .is_some_and(|minor| minor >= LINKER_MINOR)
    }
}

/// The 13 of `bpf-linker 0.13.0`.
fn minor(version: &str) -> Option<u32> {
    version.split_whitespace().nth(1)?.split('.').nth(1)?.parse().ok()
}

/// Whether this process may do everything.
pub fn is_root() -> bool {
    // The owner of a process' directory is its effective user.
    std::fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use std::fs;

    /// A directory that stands for a machine; its programs say that they are recent.
    pub struct MadeUp(PathBuf);

    impl MadeUp {
        pub fn new(name: &str) -> MadeUp {
            let dir = env::temp_dir().join(format!("fastwake-xtask-{}-{name}", std::process::id()));
            fs::create_dir_all(&dir).unwrap();
            MadeUp(dir)
        }

        pub fn file(&self, path: &str) {
            let path = self.0.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }

        pub fn system(&self) -> System {
            System {
                dirs: vec![self.0.join("bin")],
                rustup_home: self.0.join("rustup"),
                named_toolchain: None,
                privileged: false,
                version: |program, _| {
                    let old = program.to_str()?.contains("old");
                    let rustc = program.ends_with("rustc");
                    Some(match (rustc, old) {
                        (true, false) => "rustc 1.96.0\nrelease: 1.96.0\nLLVM version: 22.1.8\n".into(),
                        (true, true) => "rustc 1.80.0\nrelease: 1.80.0\nLLVM version: 18.1.7\n".into(),
                        (false, false) => "bpf-linker 0.13.0\n".into(),
                        (false, true) => "bpf-linker 0.9.14\n".into(),
                    })
                },
            }
        }
    }

    impl Drop for MadeUp {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const CORE: &str = "lib/rustlib/src/rust/library/core/Cargo.toml";

    #[test]
    fn a_toolchain_without_sources_or_with_another_llvm_is_passed_over() {
        let machine = MadeUp::new("toolchains");
        machine.file(&format!("rustup/toolchains/a-old/{CORE}"));
        machine.file("rustup/toolchains/b-without-sources/bin/rustc");
        assert_eq!(machine.system().toolchain(), None);
        machine.file(&format!("rustup/toolchains/c-good/{CORE}"));
        assert_eq!(machine.system().toolchain().as_deref(), Some("c-good"));
        let named = System { named_toolchain: Some("mine".into()), ..machine.system() };
        assert_eq!(named.toolchain().as_deref(), Some("mine"));
    }

    #[test]
    fn an_old_linker_does_not_do() {
        let machine = MadeUp::new("old-linker");
        machine.file("bin/bpf-linker");
        assert!(!machine.system().linker_is_recent());
    }
}
