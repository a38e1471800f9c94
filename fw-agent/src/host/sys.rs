//! The kernel, its name and age, and what this process costs.

use super::root::Root;
use rustix::time::{ClockId, clock_gettime};

/// A kernel version, as far as it matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// 6 of `6.1.0-18-amd64`.
    pub major: u32,
    /// 1 of `6.1.0-18-amd64`.
    pub minor: u32,
}

impl Version {
    /// Reads a release such as `6.18.44` or `5.14.0-427.el9.x86_64+rt`; none if it does not begin like one.
    pub fn parse(release: &str) -> Option<Version> {
        let mut parts = release.split(|c: char| !c.is_ascii_digit());
        Some(Version { major: parts.next()?.parse().ok()?, minor: parts.next()?.parse().ok()? })
    }
}

/// The kernel that runs; does not change until reboot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// Host name.
    pub hostname: String,
    /// `6.1.0-18-amd64`; empty if unknown.
    pub release: String,
    /// The same as numbers; 0.0 if unknown, so that no feature of newer kernels is taken for granted.
    pub version: Version,
    /// Whether it is a PREEMPT_RT kernel.
    pub realtime: bool,
}

impl Kernel {
    /// Reads `/proc/sys/kernel` and `/sys/kernel/realtime`.
    pub fn read(root: &Root) -> Kernel {
        let text = |name: &str| root.text(format!("proc/sys/kernel/{name}")).unwrap_or_default();
        let release = text("osrelease");
        // Kernels before 5.15 wrote "PREEMPT RT".
        let build = text("version").replace("PREEMPT RT", "PREEMPT_RT");
        Kernel {
            hostname: text("hostname"),
            version: Version::parse(&release).unwrap_or_default(),
            realtime: root.number("sys/kernel/realtime") == Some(1) || build.contains("PREEMPT_RT"),
            release,
        }
    }
}

/// Whole seconds since boot; 0 if unknown.
pub fn uptime_s(root: &Root) -> u64 {
    let text = root.text("proc/uptime").unwrap_or_default();
    text.split('.').next().and_then(|seconds| seconds.parse().ok()).unwrap_or(0)
}

/// CPU time of this process so far, all threads, ns. From the clock, because `/proc/self/stat` counts in steps of 10 ms:
/// 1 % of a window of a second.
pub fn own_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}

/// Resident memory of this process, bytes; 0 if unknown.
pub fn own_resident_bytes() -> u64 {
    let size = Root::live().field("proc/self/status", "VmRSS").unwrap_or_default();
    size.strip_suffix(" kB").and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read() {
        let version = |release| Version::parse(release).map(|v| (v.major, v.minor));
        assert_eq!(version("6.18.44-fc-v595"), Some((6, 18)));
        assert_eq!(version("5.14.0-427.59.1.el9_4.x86_64+rt"), Some((5, 14)));
        assert_eq!(version("7.0-rc1"), Some((7, 0)));
        assert_eq!((version(""), version("x.y")), (None, None));
    }

    #[test]
    fn own_cost_is_known() {
        let before = own_cpu_ns();
        assert!(own_resident_bytes() > 100_000);
        assert!(own_cpu_ns() >= before && before > 0);
    }
}
