//! One task (thread), as `/proc/TID` describes it.

use super::root::Root;

/// A task that was there when it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// Thread.
    pub tid: u32,
    /// Process.
    pub tgid: u32,
    /// Name.
    pub comm: String,
    /// When it started, in clock ticks after boot. A tid that is used again has another start.
    pub started: u64,
    /// Its tid in each PID namespace, outermost first.
    pub namespace_tids: Vec<u32>,
    /// CPUs it may run on, as a CPU list.
    pub allowed_cpus: String,
    /// Path of its cgroup; see [`cgroup_path`].
    pub cgroup: String,
}

impl Task {
    /// Reads three files of `/proc/TID`. None if the task is gone, even if it goes in between.
    pub fn read(root: &Root, tid: u32) -> Option<Task> {
        let (comm, started) = stat(&root.text(format!("proc/{tid}/stat"))?)?;
        let status = root.text(format!("proc/{tid}/status"))?;
        let field =
            |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim);
        Some(Task {
            tid,
            tgid: field("Tgid")?.parse().ok()?,
            comm,
            started,
            namespace_tids: field("NSpid").unwrap_or_default().split_whitespace().flat_map(str::parse).collect(),
            allowed_cpus: field("Cpus_allowed_list").unwrap_or_default().to_owned(),
            cgroup: cgroup_path(&root.text(format!("proc/{tid}/cgroup")).unwrap_or_default()).to_owned(),
        })
    }

    /// Whether the task is still there, and not another one with its tid.
    pub fn is_alive(&self, root: &Root) -> bool {
        let stat = root.text(format!("proc/{}/stat", self.tid)).and_then(|text| stat(&text));
        stat.is_some_and(|(_, started)| started == self.started)
    }
}

/// Name and start from `/proc/TID/stat`. The name may have blanks and parentheses in it: it ends at the last one.
fn stat(text: &str) -> Option<(String, u64)> {
    const STARTTIME: usize = 22;
    let (open, close) = (text.find('(')?, text.rfind(')')?);
    let comm = text.get(open + 1..close)?.to_owned();
    let started = text[close + 1..].split_ascii_whitespace().nth(STARTTIME - 3)?.parse().ok()?;
    Some((comm, started))
}

/// The cgroup path that says most about a task, out of its `/proc/TID/cgroup`: that of version 2, unless that is the
/// root while a version 1 hierarchy says more (hybrid set-ups keep tasks there): then systemd's, or else the deepest.
/// Empty if there is none.
pub fn cgroup_path(file: &str) -> &str {
    let entries = file.lines().filter_map(|line| {
        let (id, rest) = line.split_once(':')?;
        // A controller list may have a colon in it (name=a:b), a line has three fields.
        let at = rest.find(":/")?;
        Some((id, &rest[..at], &rest[at + 1..]))
    });
    let rank = |(id, controllers, path): &(&str, &str, &str)| {
        let tells = *path != "/";
        let kind = match (*id, *controllers) {
            ("0", "") => 2,
            (_, "name=systemd") => 1,
            _ => 0,
        };
        (tells, kind, path.matches('/').count())
    };
    entries.max_by_key(rank).map_or("", |(_, _, path)| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_at_the_last_parenthesis() {
        let rest = "S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20";
        assert_eq!(stat(&format!("7 (a) (b c)) {rest}")), Some(("a) (b c)".into(), 4711)));
        assert_eq!((stat(""), stat("7 (x"), stat(") 7 ("), stat("7 (x) S")), (None, None, None, None));
    }

    #[test]
    fn the_cgroup_that_says_most_is_taken() {
        assert_eq!(cgroup_path("0::/system.slice/ssh.service\n"), "/system.slice/ssh.service");
        let hybrid = "9:name=systemd:/\n4:memory:/pods/abc\n1:cpu,cpuacct:/\n0::/\n";
        assert_eq!(cgroup_path(hybrid), "/pods/abc");
        let v1 = "9:name=systemd:/user.slice\n4:memory:/user.slice/user-0.slice\n";
        assert_eq!(cgroup_path(v1), "/user.slice");
        assert_eq!((cgroup_path("0::/\n"), cgroup_path(""), cgroup_path("garbage")), ("/", "", ""));
        assert_eq!(cgroup_path("0::/a:/b\n"), "/a:/b");
    }
}
