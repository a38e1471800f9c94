//! What can go wrong, each with the next step.

use std::{io, path::PathBuf};

/// Errors of this library.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The kernel's type information can't be read.
    #[error(
        "{path}: {reason}; the probes find the kernel's fields by its BTF: boot a kernel built with CONFIG_DEBUG_INFO_BTF, \
         as those of all current distributions are", path = path.display()
    )]
    NoBtf {
        /// Where it was looked for.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// A field is not where all supported kernels have it.
    #[error("this kernel has no field {field}: it is older or newer than the probes know (6.1 and 6.18 are tried)")]
    NoField {
        /// `structure.field`.
        field: String,
    },
    /// A tracepoint that everything rests on is missing.
    #[error("this kernel has no tracepoint {name}: `fw-agent doctor` tells what this host allows")]
    NoTracepoint {
        /// Its name.
        name: &'static str,
    },
    /// Older than 5.18.
    #[error(
        "kernel {release} is too old, its sched_switch does not tell whether a thread is still runnable: boot Linux 5.18 \
         or newer"
    )]
    KernelTooOld {
        /// Its release.
        release: String,
    },
    /// Not allowed to load programs.
    #[error("not allowed to load eBPF programs: run as root, or with CAP_BPF and CAP_PERFMON ({reason})")]
    Denied {
        /// What the kernel said.
        reason: String,
    },
    /// The kernel refused a program.
    #[error("the kernel refused the program {program}: {reason}. Please report this with the kernel's release")]
    Program {
        /// Its name.
        program: String,
        /// What the kernel said.
        reason: String,
    },
    /// The object does not have a map that it should have.
    #[error("the eBPF object has no map {name}: rebuild with `cargo build`")]
    NoMap {
        /// Its name.
        name: &'static str,
    },
    /// A map can't be mapped into this process.
    #[error("the map {name} can't be mapped: {reason}")]
    Mmap {
        /// Its name.
        name: &'static str,
        /// Why not.
        reason: io::Error,
    },
    /// A map can't be read or written.
    #[error("an eBPF map can't be read: {0}")]
    Map(#[from] aya::maps::MapError),
    /// The object can't be loaded.
    #[error("the eBPF object can't be loaded: {0}")]
    Load(#[from] aya::EbpfError),
    /// `/proc` or `/sys` can't be read.
    #[error(transparent)]
    Host(#[from] crate::host::Error),
    /// The filter names something that is not there.
    #[error("{0}")]
    Filter(String),
}
