//! What is needed, for what, and where it comes from.

use super::System;

/// What a need serves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Building and running fw-agent and fw-top.
    Build,
    /// The tests on other kernels.
    Test,
    /// The benchmarks: loads, and tools to compare with.
    Bench,
}

impl Group {
    /// All of them.
    pub const ALL: [Group; 3] = [Group::Build, Group::Test, Group::Bench];

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Group::Build => "build",
            Group::Test => "test",
            Group::Bench => "bench",
        }
    }
}

/// How a need is seen to be met, and how it is met.
pub enum Kind {
    /// The program is there; if not, the Debian packages bring it.
    Program(&'static str, &'static [&'static str]),
    /// The toolchain that builds the eBPF object.
    Toolchain,
    /// Its linker.
    Linker,
}

/// One thing that is needed.
pub struct Need {
    /// What it serves.
    pub group: Group,
    /// Its name.
    pub what: &'static str,
    /// What it is needed for.
    pub why: &'static str,
    /// How to see and meet it.
    pub kind: Kind,
    /// What a user does on a system that we can't install on.
    pub by_hand: &'static str,
}

impl Need {
    /// Whether the system has it.
    pub fn is_met(&self, system: &System) -> bool {
        match self.kind {
            Kind::Program(name, _) => system.has(name),
            Kind::Toolchain => system.toolchain().is_some(),
            Kind::Linker => system.linker_is_recent(),
        }
    }
}

/// All that is needed; what others build upon comes first.
pub const NEEDS: &[Need] = &[
    Need {
        group: Group::Build,
        what: "eBPF toolchain",
        why: "a Rust with the sources of `core` and LLVM 22, to compile the probes",
        kind: Kind::Toolchain,
        by_hand: "`rustup component add rust-src` for a toolchain whose `rustc -vV` says LLVM version 22 (Rust 1.95)",
    },
    Need {
        group: Group::Build,
        what: "bpf-linker",
        why: "links the probes; it is compiled here against Debian's LLVM 22 (about 75 s)",
        kind: Kind::Linker,
        by_hand: "LLVM 22 with its headers, then `LLVM_PREFIX=/path/to/llvm-22 cargo install bpf-linker --locked \
                  --version 0.13.0 --no-default-features --features llvm-22`",
    },
    Need {
        group: Group::Test,
        what: "QEMU",
        why: "boots other kernels",
        kind: Kind::Program("qemu-system-x86_64", &["qemu-system-x86"]),
        by_hand: "qemu-system-x86_64",
    },
    Need {
        group: Group::Test,
        what: "busybox",
        why: "is the user space of those kernels",
        kind: Kind::Program("busybox", &["busybox-static"]),
        by_hand: "a statically linked busybox",
    },
    Need {
        group: Group::Test,
        what: "kmod",
        why: "finds the modules they need",
        kind: Kind::Program("depmod", &["kmod"]),
        by_hand: "kmod (modprobe, depmod)",
    },
    Need {
        group: Group::Test,
        what: "cpio",
        why: "packs their initramfs",
        kind: Kind::Program("cpio", &["cpio"]),
        by_hand: "cpio",
    },
    Need {
        group: Group::Bench,
        what: "libbpf-tools",
        why: "has runqlat, the tool to compare with",
        kind: Kind::Program("runqlat", &["libbpf-tools"]),
        by_hand: "runqlat of libbpf-tools (bcc)",
    },
    Need {
        group: Group::Bench,
        what: "perf",
        why: "its `bench sched pipe` is the load that the cost of probes is measured on",
        kind: Kind::Program("perf", &["linux-perf"]),
        by_hand: "perf",
    },
    Need {
        group: Group::Bench,
        what: "stress-ng",
        why: "makes wakes by the hundred thousand",
        kind: Kind::Program("stress-ng", &["stress-ng"]),
        by_hand: "stress-ng",
    },
    Need {
        group: Group::Bench,
        what: "fio",
        why: "makes disk interrupts",
        kind: Kind::Program("fio", &["fio"]),
        by_hand: "fio",
    },
];
