//! Which Rust toolchain builds the eBPF object. `cargo xtask setup` and the build script of `fw-agent` both include this
//! file, so that what the one provides is what the other finds.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Major version of the LLVM that rustc and bpf-linker must share: the linker reads the compiler's bitcode, which an
/// older LLVM may not understand, and Debian's packages have this one.
pub const LLVM: u32 = 22;

/// The environment variable that names a toolchain and so overrules the search.
pub const OVERRIDE: &str = "FW_BPF_TOOLCHAIN";

/// `$RUSTUP_HOME`, or where rustup puts it.
pub fn rustup_home() -> PathBuf {
    env::var_os("RUSTUP_HOME").map_or_else(|| home().join(".rustup"), PathBuf::from)
}

/// `$CARGO_HOME/bin`, or where cargo puts it: `cargo install` installs there.
pub fn cargo_bin() -> PathBuf {
    env::var_os("CARGO_HOME").map_or_else(|| home().join(".cargo"), PathBuf::from).join("bin")
}

fn home() -> PathBuf {
    env::home_dir().unwrap_or_else(|| PathBuf::from("/root"))
}

/// Whether an executable of that name is in one of the directories.
pub fn has_program(dirs: &[PathBuf], name: &str) -> bool {
    dirs.iter().any(|dir| dir.join(name).is_file())
}

/// `$PATH` and [`cargo_bin`].
pub fn program_dirs() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).chain([cargo_bin()]).collect()
}

/// Name of the first of rustup's toolchains, by name, that has the sources of `core` (target bpfel-unknown-none comes
/// without a compiled one) and the right LLVM. `version` runs a program to learn its version, as [`version`] does.
pub fn find(rustup_home: &Path, version: impl Fn(&Path, &str) -> Option<String>) -> Option<String> {
    let mut toolchains: Vec<PathBuf> =
        fs::read_dir(rustup_home.join("toolchains")).ok()?.flatten().map(|entry| entry.path()).collect();
    toolchains.sort();
    toolchains
        .into_iter()
        .filter(|dir| dir.join("lib/rustlib/src/rust/library/core/Cargo.toml").is_file())
        .find(|dir| version(&dir.join("bin/rustc"), "-vV").as_deref().and_then(llvm_major) == Some(LLVM))
        .and_then(|dir| Some(dir.file_name()?.to_str()?.to_owned()))
}

/// What a program prints when asked for its version by that argument.
pub fn version(program: &Path, argument: &str) -> Option<String> {
    let output = Command::new(program).arg(argument).output().ok()?;
    String::from_utf8(output.stdout).ok()
}

fn llvm_major(rustc_version: &str) -> Option<u32> {
    rustc_version.lines().find_map(|line| line.strip_prefix("LLVM version: "))?.split('.').next()?.parse().ok()
}
