//! The examination as aligned lines, with the conclusion last.

use super::{Examination, Feature, Status};
use std::fmt;

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Status::Present => "present",
            Status::Absent => "absent",
            Status::Denied => "denied",
        })
    }
}

impl fmt::Display for Examination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.features.iter().map(|feature| feature.name.len()).max().unwrap_or(0);
        for Feature { name, status, detail, remedy, .. } in &self.features {
            let remedy = if remedy.is_empty() { String::new() } else { format!("; {remedy}") };
            writeln!(f, "{}", format!("{status:<7}  {name:<width$}  {detail}{remedy}").trim_end())?;
        }
        writeln!(f, "\n{}", self.summary())
    }
}

/// Some of many: the first few, and how many more there are.
pub(super) fn some(names: &[String]) -> String {
    const SHOWN: usize = 4;
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{shown} and {} more", names.len() - SHOWN) } else { shown }
}

impl Examination {
    /// What works on this host, in one sentence.
    pub fn summary(&self) -> String {
        let names =
            |features: Vec<&Feature>| features.iter().map(|feature| feature.name).collect::<Vec<_>>().join(", ");
        let obstacles = names(self.obstacles().collect());
        if !obstacles.is_empty() {
            return format!("`fw-agent observe` cannot run on this host until this is there: {obstacles}.");
        }
        let limits =
            [super::capabilities::ADMIN, super::cgroup::NAME, super::namespace::NAME, super::tracepoints::NAPI];
        let missing = |feature: &&Feature| feature.status != Status::Present && limits.contains(&feature.name);
        let without = names(self.features.iter().filter(missing).collect());
        if without.is_empty() {
            "`fw-agent observe` works on this host: every wake-up, its cause and where its time goes.".into()
        } else {
            format!("`fw-agent observe` works on this host, but without: {without}.")
        }
    }
}
